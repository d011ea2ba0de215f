//! Where experiments put their cells, and where they find what came of them.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::{Action, Special, Step};
use protocol::message::Refusal;

use crate::error::Error;
use crate::plan::{GRACE_US, Group, MaskedCpu, Plan, PlannedCell, Question, Routing};
use crate::session::{Measured, Outcome, Reply, SessionError, describe};

use super::{Facts, Observation};

/// The field of a CPU that does not accept: 3 accepts nothing on T8140 (silicon).
pub const NEVER: u8 = 3;
/// Number of a cell that is not part of the plan, because nothing makes a CPU accept.
const LEFT_OUT: u32 = u32::MAX;
/// Why not.
pub const NO_ACCEPTOR: &str = "no field value makes a CPU accept";

/// Timeout of a trigger, in microseconds: much longer than any delivery seen, short where many are lost.
const TIMEOUT_US: u32 = 2_000;

/// What an experiment makes of the counts.
pub type Judge = Box<dyn Fn(&Evidence<'_>) -> Vec<Observation>>;

/// Cells and questions in the making.
pub struct Lab<'f> {
    pub facts: &'f Facts<'f>,
    cells: Vec<PlannedCell>,
    questions: Vec<Question>,
}

impl<'f> Lab<'f> {
    pub const fn new(facts: &'f Facts<'f>) -> Self {
        Self {
            facts,
            cells: Vec::new(),
            questions: Vec::new(),
        }
    }

    pub fn into_plan(self) -> Plan {
        Plan {
            questions: self.questions,
            ..Plan::of(self.cells)
        }
    }

    /// Logical ids.
    pub fn cpus(&self) -> u8 {
        self.facts.target.cpus.len() as u8
    }

    pub fn is_v1(&self) -> bool {
        self.facts.target.aic.geometry.generation == Generation::V1
    }

    /// A cell in which CPU 0 fires the spare line and the state is as found.
    pub fn cell(&self) -> PlannedCell {
        PlannedCell {
            id: 0,
            group: Group::Custom,
            line: self.facts.line,
            fire_cpu: 0,
            fields: vec![None; self.facts.target.cpus.len()],
            masked: Vec::new(),
            triggers: self.facts.options.triggers,
            timeout_us: TIMEOUT_US,
            grace_us: GRACE_US,
            routing: Routing::AsFound,
            raw: false,
            special: Special::default(),
        }
    }

    /// The field's value with which a CPU accepts.
    pub fn accept(&self) -> u8 {
        self.facts.acceptor.field.unwrap_or(0)
    }

    /// The same with these CPUs accepting and no other: by SIQ_CFG, on AICv1 by the line's TARGET_CPU.
    pub fn accepting(&self, cpus: &[u8]) -> PlannedCell {
        self.accepting_with(cpus, self.accept())
    }

    /// The same by this value of the field.
    pub fn accepting_with(&self, cpus: &[u8], value: u8) -> PlannedCell {
        let mut cell = self.cell();
        if self.is_v1() {
            cell.routing = Routing::Cpus(cpus.to_vec());
        } else {
            let field = |cpu| Some(if cpus.contains(&cpu) { value } else { NEVER });
            cell.fields = (0..self.cpus()).map(field).collect();
        }
        cell
    }

    /// Puts a cell into the plan, if anything makes a CPU accept; its number. It says nothing where nobody can get an
    /// interrupt.
    pub fn add(&mut self, cell: PlannedCell) -> u32 {
        match self.facts.acceptor.field {
            Some(_) => self.add_any(cell),
            None => LEFT_OUT,
        }
    }

    /// Puts a cell into the plan, whatever is known of acceptors; its number.
    pub fn add_any(&mut self, mut cell: PlannedCell) -> u32 {
        let id = self.cells.len() as u32;
        cell.id = id;
        self.cells.push(cell);
        id
    }

    /// Puts a question into the plan; its number.
    pub fn ask(&mut self, question: Question) -> usize {
        self.questions.push(question);
        self.questions.len() - 1
    }
}

/// Parts of cells.
pub trait CellExt {
    fn masked(self, cpu: u8, us: u32) -> Self;
    fn step(self, at_us: u32, cpu: u8, action: Action) -> Self;
    fn on(self, line: LineId) -> Self;
}

impl CellExt for PlannedCell {
    fn masked(mut self, cpu: u8, us: u32) -> Self {
        self.masked.push(MaskedCpu { cpu, us });
        self
    }

    fn step(mut self, at_us: u32, cpu: u8, action: Action) -> Self {
        // A cell of ours has at most a few.
        let _ = self.special.steps.push(Step { at_us, cpu, action });
        self
    }

    fn on(mut self, line: LineId) -> Self {
        self.line = line;
        self
    }
}

/// What the session measured.
pub struct Evidence<'o> {
    outcome: &'o Outcome,
}

impl<'o> Evidence<'o> {
    pub const fn new(outcome: &'o Outcome) -> Self {
        Self { outcome }
    }

    /// Counts of a cell; `Err` with the reason where it did not run.
    pub fn cell(&self, id: u32) -> Result<&'o Measured, String> {
        let found = self.outcome.cells.iter().find(|(c, _)| c.id == id);
        match found {
            None => Err(self.why_not(id)),
            Some((_, m)) => match m.refusal {
                Some(refusal) if m.fired == 0 || refusal != Refusal::Storm => {
                    Err(describe(refusal))
                }
                _ if m.fired == 0 => Err("it was not reached".to_owned()),
                _ => Ok(m),
            },
        }
    }

    /// Sums of what `count` makes of each cell; and why the last of those did not run that did not.
    pub fn sum(
        &self,
        cells: impl IntoIterator<Item = u32>,
        mut count: impl FnMut(usize, &Measured) -> (u64, u64),
    ) -> (u64, u64, String) {
        let (mut held, mut against, mut why) = (0, 0, String::new());
        for (at, cell) in cells.into_iter().enumerate() {
            match self.cell(cell) {
                Ok(m) => {
                    let (a, b) = count(at, m);
                    held += a;
                    against += b;
                }
                Err(reason) => why = reason,
            }
        }
        (held, against, why)
    }

    /// Why a cell is not among those that were to be measured.
    fn why_not(&self, id: u32) -> String {
        let failure = self.outcome.failure.as_ref().map(Error::cause);
        match failure {
            Some(Error::Session(SessionError::SiqTraps { .. })) => "SIQ_CFG traps",
            Some(_) => "the run ended before it",
            None if self.outcome.interrupted => "the run was interrupted before it",
            None if id == LEFT_OUT => NO_ACCEPTOR,
            None => "a CPU that it needs does not run",
        }
        .to_owned()
    }

    /// Why a cell stopped, whatever it counted.
    pub fn refusal(&self, id: u32) -> Option<Refusal> {
        let found = self.outcome.cells.iter().find(|(c, _)| c.id == id);
        found.and_then(|(_, m)| m.refusal)
    }

    /// The answer to a question.
    pub fn reply(&self, id: usize) -> Option<&'o Reply> {
        self.outcome.answers.replies.get(id)
    }

    /// CONFIG as found.
    pub fn config(&self) -> Option<u32> {
        self.outcome.answers.opened.map(|o| o.config)
    }
}

/// First deliveries on `cpu`.
pub fn landed(m: &Measured, cpu: u8) -> u64 {
    m.landed.get(usize::from(cpu)).copied().unwrap_or(0)
}

/// Times that step `step` answered yes.
pub fn hits(m: &Measured, step: usize) -> u64 {
    m.hits.get(step).copied().unwrap_or(0)
}

/// The judge of a claim about one cell.
pub fn about_cell(
    cell: u32,
    id: &'static str,
    row: u8,
    claim: &'static str,
    count: impl Fn(&Measured) -> (u64, u64) + 'static,
) -> Judge {
    Box::new(move |e| {
        vec![match e.cell(cell) {
            Ok(m) => {
                let (held, against) = count(m);
                Observation::counted(id, row, claim, held, against)
            }
            Err(why) => Observation::untried(id, row, claim, why),
        }]
    })
}

/// Id and claim of an observation.
pub type Claim = (&'static str, &'static str);

/// The judge of an experiment that cannot be made here: each of its claims, untried.
pub fn untried(row: u8, claims: &[Claim], why: impl Into<String>) -> Judge {
    let (claims, why) = (claims.to_vec(), why.into());
    Box::new(move |_| {
        let of = claims.iter();
        of.map(|(id, claim)| Observation::untried(id, row, claim, why.as_str()))
            .collect()
    })
}
