//! The result of `aicprobe storm`.

use protocol::message::{Refusal, StormResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::result::{CpuState, Head, Mark};
use crate::session::{Outcome, Reply};

use super::plan::Shape;
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
    compare(&mut rows);
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

/// Efficiencies: against the smallest set of the same kind, the first of them where there are several.
fn compare(rows: &mut [Row]) {
    let kind = |r: &Row| (r.pattern, r.via, r.pace, r.accounting);
    for i in 0..rows.len() {
        let same = rows
            .iter()
            .filter(|r| kind(r) == kind(&rows[i]) && r.runs > 0);
        let least = same.min_by_key(|r| r.cpus.len()).map(|r| r.per_cpu);
        rows[i].efficiency = least
            .filter(|per_cpu| *per_cpu > 0.0 && rows[i].runs > 0)
            .map(|per_cpu| rows[i].per_cpu / per_cpu);
    }
}
