// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPIDR: where this CPU is.

use core::fmt;

system_register! {
    /// Affinity of the CPU.
    MPIDR: Mpidr = "MPIDR_EL1" (3, 0, 0, 0, 5) [Architecture] r
}

register_value! {
    /// MPIDR_EL1, with the use that Apple makes of its levels.
    pub struct Mpidr(u64) {
        /// Core within its cluster.
        bits(7, 0, u8) core, set_core [Silicon] {};
        /// Cluster. T8152 gives a P and an M cluster the same number.
        bits(15, 8, u8) cluster, set_cluster [Silicon] {};
        /// Core type. Device trees never hold it: their `reg` is the affinity without this level.
        bits(23, 16, u8) aff2, set_aff2 [Silicon] {
            0 => "E core (or a core of A7 to A9, where the field means nothing)",
            1 => "P core",
            4 => "M core",
        };
        /// Cores that share an execution unit.
        bit(24) mt, _ [Architecture] {};
        /// The only CPU of a uniprocessor.
        bit(30) uniprocessor, _ [Architecture] {};
        /// Affinity level 3.
        bits(39, 32, u8) aff3, _ [Architecture] {};
    }
}

/// Type of a core, from affinity level 2 (source: silicon, T6040, T8132, T8142, T6050, T8152).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoreType {
    /// Efficiency.
    E,
    /// Performance.
    P,
    /// The third class, of T6050 and T8152.
    M,
    /// A level-2 affinity that nobody has published.
    Unknown(u8),
}

impl CoreType {
    /// The level-2 affinity of the type.
    pub const fn aff2(self) -> u8 {
        match self {
            Self::E => 0,
            Self::P => 1,
            Self::M => 4,
            Self::Unknown(aff2) => aff2,
        }
    }
}

impl fmt::Display for CoreType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::E => f.pad("E"),
            Self::P => f.pad("P"),
            Self::M => f.pad("M"),
            Self::Unknown(aff2) => write!(f, "?{aff2}"),
        }
    }
}

impl Mpidr {
    /// The register as a core with these affinities reads it: bit 31 is always 1.
    pub const fn of(kind: CoreType, cluster: u8, core: u8) -> Self {
        Self(1 << 31 | (kind.aff2() as u64) << 16 | (cluster as u64) << 8 | core as u64)
    }

    /// The register of a CPU whose device-tree `reg` is `reg` and whose type is `kind`.
    pub const fn from_adt(reg: u32, kind: CoreType) -> Self {
        Self(1 << 31 | (kind.aff2() as u64) << 16 | reg as u64 & 0xffff)
    }

    /// Affinity levels 0 to 2, which tell CPUs apart.
    #[inline]
    pub const fn affinity(self) -> u32 {
        self.0 as u32 & 0xff_ffff
    }

    /// Type of the core. Means nothing on A7 to A9, whose cores all read E.
    pub fn core_type(self) -> CoreType {
        match self.aff2() {
            0 => CoreType::E,
            1 => CoreType::P,
            4 => CoreType::M,
            other => CoreType::Unknown(other),
        }
    }
}
