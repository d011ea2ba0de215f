// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of this crate as data: names, places, fields, known values and who says so.

mod block;
mod soc;
mod system;

pub use block::{BLOCK_REGISTERS, BlockRegister, Place};
pub use soc::{CONTROLLERS, Controller};
pub use system::{SYSTEM_REGISTERS, SystemRegisterFact};

use core::fmt;

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// Arm's architecture manual defines it.
    Architecture,
    /// Somebody measured it on silicon and published the measurement.
    Silicon,
    /// A driver that works on that silicon relies on it (third party).
    Driver,
    /// Reverse-engineering notes without a quoted measurement (third party).
    Notes,
    /// One party says so and nobody else, or another contradicts it (third party).
    Claim,
    /// Our own inference: to be tested.
    Inference,
    /// An assumption that only a model makes.
    Model,
}

impl Source {
    /// The words shown beside a fact.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Architecture => "architecture",
            Self::Silicon => "silicon",
            Self::Driver => "third party (driver)",
            Self::Notes => "third party (notes)",
            Self::Claim => "third party (one claim)",
            Self::Inference => "inference",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// A field value with a published meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownValue {
    /// The value of the field, shifted down to bit 0.
    pub value: u64,
    /// What it means.
    pub meaning: &'static str,
    /// Who says so.
    pub source: Source,
}

/// A field of a register: bits `msb` down to `lsb`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name, as the accessor of the value type is called.
    pub name: &'static str,
    /// Highest bit.
    pub msb: u8,
    /// Lowest bit.
    pub lsb: u8,
    /// What it is.
    pub about: &'static str,
    /// Who says so.
    pub source: Source,
    /// Values with a published meaning; others are unknown, not forbidden.
    pub values: &'static [KnownValue],
}

impl Field {
    /// This field's value in `word`.
    pub const fn extract(&self, word: u64) -> u64 {
        let width = self.msb - self.lsb + 1;
        let shifted = word >> self.lsb;
        if width >= 64 {
            shifted
        } else {
            shifted & ((1 << width) - 1)
        }
    }

    /// The published meaning of this field's value in `word`.
    pub fn meaning(&self, word: u64) -> Option<&'static str> {
        let value = self.extract(word);
        self.values
            .iter()
            .find(|known| known.value == value)
            .map(|known| known.meaning)
    }
}

/// The fields of a register on SoCs where it looks different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The SoCs.
    pub applies: &'static str,
    /// Their fields.
    pub fields: &'static [Field],
}

/// What may be done with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    ReadOnly,
    /// Writes.
    WriteOnly,
    /// Both.
    ReadWrite,
    /// Reads, and the read changes the state.
    ReadDestructive,
}

impl AccessKind {
    /// Whether reads are defined.
    pub const fn is_readable(self) -> bool {
        !matches!(self, Self::WriteOnly)
    }

    /// Whether writes are defined.
    pub const fn is_writable(self) -> bool {
        matches!(self, Self::WriteOnly | Self::ReadWrite)
    }
}

/// What writing 1 to a bit does, where the word is state that two addresses share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteEffect {
    /// Sets the bit of the state; 0 does nothing.
    OneSets,
    /// Clears the bit of the state; 0 does nothing.
    OneClears,
}

/// A register value whose fields are known as data.
pub trait Described {
    /// Width of the register in bits.
    const WIDTH: u8;
    /// Its fields, none overlapping another.
    const FIELDS: &'static [Field];
}

impl Described for u32 {
    const WIDTH: u8 = 32;
    const FIELDS: &'static [Field] = &[];
}

impl Described for u64 {
    const WIDTH: u8 = 64;
    const FIELDS: &'static [Field] = &[];
}
