//! What a session tells while it runs.

use crate::firmware::Level;
use crate::plan::{PlannedCell, Question};
use crate::result::CpuState;

use protocol::message::Batch;

use super::{Answers, Measured, Reply};

/// Something that happened.
#[derive(Clone, Copy)]
pub enum Event<'e> {
    /// A step begins.
    Step(&'e str),
    /// Text of the loader's console.
    Console(&'e str),
    /// The firmware runs on every CPU that it will run on; cells and questions come next.
    Started {
        /// Hertz of the counter that latencies are measured in.
        counter_hz: u64,
        /// State of every CPU, by logical id.
        cpus: &'e [CpuState],
        /// What firmware and CPUs have said of themselves.
        answers: &'e Answers,
    },
    /// A slice came back (some 30 a second), or the link is given up.
    Link {
        /// Exchanges repeated so far because something was lost or damaged.
        retries: u64,
        /// Nobody answers any more.
        lost: bool,
    },
    /// A question of the plan is asked.
    Asked {
        /// Its index.
        at: usize,
        /// Questions in the plan.
        of: usize,
        /// The question.
        question: &'e Question,
    },
    /// It was answered.
    Answered {
        /// Its index.
        at: usize,
        /// The answer.
        reply: &'e Reply,
    },
    /// A line of the firmware's log.
    Log {
        /// Logical CPU.
        cpu: u8,
        /// How much it matters.
        level: Level,
        /// In words.
        text: &'e str,
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
