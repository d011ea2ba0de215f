//! Result of `bench link`; serialised it is the JSON schema "aicprobe.bench.link/1".

use schemars::JsonSchema;
use serde::Serialize;

use super::Mark;

/// Times of one kind of exchange, in nanoseconds of the link's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Times {
    /// How many.
    pub iterations: u32,
    /// Shortest.
    pub min_ns: u64,
    /// Median.
    pub median_ns: u64,
    /// Longest.
    pub max_ns: u64,
}

impl Times {
    /// `None` without measurements. The median of an even number is the lower one of the two.
    #[must_use]
    pub fn of(mut ns: Vec<u64>) -> Option<Self> {
        ns.sort_unstable();
        Some(Self {
            iterations: u32::try_from(ns.len()).ok()?,
            min_ns: *ns.first()?,
            median_ns: ns[(ns.len() - 1) / 2],
            max_ns: *ns.last()?,
        })
    }

    /// Exchanges a second, if each takes this long.
    #[must_use]
    pub fn per_second(ns: u64) -> f64 {
        1e9 / ns.max(1) as f64
    }
}

/// Transfers of one size.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Transfer {
    /// Bytes.
    pub bytes: u32,
    /// Host to target.
    pub down: Times,
    /// The same as MB/s, of the median.
    pub down_mb_per_s: f64,
    /// Target to host.
    pub up: Times,
    /// The same as MB/s, of the median.
    pub up_mb_per_s: f64,
}

/// Everything measured.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BenchLink {
    /// "aicprobe.bench.link/1".
    pub schema: &'static str,
    /// The target as named by the user.
    pub target: String,
    /// "virtual" or "real".
    pub clock: &'static str,
    /// Whether data go with checksums.
    pub data_checksums: bool,
    /// What was agreed on about the serial line.
    pub line: Vec<String>,
    /// A request that does nothing; `null` if none came back.
    pub round_trip: Option<Times>,
    /// The same a second, of the median.
    pub round_trips_per_s: Option<f64>,
    /// Transfers by size.
    pub transfers: Vec<Transfer>,
    /// Requests that were repeated.
    pub retries: u64,
    /// Frames that came damaged.
    pub damaged: u64,
    /// Whether all of it was measured.
    pub complete: bool,
    /// What has to be said about all of it.
    pub marks: Vec<Mark>,
}

impl BenchLink {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.bench.link/1";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_measurements() {
        assert_eq!(Times::of(Vec::new()), None);
        let t = Times::of(vec![5, 1, 9, 3]).unwrap();
        assert_eq!(
            (t.iterations, t.min_ns, t.median_ns, t.max_ns),
            (4, 1, 3, 9)
        );
        assert_eq!(Times::of(vec![7]).unwrap().median_ns, 7);
        assert!((Times::per_second(500) - 2e6).abs() < 1.0);
    }
}
