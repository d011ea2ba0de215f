// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of the memory-mapped block of AICv2 and AICv3.

use super::{AccessKind, Described, Field, Source};
use crate::aic::{
    Bank, ClusterPriority, Config, Counter, DelayGroup, EventWord, Generation, Geometry,
    IdleClusters, Info1, Info2, Info3, IrqConfig, Latency, Reset, Timeout, Timestamp, Version,
};

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
    /// One word per line of each die.
    IrqConfig,
    /// One bit per line of each die.
    Bank(Bank),
}

/// A register of the memory-mapped block as data. All are 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRegister {
    /// Name that drivers use.
    pub name: &'static str,
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
        }
    }

    /// Words on each die.
    pub const fn count(&self, geometry: &Geometry) -> u32 {
        match self.place {
            Place::Array(_, count) => count,
            Place::IrqConfig => geometry.max_irq,
            Place::Bank(_) => geometry.words_per_die(),
            _ => 1,
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

    /// The register called `name`, in any case.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        BLOCK_REGISTERS
            .iter()
            .find(|register| register.name.eq_ignore_ascii_case(name))
    }
}

const V2_V3: &[Generation] = &[Generation::V2, Generation::V3];

const fn register<V: Described>(
    name: &'static str,
    place: Place,
    access: AccessKind,
    source: Source,
    about: &'static str,
) -> BlockRegister {
    BlockRegister {
        name,
        place,
        access,
        generations: V2_V3,
        about,
        source,
        fields: V::FIELDS,
    }
}

/// Every register of AICv2 and AICv3.
pub const BLOCK_REGISTERS: &[BlockRegister] = {
    use AccessKind::{ReadDestructive, ReadOnly, ReadWrite};
    use Source::{Driver, Notes};
    &[
        register::<Version>(
            "VERSION",
            Place::Version,
            ReadOnly,
            Driver,
            "Version; unfit to tell generations apart.",
        ),
        register::<Info1>(
            "INFO1",
            Place::Info1,
            ReadOnly,
            Driver,
            "Implemented lines and dies (CAP0).",
        ),
        register::<Info2>(
            "INFO2",
            Place::Fixed(Geometry::INFO2),
            ReadOnly,
            Driver,
            "Nothing published.",
        ),
        register::<Info3>(
            "INFO3",
            Place::Info3,
            ReadOnly,
            Driver,
            "Lines and dies of the layout (MAXNUMIRQ).",
        ),
        register::<Reset>(
            "RESET",
            Place::Fixed(Geometry::RESET),
            ReadWrite,
            Notes,
            "Resets the controller.",
        ),
        register::<Config>(
            "CONFIG",
            Place::Config,
            ReadWrite,
            Driver,
            "Global switches.",
        ),
        register::<Timeout>(
            "TIMEOUT",
            Place::Fixed(Geometry::TIMEOUT),
            ReadWrite,
            Notes,
            "Round-robin delay.",
        ),
        register::<ClusterPriority>(
            "CLUSTER_PRIO",
            Place::Fixed(Geometry::CLUSTER_PRIO),
            ReadWrite,
            Notes,
            "Cluster enables or priorities.",
        ),
        register::<DelayGroup>(
            "DELAY_GROUPS",
            Place::Array(Geometry::DELAY_GROUPS, 8),
            ReadWrite,
            Notes,
            "Delays that IRQ_CFG chooses from; that there are 8 follows from the 3-bit index.",
        ),
        register::<Latency>(
            "LATENCY",
            Place::Fixed(Geometry::LATENCY),
            ReadWrite,
            Notes,
            "Nothing published.",
        ),
        register::<IdleClusters>(
            "IDLE_CLUSTERS",
            Place::Fixed(Geometry::IDLE_CLUSTERS),
            ReadOnly,
            Notes,
            "Which clusters are idle.",
        ),
        register::<Counter>(
            "COUNTER",
            Place::Fixed(Geometry::COUNTER),
            ReadOnly,
            Notes,
            "A counter; of what is unknown.",
        ),
        register::<Timestamp>(
            "TIMESTAMPS",
            Place::Fixed(Geometry::TIMESTAMPS),
            ReadOnly,
            Notes,
            "First word of the timestamps; their layout is unknown.",
        ),
        register::<IrqConfig>(
            "IRQ_CFG",
            Place::IrqConfig,
            ReadWrite,
            Driver,
            "Routing of each line.",
        ),
        register::<u32>(
            "SW_SET",
            Place::Bank(Bank::SwSet),
            ReadWrite,
            Driver,
            "Software state, one bit per line: writing 1 raises it.",
        ),
        register::<u32>(
            "SW_CLR",
            Place::Bank(Bank::SwClr),
            ReadWrite,
            Driver,
            "Software state, one bit per line: writing 1 drops it.",
        ),
        register::<u32>(
            "MASK_SET",
            Place::Bank(Bank::MaskSet),
            ReadWrite,
            Driver,
            "Mask, one bit per line: writing 1 masks.",
        ),
        register::<u32>(
            "MASK_CLR",
            Place::Bank(Bank::MaskClr),
            ReadWrite,
            Driver,
            "Mask, one bit per line: writing 1 unmasks.",
        ),
        register::<u32>(
            "HW_STATE",
            Place::Bank(Bank::HwState),
            ReadOnly,
            Driver,
            "Raw hardware level, one bit per line.",
        ),
        register::<EventWord>(
            "EVENT",
            Place::Event,
            ReadDestructive,
            Driver,
            "Next event of the reading CPU; the read masks the line that it returns.",
        ),
    ]
};
