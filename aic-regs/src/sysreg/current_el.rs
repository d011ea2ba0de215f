// SPDX-License-Identifier: MIT OR Apache-2.0
//! CurrentEL: the exception level.

system_register! {
    /// The current exception level.
    CurrentEL: CurrentElValue = "CurrentEL" (3, 0, 4, 2, 2) [Architecture] r
}

register_value! {
    /// CurrentEL.
    pub struct CurrentElValue(u64) {
        /// Exception level.
        bits(3, 2, u8) el, _ [Architecture] {};
    }
}
