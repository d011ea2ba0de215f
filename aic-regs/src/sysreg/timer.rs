// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generic timers: what each reaches as FIQ, and the same of a guest.

register_value! {
    /// CTL of any of the timers.
    pub struct TimerControl(u64) {
        /// The timer runs and may raise its interrupt.
        bit(0) enable, set_enable [Architecture] { 0 => "off", 1 => "on" };
        /// Its interrupt is masked.
        bit(1) imask, set_imask [Architecture] { 0 => "open", 1 => "masked" };
        /// The condition is met. On Apple's cores FIQ stays asserted while this is set, the timer on and not masked.
        bit(2) istatus, _ [Architecture] { 0 => "not met", 1 => "met" };
    }
}

register_value! {
    /// TVAL of any of the timers.
    pub struct TimerValue(u64) {
        /// Ticks until the condition is met, signed.
        bits(31, 0, u32) ticks, set_ticks [Architecture] {};
    }
}

system_register! {
    /// Ticks until the condition of the physical timer (of EL2 at EL2 under E2H).
    CNTP_TVAL: TimerValue = "CNTP_TVAL_EL0" (3, 3, 14, 2, 0) [Architecture] rw described
}

system_register! {
    /// Control of the physical timer (of EL2 at EL2 under E2H).
    CNTP_CTL: TimerControl = "CNTP_CTL_EL0" (3, 3, 14, 2, 1) [Architecture] rw described
}

system_register! {
    /// Counter value at which the condition of the physical timer (of EL2 at EL2 under E2H) is met.
    CNTP_CVAL: u64 = "CNTP_CVAL_EL0" (3, 3, 14, 2, 2) [Architecture] rw described
}

system_register! {
    /// Ticks until the condition of the virtual timer (of EL2 at EL2 under E2H).
    CNTV_TVAL: TimerValue = "CNTV_TVAL_EL0" (3, 3, 14, 3, 0) [Architecture] rw described
}

system_register! {
    /// Control of the virtual timer (of EL2 at EL2 under E2H).
    CNTV_CTL: TimerControl = "CNTV_CTL_EL0" (3, 3, 14, 3, 1) [Architecture] rw described
}

system_register! {
    /// Counter value at which the condition of the virtual timer (of EL2 at EL2 under E2H) is met.
    CNTV_CVAL: u64 = "CNTV_CVAL_EL0" (3, 3, 14, 3, 2) [Architecture] rw described
}

system_register! {
    /// Ticks until the condition of the guest's physical timer.
    CNTP_TVAL_EL02: TimerValue = "CNTP_TVAL_EL02" (3, 5, 14, 2, 0) [Architecture] rw described
}

system_register! {
    /// Control of the guest's physical timer.
    CNTP_CTL_EL02: TimerControl = "CNTP_CTL_EL02" (3, 5, 14, 2, 1) [Architecture] rw described
}

system_register! {
    /// Counter value at which the condition of the guest's physical timer is met.
    CNTP_CVAL_EL02: u64 = "CNTP_CVAL_EL02" (3, 5, 14, 2, 2) [Architecture] rw described
}

system_register! {
    /// Ticks until the condition of the guest's virtual timer.
    CNTV_TVAL_EL02: TimerValue = "CNTV_TVAL_EL02" (3, 5, 14, 3, 0) [Architecture] rw described
}

system_register! {
    /// Control of the guest's virtual timer.
    CNTV_CTL_EL02: TimerControl = "CNTV_CTL_EL02" (3, 5, 14, 3, 1) [Architecture] rw described
}

system_register! {
    /// Counter value at which the condition of the guest's virtual timer is met.
    CNTV_CVAL_EL02: u64 = "CNTV_CVAL_EL02" (3, 5, 14, 3, 2) [Architecture] rw described
}

system_register! {
    /// The virtual counter: the physical one less CNTVOFF_EL2.
    CNTVCT: u64 = "CNTVCT_EL0" (3, 3, 14, 0, 2) [Architecture] r described
}

system_register! {
    /// What a guest's virtual counter is behind the physical one.
    CNTVOFF_EL2: u64 = "CNTVOFF_EL2" (3, 4, 14, 0, 3) [Architecture] rw described
}
