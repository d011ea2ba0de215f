// SPDX-License-Identifier: MIT OR Apache-2.0
//! CYC_OVRD: overrides of the core's sleep and of what wakes it.

system_register! {
    /// Overrides of sleep and wake-up. Locked on M4 and later.
    CYC_OVRD: CycOvrd = "CYC_OVRD_EL1" (3, 5, 15, 5, 0) [Driver] rw described
}

register_value! {
    /// CYC_OVRD_EL1. A loader sets both modes to 0 at start, and to 2 before a shallow sleep.
    pub struct CycOvrd(u64) {
        /// WFI does not return.
        bit(0) disable_wfi_ret, set_disable_wfi_ret [Driver] {};
        /// What FIQs do.
        bits(21, 20, u8) fiq_mode, set_fiq_mode [Driver] { 0 => "open", 2 => "disabled" };
        /// What IRQs do.
        bits(23, 22, u8) irq_mode, set_irq_mode [Driver] { 0 => "open", 2 => "disabled" };
        /// Whether WFI may power the core down.
        bits(25, 24, u8) wfi_mode, set_wfi_mode [Driver] { 0 => "default", 2 => "stays up", 3 => "goes down (deep)" };
        /// Time without snoops.
        bits(31, 30, u8) disable_snoop_time, set_disable_snoop_time [Driver] {};
    }
}
