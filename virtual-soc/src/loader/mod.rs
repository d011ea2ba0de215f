//! The loader stand-in: a host-side model of what answers on a Mac's USB port, and the machine it runs on.

mod snapshot;
mod stats;
mod target;

pub use snapshot::{CpuSnapshot, DieSnapshot, Difference, StateSnapshot};
pub use stats::RunStats;
pub use target::VirtualTarget;
