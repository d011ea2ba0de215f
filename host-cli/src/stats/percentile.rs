//! Latency histograms as the target sends them, and percentiles from their counts.

use std::collections::BTreeMap;

use protocol::latency::{BUCKETS, middle};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why counts are not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistogramError {
    /// A bucket that does not exist.
    #[error("bucket {0} of a latency histogram: there are {BUCKETS}")]
    Bucket(u16),
    /// Buckets that were read, and do not ascend.
    #[error("the buckets of a latency histogram do not ascend")]
    Unsorted,
    /// Counts and total disagree.
    #[error("the latency histogram holds {held} values, the cell counted {counted}")]
    Total {
        /// Sum over the buckets.
        held: u64,
        /// What the cell says.
        counted: u64,
    },
    /// Percentiles of a table that do not rise.
    #[error("percentiles out of order: min, p50, p95, p98, p99, p99.9, max = {0:?}")]
    Unordered([u64; 7]),
    /// Percentiles that do not rise, or lie outside minimum and maximum.
    #[error("latencies out of order: min {min}, p50 {p50}, p95 {p95}, p99 {p99}, max {max}")]
    Order {
        /// In the unit of the values.
        min: u64,
        /// See `min`.
        p50: u64,
        /// See `min`.
        p95: u64,
        /// See `min`.
        p99: u64,
        /// See `min`.
        max: u64,
    },
}

/// Counts per latency bucket of one cell; serialised, a list of buckets with their counts, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<(u16, u64)>", try_from = "Vec<(u16, u64)>")]
pub struct Histogram {
    counts: BTreeMap<u16, u64>,
}

/// Order statistics of a latency; all in the same unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Read")]
pub struct Latency {
    /// Smallest, exact.
    pub min: u64,
    /// Median (nearest rank).
    pub p50: u64,
    /// 95th percentile (nearest rank).
    pub p95: u64,
    /// 99th percentile (nearest rank).
    pub p99: u64,
    /// Largest, exact.
    pub max: u64,
}

impl From<Histogram> for Vec<(u16, u64)> {
    fn from(histogram: Histogram) -> Self {
        histogram.counts.into_iter().collect()
    }
}

impl TryFrom<Vec<(u16, u64)>> for Histogram {
    type Error = HistogramError;

    fn try_from(read: Vec<(u16, u64)>) -> Result<Self, HistogramError> {
        let wrong = read
            .iter()
            .find(|(bucket, _)| usize::from(*bucket) >= BUCKETS);
        if let Some((bucket, _)) = wrong {
            return Err(HistogramError::Bucket(*bucket));
        }
        if read.windows(2).any(|two| two[0].0 >= two[1].0) {
            return Err(HistogramError::Unsorted);
        }
        Ok(Self {
            counts: read.into_iter().collect(),
        })
    }
}

impl Histogram {
    /// Adds what a message says about one bucket.
    ///
    /// # Errors
    /// [`HistogramError::Bucket`].
    pub fn add(&mut self, bucket: u16, count: u32) -> Result<(), HistogramError> {
        if usize::from(bucket) >= BUCKETS {
            return Err(HistogramError::Bucket(bucket));
        }
        *self.counts.entry(bucket).or_default() += u64::from(count);
        Ok(())
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, count) in &other.counts {
            *self.counts.entry(*bucket).or_default() += count;
        }
    }

    /// How many values there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Buckets and counts, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        self.counts.iter().map(|(b, n)| (*b, *n))
    }

    /// Order statistics in ticks; `None` if there are no values. `min` and `max` are the exact ones of the target.
    ///
    /// # Errors
    /// [`HistogramError::Total`] if the counts are not `counted` in all, [`HistogramError::Order`] if what comes out
    /// does not rise.
    pub fn latency(
        &self,
        counted: u64,
        min: u64,
        max: u64,
    ) -> Result<Option<Latency>, HistogramError> {
        let held = self.total();
        if held != counted {
            return Err(HistogramError::Total { held, counted });
        }
        if held == 0 {
            return Ok(None);
        }
        let at = |percent: u64| {
            let value = middle(self.nearest_rank(held, percent));
            if min <= max {
                value.clamp(min, max)
            } else {
                value
            }
        };
        let latency = Latency {
            min,
            p50: at(50),
            p95: at(95),
            p99: at(99),
            max,
        };
        latency.checked().map(Some)
    }

    /// The value, in ticks, that so many thousandths of all values do not exceed (nearest rank); 0 if there are none.
    #[must_use]
    pub fn per_mille(&self, per_mille: u64) -> u64 {
        middle(self.rank(self.total(), per_mille, 1000))
    }

    fn nearest_rank(&self, total: u64, percent: u64) -> u16 {
        self.rank(total, percent, 100)
    }

    fn rank(&self, total: u64, part: u64, of: u128) -> u16 {
        let rank = (u128::from(total) * u128::from(part)).div_ceil(of).max(1);
        let mut seen = 0;
        for (bucket, count) in &self.counts {
            seen += u128::from(*count);
            if seen >= rank {
                return *bucket;
            }
        }
        0
    }
}

/// What was read, before anybody looked whether it rises.
#[derive(Deserialize, JsonSchema)]
struct Read {
    min: u64,
    p50: u64,
    p95: u64,
    p99: u64,
    max: u64,
}

impl TryFrom<Read> for Latency {
    type Error = HistogramError;

    fn try_from(read: Read) -> Result<Self, HistogramError> {
        Self {
            min: read.min,
            p50: read.p50,
            p95: read.p95,
            p99: read.p99,
            max: read.max,
        }
        .checked()
    }
}

impl Latency {
    /// The same, if it is in order.
    ///
    /// # Errors
    /// [`HistogramError::Order`].
    pub fn checked(self) -> Result<Self, HistogramError> {
        let Self {
            min,
            p50,
            p95,
            p99,
            max,
        } = self;
        if [min, p50, p95, p99, max].is_sorted() {
            Ok(self)
        } else {
            Err(HistogramError::Order {
                min,
                p50,
                p95,
                p99,
                max,
            })
        }
    }

    /// Ticks to nanoseconds, each rounded to nearest.
    #[must_use]
    pub fn to_ns(self, counter_hz: u64) -> Self {
        let ns = |t: u64| ticks_to_ns(t, counter_hz);
        Self {
            min: ns(self.min),
            p50: ns(self.p50),
            p95: ns(self.p95),
            p99: ns(self.p99),
            max: ns(self.max),
        }
    }
}

/// Ticks of a counter to nanoseconds, rounded to nearest (0 for a counter of 0 Hz).
#[must_use]
pub fn ticks_to_ns(ticks: u64, counter_hz: u64) -> u64 {
    if counter_hz == 0 {
        return 0;
    }
    let hz = u128::from(counter_hz);
    let ns = (u128::from(ticks) * 1_000_000_000 + hz / 2) / hz;
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Whether so many ticks of a counter of `hz` are more than `ns` nanoseconds.
#[must_use]
pub fn ticks_above(ticks: u64, ns: u32, hz: u64) -> bool {
    u128::from(ticks) * 1_000_000_000 > u128::from(ns) * u128::from(hz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::latency::bucket;

    fn of(values: &[u64]) -> Result<Option<Latency>, HistogramError> {
        let mut h = Histogram::default();
        for v in values {
            h.add(bucket(*v), 1)?;
        }
        let (min, max) = (values.iter().min(), values.iter().max());
        h.latency(
            values.len() as u64,
            min.copied().unwrap_or(0),
            max.copied().unwrap_or(0),
        )
    }

    #[test]
    fn nearest_rank_over_exact_buckets() {
        let values: Vec<u64> = (1..=100).collect();
        let l = of(&values).unwrap().unwrap();
        assert_eq!((l.min, l.p50, l.p95, l.p99, l.max), (1, 50, 95, 99, 100));
        let l = of(&[7]).unwrap().unwrap();
        assert_eq!((l.min, l.p50, l.p95, l.p99, l.max), (7, 7, 7, 7, 7));
        let l = of(&[1, 2]).unwrap().unwrap();
        assert_eq!((l.p50, l.p95), (1, 2));
        assert_eq!(of(&[]).unwrap(), None);
    }

    #[test]
    fn counts_that_cannot_be_are_refused() {
        let mut h = Histogram::default();
        assert_eq!(
            h.add(BUCKETS as u16, 1),
            Err(HistogramError::Bucket(BUCKETS as u16))
        );
        h.add(5, 2).unwrap();
        let wrong = HistogramError::Total {
            held: 2,
            counted: 3,
        };
        assert_eq!(h.latency(3, 5, 5), Err(wrong));
        // Smallest above largest, and a table as the one of the seed text: a percentile above the maximum.
        assert!(matches!(
            h.latency(2, 9, 3),
            Err(HistogramError::Order { .. })
        ));
        let table = Latency {
            min: 2,
            p50: 30,
            p95: 2384,
            p99: 2922,
            max: 1038,
        };
        assert!(matches!(table.checked(), Err(HistogramError::Order { .. })));
    }

    #[test]
    fn nanoseconds_are_rounded_to_nearest() {
        assert_eq!(ticks_to_ns(1, 24_000_000), 42);
        assert_eq!(ticks_to_ns(2, 24_000_000), 83);
        assert_eq!(ticks_to_ns(24_000_000, 24_000_000), 1_000_000_000);
        assert_eq!(ticks_to_ns(7, 1_000_000_000), 7);
        assert_eq!(ticks_to_ns(u64::MAX, 1), u64::MAX);
        assert_eq!(ticks_to_ns(1, 0), 0);
    }

    #[test]
    fn thresholds_are_compared_without_rounding() {
        // 24 MHz: 12 ticks are exactly 500 ns.
        assert!(!ticks_above(12, 500, 24_000_000));
        assert!(ticks_above(12, 499, 24_000_000));
        assert!(ticks_above(u64::MAX, u32::MAX, 1_000_000_000));
    }

    proptest! {
        #[test]
        fn percentiles_are_within_one_percent_of_the_values(
            mut values in proptest::collection::vec(0u64..1 << 33, 1..300),
        ) {
            values.iter_mut().for_each(|v| *v = (*v).min((1 << 32) - 1));
            let l = of(&values).unwrap().unwrap();
            values.sort_unstable();
            for (percent, got) in [(50, l.p50), (95, l.p95), (99, l.p99)] {
                let rank = (values.len() * percent).div_ceil(100);
                let exact = values[rank - 1];
                prop_assert!(got.abs_diff(exact) as f64 <= (exact as f64 * 0.01).max(1.0));
            }
        }
    }
}
