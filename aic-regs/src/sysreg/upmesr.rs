// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMESR0 and UPMESR1: which events the uncore counters count.

system_register! {
    /// Events of the uncore counters 0 to 7.
    UPMESR0: Upmesr0 = "UPMESR0_EL1" (3, 7, 15, 1, 4) [Driver] rw described
}

register_value! {
    /// UPMESR0_EL1.
    pub struct Upmesr0(u64) {
        /// Event of counter 0.
        bits(7, 0, u8) event_0, set_event_0 [Driver] {};
        /// Event of counter 1.
        bits(15, 8, u8) event_1, set_event_1 [Driver] {};
        /// Event of counter 2.
        bits(23, 16, u8) event_2, set_event_2 [Driver] {};
        /// Event of counter 3.
        bits(31, 24, u8) event_3, set_event_3 [Driver] {};
        /// Event of counter 4.
        bits(39, 32, u8) event_4, set_event_4 [Driver] {};
        /// Event of counter 5.
        bits(47, 40, u8) event_5, set_event_5 [Driver] {};
        /// Event of counter 6.
        bits(55, 48, u8) event_6, set_event_6 [Driver] {};
        /// Event of counter 7.
        bits(63, 56, u8) event_7, set_event_7 [Driver] {};
    }
}

system_register! {
    /// Events of the uncore counters 8 to 15.
    UPMESR1: Upmesr1 = "UPMESR1_EL1" (3, 7, 15, 11, 5) [Driver] rw described
}

register_value! {
    /// UPMESR1_EL1.
    pub struct Upmesr1(u64) {
        /// Event of counter 8.
        bits(7, 0, u8) event_8, set_event_8 [Driver] {};
        /// Event of counter 9.
        bits(15, 8, u8) event_9, set_event_9 [Driver] {};
        /// Event of counter 10.
        bits(23, 16, u8) event_10, set_event_10 [Driver] {};
        /// Event of counter 11.
        bits(31, 24, u8) event_11, set_event_11 [Driver] {};
        /// Event of counter 12.
        bits(39, 32, u8) event_12, set_event_12 [Driver] {};
        /// Event of counter 13.
        bits(47, 40, u8) event_13, set_event_13 [Driver] {};
        /// Event of counter 14.
        bits(55, 48, u8) event_14, set_event_14 [Driver] {};
        /// Event of counter 15.
        bits(63, 56, u8) event_15, set_event_15 [Driver] {};
    }
}
