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
