// SPDX-License-Identifier: MIT OR Apache-2.0
//! PMCR0 to PMCR4: control of the core's performance counters, whose overflow can be a FIQ or an interrupt of the AIC.

system_register! {
    /// Control of the core's performance counters. Its interrupt is one of the sources of FIQ.
    PMCR0: Pmcr0 = "PMCR0_EL1" (3, 1, 15, 0, 0) [Driver] rw described
}

register_value! {
    /// PMCR0_EL1. Needs an ISB to take effect.
    pub struct Pmcr0(u64) {
        /// Counters 0 to 7 that count.
        bits(7, 0, u8) enable_0_7, set_enable_0_7 [Driver] {};
        /// What an overflow does.
        bits(10, 8, u8) imode, set_imode [Driver] {
            0 => "off",
            1 => "PMI",
            2 => "interrupt of the AIC",
            3 => "halt",
            4 => "FIQ",
        };
        /// The interrupt is active; write 0 to clear.
        bit(11) iact, set_iact [Driver] { 0 => "none", 1 => "active" };
        /// Counters 0 to 7 whose overflow interrupts.
        bits(19, 12, u8) pmi_enable_0_7, set_pmi_enable_0_7 [Driver] {};
        /// Counting stops at an interrupt.
        bit(20) disable_counting_on_pmi, set_disable_counting_on_pmi [Notes] {};
        /// Interrupts wait until after an ERET.
        bit(22) wait_eret, set_wait_eret [Notes] {};
        /// L2 events of the whole cluster are counted.
        bit(23) count_global_l2c, set_count_global_l2c [Notes] {};
        /// EL0 may use the counters.
        bit(30) user_enable, set_user_enable [Notes] {};
        /// Counters 8 and 9 that count.
        bits(33, 32, u8) enable_8_9, set_enable_8_9 [Driver] {};
        /// Counters 8 and 9 whose overflow interrupts.
        bits(45, 44, u8) pmi_enable_8_9, set_pmi_enable_8_9 [Driver] {};
    }
}

register_value! {
    /// PMCR1_EL1: for each exception level, the counters that count there.
    pub struct Pmcr1(u64) {
        /// EL0 in AArch32, counters 0 to 7 (old chips).
        bits(7, 0, u8) el0_a32_0_7, set_el0_a32_0_7 [Notes] {};
        /// EL0 in AArch64, counters 0 to 7.
        bits(15, 8, u8) el0_a64_0_7, set_el0_a64_0_7 [Notes] {};
        /// EL1 in AArch64, counters 0 to 7.
        bits(23, 16, u8) el1_a64_0_7, set_el1_a64_0_7 [Notes] {};
        /// EL3 in AArch64, counters 0 to 7 (old chips).
        bits(31, 24, u8) el3_a64_0_7, set_el3_a64_0_7 [Notes] {};
        /// EL0 in AArch32, counters 8 and 9 (old chips).
        bits(33, 32, u8) el0_a32_8_9, set_el0_a32_8_9 [Notes] {};
        /// EL0 in AArch64, counters 8 and 9.
        bits(41, 40, u8) el0_a64_8_9, set_el0_a64_8_9 [Notes] {};
        /// EL1 in AArch64, counters 8 and 9.
        bits(49, 48, u8) el1_a64_8_9, set_el1_a64_8_9 [Notes] {};
        /// EL3 in AArch64, counters 8 and 9 (old chips).
        bits(57, 56, u8) el3_a64_8_9, set_el3_a64_8_9 [Notes] {};
    }
}

system_register! {
    /// Exception levels in which the core's counters count.
    PMCR1: Pmcr1 = "PMCR1_EL1" (3, 1, 15, 1, 0) [Driver] rw described
}

system_register! {
    /// PMCR1 of guarded execution. That its fields are those of PMCR1_EL1 is not published.
    PMCR1_GL1: u64 = "PMCR1_GL1" (3, 1, 15, 8, 2) [Driver] rw described
}

system_register! {
    /// Watchpoints of the performance counters.
    PMCR2: u64 = "PMCR2_EL1" (3, 1, 15, 2, 0) [Driver] rw described
}

system_register! {
    /// Breakpoints and address matching of the performance counters.
    PMCR3: u64 = "PMCR3_EL1" (3, 1, 15, 3, 0) [Driver] rw described
}

system_register! {
    /// Opcode matching of the performance counters.
    PMCR4: u64 = "PMCR4_EL1" (3, 1, 15, 4, 0) [Driver] rw described
}
