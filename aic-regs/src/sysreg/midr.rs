// SPDX-License-Identifier: MIT OR Apache-2.0
//! MIDR: which core this is.

system_register! {
    /// Identification of the core.
    MIDR: Midr = "MIDR_EL1" (3, 0, 0, 0, 0) [Architecture] r
}

register_value! {
    /// MIDR_EL1.
    pub struct Midr(u64) {
        /// Minor revision.
        bits(3, 0, u8) revision, _ [Architecture] {};
        /// Part number; Apple gives each core type of each SoC its own.
        bits(15, 4, u16) part, _ [Architecture] {};
        /// Architecture.
        bits(19, 16, u8) architecture, _ [Architecture] { 15 => "by ID registers" };
        /// Major revision.
        bits(23, 20, u8) variant, _ [Architecture] {};
        /// Implementer.
        bits(31, 24, u8) implementer, _ [Architecture] { 0x61 => "Apple" };
    }
}

impl Midr {
    /// [`Midr::implementer`] of Apple.
    pub const APPLE: u8 = 0x61;
}
