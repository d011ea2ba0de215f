//! How a value is spread over all intervals, without keeping every one of them.

use protocol::latency::bucket;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::Histogram;

use super::Interval;

/// A value over all intervals; in the unit of the value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Smallest, exact.
    pub min: u64,
    /// Mean, rounded to nearest.
    pub mean: u64,
    /// 95th percentile (nearest rank), at most 1 % off.
    pub p95: u64,
    /// Largest, exact.
    pub max: u64,
}

/// Running statistics of a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Running {
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
    histogram: Histogram,
}

impl Running {
    pub(super) fn add(&mut self, value: u64) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        // A bucket of a value exists.
        let _ = self.histogram.add(bucket(value), 1);
    }

    /// `None` without values.
    pub(super) fn spread(&self) -> Option<Spread> {
        let count = u128::from(self.count);
        (count > 0).then(|| Spread {
            min: self.min,
            mean: u64::try_from((self.sum + count / 2) / count).unwrap_or(u64::MAX),
            p95: self.histogram.per_mille(950).clamp(self.min, self.max),
            max: self.max,
        })
    }
}

/// All intervals together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverIntervals {
    /// How many there were.
    pub intervals: u64,
    /// Triggers a second; `null` without an interval, and so on.
    pub rate_per_s: Option<Spread>,
    /// Smallest latency of an interval, in nanoseconds.
    pub latency_min_ns: Option<Spread>,
    /// Its median.
    pub latency_p50_ns: Option<Spread>,
    /// Its 95th percentile.
    pub latency_p95_ns: Option<Spread>,
    /// Its largest.
    pub latency_max_ns: Option<Spread>,
    /// Share of time that a CPU spent in the handler, in millionths, by logical CPU.
    pub busy_ppm: Vec<Option<Spread>>,
}

/// Running statistics of intervals.
#[derive(Clone, Debug, Default)]
pub(super) struct Over {
    intervals: u64,
    rate: Running,
    latency: [Running; 4],
    busy: Vec<Running>,
}

impl Over {
    pub(super) fn add(&mut self, interval: &Interval) {
        self.intervals += 1;
        self.rate.add(interval.rate_per_s);
        if let Some(l) = &interval.latency_ns {
            let values = [l.min, l.p50, l.p95, l.max];
            for (running, value) in self.latency.iter_mut().zip(values) {
                running.add(value);
            }
        }
        if self.busy.len() < interval.busy_ppm.len() {
            self.busy
                .resize(interval.busy_ppm.len(), Running::default());
        }
        for (running, value) in self.busy.iter_mut().zip(&interval.busy_ppm) {
            running.add(*value);
        }
    }

    pub(super) fn done(&self) -> OverIntervals {
        let [min, p50, p95, max] = self.latency.each_ref().map(Running::spread);
        OverIntervals {
            intervals: self.intervals,
            rate_per_s: self.rate.spread(),
            latency_min_ns: min,
            latency_p50_ns: p50,
            latency_p95_ns: p95,
            latency_max_ns: max,
            busy_ppm: self.busy.iter().map(Running::spread).collect(),
        }
    }
}
