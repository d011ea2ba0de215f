//! One page out of saved results and evidence.
//!
//! [`read`] reads an input and looks it through; [`page()`] and [`markdown()`] make the report. Nothing is measured and nothing is
//! judged again, except that verdicts are made once more of their record: where they come out otherwise the page says so. Every
//! text of an input is escaped, whoever wrote it; the page loads nothing and runs nothing. The same inputs make the same bytes.

mod about;
mod boxes;
mod heat;
mod input;
mod lines;
mod machine;
mod markdown;
mod page;
mod provenance;
mod soaks;
mod storms;
mod svg;
mod table;
mod times;
mod truth;
mod truth_picture;
mod verdict;

pub use about::About;
pub use input::{Input, Kept, MOST, READABLE, ReportError, Saved, read};
pub use markdown::markdown;
pub use page::page;
