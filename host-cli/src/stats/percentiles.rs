//! The percentiles of a table, from the raw counts of a histogram.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Histogram, HistogramError};

/// Order statistics of latencies, in nanoseconds; nearest rank. `min` and `max` are exact, the others as fine as the target's
/// buckets: at most 1 tick below 1 us (at 1 GHz), at most 1 % above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Read")]
pub struct Percentiles {
    /// How many values.
    pub count: u64,
    /// Smallest.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 98th percentile.
    pub p98: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p999: u64,
    /// Largest.
    pub max: u64,
}

/// What was read, before anybody looked whether it rises.
#[derive(Deserialize, JsonSchema)]
struct Read {
    count: u64,
    min: u64,
    p50: u64,
    p95: u64,
    p98: u64,
    p99: u64,
    p999: u64,
    max: u64,
}

impl TryFrom<Read> for Percentiles {
    type Error = HistogramError;

    fn try_from(read: Read) -> Result<Self, HistogramError> {
        Self {
            count: read.count,
            min: read.min,
            p50: read.p50,
            p95: read.p95,
            p98: read.p98,
            p99: read.p99,
            p999: read.p999,
            max: read.max,
        }
        .checked()
    }
}

impl Percentiles {
    /// Names of the columns of a table, without `count`.
    pub const COLUMNS: [&'static str; 7] = ["min", "p50", "p95", "p98", "p99", "p99.9", "max"];

    /// Of a histogram in ticks of a counter of `hz`; `None` if there are no values.
    ///
    /// # Errors
    /// [`HistogramError::Total`] if the counts are not `counted` in all, [`HistogramError::Unordered`] if what comes out does
    /// not rise.
    pub fn of(
        histogram: &Histogram,
        counted: u64,
        min: u64,
        max: u64,
        hz: u64,
    ) -> Result<Option<Self>, HistogramError> {
        let held = histogram.total();
        if held != counted {
            return Err(HistogramError::Total { held, counted });
        }
        if held == 0 {
            return Ok(None);
        }
        let ns = |ticks: u64| {
            let hz = u128::from(hz.max(1));
            let ns = (u128::from(ticks) * 1_000_000_000 + hz / 2) / hz;
            u64::try_from(ns).unwrap_or(u64::MAX)
        };
        let at = |per_mille: u64| {
            let value = histogram.per_mille(per_mille);
            ns(if min <= max {
                value.clamp(min, max)
            } else {
                value
            })
        };
        Self {
            count: counted,
            min: ns(min),
            p50: at(500),
            p95: at(950),
            p98: at(980),
            p99: at(990),
            p999: at(999),
            max: ns(max),
        }
        .checked()
        .map(Some)
    }

    /// The values in the order of [`Self::COLUMNS`].
    #[must_use]
    pub const fn values(&self) -> [u64; 7] {
        [
            self.min, self.p50, self.p95, self.p98, self.p99, self.p999, self.max,
        ]
    }

    /// The same, if it is in order: a table whose percentiles fall is refused.
    ///
    /// # Errors
    /// [`HistogramError::Unordered`].
    pub fn checked(self) -> Result<Self, HistogramError> {
        if self.values().is_sorted() {
            Ok(self)
        } else {
            Err(HistogramError::Unordered(self.values()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: &[(u16, u32)]) -> Histogram {
        let mut h = Histogram::default();
        for (bucket, n) in values {
            h.add(*bucket, *n).unwrap();
        }
        h
    }

    #[test]
    fn nearest_rank_of_a_thousand() {
        let h = histogram(&[(10, 500), (20, 450), (30, 30), (40, 10), (50, 9), (60, 1)]);
        let p = Percentiles::of(&h, 1000, 10, 60, 1_000_000_000)
            .unwrap()
            .unwrap();
        assert_eq!(p.values(), [10, 10, 20, 30, 40, 50, 60]);
    }

    #[test]
    fn percentiles_that_fall_are_refused() {
        // The first column of S4: its 95th percentile is above its maximum.
        let s4 = Percentiles {
            count: 1000,
            min: 2,
            p50: 30,
            p95: 2384,
            p98: 2922,
            p99: 2922,
            p999: 2922,
            max: 1038,
        };
        assert!(matches!(s4.checked(), Err(HistogramError::Unordered(_))));
        let saved = serde_json::to_value(s4).unwrap();
        let read = serde_json::from_value::<Percentiles>(saved);
        assert!(read.is_err_and(|e| e.to_string().contains("out of order")));
        let h = histogram(&[(10, 1)]);
        assert!(Percentiles::of(&h, 1, 12, 11, 1).is_err());
        assert!(Percentiles::of(&h, 2, 10, 10, 1).is_err());
    }
}
