//! What counts say: percentiles and bounds.

mod bound;
mod percentile;
mod percentiles;

pub use bound::{CONFIDENCE, upper_bound};
pub use percentile::{Histogram, HistogramError, Latency, ticks_above, ticks_to_ns};
pub use percentiles::Percentiles;
