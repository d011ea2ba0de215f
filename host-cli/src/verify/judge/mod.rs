//! Verdicts from a record, and from nothing else.

pub mod masks;
pub mod registers;
pub mod routing;
pub mod takers;
pub mod target;

use super::result::{RuleResult, Verdict};
use super::rules::{RULES, Rule};
use super::{Observed, Record, Setup};
use crate::result::{Cpu, CpuState, MissBound};

use takers::Takers;

/// Why rules about fields make no sense there.
const V1: &str = "AICv1 routes by TARGET_CPU, not by fields";
/// Cells that a rule names at most.
const EXAMPLES: usize = 3;

/// What a rule found in a record.
#[derive(Debug, Default)]
pub struct Found {
    /// Times that it held.
    pub held: u64,
    /// Times that it did not.
    pub against: u64,
    /// The first cells, CPUs or values for which it did not.
    pub examples: Vec<String>,
    /// Why it cannot be applied here.
    pub not_applicable: Option<String>,
    /// Why nothing can be said for it, although nothing is against it.
    pub open: Option<String>,
    /// What else is to be said.
    pub note: Option<String>,
}

impl Found {
    /// Where the rule makes no sense.
    pub fn nothing(why: impl Into<String>) -> Self {
        Self {
            not_applicable: Some(why.into()),
            ..Self::default()
        }
    }

    /// Counts; what is against it is explained by `example`.
    pub fn count(&mut self, held: u64, against: u64, example: impl FnOnce() -> String) {
        self.held = self.held.saturating_add(held);
        self.against = self.against.saturating_add(against);
        if against > 0 && self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }

    /// Counts a cell.
    pub fn cell(&mut self, held: u64, against: u64, of: &Observed) {
        self.count(held, against, || described(of, against));
    }
}

/// The verdict of every rule, in the order of [`RULES`].
#[must_use]
pub fn judge(record: &Record) -> Vec<RuleResult> {
    RULES.iter().map(|rule| decide(rule, record)).collect()
}

fn decide(rule: &Rule, record: &Record) -> RuleResult {
    let found = (rule.check)(record);
    let trials = found.held.saturating_add(found.against);
    let measured = record.setup == Setup::Fine;
    let (verdict, why) = if !measured && rule.measures() && found.against == 0 {
        (Verdict::Inconclusive, "nothing was measured".to_owned())
    } else if let Some(why) = &found.not_applicable {
        (Verdict::NotApplicable, why.clone())
    } else if found.against > 0 {
        let text = format!(
            "{} of {trials}: {}",
            found.against,
            found.examples.join("; ")
        );
        (Verdict::Fail, text)
    } else if rule.measures() && !record.head.complete {
        let text = "the run did not come to its end".to_owned();
        (Verdict::Inconclusive, text)
    } else if let Some(why) = &found.open {
        (Verdict::Inconclusive, why.clone())
    } else if trials < rule.least {
        let text = format!("{trials} trials of at least {}", rule.least);
        (Verdict::Inconclusive, text)
    } else {
        (Verdict::Pass, format!("{trials} of {trials}"))
    };
    let why = match &found.note {
        Some(note) => format!("{why}; {note}"),
        None => why,
    };
    // Of checks nobody wants to know a rate.
    let rate = rule.cells && rule.least > 1;
    let bound = MissBound::of(found.against, trials).upper_95;
    RuleResult {
        id: rule.id.to_owned(),
        title: rule.title.to_owned(),
        required: rule.required,
        verdict,
        trials,
        kind: if rule.windows {
            "windows"
        } else if rate {
            "triggers"
        } else {
            "checks"
        }
        .to_owned(),
        held: found.held,
        against: found.against,
        upper_95: bound.filter(|_| rate),
        why,
    }
}

/// A cell in words.
fn described(of: &Observed, against: u64) -> String {
    let c = &of.cell;
    let field = |f: &Option<u8>| f.map_or('.', |f| char::from(b'0' + f));
    let fields: String = c.fields.iter().map(field).collect();
    let landed: Vec<String> = (0..)
        .zip(&c.landed)
        .filter(|(_, n)| **n > 0)
        .map(|(cpu, n): (u32, _)| format!("{cpu}:{n}"))
        .collect();
    let masked: Vec<String> = c
        .masked_cpus
        .iter()
        .zip(&c.masked_us)
        .map(|(cpu, us)| format!("CPU {cpu} masked for {us} us, "))
        .collect();
    let (line, fire) = (c.line, c.fire_cpu);
    format!(
        "cell {} (line {}:{}, CPU {fire} fires, fields {fields}, {}{} fired: landed {}, lost {}, duplicate {}, spurious {}; {against} against)",
        c.id,
        line.die,
        line.number,
        masked.concat(),
        c.fired,
        if landed.is_empty() {
            "nowhere".to_owned()
        } else {
            landed.join(" ")
        },
        c.lost,
        c.duplicate,
        c.spurious,
    )
}

/// Cells in which something was fired, with who may take what.
fn cells(record: &Record) -> impl Iterator<Item = (&Observed, Takers)> {
    let of = record.cells.iter().filter(|o| o.cell.fired > 0);
    of.map(|o| (o, Takers::of(record, o)))
}

/// The same without windows.
fn open_cells(record: &Record) -> impl Iterator<Item = (&Observed, Takers)> {
    cells(record).filter(|(o, _)| !o.purpose.has_windows())
}

/// Deliveries on CPUs of which `on` holds.
fn landed(of: &Observed, on: impl Fn(u8) -> bool) -> u64 {
    let all = (0u8..).zip(&of.cell.landed);
    all.filter(|(cpu, _)| on(*cpu))
        .fold(0, |sum, (_, n)| sum.saturating_add(*n))
}

/// CPUs that took part.
fn running(record: &Record) -> impl Iterator<Item = &Cpu> {
    let cpus = record.head.cpus.iter();
    cpus.filter(|c| c.state == CpuState::Running)
}
