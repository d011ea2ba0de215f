// SPDX-License-Identifier: MIT OR Apache-2.0
//! The five numbers that name a system register in MRS and MSR.

use core::fmt;

/// op0, op1, CRn, CRm, op2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Encoding {
    /// 2 or 3.
    pub op0: u8,
    /// 0 to 7.
    pub op1: u8,
    /// 0 to 15.
    pub crn: u8,
    /// 0 to 15.
    pub crm: u8,
    /// 0 to 7.
    pub op2: u8,
}

impl Encoding {
    /// The register with these five numbers; they are cut to their widths.
    pub const fn new(op0: u8, op1: u8, crn: u8, crm: u8, op2: u8) -> Self {
        Self {
            op0: op0 & 3,
            op1: op1 & 7,
            crn: crn & 15,
            crm: crm & 15,
            op2: op2 & 7,
        }
    }

    /// The register that `S<op0>_<op1>_C<n>_C<m>_<op2>` names, in any case; `None` for other words and for numbers that do
    /// not fit.
    pub fn from_generic_name(name: &str) -> Option<Self> {
        let mut parts = name.split('_');
        let mut part = |prefix: &str, most: u8| {
            let part = parts.next()?;
            let digits = match part.get(..prefix.len()) {
                Some(start) if start.eq_ignore_ascii_case(prefix) => &part[prefix.len()..],
                _ => return None,
            };
            let all_digits = digits.bytes().all(|c| c.is_ascii_digit());
            digits.parse().ok().filter(|n| all_digits && *n <= most)
        };
        let (op0, op1) = (part("S", 3)?, part("", 7)?);
        let (crn, crm, op2) = (part("C", 15)?, part("C", 15)?, part("", 7)?);
        match parts.next() {
            None if op0 >= 2 => Some(Self::new(op0, op1, crn, crm, op2)),
            _ => None,
        }
    }

    /// The instruction word of MRS from this register to general register `rt` (0 to 31).
    pub const fn mrs(self, rt: u8) -> u32 {
        0xd520_0000 | self.instruction_fields(rt)
    }

    /// The instruction word of MSR to this register from general register `rt` (0 to 31).
    pub const fn msr(self, rt: u8) -> u32 {
        0xd500_0000 | self.instruction_fields(rt)
    }

    const fn instruction_fields(self, rt: u8) -> u32 {
        (self.op0 as u32) << 19
            | (self.op1 as u32) << 16
            | (self.crn as u32) << 12
            | (self.crm as u32) << 8
            | (self.op2 as u32) << 5
            | rt as u32 & 31
    }

    /// op0 << 14 | op1 << 11 | CRn << 7 | CRm << 3 | op2.
    pub const fn packed(self) -> u16 {
        (self.op0 as u16) << 14
            | (self.op1 as u16) << 11
            | (self.crn as u16) << 7
            | (self.crm as u16) << 3
            | self.op2 as u16
    }

    /// The register whose [`Encoding::packed`] is `packed`.
    pub const fn from_packed(packed: u16) -> Self {
        Self::new(
            (packed >> 14) as u8,
            (packed >> 11) as u8,
            (packed >> 7) as u8,
            (packed >> 3) as u8,
            packed as u8,
        )
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "S{}_{}_C{}_C{}_{}",
            self.op0, self.op1, self.crn, self.crm, self.op2
        )
    }
}
