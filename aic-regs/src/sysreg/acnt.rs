// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACNTPCT and ACNTVCT: counters that synchronise themselves, from before the architecture had them.

system_register! {
    /// The physical counter, read in program order (as CNTPCTSS_EL0).
    ACNTPCT: u64 = "ACNTPCT_EL0" (3, 4, 15, 10, 5) [Driver] r described
}

system_register! {
    /// The virtual counter, read in program order (as CNTVCTSS_EL0).
    ACNTVCT: u64 = "ACNTVCT_EL0" (3, 4, 15, 10, 6) [Driver] r described
}
