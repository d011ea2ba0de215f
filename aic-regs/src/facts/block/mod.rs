// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of the memory-mapped block of AICv1, AICv2 and AICv3.

mod common;
mod v1;
mod v2_v3;

use super::{AccessKind, Described, Field, Source, Variant, WriteEffect};
use crate::aic::{Bank, Generation, Geometry, Timebase};

/// Where a register of the block is; resolved by a [`Geometry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// At a byte offset that no geometry moves.
    Fixed(u32),
    /// This many registers, one after the other, from a byte offset on.
    Array(u32, u32),
    /// [`Geometry::version`].
    Version,
    /// [`Geometry::info1`].
    Info1,
    /// [`Geometry::info3`].
    Info3,
    /// [`Geometry::config`].
    Config,
    /// [`Geometry::event`].
    Event,
    /// One word per line of each die: IRQ_CFG, on AICv1 TARGET_CPU.
    IrqConfig,
    /// One bit per line of each die.
    Bank(Bank),
    /// AICv1: at this byte offset in the block of whichever CPU accesses it.
    Own(u32),
    /// AICv1: at this byte offset in the view of every CPU.
    View(u32),
    /// AICv1: at this byte offset in the page of [`Timebase`], outside the controller's own window.
    Timebase(u32),
}

/// A register of the memory-mapped block as data. All are 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRegister {
    /// Name that drivers use.
    pub name: &'static str,
    /// Other names that third parties use for it.
    pub aliases: &'static [&'static str],
    /// Where it is.
    pub place: Place,
    /// What may be done with it.
    pub access: AccessKind,
    /// Generations that have it.
    pub generations: &'static [Generation],
    /// What it is.
    pub about: &'static str,
    /// Who says that it is there.
    pub source: Source,
    /// Its fields; bits that stand for lines are not listed.
    pub fields: &'static [Field],
    /// Other readings of the fields.
    pub variants: &'static [Variant],
}

impl BlockRegister {
    /// Byte offset of the first word on die 0.
    pub const fn offset(&self, geometry: &Geometry) -> u32 {
        match self.place {
            Place::Fixed(offset) | Place::Array(offset, _) => offset,
            Place::Version => geometry.version,
            Place::Info1 => geometry.info1,
            Place::Info3 => geometry.info3,
            Place::Config => geometry.config,
            Place::Event => geometry.event,
            Place::IrqConfig => geometry.irq_cfg,
            Place::Bank(bank) => geometry.bank_start(bank),
            Place::Own(offset) => Geometry::V1_SELF + offset,
            Place::View(offset) => Geometry::V1_VIEWS + offset,
            Place::Timebase(offset) => Timebase::<()>::PAGE + offset,
        }
    }

    /// Whether it lies in the controller's own window, as [`Geometry::extent`] counts it.
    pub const fn in_window(&self) -> bool {
        !matches!(self.place, Place::Timebase(_))
    }

    /// Words on each die, or one for each CPU.
    pub const fn count(&self, geometry: &Geometry) -> u32 {
        match self.place {
            Place::Array(_, count) => count,
            Place::IrqConfig => geometry.max_irq,
            Place::Bank(_) => geometry.words_per_die(),
            Place::View(_) => Geometry::V1_MAX_CPUS,
            _ => 1,
        }
    }

    /// Byte stride from one of its words to the next.
    pub const fn stride(&self) -> u32 {
        match self.place {
            Place::View(_) => Geometry::VIEW_STRIDE,
            _ => 4,
        }
    }

    /// Byte stride from one die to the next; 0 for what exists once.
    pub const fn die_stride(&self, geometry: &Geometry) -> u32 {
        match self.place {
            Place::IrqConfig => geometry.cfg_stride,
            Place::Bank(bank) => geometry.bank_stride(bank),
            _ => 0,
        }
    }

    /// What writing does, where it is not a plain store.
    pub const fn write_effect(&self) -> Option<WriteEffect> {
        match self.place {
            Place::Bank(Bank::SwSet | Bank::MaskSet)
            | Place::Own(Geometry::VIEW_IPI_SET | Geometry::VIEW_IPI_MASK_SET)
            | Place::View(Geometry::VIEW_IPI_SET | Geometry::VIEW_IPI_MASK_SET) => {
                Some(WriteEffect::OneSets)
            }
            Place::Bank(Bank::SwClr | Bank::MaskClr)
            | Place::Own(Geometry::VIEW_IPI_CLR | Geometry::VIEW_IPI_MASK_CLR)
            | Place::View(Geometry::VIEW_IPI_CLR | Geometry::VIEW_IPI_MASK_CLR) => {
                Some(WriteEffect::OneClears)
            }
            _ => None,
        }
    }

    /// Whether a controller of this generation has it.
    pub fn is_of(&self, generation: Generation) -> bool {
        self.generations.contains(&generation)
    }

    /// The registers of `generation`, in the order of the table.
    pub fn of(generation: Generation) -> impl Iterator<Item = &'static Self> {
        Self::all().filter(move |register| register.is_of(generation))
    }

    /// Every register of every generation.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        BLOCK_REGISTERS.iter()
    }

    /// The registers called `name`, in any case, or for which it is another name.
    pub fn named<'n>(name: &'n str) -> impl Iterator<Item = &'static Self> + use<'n> {
        Self::all().filter(move |register| {
            let names = core::iter::once(register.name).chain(register.aliases.iter().copied());
            names
                .into_iter()
                .any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    /// The register called `name`, in any case; without one, the first for which it is another name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::named(name).min_by_key(|register| !register.name.eq_ignore_ascii_case(name))
    }
}

const fn register<V: Described>(
    name: &'static str,
    aliases: &'static [&'static str],
    place: Place,
    access: AccessKind,
    source: Source,
    generations: &'static [Generation],
    about: &'static str,
) -> BlockRegister {
    BlockRegister {
        name,
        aliases,
        place,
        access,
        generations,
        about,
        source,
        fields: V::FIELDS,
        variants: &[],
    }
}

/// Every register of AICv1, AICv2 and AICv3: what only AICv1 has, what AICv2 and AICv3 have, what all have.
pub const BLOCK_REGISTERS: &[BlockRegister] = &{
    let mut all = [common::EVENT; v1::V1.len() + v2_v3::V2_V3.len() + common::COMMON.len()];
    let parts = [v1::V1, v2_v3::V2_V3, common::COMMON];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut i = 0;
        while i < parts[part].len() {
            all[at] = parts[part][i];
            (at, i) = (at + 1, i + 1);
        }
        part += 1;
    }
    all
};
