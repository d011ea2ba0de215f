// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMC0 to UPMC15: the uncore performance counters, 48 bits wide; bit 47 is overflow and interrupts (source: notes).

system_register! {
    /// Performance counter 0 of the cluster.
    UPMC0: u64 = "UPMC0_EL1" (3, 7, 15, 7, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 1 of the cluster.
    UPMC1: u64 = "UPMC1_EL1" (3, 7, 15, 8, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 2 of the cluster.
    UPMC2: u64 = "UPMC2_EL1" (3, 7, 15, 9, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 3 of the cluster.
    UPMC3: u64 = "UPMC3_EL1" (3, 7, 15, 10, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 4 of the cluster.
    UPMC4: u64 = "UPMC4_EL1" (3, 7, 15, 11, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 5 of the cluster.
    UPMC5: u64 = "UPMC5_EL1" (3, 7, 15, 12, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 6 of the cluster.
    UPMC6: u64 = "UPMC6_EL1" (3, 7, 15, 13, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 7 of the cluster.
    UPMC7: u64 = "UPMC7_EL1" (3, 7, 15, 14, 4) [Driver] rw described
}

system_register! {
    /// Performance counter 8 of the cluster.
    UPMC8: u64 = "UPMC8_EL1" (3, 7, 15, 0, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 9 of the cluster.
    UPMC9: u64 = "UPMC9_EL1" (3, 7, 15, 1, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 10 of the cluster.
    UPMC10: u64 = "UPMC10_EL1" (3, 7, 15, 2, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 11 of the cluster.
    UPMC11: u64 = "UPMC11_EL1" (3, 7, 15, 3, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 12 of the cluster.
    UPMC12: u64 = "UPMC12_EL1" (3, 7, 15, 4, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 13 of the cluster.
    UPMC13: u64 = "UPMC13_EL1" (3, 7, 15, 5, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 14 of the cluster.
    UPMC14: u64 = "UPMC14_EL1" (3, 7, 15, 6, 5) [Driver] rw described
}

system_register! {
    /// Performance counter 15 of the cluster.
    UPMC15: u64 = "UPMC15_EL1" (3, 7, 15, 7, 5) [Driver] rw described
}
