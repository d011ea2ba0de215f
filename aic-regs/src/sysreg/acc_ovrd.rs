// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACC_OVRD: overrides of the core's cluster.

system_register! {
    /// Overrides of the cluster. Bits that touch interrupts, sleep and wake-up are given; many others are clocks and power.
    ACC_OVRD: AccOvrd = "ACC_OVRD_EL1" (3, 5, 15, 6, 0) [Driver] rw described
}

register_value! {
    /// ACC_OVRD_EL1, in part.
    pub struct AccOvrd(u64) {
        /// The SRM may be powered down.
        bits(14, 13, u8) power_down_srm, set_power_down_srm [Driver] { 3 [Notes] => "deep sleep" };
        /// No flush of the L2 cache before the cluster sleeps.
        bits(16, 15, u8) disable_l2_flush, set_disable_l2_flush [Driver] { 2 [Notes] => "deep sleep" };
        /// The link may be trained down.
        bits(18, 17, u8) train_down_link, set_train_down_link [Driver] { 3 [Notes] => "deep sleep" };
        /// Called "RC ack intr lock".
        bit(21) rc_ack_intr_lock, set_rc_ack_intr_lock [Driver] {};
        /// Called "convert SIQ to IRQ": so SIQ is a message of the cluster other than IRQ (inference).
        bit(22) convert_siq_to_irq, set_convert_siq_to_irq [Driver] {};
        /// The CPM may be powered down.
        bits(26, 25, u8) power_down_cpm, set_power_down_cpm [Driver] { 2 [Notes] => "deny", 3 [Notes] => "deep sleep" };
        /// Wakes the CPM up.
        bits(28, 27, u8) cpm_wake_up, set_cpm_wake_up [Driver] { 3 [Notes] => "force" };
        /// Called "disable PIO on WFI CPU".
        bit(32) disable_pio_on_wfi_cpu, set_disable_pio_on_wfi_cpu [Driver] {};
        /// Deep sleep.
        bit(34) deep_sleep, set_deep_sleep [Driver] {};
    }
}
