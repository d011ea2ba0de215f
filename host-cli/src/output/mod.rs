//! A result as text.

mod compare;
mod dry_run;
mod fields;
mod grid;
mod json;
mod observe;
mod rows;
mod table;
#[cfg(test)]
mod tests;

pub use dry_run::{DryRun, RegisterWrite};
pub use fields::fields_table;
pub use grid::Format as Form;
pub use grid::{Document, Grid, cpu_grid, head_lines, head_notes, render};
pub use json::to_json;
pub use observe::observe_table;
pub use rows::{to_csv, to_json_lines, to_markdown};
pub use table::to_table;
