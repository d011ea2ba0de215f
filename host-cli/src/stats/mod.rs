//! What counts say: percentiles and bounds.

mod bound;
mod percentile;

pub use bound::{CONFIDENCE, upper_bound};
pub use percentile::{Histogram, HistogramError, Latency};
