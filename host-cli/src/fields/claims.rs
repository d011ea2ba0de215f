//! What the counts of the truth table say, claim by claim.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::behaviour::Answer;

use super::rule::{Fit, Sample};

/// Landings where the CPUs that accept have just two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PairCount {
    /// One value.
    pub value: u8,
    /// The other.
    pub over: u8,
    /// Triggers that landed on a CPU with `value`.
    #[serde(rename = "for")]
    pub held: u64,
    /// Triggers that landed on a CPU with `over`.
    pub against: u64,
}

/// A claim about fields, and what was counted for and against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// Stable name.
    pub id: String,
    /// How often it held.
    pub answer: Answer,
    /// Times that it held.
    #[serde(rename = "for")]
    pub held: u64,
    /// Times that it did not.
    pub against: u64,
}

impl Seen {
    /// Of these counts; `None` if it was never tried.
    #[must_use]
    pub fn counted(id: impl Into<String>, held: u64, against: u64) -> Option<Self> {
        let answer = match (held, against) {
            (0, 0) => return None,
            (0, _) => Answer::Never,
            (_, 0) => Answer::Always,
            _ => Answer::Sometimes,
        };
        Some(Self {
            id: id.into(),
            answer,
            held,
            against,
        })
    }
}

/// Delivered and not, by value that every CPU has; and landings where they have two.
pub(super) fn counts(samples: &[Sample<'_>]) -> ([(u64, u64); 4], Vec<PairCount>) {
    let mut alone = [(0, 0); 4];
    let mut pairs = Vec::new();
    for value in 0..4u8 {
        for over in value + 1..4 {
            let (mut held, mut against) = (0, 0);
            for s in samples.iter().filter(|s| s.masked.is_none()) {
                let of = |v: u8| {
                    let landed = s.fields.iter().zip(s.landed);
                    landed
                        .filter(|(f, _)| **f == v)
                        .map(|(_, n)| n)
                        .sum::<u64>()
                };
                let only = s.known().all(|f| f == value || f == over);
                if only && s.fields.contains(&value) && s.fields.contains(&over) {
                    held += of(value);
                    against += of(over);
                }
            }
            pairs.push(PairCount {
                value,
                over,
                held,
                against,
            });
        }
        for s in samples.iter().filter(|s| s.masked.is_none()) {
            if s.known().all(|f| f == value) {
                let (delivered, lost) = &mut alone[usize::from(value)];
                *delivered += s.fired - s.lost;
                *lost += s.lost;
            }
        }
    }
    (alone, pairs)
}

/// What counts and fit say, claim by claim; nothing about what was never tried.
pub(super) fn observations(
    alone: &[(u64, u64); 4],
    pairs: &[PairCount],
    fit: Option<&Fit>,
) -> Vec<Seen> {
    let alone = alone.iter().enumerate();
    let mut all: Vec<Option<Seen>> = alone
        .map(|(value, (held, against))| {
            Seen::counted(format!("field-{value}-receives"), *held, *against)
        })
        .collect();
    all.extend(pairs.iter().map(|p| {
        let id = format!("field-{}-before-{}", p.value, p.over);
        Seen::counted(id, p.held, p.against)
    }));
    all.extend(fit.map(|fit| {
        let (held, against) = (fit.explained as u64, fit.contradicted as u64);
        Seen::counted("one-rule-explains-all", held, against)
    }));
    all.into_iter().flatten().collect()
}
