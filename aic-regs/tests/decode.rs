// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words that people have seen, and what they mean.

use aic_regs::aic::{Config, EventKind, EventWord, Info1, Info3, IrqConfig, Line};
use aic_regs::sysreg::{CoreType, Encoding, Esr, IpiRequest, IpiType, Mpidr, SiqCfg};
use proptest::prelude::*;

/// Linux interrupt numbers seen in public listings, and their lines.
const SEEN: &[(u32, u16)] = &[
    (66248, 712),
    (66245, 709),
    (66074, 538),
    (66071, 535),
    (66038, 502),
    (66035, 499),
    (66403, 867),
    (66400, 864),
    (66256, 720),
    (66253, 717),
    (66260, 724),
    (66089, 553),
    (66305, 769),
    (66384, 848),
    (66571, 1035),
    (66652, 1116),
    (66318, 782),
    (66301, 765),
    (66285, 749),
    (66297, 761),
    (66298, 762),
    (66299, 763),
    (66300, 764),
    (66296, 760),
    (66567, 1031),
    (65815, 279),
    (65812, 276),
    (66682, 1146),
    (65896, 360),
    (66352, 816),
    (66532, 996),
    (66575, 1039),
];

#[test]
fn seen_hwirqs_are_their_lines() {
    for &(hwirq, number) in SEEN {
        let line = Line { die: 0, number };
        assert_eq!(line.hwirq(), hwirq);
        assert_eq!(
            EventWord(hwirq).decode(),
            EventKind::Hardware(line),
            "{hwirq}"
        );
    }
}

#[test]
fn the_die_is_in_the_top_byte() {
    let line = Line {
        die: 1,
        number: 360,
    };
    assert_eq!(line.hwirq(), 0x0101_0168);
    assert_eq!(Line::from_hwirq(0x0101_0168), Some(line));
    // A published note reads die 1 this way: it is type 2, not a line.
    assert_eq!(Line::from_hwirq(0x0002_0168), None);
    assert_eq!(line.to_string(), "1:360");
}

#[test]
fn other_kinds_of_events_are_no_lines() {
    assert_eq!(EventWord(0).decode(), EventKind::None);
    assert!(EventWord(0).is_none());
    assert_eq!(EventWord(0x0004_0001).decode(), EventKind::Ipi(1));
    assert_eq!(EventWord(0x0004_0002).decode(), EventKind::Ipi(2));
    assert_eq!(EventWord(0x0003_0007).decode(), EventKind::Unknown(3));
    assert_eq!(EventWord(0x0000_0007).decode(), EventKind::Unknown(0));
    assert_eq!(EventWord(0x0004_0001).line(), None);
    let seen = EventWord(0x0001_0728);
    assert_eq!((seen.die(), seen.kind(), seen.number()), (0, 1, 1832));
}

#[test]
fn words_have_their_fields_in_place() {
    let info1 = Info1(0x0100_07a9);
    assert_eq!((info1.nr_irq(), info1.last_die()), (1961, 1));
    let info3 = Info3(0x0800_1000);
    assert_eq!((info3.max_irq(), info3.max_die()), (4096, 8));
    let mut config = Config(0x8000_0000);
    config.set_enable(true);
    assert_eq!(config.bits(), 0x8000_0001);
    config.set_prefer_pcpu(true);
    assert_eq!(config.bits(), 0x9000_0001);
    let mut cfg = IrqConfig(0);
    cfg.set_target(4);
    cfg.set_delay_index(5);
    assert_eq!(cfg.bits(), 0xa4);
    assert_eq!(
        format!("{cfg:?}"),
        "IrqConfig { bits: 0xa4, target: 4, delay_index: 5 }"
    );
}

#[test]
fn mpidr_says_what_kind_of_core_and_where() {
    // MPIDR, type, cluster, core.
    let seen = [
        (0x8000_0000, CoreType::E, 0, 0),
        (0x8000_0003, CoreType::E, 0, 3),
        (0x8001_0100, CoreType::P, 1, 0),
        (0x8001_0204, CoreType::P, 2, 4),
        (0x8001_0a03, CoreType::P, 10, 3),
        (0x8004_0000, CoreType::M, 0, 0),
        (0x8004_0105, CoreType::M, 1, 5),
        (0x8002_0000, CoreType::Unknown(2), 0, 0),
    ];
    for (bits, kind, cluster, core) in seen {
        let mpidr = Mpidr(bits);
        assert_eq!(
            (mpidr.core_type(), mpidr.cluster(), mpidr.core()),
            (kind, cluster, core),
            "{bits:#x}"
        );
        assert_eq!(Mpidr::of(kind, cluster, core), mpidr);
        assert_eq!(
            Mpidr::from_adt(u32::from(cluster) << 8 | u32::from(core), kind),
            mpidr
        );
        assert_eq!(mpidr.affinity(), bits as u32 & 0xff_ffff);
    }
    assert_eq!(
        CoreType::P.to_string() + &CoreType::Unknown(7).to_string(),
        "P?7"
    );
}

#[test]
fn ipi_requests_name_core_cluster_and_kind() {
    let target = Mpidr(0x8001_0203);
    assert_eq!(IpiRequest::local(target, IpiType::Immediate).bits(), 0x3);
    assert_eq!(
        IpiRequest::global(target, IpiType::Immediate).bits(),
        0x2_0003
    );
    assert_eq!(
        IpiRequest::global(target, IpiType::Retract).bits(),
        0x1002_0003
    );
    assert_eq!(
        IpiRequest::global(target, IpiType::Deferred).bits(),
        0x2002_0003
    );
    assert_eq!(
        IpiRequest::local(target, IpiType::NoWake).bits(),
        0x3000_0003
    );
    let request = IpiRequest::global(target, IpiType::Deferred);
    assert_eq!(
        (request.core(), request.cluster(), request.kind()),
        (3, 2, 2)
    );
}

#[test]
fn changing_the_routing_field_keeps_the_other_bits() {
    let found = SiqCfg(0xffff_0000_0000_0070);
    assert_eq!(
        found.with_routing(SiqCfg::NEVER).bits(),
        0xffff_0000_0000_0073
    );
    assert_eq!(found.with_routing(3).with_routing(1).routing(), 1);
    assert_eq!(SiqCfg(7).routing(), 3);
}

#[test]
fn a_trapped_register_is_named_by_its_syndrome() {
    // MRS x0, S3_4_C15_C10_4 trapped: op0 3, op2 4, op1 4, CRn 15, Rt 0, CRm 10, read.
    let esr = Esr(0x18 << 26 | 1 << 25 | 3 << 20 | 4 << 17 | 4 << 14 | 15 << 10 | 10 << 1 | 1);
    assert_eq!(esr.trapped_register(), Some(Encoding::new(3, 4, 15, 10, 4)));
    assert_eq!(esr.class_name(), "trapped MSR, MRS or system instruction");
    assert_eq!(
        Esr(0x0200_0000).class_name(),
        "unknown or undefined instruction"
    );
    assert_eq!(Esr(0x0200_0000).trapped_register(), None);
    assert_eq!(Esr(0x3f << 26).class_name(), "unlisted exception class");
}

#[test]
fn encodings_have_the_instructions_fields() {
    let siq = Encoding::new(3, 4, 15, 10, 4);
    assert_eq!(siq.packed(), 0xe7d4);
    assert_eq!(siq.to_string(), "S3_4_C15_C10_4");
}

proptest! {
    #[test]
    fn a_line_comes_back_from_its_hwirq(die: u8, number: u16) {
        let line = Line { die, number };
        prop_assert_eq!(Line::from_hwirq(line.hwirq()), Some(line));
        prop_assert_eq!(line.event().line(), Some(line));
    }

    #[test]
    fn the_two_ways_to_decode_an_event_agree(word: u32) {
        let event = EventWord(word);
        let by_kind = match event.decode() { EventKind::Hardware(line) => Some(line), _ => None };
        prop_assert_eq!(by_kind, event.line());
        prop_assert_eq!(event.decode() == EventKind::None, event.is_none());
    }

    #[test]
    fn an_encoding_comes_back_from_its_packed_form(packed: u16) {
        prop_assert_eq!(Encoding::from_packed(packed).packed(), packed);
    }

    #[test]
    fn a_global_request_reaches_one_affinity(mpidr in 0_u64..1 << 24) {
        let request = IpiRequest::global(Mpidr(mpidr), IpiType::Immediate);
        prop_assert_eq!(u32::from(request.cluster()) << 8 | u32::from(request.core()), Mpidr(mpidr).affinity() & 0xffff);
        prop_assert_eq!(request.bits() & !0xff_00ff, 0);
    }
}

#[test]
fn an_encoding_has_a_generic_name_and_instruction_words() {
    let siq = Encoding::new(3, 4, 15, 10, 4);
    assert_eq!((siq.mrs(0), siq.msr(0)), (0xd53c_fa80, 0xd51c_fa80));
    assert_eq!(siq.mrs(31), 0xd53c_fa9f);
    for name in ["S3_4_C15_C10_4", "s3_4_c15_c10_4"] {
        assert_eq!(Encoding::from_generic_name(name), Some(siq), "{name}");
    }
    let wrong = [
        "",
        "S",
        "S3",
        "S3_4_C15_C10",
        "S3_4_C15_C10_8",
        "S3_8_C15_C10_4",
        "S4_4_C15_C10_4",
        "S1_4_C15_C10_4",
        "S3_4_C16_C10_4",
        "S3_4_C15_C10_4_0",
        "S3_4_15_C10_4",
        "3_4_C15_C10_4",
        "S3_+4_C15_C10_4",
        "S3__C15_C10_4",
        "SIQ_CFG_EL1",
        "\u{17f}3_4_C15_C10_4",
    ];
    for name in wrong {
        assert_eq!(Encoding::from_generic_name(name), None, "{name}");
    }
}
