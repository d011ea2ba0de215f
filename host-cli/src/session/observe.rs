//! What a session tells while it runs.

use crate::firmware::Level;
use crate::plan::PlannedCell;

use crate::result::CpuState;

use protocol::message::Batch;

use super::{Answers, Measured};

/// Something that happened.
#[derive(Clone, Copy)]
pub enum Event<'e> {
    /// A step begins.
    Step(&'e str),
    /// Text of the loader's console.
    Console(&'e str),
    /// A line of the firmware's log.
    Log {
        /// Logical CPU.
        cpu: u8,
        /// How much it matters.
        level: Level,
        /// In words.
        text: &'e str,
    },
    /// Firmware and CPUs have said what they are; cells come next.
    Started {
        /// What they said.
        answers: &'e Answers,
        /// State of every CPU, by logical id.
        cpus: &'e [CpuState],
    },
    /// The counts of a cell so far.
    Progress {
        /// The cell.
        cell: &'e PlannedCell,
        /// Cells in the plan.
        of: usize,
        /// Its counts.
        so_far: &'e Measured,
    },
    /// Events of a cell that asked for them.
    Raw {
        /// The cell.
        cell: &'e PlannedCell,
        /// Triggers of the cell before the first that the batch can name: it counts triggers from 0 in every part.
        before: u64,
        /// The events, packed.
        batch: &'e Batch,
    },
    /// Part of a cell is over. The parts of a cell add up to its counts; of a cell with a limit of time they are intervals.
    Part {
        /// The cell.
        cell: &'e PlannedCell,
        /// Counts of this part alone.
        counts: &'e Measured,
    },
    /// A cell is over.
    Done {
        /// The cell.
        cell: &'e PlannedCell,
        /// Cells in the plan.
        of: usize,
        /// Its counts.
        counts: &'e Measured,
    },
}

/// Who is told.
pub trait Observer {
    /// Something happened.
    fn on(&mut self, event: Event<'_>);

    /// Whether the user wants to stop.
    fn stop(&self) -> bool {
        false
    }
}

/// Two of them: both are told, either may stop it.
pub struct Both<'o>(pub &'o mut dyn Observer, pub &'o mut dyn Observer);

impl Observer for Both<'_> {
    fn on(&mut self, event: Event<'_>) {
        self.0.on(event);
        self.1.on(event);
    }

    fn stop(&self) -> bool {
        self.0.stop() || self.1.stop()
    }
}

/// Nobody.
pub struct Silent;

impl Observer for Silent {
    fn on(&mut self, _: Event<'_>) {}
}
