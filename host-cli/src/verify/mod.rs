//! The verdict: does this target route interrupts as a kernel relies on?
//!
//! [`plan`] makes cells for a purpose each, [`Record`] is everything that was measured, and [`judge`] makes the verdict of every
//! rule from the record alone: so the same verdict can be had again from kept evidence, on another machine and years later.
//!
//! What a value of SIQ_CFG's field means is not measured here but assumed, by the SoC's [`Table`] or, for one that has none, by what
//! was measured on T8140 (silicon: PR #228): a rule fails where the target does otherwise.

mod budget;
mod judge;
mod lines;
mod plan;
mod questions;
mod record;
mod recorded;
mod result;
mod rules;
mod table;

pub use crate::socs::Class;
pub use judge::judge;
pub use lines::Lines;
pub use plan::{Ground, Made, plan};
pub use record::{Ipis, Observed, Purpose, Reading, Record, Setup};
pub use recorded::{Kept, record};
pub use result::{RuleResult, Totals, Verdict, VerifyResult, verdict};
pub use rules::{RULES, Rule, find};
pub use table::Table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Triggers without a mask, and mask windows, unless told otherwise.
pub const FULL: Size = Size {
    triggers: 1_000_000,
    windows: 2_000,
};
/// With `--quick`.
pub const QUICK: Size = Size {
    triggers: 10_000,
    windows: 100,
};
/// Timeout of a trigger, in microseconds. A delivery is a matter of a microsecond wherever one was measured; what takes longer than
/// this is lost.
pub const TIMEOUT_US: u32 = 5_000;
/// An interrupt that takes longer than this without being masked is slow, in microseconds. Nobody has published a bound: this is
/// some thousand times what was seen.
pub const SLOW_US: u64 = 1_000;
/// Triggers lost in total after which the run is stopped: what is wrong is known by then.
pub const ENOUGH_LOST: u64 = 2_000;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// Triggers while nobody masks interrupts, over all cells.
    pub triggers: u64,
    /// Triggers of which each has a window or a step of its own, over all cells; at most this many.
    pub windows: u64,
}
