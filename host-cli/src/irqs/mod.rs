//! Listings of `/proc/interrupts`: which line each row is, who owns it, and which CPUs take it.
//!
//! [`Listing`] is the text as rows, [`IrqsReport`] is what they mean, [`irqs_table`] shows that. Rows of Linux are used as found: their
//! counts come from a running system and are nothing that this program has measured.

mod parse;
mod report;
mod table;

pub use parse::{Listing, ListingError, MAX_LISTING, Row, Trigger};
pub use report::{CpuTotal, IrqsReport, Kind, Owners, RowInfo};
pub use table::irqs_table;
