// SPDX-License-Identifier: MIT OR Apache-2.0
//! PMSR: which of the core's counters have overflowed.

system_register! {
    /// Overflow of the core's counters.
    PMSR: Pmsr = "PMSR_EL1" (3, 1, 15, 13, 0) [Driver] rw described
}

register_value! {
    /// PMSR_EL1.
    pub struct Pmsr(u64) {
        /// Counters 0 to 9 that have overflowed.
        bits(9, 0, u16) overflow, set_overflow [Notes] {};
    }
}
