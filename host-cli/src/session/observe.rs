//! What a session tells while it runs.

use crate::firmware::Level;
use crate::plan::PlannedCell;

use super::Measured;

/// Something that happened.
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
    /// The counts of a cell so far.
    Progress {
        /// The cell.
        cell: &'e PlannedCell,
        /// Cells in the plan.
        of: usize,
        /// Its counts.
        so_far: &'e Measured,
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

/// Nobody.
pub struct Silent;

impl Observer for Silent {
    fn on(&mut self, _: Event<'_>) {}
}
