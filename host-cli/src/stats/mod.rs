//! What counts say: percentiles and bounds.

mod bound;
mod difference;
mod percentile;
mod percentiles;

pub use bound::{CONFIDENCE, lower_bound, upper_bound};
pub use difference::{Interval, mean, newcombe, normal_z, student_t, welch, wilson};
pub use percentile::{Histogram, HistogramError, Latency, ticks_above, ticks_to_ns};
pub use percentiles::Percentiles;
