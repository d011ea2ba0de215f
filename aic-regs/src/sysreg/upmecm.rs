// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMECM0 to UPMECM3: whose events the uncore counters count.

system_register! {
    /// Cores whose events the uncore counters 0 to 3 count.
    UPMECM0: Upmecm0 = "UPMECM0_EL1" (3, 7, 15, 3, 4) [Driver] rw described
}

register_value! {
    /// UPMECM0_EL1: masks of the cluster's cores.
    pub struct Upmecm0(u64) {
        /// Cores counted by counter 0.
        bits(15, 0, u16) cores_0, set_cores_0 [Driver] {};
        /// Cores counted by counter 1.
        bits(31, 16, u16) cores_1, set_cores_1 [Driver] {};
        /// Cores counted by counter 2.
        bits(47, 32, u16) cores_2, set_cores_2 [Driver] {};
        /// Cores counted by counter 3.
        bits(63, 48, u16) cores_3, set_cores_3 [Driver] {};
    }
}

system_register! {
    /// Cores whose events the uncore counters 4 to 7 count.
    UPMECM1: Upmecm1 = "UPMECM1_EL1" (3, 7, 15, 4, 4) [Driver] rw described
}

register_value! {
    /// UPMECM1_EL1: masks of the cluster's cores.
    pub struct Upmecm1(u64) {
        /// Cores counted by counter 4.
        bits(15, 0, u16) cores_4, set_cores_4 [Driver] {};
        /// Cores counted by counter 5.
        bits(31, 16, u16) cores_5, set_cores_5 [Driver] {};
        /// Cores counted by counter 6.
        bits(47, 32, u16) cores_6, set_cores_6 [Driver] {};
        /// Cores counted by counter 7.
        bits(63, 48, u16) cores_7, set_cores_7 [Driver] {};
    }
}

system_register! {
    /// Cores whose events the uncore counters 8 to 11 count.
    UPMECM2: Upmecm2 = "UPMECM2_EL1" (3, 7, 15, 8, 5) [Driver] rw described
}

register_value! {
    /// UPMECM2_EL1: masks of the cluster's cores.
    pub struct Upmecm2(u64) {
        /// Cores counted by counter 8.
        bits(15, 0, u16) cores_8, set_cores_8 [Driver] {};
        /// Cores counted by counter 9.
        bits(31, 16, u16) cores_9, set_cores_9 [Driver] {};
        /// Cores counted by counter 10.
        bits(47, 32, u16) cores_10, set_cores_10 [Driver] {};
        /// Cores counted by counter 11.
        bits(63, 48, u16) cores_11, set_cores_11 [Driver] {};
    }
}

system_register! {
    /// Cores whose events the uncore counters 12 to 15 count.
    UPMECM3: Upmecm3 = "UPMECM3_EL1" (3, 7, 15, 9, 5) [Driver] rw described
}

register_value! {
    /// UPMECM3_EL1: masks of the cluster's cores.
    pub struct Upmecm3(u64) {
        /// Cores counted by counter 12.
        bits(15, 0, u16) cores_12, set_cores_12 [Driver] {};
        /// Cores counted by counter 13.
        bits(31, 16, u16) cores_13, set_cores_13 [Driver] {};
        /// Cores counted by counter 14.
        bits(47, 32, u16) cores_14, set_cores_14 [Driver] {};
        /// Cores counted by counter 15.
        bits(63, 48, u16) cores_15, set_cores_15 [Driver] {};
    }
}
