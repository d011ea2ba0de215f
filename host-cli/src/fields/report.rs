//! What a run of the truth table says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::behaviour::Answer;
use crate::result::{Head, Mark};

use super::rule::{Cpu, Fit, Sample, explain};
use super::{Coverage, Further, Rule};

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

/// A cell that the best rule does not explain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// Number in the plan.
    pub cell: u32,
    /// SIQ_CFG bits \[1:0\] read back, by CPU.
    pub fields: Vec<u8>,
    /// The CPU that was masked; `null` = none.
    pub masked: Option<u8>,
    /// First deliveries, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers not taken within the timeout.
    pub lost: u64,
}

/// The result of `aicprobe fields`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldsReport {
    /// "aicprobe.fields/1".
    pub schema: String,
    /// Who was measured by what.
    #[serde(flatten)]
    pub head: Head,
    /// What was tried.
    pub coverage: Coverage,
    /// Cells measured to their end.
    pub cells: usize,
    /// Triggers fired.
    pub fired: u64,
    /// The rule that explains every cell; `null` if no rule does, or if what was measured cannot tell (marks about "rule" say why).
    pub rule: Option<Rule>,
    /// The best rule, whether complete or not, and what contradicts it.
    pub fit: Option<Fit>,
    /// Cells in which every CPU has the same value, nobody masked: delivered and not, by value.
    pub alone: [(u64, u64); 4],
    /// Cells in which the CPUs have just two values, nobody masked: who got it.
    pub pairs: Vec<PairCount>,
    /// What was tried beyond the truth table; `null` if the run did not come to it.
    pub further: Option<Further>,
    /// Everything as claims.
    pub observations: Vec<Seen>,
    /// The cells that [`Fit::contradictions`] names.
    pub contradictions: Vec<Contradiction>,
}

/// Counts and the rule, of samples.
#[must_use]
pub fn report(
    head: Head,
    samples: &[Sample<'_>],
    cpus: &[Cpu],
    coverage: Coverage,
) -> FieldsReport {
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
                let only = s.fields.iter().all(|f| *f == value || *f == over);
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
            if s.fields.iter().all(|f| *f == value) {
                let (delivered, lost) = &mut alone[usize::from(value)];
                *delivered += s.fired - s.lost;
                *lost += s.lost;
            }
        }
    }
    let fit = explain(samples, cpus);
    let mut head = head;
    let doubts = doubts(&head, samples);
    for doubt in &doubts {
        head.marks.push(Mark::partial("rule", doubt));
    }
    let rule = fit
        .as_ref()
        .filter(|f| f.is_complete() && doubts.is_empty());
    FieldsReport {
        schema: FieldsReport::SCHEMA.to_owned(),
        head,
        coverage: coverage.read_back(samples),
        cells: samples.len(),
        fired: samples.iter().map(|s| s.fired).sum(),
        rule: rule.map(|f| f.rule),
        observations: observations(&alone, &pairs, fit.as_ref()),
        contradictions: contradictions(samples, fit.as_ref()),
        fit,
        alone,
        pairs,
        further: None,
    }
}

/// Why what was measured supports no rule, although one explains all of it.
fn doubts(head: &Head, samples: &[Sample<'_>]) -> Vec<String> {
    let mut doubts = Vec::new();
    if !head.complete {
        doubts.push("no rule is named: not every cell was measured".to_owned());
    }
    let unseen: Vec<String> = (0..4u8)
        .filter(|v| !samples.iter().any(|s| s.fields.contains(v)))
        .map(|v| v.to_string())
        .collect();
    if !unseen.is_empty() {
        let unseen = unseen.join(", ");
        doubts.push(format!("no rule is named: no register ever read {unseen}"));
    }
    if samples.iter().all(|s| s.landed.iter().all(|n| *n == 0)) {
        let text = "no rule is named: nothing was delivered in any cell, or not within its timeout";
        doubts.push(text.to_owned());
    }
    doubts
}

/// The cells that contradict the best rule, as far as they are listed.
fn contradictions(samples: &[Sample<'_>], fit: Option<&Fit>) -> Vec<Contradiction> {
    let ids = fit.map_or(&[][..], |fit| &fit.contradictions);
    let of = samples.iter().filter(|s| ids.contains(&s.cell));
    of.map(|s| Contradiction {
        cell: s.cell,
        fields: s.fields.to_vec(),
        masked: s.masked,
        landed: s.landed.to_vec(),
        lost: s.lost,
    })
    .collect()
}

/// What counts and fit say, claim by claim; nothing about what was never tried.
fn observations(alone: &[(u64, u64); 4], pairs: &[PairCount], fit: Option<&Fit>) -> Vec<Seen> {
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

impl FieldsReport {
    /// Schema of the JSON.
    pub const SCHEMA: &'static str = "aicprobe.fields/1";
}
