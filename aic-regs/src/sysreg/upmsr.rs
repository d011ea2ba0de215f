// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMSR: state of the uncore performance counters.

system_register! {
    /// Interrupt and overflow of the uncore counters.
    UPMSR: Upmsr = "UPMSR_EL1" (3, 7, 15, 6, 4) [Driver] rw described
        variants { "T8015 (A11)" => UpmsrT8015 }
}

register_value! {
    /// UPMSR_EL1 of T8020 (A12) and later.
    pub struct Upmsr(u64) {
        /// The interrupt is active.
        bit(0) iact, set_iact [Driver] { 0 => "none", 1 => "active" };
        /// Cross trigger.
        bit(1) cti, set_cti [Driver] {};
        /// Counters 0 to 15 that have overflowed.
        bits(17, 2, u16) overflow, set_overflow [Driver] {};
    }
}

register_value! {
    /// UPMSR_EL1 of T8015 (A11).
    pub struct UpmsrT8015(u64) {
        /// The interrupt is active.
        bit(0) iact, set_iact [Driver] { 0 => "none", 1 => "active" };
        /// Counters 0 to 7 that have overflowed.
        bits(8, 1, u8) overflow, set_overflow [Driver] {};
    }
}
