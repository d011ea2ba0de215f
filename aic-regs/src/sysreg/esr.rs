// SPDX-License-Identifier: MIT OR Apache-2.0
//! ESR: why an exception was taken.

system_register! {
    /// Syndrome of the last exception (ESR_EL2 at EL2 under E2H).
    ESR_EL1: Esr = "ESR_EL1" (3, 0, 5, 2, 0) [Architecture] rw
}

register_value! {
    /// ESR.
    pub struct Esr(u64) {
        /// Instruction-specific syndrome.
        bits(24, 0, u32) iss, _ [Architecture] {};
        /// Length of the instruction.
        bit(25) il, _ [Architecture] { 0 => "16 bits", 1 => "32 bits" };
        /// Exception class.
        bits(31, 26, u8) ec, _ [Architecture] {
            0x00 => "unknown or undefined instruction",
            0x01 => "trapped WFI or WFE",
            0x07 => "trapped SIMD or floating point",
            0x09 => "trapped pointer authentication",
            0x0e => "illegal execution state",
            0x11 => "SVC, AArch32",
            0x15 => "SVC",
            0x16 => "HVC",
            0x17 => "SMC",
            0x18 => "trapped MSR, MRS or system instruction",
            0x19 => "trapped SVE",
            0x20 => "instruction abort from a lower level",
            0x21 => "instruction abort",
            0x22 => "PC alignment",
            0x24 => "data abort from a lower level",
            0x25 => "data abort",
            0x26 => "SP alignment",
            0x2f => "SError",
            0x30 => "breakpoint from a lower level",
            0x31 => "breakpoint",
            0x32 => "software step from a lower level",
            0x33 => "software step",
            0x34 => "watchpoint from a lower level",
            0x35 => "watchpoint",
            0x3c => "BRK",
        };
    }
}

impl Esr {
    /// The exception class in words.
    pub fn class_name(self) -> &'static str {
        use crate::facts::Described;
        Self::FIELDS
            .iter()
            .find(|field| field.name == "ec")
            .and_then(|field| field.meaning(self.0))
            .unwrap_or("unlisted exception class")
    }

    /// The register of a trapped MSR or MRS (class 0x18); `None` for other classes.
    pub fn trapped_register(self) -> Option<super::Encoding> {
        if self.ec() != 0x18 {
            return None;
        }
        let iss = self.iss();
        Some(super::Encoding::new(
            (iss >> 20) as u8,
            (iss >> 14) as u8,
            (iss >> 10) as u8,
            (iss >> 1) as u8,
            (iss >> 17) as u8,
        ))
    }
}
