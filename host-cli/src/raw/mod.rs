//! Raw events: every event of a run in a file, and the run's numbers computed again from nothing but that file.
//!
//! The file (`aicprobe.events/1`) is written while the run goes, so that whatever ends the run leaves what came until then:
//!
//! ```text
//! "AICEVT\r\n"  version u32  length u32  Opening as JSON  CRC-32 of all that
//! record, record, …, trailer
//! ```
//!
//! Words are little endian. A record is framed as on the wire: a byte of kind and a body, a CRC-32 (ISO-HDLC) behind them, COBS
//! around it, a zero byte at the end. Bodies of events and counts are postcard, of heads JSON:
//!
//! | kind | body | when |
//! |---|---|---|
//! | 1 | [`crate::result::Head`] (JSON) | firmware and CPUs have said what they are |
//! | 2 | cell u32, triggers of the cell before this batch's part u64, [`protocol::message::Batch`] | events came |
//! | 3 | [`protocol::message::CellResult`], its `id` the cell's | part of a cell is over: what the target counted |
//! | 4 | [`Ending`] (JSON) | the run is over |
//! | 5 | [`Trailer`] | last: totals, and a CRC-32 of every byte before it |
//!
//! A file without a trailer is cut: it can be read as far as it goes, and says so. A byte that was changed is found by the CRC
//! of its record. What events cannot tell (fields read back, pending while masked, spurious exceptions, answers of steps, ticks in
//! handlers) comes from the records of kind 3, and what both tell is compared.

mod error;
mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod recorder;
mod recount;
mod replay;
mod result;
#[cfg(test)]
mod tests;
mod writer;

pub use error::RawError;
pub use format::{Ending, Opening, Record, Run, SCHEMA, Trailer, VERSION};
pub use reader::Reader;
pub use recorder::{RawFile, Recorder};
pub use recount::{Recount, Recounted};
pub use replay::{Replayed, read};
pub use result::{CellCounts, ReplayResult};
pub use writer::Writer;
