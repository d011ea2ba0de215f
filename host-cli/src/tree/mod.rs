//! Device trees in files, and what they say, for people and programs.
//!
//! [`TreeFile`] reads a file, [`Listing`] is a tree or a part of it, [`LinesReport`] is who owns which interrupt line.

mod file;
mod lines;
mod lines_table;
mod listing;
mod table;
mod value;

pub use file::{FileError, MAX_FILE, TreeFile};
pub use lines::{LinesReport, Looked, Source, verdict};
pub use lines_table::lines_table;
pub use listing::{ListError, Listing, NodeInfo, PropertyInfo, Wanted};
pub use table::listing_table;
pub use value::Value;
