//! One line fired for hours, or so many times, and looked at interval by interval.
//!
//! A first short session finds out where interrupts land. Then the line is fired without end; every interval (100 ms) gives a rate,
//! latencies, and the share of time that each CPU spent in the handler. The first trigger that is lost, late, taken twice, taken by
//! another CPU or too slow ends it, with the events around it. What is kept does not grow with the time.

mod interval;
mod plan;
mod result;
mod spread;
#[cfg(test)]
mod tests;

pub use interval::{Interval, Intervals};
pub use plan::{Amount, Ask, Kept, expected, plan, trial};
pub use result::{SoakResult, Totals, Violation, result};
pub use spread::{OverIntervals, Spread};

/// Length of an interval unless told otherwise, in milliseconds.
pub const INTERVAL_MS: u32 = 100;
/// Duration unless told otherwise, in seconds.
pub const DURATION_S: u64 = 10;
/// Intervals that are kept unless told otherwise.
pub const KEEP: usize = 100_000;
/// Triggers of the first look at where interrupts land.
pub const FIRST_LOOK: u32 = 256;
