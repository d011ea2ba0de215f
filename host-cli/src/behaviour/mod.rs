//! What an interrupt controller and its CPUs do, one observation after the other.
//!
//! Each experiment adds cells and questions to one plan, and later counts for how many triggers its claim held and for how
//! many it did not. Numbers of rows are those of the project's list of behaviours (`docs/behaviours.md`). Nothing here is a
//! verdict: an observation says what was seen, on this target.

mod acceptor;
mod block_rows;
mod cpus;
mod ipis;
mod lab;
mod lines;
mod routing;

use aic_regs::aic::Generation;
use protocol::LineId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{Estimate, Plan};
use crate::proxy::Proxy;
use crate::result::{Build, Mark};
use crate::session::{self, Observer, Outcome};
use crate::target::block::{Block, LineBits};
use crate::target::{
    LineError, Looked, Objection, SocFacts, Target, TargetError, candidates, find_spare, is_spare,
    objections, verify_layout,
};

use acceptor::{Acceptor, Search};
use lab::{Evidence, Judge, Lab};

/// Lines looked at for a second spare one.
const MOST_TRIED: usize = 16;
/// Triggers of a cell unless told otherwise.
pub const TRIGGERS: u32 = 16;

/// What is allowed beside looking and firing spare lines.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Triggers per cell.
    pub triggers: u32,
    /// Rows to look at; empty = all.
    pub rows: Vec<u8>,
    /// A device's line that is high: it is taken and left masked.
    pub live_line: Option<LineId>,
    /// The controller's RESET is written.
    pub reset: bool,
    /// VM_TMR_FIQ_ENA is written with what it reads.
    pub write_back: bool,
    /// A plan of more than 10 minutes may run.
    pub long: bool,
    /// Every worker lies in WFI once: one that no timer wakes is lost until the target is restarted.
    pub wfi: bool,
}

/// How often a claim held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Answer {
    /// Not once.
    Never,
    /// Now and then.
    Sometimes,
    /// Each time.
    Always,
    /// It could not be tried here.
    #[serde(rename = "not-applicable")]
    NotApplicable,
}

impl Answer {
    /// The word of tables and lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "Never",
            Self::Sometimes => "Sometimes",
            Self::Always => "Always",
            Self::NotApplicable => "-",
        }
    }
}

/// One claim about the target, and what was counted for and against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// Stable name.
    pub id: String,
    /// Row of the list of behaviours.
    pub row: u8,
    /// The claim in words.
    pub claim: String,
    /// How often it held.
    pub answer: Answer,
    /// Times that it held.
    #[serde(rename = "for")]
    pub held: u64,
    /// Times that it did not.
    pub against: u64,
    /// What else is to be said; why it could not be tried.
    pub note: Option<String>,
}

impl Observation {
    /// From counts.
    #[must_use]
    pub fn counted(id: &str, row: u8, claim: &str, held: u64, against: u64) -> Self {
        let answer = match (held, against) {
            (0, 0) => Answer::NotApplicable,
            (0, _) => Answer::Never,
            (_, 0) => Answer::Always,
            _ => Answer::Sometimes,
        };
        Self {
            id: id.to_owned(),
            row,
            claim: claim.to_owned(),
            answer,
            held,
            against,
            note: None,
        }
    }

    /// That cannot be tried here.
    #[must_use]
    pub fn untried(id: &str, row: u8, claim: &str, why: impl Into<String>) -> Self {
        Self::counted(id, row, claim, 0, 0).noted(why)
    }

    /// With something to say.
    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        if !note.is_empty() {
            self.note = Some(match self.note.take() {
                Some(old) => format!("{old}; {note}"),
                None => note,
            });
        }
        self
    }
}

/// Everything observed on one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// "aicprobe.observe/1".
    pub schema: String,
    /// The target as named by the user.
    pub target: String,
    /// The seed.
    pub seed: u64,
    /// What ran.
    pub build: Build,
    /// Chip and board.
    pub soc: SocFacts,
    /// 1, 2 or 3.
    pub aic_generation: u8,
    /// Observations in the order of their rows.
    pub observations: Vec<Observation>,
    /// Whether the target is as it was found.
    pub restored: bool,
    /// What has to be said about all of it.
    pub marks: Vec<Mark>,
}

impl Report {
    /// Schema of the JSON.
    pub const SCHEMA: &'static str = "aicprobe.observe/1";

    /// The observation called `id`.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Observation> {
        self.observations.iter().find(|o| o.id == id)
    }
}

/// What a run brought.
pub struct Observed {
    /// Observations in the order of their rows.
    pub observations: Vec<Observation>,
    /// How the session with the firmware ended; `None` if the layout of the controller forbade it.
    pub outcome: Option<Outcome>,
    /// What has to be said about all of it.
    pub marks: Vec<Mark>,
    /// What the controller was not put back to by the part of the run without firmware.
    pub differences: Vec<String>,
}

/// Facts that experiments are made from.
pub struct Facts<'t> {
    /// The target.
    pub target: &'t Target,
    /// A spare line.
    pub line: LineId,
    /// Another one.
    pub second: LineId,
    /// IRQ_CFG (TARGET_CPU) of `line` as found.
    pub word: u32,
    /// Options of the user.
    pub options: &'t Options,
    /// Whether the line of [`Options::live_line`] was high.
    pub live_high: bool,
    /// What makes a CPU accept.
    pub acceptor: Acceptor,
}

impl Facts<'_> {
    fn wants(&self, row: u8) -> bool {
        self.options.rows.is_empty() || self.options.rows.contains(&row)
    }

    /// Whether any row that is looked at has cells.
    fn wants_cells(&self) -> bool {
        let mut rows = EXPERIMENTS.iter().map(|(row, _)| *row);
        rows.any(|row| self.wants(row) && !ROWS_WITHOUT_CELLS.contains(&row))
    }
}

/// Puts cells into the plan; what it returns makes observations of their counts.
type Experiment = fn(&mut Lab<'_>) -> Judge;

/// Every experiment of the firmware: its row, and what makes its cells.
const EXPERIMENTS: &[(u8, Experiment)] = &[
    (2, routing::at_el1),
    (3, routing::pending_until_accepted),
    (5, routing::masked_gives_way),
    (6, routing::sole_acceptor_keeps),
    (7, routing::every_cpu_receives),
    (11, cpus::vm_timer_fiq_enable),
    (13, cpus::wfi),
    (15, ipis::late_acknowledge),
    (16, ipis::reach),
    (17, ipis::merging),
    (19, lines::storm),
    (22, routing::nibbles),
    (23, lines::event_read_by_another),
    (26, lines::masked_line_remembers),
    (31, lines::disabled_in_handler),
    (32, lines::out_of_order),
    (34, lines::beyond),
    (36, routing::enable),
];

/// Experiments that only ask questions of CPUs.
const ROWS_WITHOUT_CELLS: [u8; 5] = [11, 13, 15, 16, 17];

/// Rows that are looked at without the firmware.
const BLOCK_ROWS: [u8; 6] = [8, 10, 24, 25, 27, 34];

/// Every row that has an experiment, ascending.
#[must_use]
pub fn rows() -> Vec<u8> {
    let mut rows: Vec<u8> = EXPERIMENTS.iter().map(|(row, _)| *row).collect();
    rows.extend(BLOCK_ROWS);
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// Makes every observation that `options` ask for.
///
/// # Errors
/// A live line that does not exist; what goes wrong before any CPU runs the firmware; errors of the link.
pub fn observe(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    options: &Options,
    seed: u64,
    observer: &mut dyn Observer,
) -> Result<Observed, Error> {
    let live_high = match options.live_line {
        Some(line) => is_high(proxy, target, line)?,
        None => false,
    };
    let line = find_spare(proxy, target)?;
    let second = second_spare(proxy, target, line)?;
    let word = crate::target::block::routing_word(proxy, target, line)?;
    let mut facts = Facts {
        target,
        line,
        second,
        word,
        options,
        live_high,
        acceptor: Acceptor::ANY,
    };
    let estimate = Estimate::of(&lab_of(&facts).0);
    if !options.long && estimate.needs_consent() {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    // It writes and puts back: a stop comes after it.
    let looked = proxy.held(|proxy| block_rows::observe(proxy, &facts));
    let known = Looked {
        spare: Some(line),
        pairs: false,
    };
    let verified = verify_layout(proxy, target, known);
    let (mut observations, differences) = looked?;
    if let Err(e) = verified {
        let Error::Target(TargetError::Layout { .. }) = e else {
            return Err(e);
        };
        let text = format!("no cell was run: {e}");
        return Ok(Observed {
            observations,
            outcome: None,
            marks: vec![Mark::partial("cells", text)],
            differences,
        });
    }
    // Lines beyond NR_IRQ are part of it: the firmware is told that they exist.
    let mut wide = target.clone();
    wide.aic.geometry.nr_irq = wide.aic.geometry.max_irq;
    let mut ended = None;
    if target.aic.geometry.generation != Generation::V1 && facts.wants_cells() {
        let mut lab = Lab::new(&facts);
        let search = Search::new(&mut lab);
        let outcome = session::run(proxy, &wide, firmware, &lab.into_plan(), seed, observer)?;
        facts.acceptor = search.found(&outcome);
        if outcome.failure.is_some() || outcome.interrupted || !outcome.restoring.is_restored() {
            ended = Some(outcome);
        }
    }
    let (plan, judges) = lab_of(&facts);
    let outcome = match ended {
        // The search did not come to its end: nothing else is begun.
        Some(outcome) => Outcome {
            cells: Vec::new(),
            ..outcome
        },
        None => session::run(proxy, &wide, firmware, &plan, seed, observer)?,
    };
    let evidence = Evidence::new(&outcome);
    observations.extend(judges.iter().flat_map(|judge| judge(&evidence)));
    observations.sort_by_key(|o| o.row);
    let marks = outcome.marks.clone();
    Ok(Observed {
        observations,
        outcome: Some(outcome),
        marks,
        differences,
    })
}

/// The plan of every experiment that is looked at, and what makes observations of it.
fn lab_of(facts: &Facts<'_>) -> (Plan, Vec<Judge>) {
    let mut lab = Lab::new(facts);
    let judges = EXPERIMENTS
        .iter()
        .filter(|(row, _)| facts.wants(*row))
        .map(|(_, make)| make(&mut lab))
        .collect();
    (lab.into_plan(), judges)
}

/// Whether a line that has to exist is high.
fn is_high(proxy: &mut Proxy<'_>, target: &Target, line: LineId) -> Result<bool, Error> {
    let outside = |o: &Objection| matches!(o, Objection::Outside(_) | Objection::Zero);
    let found = objections(&target.lines, line);
    if found.iter().any(outside) {
        let found = found.into_iter().filter(outside).collect();
        return Err(LineError::Refused { line, found }.into());
    }
    let at = LineBits::of(target, line);
    let mut block = Block {
        proxy,
        base: target.aic.base,
    };
    Ok(block.read(at.hw_state)? & at.bit != 0)
}

/// A spare line beside `line`.
fn second_spare(proxy: &mut Proxy<'_>, target: &Target, line: LineId) -> Result<LineId, Error> {
    let others = candidates(&target.lines, 0)
        .map(|candidate| candidate.line)
        .filter(|other| *other != line)
        .take(MOST_TRIED);
    for other in others {
        if is_spare(proxy, target, other)? {
            return Ok(other);
        }
    }
    Err(crate::target::LineError::NoSpare { tried: MOST_TRIED }.into())
}
