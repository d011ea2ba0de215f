// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generic timer's counter.

system_register! {
    /// Frequency of the counter in Hz, as software that ran earlier set it.
    CNTFRQ: u64 = "CNTFRQ_EL0" (3, 3, 14, 0, 0) [Architecture] r
}

system_register! {
    /// The physical counter. Apple's counters advance in steps of more than one tick on some SoCs: measure the step.
    CNTPCT: u64 = "CNTPCT_EL0" (3, 3, 14, 0, 1) [Architecture] r
}
