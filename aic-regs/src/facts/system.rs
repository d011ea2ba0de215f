// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of system registers.

use super::{AccessKind, Described, Field, Source};
use crate::sysreg::{self, Encoding, SystemRegister};

/// A system register as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemRegisterFact {
    /// Name in the architecture manual, or as third parties use it.
    pub name: &'static str,
    /// Its place.
    pub encoding: Encoding,
    /// What may be done with it.
    pub access: AccessKind,
    /// What it is.
    pub about: &'static str,
    /// Who says that it is there.
    pub source: Source,
    /// Its fields; registers that are plain numbers have none.
    pub fields: &'static [Field],
}

impl SystemRegisterFact {
    const fn of<R: SystemRegister>() -> Self {
        Self {
            name: R::NAME,
            encoding: R::ENCODING,
            access: R::ACCESS,
            about: R::ABOUT,
            source: R::SOURCE,
            fields: <R::Value as Described>::FIELDS,
        }
    }

    /// The register called `name`, in any case and with or without its `_ELx` ending.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        let stem = |full: &'static str| match full.rsplit_once("_EL") {
            Some((stem, level)) if level.len() == 1 => stem,
            _ => full,
        };
        SYSTEM_REGISTERS
            .iter()
            .find(|fact| fact.name.eq_ignore_ascii_case(name))
            .or_else(|| {
                SYSTEM_REGISTERS
                    .iter()
                    .find(|fact| stem(fact.name).eq_ignore_ascii_case(name))
            })
    }

    /// The register at `encoding`.
    pub fn by_encoding(encoding: Encoding) -> Option<&'static Self> {
        SYSTEM_REGISTERS
            .iter()
            .find(|fact| fact.encoding == encoding)
    }
}

macro_rules! table {
    ($($name:ident),* $(,)?) => {
        /// Every system register of this crate.
        pub const SYSTEM_REGISTERS: &[SystemRegisterFact] = &[$(SystemRegisterFact::of::<sysreg::$name>()),*];
    };
}
sysreg::all_registers!(table);
