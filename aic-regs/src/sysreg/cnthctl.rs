// SPDX-License-Identifier: MIT OR Apache-2.0
//! CNTHCTL_EL2: counter access and the event stream.

system_register! {
    /// Counter-timer control, in its layout under HCR_EL2.E2H = 1.
    CNTHCTL_EL2: Cnthctl = "CNTHCTL_EL2" (3, 4, 14, 1, 0) [Architecture] rw
}

register_value! {
    /// CNTHCTL_EL2 under HCR_EL2.E2H = 1 (as CNTKCTL_EL1). Other bits: change by read-modify-write.
    pub struct Cnthctl(u64) {
        /// EL0 may read the physical counter.
        bit(0) el0_pct_enable, set_el0_pct_enable [Architecture] {};
        /// EL0 may read the virtual counter.
        bit(1) el0_vct_enable, set_el0_vct_enable [Architecture] {};
        /// Event stream on: bit `event_bit` of the counter wakes WFE. Nobody has shown it on Apple's cores: measure.
        bit(2) event_enable, set_event_enable [Architecture] {};
        /// Which transition makes the event.
        bit(3) event_direction, set_event_direction [Architecture] { 0 => "0 to 1", 1 => "1 to 0" };
        /// Which bit of the counter makes the event.
        bits(7, 4, u8) event_bit, set_event_bit [Architecture] {};
        /// EL0 may use the virtual timer.
        bit(8) el0_vt_enable, set_el0_vt_enable [Architecture] {};
        /// EL0 may use the physical timer.
        bit(9) el0_pt_enable, set_el0_pt_enable [Architecture] {};
        /// EL1 may read the physical counter.
        bit(10) el1_pct_enable, set_el1_pct_enable [Architecture] {};
        /// EL1 may use the physical timer.
        bit(11) el1_pt_enable, set_el1_pt_enable [Architecture] {};
        /// `event_bit` counts from bit 8 of the counter (only where the CPU implements it).
        bit(17) event_scale, set_event_scale [Architecture] {};
    }
}
