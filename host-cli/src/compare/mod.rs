//! Two sides compared: runs of each become one neutral form, cells are paired, numbers and states judged.
//!
//! A side is several [`Run`]s of the same kind. [`read`] makes runs of saved results, [`Comparable`] of any result that has
//! cells; [`compare`] makes the [`CompareResult`] of two sides. What a cell of an experiment is and which of its numbers are judged is
//! in the module of its name; everything behind knows no experiment.

mod cells;
mod clock;
mod counts;
mod fields;
mod handoff;
mod judge;
mod latency;
mod numbers;
mod pair;
mod read;
mod report;
mod result;
mod route;
mod run;
mod soak;
mod states;
mod storm;

pub use judge::{Judged, Verdict, judge};
pub use read::{READABLE, SavedError, read};
pub use report::{Settings, compare};
pub use result::{
    CompareResult, Condition, MetricRow, Only, RunInfo, Side, StateRow, Summary, WhichSide,
};
pub use run::{Comparable, DIMENSIONS, Key, Measure, Metric, Run, Sample, Scope};
