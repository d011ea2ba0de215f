//! A result as text.

mod dry_run;
mod json;
mod observe;
mod table;
#[cfg(test)]
mod tests;

pub use dry_run::{DryRun, RegisterWrite};
pub use json::to_json;
pub use observe::observe_table;
pub use table::to_table;
