// SPDX-License-Identifier: MIT OR Apache-2.0
//! PMESR0 and PMESR1: which events the core's counters count. Counter 0 always counts cycles, counter 1 instructions.

system_register! {
    /// Events of the core's counters 2 to 5.
    PMESR0: Pmesr0 = "PMESR0_EL1" (3, 1, 15, 5, 0) [Driver] rw described
}

register_value! {
    /// PMESR0_EL1.
    pub struct Pmesr0(u64) {
        /// Event of counter 2.
        bits(7, 0, u8) event_2, set_event_2 [Notes] {};
        /// Event of counter 3.
        bits(15, 8, u8) event_3, set_event_3 [Notes] {};
        /// Event of counter 4.
        bits(23, 16, u8) event_4, set_event_4 [Notes] {};
        /// Event of counter 5.
        bits(31, 24, u8) event_5, set_event_5 [Notes] {};
    }
}

system_register! {
    /// Events of the core's counters 6 to 9.
    PMESR1: Pmesr1 = "PMESR1_EL1" (3, 1, 15, 6, 0) [Driver] rw described
}

register_value! {
    /// PMESR1_EL1.
    pub struct Pmesr1(u64) {
        /// Event of counter 6.
        bits(7, 0, u8) event_6, set_event_6 [Notes] {};
        /// Event of counter 7.
        bits(15, 8, u8) event_7, set_event_7 [Notes] {};
        /// Event of counter 8.
        bits(23, 16, u8) event_8, set_event_8 [Notes] {};
        /// Event of counter 9.
        bits(31, 24, u8) event_9, set_event_9 [Notes] {};
    }
}
