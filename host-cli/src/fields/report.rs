//! What a run of the truth table says.

use serde::{Deserialize, Serialize};

use crate::result::{Build, Mark};
use crate::target::SocFacts;

use super::rule::{Cpu, Fit, Sample, explain};
use super::{Coverage, Further, Rule};

/// Landings where the CPUs that accept have just two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// The result of `aicprobe fields`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldsReport {
    /// "aicprobe.fields/1".
    pub schema: String,
    /// The target as named by the user.
    pub target: String,
    /// The seed.
    pub seed: u64,
    /// What ran.
    pub build: Option<Build>,
    /// Chip and board.
    pub soc: SocFacts,
    /// What was tried.
    pub coverage: Coverage,
    /// Cells measured to their end.
    pub cells: usize,
    /// Triggers fired.
    pub fired: u64,
    /// The rule that explains every cell; `null` if no rule does.
    pub rule: Option<Rule>,
    /// The best rule, whether complete or not, and what contradicts it.
    pub fit: Option<Fit>,
    /// Cells in which every CPU has the same value, nobody masked: delivered and not, by value.
    pub alone: [(u64, u64); 4],
    /// Cells in which the CPUs have just two values, nobody masked: who got it.
    pub pairs: Vec<PairCount>,
    /// What was tried beyond the truth table; `null` if the run did not come to it.
    pub further: Option<Further>,
    /// Whether the target is as it was found.
    pub restored: bool,
    /// Whether every cell of the plan ran to its end.
    pub complete: bool,
    /// What has to be said about all of it.
    pub marks: Vec<Mark>,
}

/// Counts and the rule, of samples; the rest of the report is empty.
#[must_use]
pub fn report(samples: &[Sample<'_>], cpus: &[Cpu], coverage: Coverage) -> FieldsReport {
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
    FieldsReport {
        schema: FieldsReport::SCHEMA.to_owned(),
        target: String::new(),
        seed: 0,
        build: None,
        soc: SocFacts::default(),
        coverage,
        cells: samples.len(),
        fired: samples.iter().map(|s| s.fired).sum(),
        rule: fit.as_ref().filter(|f| f.is_complete()).map(|f| f.rule),
        fit,
        alone,
        pairs,
        further: None,
        restored: true,
        complete: true,
        marks: Vec::new(),
    }
}

impl FieldsReport {
    /// Schema of the JSON.
    pub const SCHEMA: &'static str = "aicprobe.fields/1";

    /// Stable lines, `Observation ID Never|Sometimes|Always FOR AGAINST`.
    #[must_use]
    pub fn observations(&self) -> Vec<String> {
        let word = |held: u64, against: u64| match (held, against) {
            (0, _) => "Never",
            (_, 0) => "Always",
            _ => "Sometimes",
        };
        let mut lines = Vec::new();
        for (value, (held, against)) in self.alone.iter().enumerate() {
            if held + against > 0 {
                let seen = word(*held, *against);
                lines.push(format!(
                    "Observation field-{value}-receives {seen} {held} {against}"
                ));
            }
        }
        for p in self.pairs.iter().filter(|p| p.held + p.against > 0) {
            lines.push(format!(
                "Observation field-{}-before-{} {} {} {}",
                p.value,
                p.over,
                word(p.held, p.against),
                p.held,
                p.against
            ));
        }
        if let Some(fit) = &self.fit {
            let (held, against) = (fit.explained as u64, fit.contradicted as u64);
            lines.push(format!(
                "Observation one-rule-explains-all {} {held} {against}",
                word(held, against)
            ));
        }
        let claims = self.further.iter().flat_map(|f| &f.claims);
        lines.extend(claims.map(ToString::to_string));
        lines
    }
}
