//! A difference, its interval, and the word for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats::{Interval, mean, newcombe, welch};

use super::run::Measure;

/// The word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Verdict {
    /// A is higher.
    #[serde(rename = "A higher")]
    AHigher,
    /// B is higher.
    #[serde(rename = "B higher")]
    BHigher,
    /// No difference beyond the margin fits the runs.
    #[serde(rename = "same")]
    Same,
    /// Both no difference and one that would matter fit the runs, or a side has a single run.
    #[serde(rename = "cannot tell")]
    CannotTell,
}

impl Verdict {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AHigher => "A higher",
            Self::BHigher => "B higher",
            Self::Same => "same",
            Self::CannotTell => "cannot tell",
        }
    }

    /// Whether a side is higher.
    #[must_use]
    pub const fn is_difference(self) -> bool {
        matches!(self, Self::AHigher | Self::BHigher)
    }
}

/// What runs of two sides say about one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Of side A: the pooled share, or the mean of its runs.
    pub a: f64,
    /// Of side B.
    pub b: f64,
    /// Interval of B - A; `None` if a side has less than two runs.
    pub interval: Option<Interval>,
    /// The word.
    pub verdict: Verdict,
}

/// Judges one number. `margin` is in percent: for shares, percentage points; for values, percent of the mean of both sides, at
/// least their resolution. `confidence` is that of the interval, above 0 and below 1.
///
/// Shares: the interval holds Newcombe's of the pooled triggers, and Welch's of the runs' shares where runs differ by more than
/// their triggers explain. Any interval without 0 is a difference there: an interrupt more that is lost matters, however few.
/// Values: Welch's of the runs, never narrower than the resolution; a difference below the margin is none.
#[must_use]
pub fn judge(a: &[Measure], b: &[Measure], margin: f64, confidence: f64) -> Judged {
    let repeated = a.len() >= 2 && b.len() >= 2;
    let part = margin / 100.0;
    if let (Some(pa), Some(pb)) = (pooled(a), pooled(b)) {
        let runs = welch(&values(a), &values(b), confidence);
        let interval = runs
            .filter(|_| repeated)
            .map(|runs| newcombe(pa, pb, confidence).hull(runs));
        let verdict = interval.map_or(Verdict::CannotTell, |i| match sign(i) {
            Some(verdict) => verdict,
            None if i.is_within(part) => Verdict::Same,
            None => Verdict::CannotTell,
        });
        return Judged {
            a: rate(pa),
            b: rate(pb),
            interval,
            verdict,
        };
    }
    let (va, vb) = (values(a), values(b));
    let (ma, mb) = (mean(&va), mean(&vb));
    let resolution = a
        .iter()
        .chain(b)
        .map(|m| m.resolution())
        .fold(0.0, f64::max);
    let interval = welch(&va, &vb, confidence).map(|runs| {
        // Runs that vary by less than can be read are no surer than what can be read.
        runs.hull(Interval::around(mb - ma, resolution))
    });
    let matters = (part * f64::midpoint(ma.abs(), mb.abs())).max(resolution);
    let verdict = interval.map_or(Verdict::CannotTell, |i| {
        if i.is_within(matters) {
            Verdict::Same
        } else {
            sign(i).unwrap_or(Verdict::CannotTell)
        }
    });
    Judged {
        a: ma,
        b: mb,
        interval,
        verdict,
    }
}

fn sign(i: Interval) -> Option<Verdict> {
    if i.low > 0.0 {
        Some(Verdict::BHigher)
    } else if i.high < 0.0 {
        Some(Verdict::AHigher)
    } else {
        None
    }
}

/// Counts of all runs together; `None` if one is no share.
fn pooled(runs: &[Measure]) -> Option<(u64, u64)> {
    let mut sum = (0u64, 0u64);
    for run in runs {
        let Measure::Share { count, of } = run else {
            return None;
        };
        sum = (sum.0.saturating_add(*count), sum.1.saturating_add(*of));
    }
    (!runs.is_empty()).then_some(sum)
}

fn rate((count, of): (u64, u64)) -> f64 {
    if of == 0 {
        0.0
    } else {
        count as f64 / of as f64
    }
}

fn values(runs: &[Measure]) -> Vec<f64> {
    runs.iter().map(|m| m.value()).collect()
}

impl Measure {
    /// The value, or the share.
    #[must_use]
    pub fn value(&self) -> f64 {
        match *self {
            Self::Share { count, of } => rate((count, of)),
            Self::Value { value, .. } => value,
        }
    }

    fn resolution(&self) -> f64 {
        match *self {
            Self::Share { .. } => 0.0,
            Self::Value { resolution, .. } => resolution,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shares(counts: &[u64], of: u64) -> Vec<Measure> {
        counts
            .iter()
            .map(|c| Measure::Share { count: *c, of })
            .collect()
    }

    fn of(values: &[f64], resolution: f64) -> Vec<Measure> {
        let value = |v: &f64| Measure::Value {
            value: *v,
            resolution,
        };
        values.iter().map(value).collect()
    }

    fn word(a: &[Measure], b: &[Measure]) -> Verdict {
        judge(a, b, 5.0, 0.95).verdict
    }

    #[test]
    fn shares_of_triggers() {
        let all = shares(&[32; 3], 32);
        assert_eq!(word(&all, &all), Verdict::Same);
        assert_eq!(word(&all, &shares(&[0; 3], 32)), Verdict::AHigher);
        assert_eq!(word(&shares(&[0; 3], 32), &all), Verdict::BHigher);
        // Too few to exclude a difference of five points.
        let few = shares(&[4; 3], 4);
        assert_eq!(word(&few, &few), Verdict::CannotTell);
        // A small loss that is sure is no "same".
        let (none, some) = (shares(&[0; 3], 10_000), shares(&[100, 100, 101], 10_000));
        assert_eq!(word(&none, &some), Verdict::BHigher);
    }

    /// A boot that differs from the others of its side is worth more than its triggers.
    #[test]
    fn runs_that_disagree_are_not_pooled_away() {
        let (steady, torn) = (shares(&[0; 3], 1000), shares(&[0, 0, 1000], 1000));
        assert_eq!(word(&steady, &torn), Verdict::CannotTell);
        assert_eq!(
            word(&steady, &shares(&[333, 333, 334], 1000)),
            Verdict::BHigher
        );
    }

    #[test]
    fn values_of_runs() {
        let a = of(&[1000.0, 1004.0, 1002.0], 1.0);
        assert_eq!(word(&a, &of(&[1003.0, 1001.0, 1005.0], 1.0)), Verdict::Same);
        assert_eq!(
            word(&a, &of(&[2003.0, 2001.0, 2005.0], 1.0)),
            Verdict::BHigher
        );
        assert_eq!(
            word(&a, &of(&[900.0, 1100.0, 1400.0], 1.0)),
            Verdict::CannotTell
        );
        // Sure, and too small to matter.
        assert_eq!(
            word(&of(&[1000.0; 3], 1.0), &of(&[1010.0; 3], 1.0)),
            Verdict::Same
        );
        assert_eq!(
            judge(&of(&[1000.0; 3], 1.0), &of(&[1010.0; 3], 1.0), 0.5, 0.95).verdict,
            Verdict::BHigher
        );
    }

    #[test]
    fn no_finer_than_the_counter() {
        let tick = 42.7;
        let a = of(&[167.0; 3], tick);
        assert_eq!(word(&a, &a), Verdict::Same);
        assert_eq!(word(&a, &of(&[208.0; 3], tick)), Verdict::CannotTell);
        assert_eq!(word(&a, &of(&[250.0; 3], tick)), Verdict::BHigher);
    }

    #[test]
    fn one_run_a_side_cannot_tell() {
        let (one, many) = (of(&[1.0], 0.0), of(&[900.0; 9], 0.0));
        for (a, b) in [(&one, &one), (&one, &many), (&many, &one)] {
            let judged = judge(a, b, 5.0, 0.95);
            assert_eq!(
                (judged.verdict, judged.interval),
                (Verdict::CannotTell, None)
            );
        }
        let judged = judge(
            &shares(&[0], 1_000_000),
            &shares(&[1_000_000], 1_000_000),
            5.0,
            0.95,
        );
        assert_eq!(
            (judged.verdict, judged.interval),
            (Verdict::CannotTell, None)
        );
        assert_eq!((judged.a, judged.b), (0.0, 1.0));
    }

    proptest! {
        #[test]
        fn the_order_of_sides_swaps_signs(
            a in proptest::collection::vec(0.0f64..1e6, 2..6),
            b in proptest::collection::vec(0.0f64..1e6, 2..6),
            shared in any::<bool>(),
        ) {
            let side = |values: &[f64]| if shared {
                values.iter().map(|v| Measure::Share { count: (*v / 1e4) as u64, of: 100 }).collect()
            } else {
                of(values, 3.0)
            };
            let (a, b) = (side(&a), side(&b));
            let (one, other) = (judge(&a, &b, 5.0, 0.95), judge(&b, &a, 5.0, 0.95));
            let (i, j) = (one.interval.unwrap(), other.interval.unwrap());
            prop_assert!((i.low + j.high).abs() < 1e-6 && (i.high + j.low).abs() < 1e-6);
            let turned = match other.verdict {
                Verdict::AHigher => Verdict::BHigher,
                Verdict::BHigher => Verdict::AHigher,
                word => word,
            };
            prop_assert_eq!(one.verdict, turned);
        }
    }
}
