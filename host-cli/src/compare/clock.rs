//! How finely times of a run can be told apart.

use protocol::latency::{bounds, bucket};

use crate::result::Counter;
use crate::stats::Percentiles;

use super::run::{Measure, Metric, Scope};

/// The clock behind a run's latencies.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    hz: f64,
    step_ns: f64,
}

impl From<Counter> for Clock {
    fn from(counter: Counter) -> Self {
        Self {
            hz: counter.hz.max(1) as f64,
            step_ns: counter.step_ns.max(0.0),
        }
    }
}

impl Clock {
    /// A step of the counter, in nanoseconds.
    pub const fn step_ns(self) -> f64 {
        self.step_ns
    }

    /// Of a time that is known as exactly as the counter steps: values are whole nanoseconds, so two of the same tick can differ by
    /// one.
    pub fn exact(self) -> f64 {
        self.step_ns + 1.0
    }

    /// Of a percentile: the target counts in buckets, above some microseconds of more than one tick.
    pub fn counted(self, ns: u64) -> f64 {
        let ticks = ns as f64 * self.hz / 1e9;
        // A cast from a float stops at the ends.
        self.exact() + width(ticks.round() as u64) * 1e9 / self.hz
    }

    /// p50, p99 and max, as `NAME_p50_ns` and so on.
    pub fn percentiles(
        self,
        name: &str,
        basis: &str,
        scope: Scope,
        of: Option<&Percentiles>,
    ) -> Vec<Metric> {
        let Some(p) = of else { return Vec::new() };
        [
            ("p50", p.p50, self.counted(p.p50)),
            ("p99", p.p99, self.counted(p.p99)),
            ("max", p.max, self.exact()),
        ]
        .map(|(rank, ns, resolution)| {
            value(
                &format!("{name}_{rank}_ns"),
                basis,
                scope,
                ns as f64,
                resolution,
            )
        })
        .into()
    }
}

/// From the smallest to the largest value that is counted in the same bucket as `value`.
pub fn width(value: u64) -> f64 {
    let (low, high) = bounds(bucket(value));
    (high - low) as f64
}

/// A value of a run.
pub fn value(name: &str, basis: &str, scope: Scope, value: f64, resolution: f64) -> Metric {
    Metric {
        name: name.to_owned(),
        basis: basis.to_owned(),
        scope,
        measure: Measure::Value { value, resolution },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_finer_than_a_bucket() {
        let clock = Clock {
            hz: 24e6,
            step_ns: 41.667,
        };
        // 24 ticks: a bucket of its own.
        assert!((clock.counted(1000) - clock.exact()).abs() < 1e-9);
        // 24,000 ticks: 128 ticks in a bucket.
        assert!((clock.counted(1_000_000) - clock.exact() - 127.0 / 24e6 * 1e9).abs() < 1e-6);
        // What no clock has does no harm.
        assert!(clock.counted(u64::MAX).is_finite());
    }
}
