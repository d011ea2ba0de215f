//! What this program knows, as Markdown: registers, observed behaviour, errors. Made of the same data as everything else, so a
//! page that is checked in can be compared with what would be made now.

mod errors;
mod markdown;
mod observed;
mod registers;

pub use errors::errors;
pub use observed::{Report, ReportError, observed};
pub use registers::registers;

/// A page: its file and its text.
pub struct Page {
    /// Name of the file.
    pub file: &'static str,
    /// Markdown.
    pub text: String,
}

/// Every page; that of observed behaviour only where there are reports.
#[must_use]
pub fn pages(reports: &[Report]) -> Vec<Page> {
    let page = |file, text| Page { file, text };
    let mut pages = vec![
        page("registers.md", registers()),
        page("errors.md", errors()),
    ];
    if !reports.is_empty() {
        pages.push(page("observed.md", observed(reports)));
    }
    pages
}
