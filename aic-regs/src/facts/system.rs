// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of system registers.

use super::{AccessKind, Described, Field, Source, Variant};
use crate::sysreg::{self, Encoding, SystemRegister};

/// A system register as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemRegisterFact {
    /// Name in the architecture manual, or as third parties use it.
    pub name: &'static str,
    /// Other names that third parties use for it.
    pub aliases: &'static [&'static str],
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
    /// The fields of SoCs where it looks different.
    pub variants: &'static [Variant],
}

impl SystemRegisterFact {
    const fn of<R: SystemRegister>() -> Self {
        Self {
            name: R::NAME,
            aliases: R::ALIASES,
            encoding: R::ENCODING,
            access: R::ACCESS,
            about: R::ABOUT,
            source: R::SOURCE,
            fields: <R::Value as Described>::FIELDS,
            variants: R::VARIANTS,
        }
    }

    /// The name without the exception level that it ends with.
    pub fn stem(&self) -> &'static str {
        match self.name.rfind("_EL").or_else(|| self.name.rfind("_GL")) {
            Some(end) if self.name[end + 3..].bytes().all(|c| c.is_ascii_digit()) => {
                &self.name[..end]
            }
            _ => self.name,
        }
    }

    /// The registers called `name`, in any case: by their full name, by another name of theirs, or without the exception
    /// level (then there can be more than one).
    pub fn named<'n>(name: &'n str) -> impl Iterator<Item = &'static Self> + use<'n> {
        SYSTEM_REGISTERS.iter().filter(move |fact| {
            let names = [fact.name, fact.stem()].into_iter();
            names
                .chain(fact.aliases.iter().copied())
                .any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    /// The register called `name`: as [`SystemRegisterFact::named`], the full name first, then the one whose name ends
    /// with the shortest exception level.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::named(name)
            .min_by_key(|fact| (!fact.name.eq_ignore_ascii_case(name), fact.name.len()))
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
