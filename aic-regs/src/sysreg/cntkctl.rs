// SPDX-License-Identifier: MIT OR Apache-2.0
//! CNTKCTL: what EL0 may do with counters and timers, and the event stream of EL1.

system_register! {
    /// Counter access of EL0 and the event stream (CNTHCTL_EL2 at EL2 under E2H).
    CNTKCTL_EL1: Cntkctl = "CNTKCTL_EL1" (3, 0, 14, 1, 0) [Architecture] rw described
}

register_value! {
    /// CNTKCTL_EL1.
    pub struct Cntkctl(u64) {
        /// EL0 may read the physical counter.
        bit(0) el0_pct_enable, set_el0_pct_enable [Architecture] {};
        /// EL0 may read the virtual counter.
        bit(1) el0_vct_enable, set_el0_vct_enable [Architecture] {};
        /// Event stream on: bit `event_bit` of the virtual counter wakes WFE.
        bit(2) event_enable, set_event_enable [Architecture] {};
        /// Which transition makes the event.
        bit(3) event_direction, set_event_direction [Architecture] { 0 => "0 to 1", 1 => "1 to 0" };
        /// Which bit of the counter makes the event.
        bits(7, 4, u8) event_bit, set_event_bit [Architecture] {};
        /// EL0 may use the virtual timer.
        bit(8) el0_vt_enable, set_el0_vt_enable [Architecture] {};
        /// EL0 may use the physical timer.
        bit(9) el0_pt_enable, set_el0_pt_enable [Architecture] {};
        /// `event_bit` counts from bit 8 of the counter (only where the CPU implements it).
        bit(17) event_scale, set_event_scale [Architecture] {};
    }
}
