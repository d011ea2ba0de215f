//! Evidence: everything that a run was and brought, kept as files that anybody can check.
//!
//! One directory (or `.tar.zst`) per run. [`Evidence`] writes it step by step while the run goes, so that a crash leaves what
//! was measured until then; the manifest comes last, and without it the evidence is "cut". [`Stored`] reads it again, whole or
//! cut. Files and their fields: `docs/evidence.md`.
//!
//! Nothing in it names one machine among others of its model: serial numbers, ECID, addresses of network cards, UUIDs and nonces
//! of the device tree are neither copied nor left in any text ([`Redactor`]).

mod archive;
mod check;
mod diff;
mod folder;
mod format;
mod loader;
mod manifest;
mod pack;
mod read;
mod redact;
mod registers;
mod replay;
mod show;
#[cfg(test)]
mod tests;
mod tree;
mod writer;

pub use check::{CheckResult, Problem, check};
pub use diff::{DiffResult, Difference, diff};
pub use format::{
    Cell, DeviceId, Ended, Firmware, Geometry, Host, Line, LoaderImage, Machine, PlanFile, Run,
    SCHEMA, TargetFile, Tool,
};
pub use loader::{Loader, LoaderKind, Memory, identify};
pub use read::{Counted, EvidenceError, Stored};
pub use redact::Redactor;
pub use registers::{CpuRegisters, RegistersFile, Word};
pub use replay::{Again, again};
pub use show::{ShowResult, State};
pub use tree::{AdtFile, Node};
pub use writer::Evidence;

use sha2::{Digest as _, Sha256};

use crate::firmware::hex;

/// Names of the files.
pub mod name {
    /// The run: command, program, firmware, machine, how it ended.
    pub const RUN: &str = "run.json";
    /// Who the loader is.
    pub const LOADER: &str = "loader.json";
    /// The device tree.
    pub const ADT: &str = "adt.json";
    /// SoC, board, CPUs, controller.
    pub const TARGET: &str = "target.json";
    /// Cells and questions.
    pub const PLAN: &str = "plan.json";
    /// Registers before and after.
    pub const REGISTERS: &str = "registers.json";
    /// What was counted.
    pub const CELLS: &str = "cells.jsonl";
    /// The command's result.
    pub const RESULT: &str = "result.json";
    /// Log of the firmware, console of the loader, steps.
    pub const LOG: &str = "log.txt";
    /// Hashes of all others.
    pub const MANIFEST: &str = "manifest.sha256";

    /// All but the manifest: what a whole run has.
    pub const ALL: [&str; 9] = [
        RUN, LOADER, ADT, TARGET, PLAN, REGISTERS, CELLS, RESULT, LOG,
    ];
}

/// SHA-256 in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}
