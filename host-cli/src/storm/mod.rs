//! Storms of IPIs: how many a second sets of CPUs send and take, and whether the books balance.
//!
//! [`plan`] lists the storms: sets of CPUs that grow by cluster, each with every pattern, way, pace and accounting, all of them
//! interleaved as often as they are repeated. [`report`] makes rows of the counts and holds them against what must be true of
//! them ([`Rule`]).

mod plan;
mod report;
mod row;
#[cfg(test)]
mod tests;

pub use plan::{Accounting, Options, Pace, Shape, Target, Way, plan, sets};
pub use report::{StormReport, report};
pub use row::{Counts, Row, Rule, Spread, Violation};

/// Length of a storm unless told otherwise, in microseconds.
pub const DEFAULT_US: u32 = 500;
/// Longest storm, in microseconds: the firmware's limit.
pub const MAX_US: u32 = 50_000;
/// How often every storm is repeated unless told otherwise.
pub const DEFAULT_REPEAT: u32 = 3;
