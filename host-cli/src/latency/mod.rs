//! From trigger to handler entry, per firing and landing CPU, and how long the handler takes.
//!
//! A first short session ([`calibrate`]) finds out which CPUs run and what makes a single one of them take interrupts. Then every
//! pair of CPUs has a cell in each [`Setting`]: the others idle, computing, or hammering memory. A threshold ends the run, with the
//! events [`Around`] it.

mod around;
mod calibrate;
mod moment;
mod pairs;
mod result;
mod steering;
#[cfg(test)]
mod tests;

use protocol::command::Load;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use around::{Around, Cause};
pub use calibrate::{Calibration, Trial, calibrate};
pub use moment::{Moment, Near};
pub use pairs::{Ask, Kept, Pairs, pairs};
pub use result::{Bucket, LatencyResult, Pair, Spike, Thresholds, buckets, result};
pub use steering::Steering;

/// Triggers of a cell unless told otherwise.
pub const TRIGGERS: u32 = 1000;
/// Timeout of a trigger unless told otherwise, in microseconds.
pub const TIMEOUT_US: u32 = 10_000;

/// What the CPUs do that neither fire nor take the interrupt.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    clap::ValueEnum,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// Wait.
    Idle,
    /// Compute without touching memory.
    Spin,
    /// Read and write memory, a cache line at a time.
    Memory,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Idle, Self::Spin, Self::Memory];

    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Spin => "spin",
            Self::Memory => "memory",
        }
    }

    /// As the firmware takes it.
    #[must_use]
    pub const fn load(self) -> Load {
        match self {
            Self::Idle => Load::Idle,
            Self::Spin => Load::Spin,
            Self::Memory => Load::Memory,
        }
    }
}
