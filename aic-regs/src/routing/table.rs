// SPDX-License-Identifier: MIT OR Apache-2.0
//! Routing of each SoC. Made by `aicprobe tables` from the files under socs: change those, not this.

use super::{Class, FieldValue, RoutedCpu, SocRouting, Standing};

/// Routing of each SoC, by chip id.
pub const ROUTING: &[SocRouting] = &[
    // T6000 (M1 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen
    // on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6000",
        chip_id: 0x6000,
        compatible: "apple,t6000-aic",
        generation: 2,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // third party: the loader wrote it in 2021 to get interrupts, and left it because of trouble with interrupts
            // taken at EL1
            FieldValue { class: Class::Normal, standing: Standing::ThirdParty },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // third party: no interrupts at all until the loader wrote another value
            FieldValue { class: Class::Never, standing: Standing::ThirdParty },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010200, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010201, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010202, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010203, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6002 (M1 Ultra). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are
    // seen on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6002",
        chip_id: 0x6002,
        compatible: "apple,t6000-aic",
        generation: 2,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // third party: the loader wrote it in 2021 to get interrupts, and left it because of trouble with interrupts
            // taken at EL1
            FieldValue { class: Class::Normal, standing: Standing::ThirdParty },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // third party: no interrupts at all until the loader wrote another value
            FieldValue { class: Class::Never, standing: Standing::ThirdParty },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010200, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010201, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010202, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010203, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000800, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000801, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010900, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010901, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010902, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010903, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a00, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a01, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a02, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a03, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6020 (M2 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen
    // on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6020",
        chip_id: 0x6020,
        compatible: "apple,t6020-aic",
        generation: 2,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by device tree
            // of J474s and Linux device trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010200, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010201, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010202, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010203, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6022 (M2 Ultra). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are
    // seen on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6022",
        chip_id: 0x6022,
        compatible: "apple,t6020-aic",
        generation: 2,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010200, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010201, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010202, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010203, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000800, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000801, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000802, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000803, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010900, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010901, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010902, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010903, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a00, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a01, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a02, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010a03, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6030 (M3 Pro). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen
    // on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6030",
        chip_id: 0x6030,
        compatible: "apple,t6030-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000004, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000005, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010104, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010105, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6031 (M3 Max). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen
    // on several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6031",
        chip_id: 0x6031,
        compatible: "apple,t6031-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010104, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010105, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010200, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010201, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010202, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010203, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010204, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010205, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T6040 (M4 Pro). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be as found
    // on T8140
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T6040",
        chip_id: 0x6040,
        compatible: "apple,t6040-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: false,
        values: [
            // inference: as measured on T8140
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // inference: field as found on T8140; MPIDR and boot CPU by loader log of J614s (third party)
            RoutedCpu { mpidr: 0x80010100, field: 0, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000000, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000001, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000002, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000003, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010101, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010102, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010103, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010104, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010200, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010201, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010202, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010203, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010204, field: 3, standing: Standing::Inference },
        ],
    },
    // T8103 (M1). inference: M1 reads 3 on every CPU and its interrupts work: TARGET_CPU of each line decides, and any
    // CPU may be named
    // Allow-list: not listed: AICv1: SIQ_CFG is taken to have no effect, and nobody has measured it
    SocRouting {
        soc: "T8103",
        chip_id: 0x8103,
        compatible: "apple,t8103-aic",
        generation: 1,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: AICv1 goes by TARGET_CPU of the line: the field does not matter
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: AICv1 goes by TARGET_CPU of the line: the field does not matter
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: AICv1 goes by TARGET_CPU of the line: the field does not matter
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: M1 reads 3 on every CPU before a loader writes it, and its interrupts work
            FieldValue { class: Class::Normal, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T8112 (M2). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen on
    // several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T8112",
        chip_id: 0x8112,
        compatible: "apple,t8112-aic",
        generation: 2,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T8122 (M3). inference: the loader leaves 2 on every CPU that it starts (third party), and interrupts are seen on
    // several CPUs; which of them takes one is not known
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T8122",
        chip_id: 0x8122,
        compatible: "apple,t8122-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: true,
        values: [
            // inference: as on T6000
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140; nobody has tried it here
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: that it accepts is third party (the loader writes it); that it gives way to 0 was measured on
            // T8140 only
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as on T6000
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // third party: the loader writes 2 on every CPU (sources of the loader); MPIDR and boot CPU by Linux device
            // trees
            RoutedCpu { mpidr: 0x80010100, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000000, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000001, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000002, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80000003, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010101, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010102, field: 2, standing: Standing::ThirdParty },
            RoutedCpu { mpidr: 0x80010103, field: 2, standing: Standing::ThirdParty },
        ],
    },
    // T8132 (M4). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be as found on
    // T8140
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T8132",
        chip_id: 0x8132,
        compatible: "apple,t8132-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: false,
        values: [
            // inference: as measured on T8140
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as measured on T8140; macOS writes it before it switches a core off (notes)
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // inference: field as found on T8140; MPIDR and boot CPU by device tree of the Mac mini M4 (third party)
            RoutedCpu { mpidr: 0x80010100, field: 0, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000000, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000001, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000002, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000003, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000004, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000005, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010101, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010102, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010103, field: 3, standing: Standing::Inference },
        ],
    },
    // T8140 (A18 Pro). silicon: PR #228 of a Linux tree for the A18 Pro (October 2026): one spare line, 32 triggers from
    // each of 6 CPUs, all on CPU 0
    // Allow-list: listed: measured and boot-tested on hardware by the authors of PR #228; no run of aicprobe has
    // repeated it yet
    // publication: PR #228 of a Linux tree for the A18 Pro: report the effective affinity of AICv2+ IRQs (J700, 2026-10,
    // 0 of 192 triggers missed)
    SocRouting {
        soc: "T8140",
        chip_id: 0x8140,
        compatible: "apple,t8140-aic3",
        generation: 3,
        standing: Standing::Silicon,
        listed: true,
        online_refresh: false,
        values: [
            // silicon: PR #228: the boot CPU reads 0 and takes every interrupt
            FieldValue { class: Class::Normal, standing: Standing::Silicon },
            // silicon: PR #228: a secondary at 1 takes them while the boot CPU is at 0
            FieldValue { class: Class::Preferred, standing: Standing::Silicon },
            // silicon: PR #228: a secondary at 2 takes over while the boot CPU masks IRQs
            FieldValue { class: Class::Fallback, standing: Standing::Silicon },
            // silicon: PR #228: secondaries at 3 take none, also while the boot CPU masks IRQs for 35 ms
            FieldValue { class: Class::Never, standing: Standing::Silicon },
        ],
        cpus: &[
            // silicon: PR #228 (field; boot CPU is cpu@10100)
            RoutedCpu { mpidr: 0x80010100, field: 0, standing: Standing::Silicon },
            // silicon: PR #228 (field); MPIDR by the Linux device tree (third party)
            RoutedCpu { mpidr: 0x80000000, field: 3, standing: Standing::Silicon },
            RoutedCpu { mpidr: 0x80000001, field: 3, standing: Standing::Silicon },
            RoutedCpu { mpidr: 0x80000002, field: 3, standing: Standing::Silicon },
            RoutedCpu { mpidr: 0x80000003, field: 3, standing: Standing::Silicon },
            RoutedCpu { mpidr: 0x80010101, field: 3, standing: Standing::Silicon },
        ],
    },
    // T8142 (M5). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be as found on
    // T8140
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T8142",
        chip_id: 0x8142,
        compatible: "apple,t8142-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: false,
        values: [
            // inference: as measured on T8140
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // inference: field as found on T8140; MPIDR and boot CPU by notes on the MacBook Pro M5 (third party)
            RoutedCpu { mpidr: 0x80010100, field: 0, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000000, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000001, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000002, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000003, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000004, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000005, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010101, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010102, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010103, field: 3, standing: Standing::Inference },
        ],
    },
    // T8152 (M6). inference: the loader does not write SIQ_CFG on M4 and later (third party): taken to be as found on
    // T8140
    // Allow-list: not listed: nobody has measured it on hardware
    SocRouting {
        soc: "T8152",
        chip_id: 0x8152,
        compatible: "apple,t8152-aic3",
        generation: 3,
        standing: Standing::Inference,
        listed: false,
        online_refresh: false,
        values: [
            // inference: as measured on T8140
            FieldValue { class: Class::Normal, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Preferred, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Fallback, standing: Standing::Inference },
            // inference: as measured on T8140
            FieldValue { class: Class::Never, standing: Standing::Inference },
        ],
        cpus: &[
            // inference: field as found on T8140; MPIDR and boot CPU by notes on J873g (third party)
            RoutedCpu { mpidr: 0x80010100, field: 0, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000000, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000001, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000002, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000003, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000004, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80000005, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80010101, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80040102, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80040103, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80040104, field: 3, standing: Standing::Inference },
            RoutedCpu { mpidr: 0x80040105, field: 3, standing: Standing::Inference },
        ],
    },
];
