//! What it costs to serve an interrupt elsewhere than in its handler.
//!
//! For each landing CPU: served in the handler (direct), by the interrupted context of the same CPU, by each other CPU told with
//! a store to the word that it waits on, with a store and SEV, or with a fast IPI; pinned to that CPU or floating, whoever of all
//! workers comes first; the workers idle or saturated.

mod plan;
mod report;
mod said;

pub use plan::{Options, Way, plan};
pub use report::{HandoffReport, Relation, Row, Sum, report};

/// Triggers of a cell unless told otherwise.
pub const TRIGGERS: u32 = 500;
/// Time within which a trigger has to be served unless told otherwise, in microseconds: a saturated CPU looks every few.
pub const TIMEOUT_US: u32 = 5_000;
/// Most CPUs for which every pair is tried unless told otherwise: above, interrupts land on the first CPU of each cluster only.
pub const ALL_PAIRS_UP_TO: usize = 8;
