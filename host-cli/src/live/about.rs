//! What is known of a run before it starts.

use crate::plan::{Plan, cell_us};
use crate::result::{Mark, MarkKind};
use crate::target::{CpuFacts, Target};

/// What is known before the session starts.
#[derive(Clone, Debug)]
pub struct About {
    /// The target as the user named it.
    pub target: String,
    /// Chip and board.
    pub machine: String,
    /// Every number is a model's answer.
    pub model: bool,
    /// CPUs by logical id.
    pub cpus: Vec<CpuFacts>,
    /// Cells planned; 0 if nobody knows yet.
    pub cells: usize,
    /// Triggers planned.
    pub triggers: u64,
    /// How long the cells take if everything is delivered, in microseconds of the target's clock.
    pub expected_us: u128,
    /// It ends when so much of the target's time is over, in microseconds: how much of it is done is not told by its cells.
    pub duration_us: Option<u64>,
    /// Which of several runs it is; empty of the only one.
    pub run: String,
}

impl About {
    /// A run of `plan`, which may be empty: then the session's events tell how many cells there are.
    #[must_use]
    pub fn new(name: &str, target: &Target, marks: &[Mark], plan: &Plan) -> Self {
        let soc = &target.soc;
        let machine = [soc.title(), &soc.board];
        let duration_us = plan.until.duration_us;
        Self {
            target: name.to_owned(),
            machine: machine.join(" ").trim_end().to_owned(),
            model: marks.iter().any(|m| m.kind == MarkKind::ModelOnly),
            cpus: target.cpus.clone(),
            cells: plan.cells.len(),
            triggers: if duration_us.is_some() {
                0
            } else {
                plan.cells.iter().map(|c| u64::from(c.triggers)).sum()
            },
            expected_us: plan.cells.iter().map(cell_us).sum(),
            duration_us,
            run: String::new(),
        }
    }

    /// One of several runs.
    #[must_use]
    pub fn of_run(self, run: String) -> Self {
        Self { run, ..self }
    }
}
