//! The live view of a session: a dashboard on the terminal of standard error, for as long as a plan runs.
//!
//! [`State`] takes what a session tells, [`draw`] shows it in whatever room there is, [`Dashboard`] does that on a terminal,
//! from a thread of its own: a terminal that takes nothing any more keeps nobody waiting. Nothing is hidden by it: every
//! line that would have gone to standard error is given back when it closes.

mod about;
mod cell;
mod counts;
mod cpus;
mod dashboard;
mod draw;
mod progress;
mod series;
mod state;
mod storm;
mod storms;
mod terminal;
#[cfg(test)]
mod tests;
mod words;

pub use about::About;
pub use dashboard::{Control, Dashboard, Handle};
pub use draw::draw;
pub use state::State;
pub use storms::Storm;
pub use terminal::Unusable;
pub use words::clock;
