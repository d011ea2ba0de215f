//! What a run of the truth table says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{MaskedCpu, PlannedCell};
use crate::result::{Head, Mark};
use crate::session::Measured;

use super::cells::{FieldsCell, Totals, cells};
use super::claims::{PairCount, Seen, counts, observations};
use super::rule::{Cpu, Fit, Sample, explain};
use super::{Coverage, Further, Rule, sample};

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
    /// What became of them beside first deliveries in time.
    pub totals: Totals,
    /// The CPU that is masked in every second cell, and for how long per trigger: what the rule says of masks is seen within that.
    pub mask: MaskedCpu,
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
    pub contradictions: Vec<FieldsCell>,
    /// The truth table: every cell measured to its end, in the order of the plan.
    pub table: Vec<FieldsCell>,
}

/// What the result needs beside head and cells; a file of raw events keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// What the plan tries.
    pub coverage: Coverage,
    /// What is masked in it.
    pub mask: MaskedCpu,
    /// CPUs by logical id.
    pub cpus: Vec<Cpu>,
    /// Cells in the plan.
    pub planned: usize,
}

/// What came after the truth table; a file of raw events keeps it as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Later {
    /// See [`FieldsReport::further`].
    pub further: Option<Further>,
    /// The same as claims.
    pub seen: Vec<Seen>,
    /// What has to be said about it.
    pub marks: Vec<Mark>,
    /// The target is as it was found before it.
    pub restored: bool,
    /// Everything that was planned ran.
    pub complete: bool,
}

/// The result, of the cells of the truth table.
#[must_use]
pub fn made(mut head: Head, measured: &[(PlannedCell, Measured)], kept: &Kept) -> FieldsReport {
    let samples = measured.iter();
    let samples: Vec<Sample<'_>> = samples.filter_map(|(c, m)| sample(c, m)).collect();
    let (whole, of) = (samples.len(), kept.planned);
    if whole < of {
        head.complete = false;
        let text = format!("{whole} of {of} cells ran to their end");
        head.marks.push(Mark::partial("cells", text));
    }
    head.marks.extend(worth_saying(&samples, kept.mask));
    report(head, &samples, kept)
}

/// What a reader of the rule has to know of the counts.
fn worth_saying(samples: &[Sample<'_>], mask: MaskedCpu) -> Vec<Mark> {
    let totals = Totals::of(samples);
    let mut marks = Vec::new();
    for (about, count, what) in [
        (
            "duplicate",
            totals.duplicate,
            "interrupts were taken once more after they had been taken",
        ),
        (
            "spurious",
            totals.spurious,
            "IRQ exceptions came without an event of the line",
        ),
    ] {
        if count > 0 {
            let text = format!("{count} {what}: the rule is of first deliveries alone");
            marks.push(Mark::note(about, text));
        }
    }
    let landed = |s: &Sample<'_>| s.landed.get(usize::from(mask.cpu)).is_some_and(|n| *n > 0);
    let mut masked = samples.iter().filter(|s| s.masked.is_some()).peekable();
    if masked.peek().is_some() && samples.iter().any(landed) && masked.all(|s| s.pending == 0) {
        let MaskedCpu { cpu, us } = mask;
        let text = format!(
            "no interrupt was seen pending on CPU {cpu} in its windows of {us} us: what the rule says of masks may be what              longer ones (--mask) disprove"
        );
        marks.push(Mark::note("rule.masked", text));
    }
    marks
}

/// Counts and the rule, of samples.
fn report(mut head: Head, samples: &[Sample<'_>], kept: &Kept) -> FieldsReport {
    let (alone, pairs) = counts(samples);
    let fit = explain(samples, &kept.cpus);
    let doubts = doubts(&head, samples);
    for doubt in &doubts {
        head.marks.push(Mark::partial("rule", doubt));
    }
    let table = cells(samples, fit.as_ref(), &kept.cpus);
    let rule = fit
        .as_ref()
        .filter(|f| f.is_complete() && doubts.is_empty());
    FieldsReport {
        schema: FieldsReport::SCHEMA.to_owned(),
        head,
        coverage: kept.coverage.read_back(samples),
        cells: samples.len(),
        fired: samples.iter().map(|s| s.fired).sum(),
        totals: Totals::of(samples),
        mask: kept.mask,
        rule: rule.map(|f| f.rule),
        observations: observations(&alone, &pairs, fit.as_ref()),
        contradictions: listed(&table, fit.as_ref()),
        table,
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
    if !samples.is_empty() && samples.iter().all(|s| s.known().count() == 1) {
        let text = "no rule is named: one CPU runs alone, and which of several gets an interrupt was never seen";
        doubts.push(text.to_owned());
    }
    if samples.iter().all(|s| s.landed.iter().all(|n| *n == 0)) {
        let text = "no rule is named: nothing was delivered in any cell, or not within its timeout";
        doubts.push(text.to_owned());
    }
    doubts
}

/// The cells that contradict the best rule, as far as they are listed.
fn listed(table: &[FieldsCell], fit: Option<&Fit>) -> Vec<FieldsCell> {
    let ids = fit.map_or(&[][..], |fit| &fit.contradictions);
    let of = table.iter().filter(|c| ids.contains(&c.cell));
    of.cloned().collect()
}

impl FieldsReport {
    /// Schema of the JSON.
    pub const SCHEMA: &'static str = "aicprobe.fields/1";

    /// Adds what came after the truth table.
    pub fn add(&mut self, later: Later) {
        self.head.restored &= later.restored;
        self.head.complete &= later.complete;
        // What holds for the whole target is said only once.
        for mark in later.marks {
            if !self.head.marks.contains(&mark) {
                self.head.marks.push(mark);
            }
        }
        self.observations.extend(later.seen);
        self.further = later.further;
    }
}
