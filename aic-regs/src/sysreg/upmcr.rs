// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMCR0: control of the uncore performance counters, one set in each cluster.

system_register! {
    /// Control of the uncore performance counters. Its interrupt is one of the sources of FIQ.
    UPMCR0: Upmcr0 = "UPMCR0_EL1" (3, 7, 15, 0, 4) [Driver] rw described
        variants { "T8015 (A11)" => UpmcrT8015 }
}

register_value! {
    /// UPMCR0_EL1 of T8020 (A12) and later.
    pub struct Upmcr0(u64) {
        /// Counters 0 to 15 that count.
        bits(15, 0, u16) enable, set_enable [Driver] {};
        /// What an overflow does.
        bits(18, 16, u8) imode, set_imode [Driver] {
            0 => "off",
            2 => "interrupt of the AIC",
            3 => "halt",
            4 => "FIQ",
        };
        /// Counters 0 to 15 whose overflow interrupts.
        bits(35, 20, u16) pmi_enable, set_pmi_enable [Driver] {};
    }
}

register_value! {
    /// UPMCR0_EL1 of T8015 (A11).
    pub struct UpmcrT8015(u64) {
        /// Counters 0 to 7 that count.
        bits(7, 0, u8) enable, set_enable [Driver] {};
        /// What an overflow does.
        bits(10, 8, u8) imode, set_imode [Driver] {
            0 => "off",
            2 => "interrupt of the AIC",
            3 => "halt",
            4 => "FIQ",
        };
        /// Counters 0 to 7 whose overflow interrupts.
        bits(19, 12, u8) pmi_enable, set_pmi_enable [Driver] {};
    }
}
