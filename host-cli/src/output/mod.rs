//! A result as text.

mod dry_run;
mod json;
mod table;
#[cfg(test)]
mod tests;

pub use dry_run::{DryRun, RegisterWrite};
pub use json::to_json;
pub use table::to_table;
