// SPDX-License-Identifier: MIT OR Apache-2.0
//! AGTCNTRDIR: whether the counters of EL0 and EL1 are redirected.

system_register! {
    /// Redirection of the architectural counters to a scaled one (M3 and later).
    AGTCNTRDIR_EL1: CounterRedirect = "AGTCNTRDIR_EL1" (3, 1, 15, 1, 5) [Driver] rw described
}

system_register! {
    /// AGTCNTRDIR_EL1 of the guest.
    AGTCNTRDIR_EL12: CounterRedirect = "AGTCNTRDIR_EL12" (3, 4, 15, 14, 6) [Driver] rw described
}

register_value! {
    /// AGTCNTRDIR_EL1 and its alias. A loader writes 0 on M3 to get the counter at 1 GHz; macOS wants 3.
    pub struct CounterRedirect(u64) {
        /// Control of traps from EL0.
        bit(0) el0_trap_ctl, set_el0_trap_ctl [Driver] {};
        /// No redirection.
        bit(1) disable, set_disable [Driver] { 0 => "redirected", 1 => "not redirected" };
    }
}
