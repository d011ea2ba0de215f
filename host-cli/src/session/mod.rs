//! A session with the firmware on a target: upload, start, slices, and everything back as it was.

mod collect;
mod cpus;
mod earlier;
mod error;
mod memory;
mod observe;
mod parked;
mod rings;
mod run;
mod schedule;
mod slices;
mod stopped;

pub use collect::{Answers, Measured, Opened, Reply, describe};
pub use error::SessionError;
pub use observe::{Both, Event, Observer, Silent};
pub use run::{Outcome, Restoring, run};
pub use stopped::{Survived, stop_and_start};
