//! Experiments on fields beyond the truth table, in one plan.

use protocol::LineId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bench::{Bench, Counts, Tally};
use super::fiqs::{self, Fiqs};
use super::hw_line::{Compared, HwLine};
use super::offered::Waiting;
use super::rule::{Choice, Cpu, Masked, Rule, Writes};
use super::timing::Timing;
use super::{Present, Seen};
use crate::plan::{Plan, Question};
use crate::session::{Outcome, Survived};

/// When routing goes by a value that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WritesAct {
    /// With the write.
    AtOnce,
    /// With the ISB behind it.
    AfterIsb,
    /// With one more interrupt.
    AfterInterrupt,
}

/// What becomes of an interrupt that waits at a CPU; `None` = it could not be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offered {
    /// It goes elsewhere when the CPU's value becomes worse than another CPU's.
    pub moves_when_worse: Option<bool>,
    /// It goes elsewhere when the CPU's value becomes one that never accepts.
    pub moves_when_never: Option<bool>,
}

/// What the further experiments say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Further {
    /// When a write acts; `None` = it could not be told.
    pub writes_act: Option<WritesAct>,
    /// What becomes of a waiting interrupt.
    pub offered: Offered,
    /// FIQs by CPU and value.
    pub fiqs: Vec<Fiqs>,
    /// Fields of CPUs that were stopped and started; empty unless asked for.
    pub survived: Vec<Survived>,
    /// The device's line; `None` unless asked for.
    pub hw_line: Option<HwLine>,
    /// Cells and questions that were planned.
    pub planned: usize,
    /// Of these, measured to their end.
    pub measured: usize,
}

/// A device's line to be compared with one that is set by software.
pub struct Device<'d> {
    /// Its node.
    pub path: &'d str,
    /// Its line.
    pub line: LineId,
    /// Combinations of fields, more than are needed.
    pub combinations: &'d [Vec<u8>],
}

/// A plan, and how to read it.
pub struct Experiments {
    timing: Option<Timing>,
    waiting: Option<Waiting>,
    compared: Option<Compared>,
    questions: Vec<Question>,
    /// Cells.
    cells: usize,
    /// The rule of the truth table.
    rule: Option<Rule>,
}

/// Stands in for a rule where none explains the truth table: nothing that asks for one is tried then.
const NO_RULE: Rule = Rule {
    rank: [None; 4],
    choice: Choice::Any,
    masked: Masked::Waits,
    writes: Writes::Prompt,
};

/// The plan of all experiments that can be made on CPUs that follow `rule`, with those that are `present`; `line` is a spare one.
#[must_use]
pub fn experiments(
    rule: Option<&Rule>,
    cpus: &[Cpu],
    present: &Present,
    line: LineId,
    timeout_us: u32,
    device: Option<&Device<'_>>,
) -> (Plan, Experiments) {
    let mut bench = Bench::new(rule.unwrap_or(&NO_RULE), cpus, present, line, timeout_us);
    let timing = rule.map(|_| Timing::plan(&mut bench));
    let waiting = rule.map(|_| Waiting::plan(&mut bench));
    let compared = device.map(|d| Compared::plan(&mut bench, d.combinations, d.line));
    let questions = fiqs::questions(present.ids());
    let plan = Plan {
        custom: false,
        questions: questions.clone(),
        ..Plan::of(bench.into_cells())
    };
    let experiments = Experiments {
        timing,
        waiting,
        compared,
        questions,
        cells: plan.cells.len(),
        rule: rule.copied(),
    };
    (plan, experiments)
}

impl Experiments {
    /// What came of them, and the same as claims.
    #[must_use]
    pub fn judge(
        &self,
        outcome: &Outcome,
        device: Option<&Device<'_>>,
        survived: Vec<Survived>,
    ) -> (Further, Vec<Seen>) {
        let counts = Counts(&outcome.cells);
        let (mut further, mut seen) = (Further::default(), Vec::new());
        if let Some(timing) = &self.timing {
            let writes = self.rule.map_or(Writes::Prompt, |r| r.writes);
            let (act, claims) = timing.judge(&counts, writes);
            further.writes_act = act;
            seen.extend(claims);
        }
        if let Some(waiting) = &self.waiting {
            let (offered, claims) = waiting.judge(&counts);
            further.offered = offered;
            seen.extend(claims);
        }
        let mut survives = Tally::default();
        for answer in survived.iter().filter_map(Survived::survived) {
            survives.count(answer);
        }
        seen.extend(survives.claim("field-survives-stop"));
        further.survived = survived;
        let replies = &outcome.answers.replies;
        let (fiqs, claims) = fiqs::judge(&self.questions, replies);
        seen.extend(claims);
        if let (Some(compared), Some(device)) = (&self.compared, device) {
            let rule = self.rule.as_ref();
            let (line, claim) = compared.judge(&counts, rule, device.path, device.line);
            further.hw_line = Some(line);
            seen.extend(claim);
        }
        further.planned = self.cells + self.questions.len();
        let whole = outcome.cells.iter().filter(|(_, m)| m.complete).count();
        further.measured = whole + fiqs.len();
        further.fiqs = fiqs;
        (further, seen)
    }
}

impl Further {
    /// What the rule does not say, in words; empty if nothing could be told.
    #[must_use]
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.writes_act.map(|act| match act {
            WritesAct::AtOnce => "a write acts at once".to_owned(),
            WritesAct::AfterIsb => "a write acts after an ISB".to_owned(),
            WritesAct::AfterInterrupt => "a write acts after one more interrupt".to_owned(),
        }));
        let waits = |answer: Option<bool>, when: &str| {
            let goes = answer.map(|moves| if moves { "leaves" } else { "stays at" });
            goes.map(|goes| format!("a waiting interrupt {goes} a CPU whose value becomes {when}"))
        };
        parts.extend(waits(self.offered.moves_when_worse, "worse"));
        parts.extend(waits(
            self.offered.moves_when_never,
            "one that never accepts",
        ));
        let said: Vec<bool> = self
            .survived
            .iter()
            .filter_map(Survived::survived)
            .collect();
        if let Some(first) = said.first()
            && said.iter().all(|s| s == first)
        {
            let not = if *first {
                "survives"
            } else {
                "does not survive"
            };
            parts.push(format!("the field {not} a stop of its CPU"));
        }
        parts.join("; ")
    }
}
