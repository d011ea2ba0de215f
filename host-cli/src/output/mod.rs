//! A result as text.

mod allow_list;
mod bench;
mod compare;
mod doctor;
mod dry_run;
mod evidence;
mod fields;
mod grid;
mod handoff;
mod head;
mod info;
mod irqs;
mod json;
mod laboratory;
mod latency;
mod observe;
mod order;
mod ports;
mod regs;
mod rows;
mod soak;
mod storm;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod verify;

pub use dry_run::{DryRun, RegisterWrite};
pub use grid::Format as Form;
pub(crate) use grid::word;
pub use grid::{Document, Grid, escape, render};
pub use head::{cpu_grid, head_lines, head_notes};
pub use json::to_json;
pub use laboratory::{junit, tap};
pub use order::refuse_falling;
pub use rows::render_routes;
pub use storm::title as storm_title;
