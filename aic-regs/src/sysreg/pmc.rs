// SPDX-License-Identifier: MIT OR Apache-2.0
//! PMC0 to PMC9: the core's performance counters. 48 bits on M1, where bit 47 interrupts; 64 bits from M2 on, where bit 63
//! does (source: notes).

system_register! {
    /// Performance counter 0 of the core: cycles.
    PMC0: u64 = "PMC0_EL1" (3, 2, 15, 0, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 1 of the core: instructions.
    PMC1: u64 = "PMC1_EL1" (3, 2, 15, 1, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 2 of the core.
    PMC2: u64 = "PMC2_EL1" (3, 2, 15, 2, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 3 of the core.
    PMC3: u64 = "PMC3_EL1" (3, 2, 15, 3, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 4 of the core.
    PMC4: u64 = "PMC4_EL1" (3, 2, 15, 4, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 5 of the core.
    PMC5: u64 = "PMC5_EL1" (3, 2, 15, 5, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 6 of the core.
    PMC6: u64 = "PMC6_EL1" (3, 2, 15, 6, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 7 of the core.
    PMC7: u64 = "PMC7_EL1" (3, 2, 15, 7, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 8 of the core.
    PMC8: u64 = "PMC8_EL1" (3, 2, 15, 9, 0) [Driver] rw described
}

system_register! {
    /// Performance counter 9 of the core.
    PMC9: u64 = "PMC9_EL1" (3, 2, 15, 10, 0) [Driver] rw described
}
