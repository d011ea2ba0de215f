//! The result of `aicprobe storm`.

use clap::ValueEnum as _;
use protocol::message::{Refusal, StormResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::{CpuState, Head, Mark, MissBound};
use crate::session::{Outcome, Reply};

use super::plan::{Shape, Way};
use super::row::{Row, Violation};

/// Storms of IPIs on a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StormReport {
    /// [`StormReport::SCHEMA`].
    pub schema: String,
    /// Who was measured by what.
    #[serde(flatten)]
    pub head: Head,
    /// Length of a storm, in microseconds.
    pub us: u32,
    /// Times that every storm was to be repeated.
    pub repeat: u32,
    /// By kind, then by size of the set.
    pub rows: Vec<Row>,
    /// Rules that do not hold; empty where the books balance.
    pub violations: Vec<Violation>,
}

impl StormReport {
    /// Name of the schema.
    pub const SCHEMA: &'static str = "aicprobe.storm/1";
}

/// The report of an outcome, and the first refusal of the firmware if there is one. `shapes` and `repeat` are those of the
/// plan, `us` the length of each storm.
#[must_use]
pub fn report(
    mut head: Head,
    shapes: &[Shape],
    us: u32,
    repeat: u32,
    outcome: &Outcome,
) -> (StormReport, Option<Refusal>) {
    let results: Vec<&StormResult> = outcome
        .answers
        .replies
        .iter()
        .filter_map(|reply| match reply {
            Reply::Storm(result) => Some(&**result),
            _ => None,
        })
        .collect();
    let runs_now = |cpu: u8| outcome.cpus.get(usize::from(cpu)) == Some(&CpuState::Running);
    let mut rows: Vec<Row> = Vec::new();
    let mut violations = Vec::new();
    for (at, shape) in shapes.iter().enumerate() {
        let mine: Vec<&StormResult> = results
            .iter()
            .copied()
            .skip(at)
            .step_by(shapes.len())
            .collect();
        if mine.is_empty() {
            continue;
        }
        let row = Row::new(shape, &mine, head.counter.hz, runs_now);
        violations.extend(row.violations(rows.len(), shape));
        rows.push(row);
    }
    head.marks.extend(compare(&mut rows));
    let trapped = rows.iter().filter(|r| r.trapped.is_some()).count();
    if trapped > 0 {
        let of = rows.len();
        let text = format!("sending takes an exception in {trapped} of {of} rows: not measured");
        head.marks.push(Mark::partial("rows", text));
    }
    let left_out = head.cpus.iter().filter(|c| c.state != CpuState::Running);
    let left_out: Vec<String> = left_out.map(|c| c.id.to_string()).collect();
    if !left_out.is_empty() {
        let text = format!(
            "CPUs that do not run are in no storm: {}",
            left_out.join(", ")
        );
        head.marks.push(Mark::partial("rows", text));
    }
    let planned = shapes.len() * repeat as usize;
    if results.len() < planned {
        head.complete = false;
        let text = format!("{} of {planned} storms ran", results.len());
        head.marks.push(Mark::partial("rows", text));
    }
    let refusal = results.iter().find_map(|r| r.refusal);
    head.complete &= refusal.is_none();
    let report = StormReport {
        schema: StormReport::SCHEMA.to_owned(),
        head,
        us,
        repeat,
        rows,
        violations,
    };
    (report, refusal)
}

/// Efficiencies: against the smallest set of the same kind, the first of them where there are several. What to say about kinds
/// whose smallest set is nothing to compare with.
fn compare(rows: &mut [Row]) -> Vec<Mark> {
    let kind = |r: &Row| (r.pattern, r.via, r.pace, r.accounting);
    let mut marks: Vec<Mark> = Vec::new();
    for i in 0..rows.len() {
        let same = rows.iter().filter(|r| kind(r) == kind(&rows[i]));
        let Some(least) = same.min_by_key(|r| r.cpus.len()) else {
            continue;
        };
        let (per_cpu, runs) = (least.per_cpu, rows[i].runs);
        let (lost, missed) = (least.lost, least.missed);
        if lost + missed == 0 {
            let is_there = least.runs > 0 && per_cpu > 0.0 && runs > 0;
            rows[i].efficiency = is_there.then(|| rows[i].per_cpu / per_cpu);
            continue;
        }
        let of = least.cpus.len();
        let text = format!(
            "no efficiency for {}: the smallest set ({of} CPUs) lost {lost}, and {missed} waits ran out, so that its rate is nothing to compare with",
            least.kind()
        );
        if marks.iter().all(|m| m.text != text) {
            marks.push(Mark::note("rows.efficiency", text));
        }
    }
    marks
}

impl StormReport {
    /// Why nothing at all was measured, if sending takes an exception in every row.
    #[must_use]
    pub fn why_nothing(&self) -> Option<String> {
        let first = self.rows.first()?.trapped.as_ref()?;
        let none = |r: &Row| r.runs == 0 && r.trapped.is_some();
        self.rows.iter().all(none).then(|| {
            format!("nothing was measured: sending takes an exception in every row, ESR {first}")
        })
    }

    /// Whether a request that was not taken was lost, as far as requests that were alone tell it: a sentence for every way in
    /// which some may have merged.
    #[must_use]
    pub fn about_merged(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for way in Way::value_variants() {
            let ran = || self.rows.iter().filter(|r| r.via == *way && r.runs > 0);
            if ran().all(|r| r.merged == 0) {
                continue;
            }
            let alone = || ran().filter(|r| r.alone);
            let (sent, lost) = alone().fold((0, 0), |(s, l), r| (s + r.sent, l + r.lost));
            let name = way.name();
            lines.push(match (sent, lost, MissBound::of(lost, sent).upper_95) {
                (1.., 0, Some(bound)) => format!(
                    "{name}: merged is an upper bound, a lost one would be among them; of {sent} requests that were alone none was lost (rate below {bound:.2e}, 95 %)"
                ),
                (1.., ..) => format!(
                    "{name}: merged holds lost ones too: of {sent} requests that were alone {lost} were lost"
                ),
                _ => format!(
                    "{name}: merged is an upper bound: a request that was lost cannot be told from one that merged; --pace paced --pattern pairs can"
                ),
            });
        }
        lines
    }
}
