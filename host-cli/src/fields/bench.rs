//! What the further experiments have in common: values of the field by their standing, and cells.

use protocol::LineId;
use protocol::command::Special;

use crate::plan::{GRACE_US, Group, MaskedCpu, PlannedCell, Routing};
use crate::session::Measured;

use super::rule::{Cpu, Rule};
use super::{Present, Seen};

/// Cells in the making, for CPUs that follow a rule.
pub struct Bench<'r> {
    /// The rule that the truth table has.
    pub rule: &'r Rule,
    /// CPUs by logical id.
    pub cpus: &'r [Cpu],
    /// Those that take part.
    pub present: &'r Present,
    line: LineId,
    timeout_us: u32,
    cells: Vec<PlannedCell>,
}

impl<'r> Bench<'r> {
    /// No cells yet; `line` is a spare one.
    pub const fn new(
        rule: &'r Rule,
        cpus: &'r [Cpu],
        present: &'r Present,
        line: LineId,
        timeout_us: u32,
    ) -> Self {
        Self {
            rule,
            cpus,
            present,
            line,
            timeout_us,
            cells: Vec::new(),
        }
    }

    /// Number of CPUs that take part.
    pub fn count(&self) -> usize {
        self.ids().len()
    }

    /// CPUs that take part.
    pub fn ids(&self) -> &'r [u8] {
        self.present.ids()
    }

    /// One value for each class, the best first.
    pub fn accepting(&self) -> Vec<u8> {
        let rank = |v: u8| self.rule.rank_of(v);
        let mut values: Vec<u8> = (0..4).filter(|v| rank(*v).is_some()).collect();
        values.sort_by_key(|v| (rank(*v), *v));
        values.dedup_by_key(|v| rank(*v));
        values
    }

    /// A value that never gets an interrupt; 3 if it is one (silicon, T8140).
    pub fn never(&self) -> Option<u8> {
        (0..4).rev().find(|v| self.rule.rank_of(*v).is_none())
    }

    /// The same with the value that never gets an interrupt behind them, if there is one.
    pub fn standings(&self) -> Vec<u8> {
        let mut values = self.accepting();
        values.extend(self.never());
        values
    }

    /// Fields: these CPUs have these values, all others that take part `rest`.
    pub fn fields(&self, set: &[(usize, u8)], rest: u8) -> Vec<Option<u8>> {
        let mut fields = self.present.spread(&vec![rest; self.count()]);
        for (cpu, value) in set {
            if let Some(field) = fields.get_mut(*cpu) {
                *field = Some(*value);
            }
        }
        fields
    }

    /// A cell of one trigger.
    pub fn cell(&self, fire_cpu: usize, fields: Vec<Option<u8>>) -> PlannedCell {
        PlannedCell {
            id: 0,
            group: Group::Custom,
            line: self.line,
            // At most `MAX_CPUS`.
            fire_cpu: fire_cpu as u8,
            fields,
            masked: Vec::new(),
            triggers: 1,
            timeout_us: self.timeout_us,
            grace_us: GRACE_US,
            routing: Routing::AsFound,
            raw: false,
            special: Special::default(),
        }
    }

    /// Every CPU that takes part masks interrupts for so long.
    pub fn all_masked(&self, us: u32) -> Vec<MaskedCpu> {
        let ids = self.ids().iter();
        ids.map(|cpu| MaskedCpu { cpu: *cpu, us }).collect()
    }

    /// Takes a cell into the plan; its number.
    pub fn add(&mut self, cell: PlannedCell) -> u32 {
        let id = self.cells.len() as u32;
        self.cells.push(PlannedCell { id, ..cell });
        id
    }

    /// All cells.
    pub fn into_cells(self) -> Vec<PlannedCell> {
        self.cells
    }
}

/// Counts of the cells that ran.
pub struct Counts<'m>(pub &'m [(PlannedCell, Measured)]);

impl<'m> Counts<'m> {
    /// Counts of a cell; `None` if it did not run to its end.
    pub fn of(&self, id: u32) -> Option<&'m Measured> {
        let found = self.0.iter().find(|(cell, _)| cell.id == id);
        found.map(|(_, m)| m).filter(|m| m.complete)
    }
}

/// First deliveries on a CPU.
pub fn landed(m: &Measured, cpu: usize) -> u64 {
    m.landed.get(cpu).copied().unwrap_or(0)
}

/// What speaks for a claim, and what against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For.
    pub held: u64,
    /// Against.
    pub against: u64,
}

impl Tally {
    /// Counts one more.
    pub const fn count(&mut self, held: bool) {
        if held {
            self.held += 1;
        } else {
            self.against += 1;
        }
    }

    /// It held every time that it was tried, and was tried.
    pub const fn always(self) -> bool {
        self.held > 0 && self.against == 0
    }

    /// As a claim, unless it was never tried.
    pub fn claim(self, id: impl Into<String>) -> Option<Seen> {
        Seen::counted(id, self.held, self.against)
    }
}
