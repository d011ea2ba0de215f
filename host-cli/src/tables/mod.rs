//! Routing tables for kernels, boot loaders and people, made from what is known of each SoC ([`crate::socs`]).
//!
//! The same files give the same bytes. What only a model says is in no table that a program compiles: such a SoC is left out
//! there, and a comment says so.

mod c;
mod dts;
mod markdown;
mod places;
mod rust;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::Serialize;

use crate::socs::{MpidrText, Soc, State};

pub use c::c;
pub use dts::dts;
pub use markdown::markdown;
pub use places::{Made, every_file};
pub use rust::rust;

/// The JSON form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Tables<'a> {
    /// "aicprobe.tables/1".
    pub schema: &'static str,
    /// By chip id.
    pub socs: Vec<Row<'a>>,
}

/// A SoC, and what follows from it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row<'a> {
    /// Its file.
    #[serde(flatten)]
    pub soc: &'a Soc,
    /// Whether any of this is a statement about hardware: not where the state is "model only".
    pub hardware: bool,
    /// The root node of its machines in Linux device trees: "apple,t8140".
    pub machine: String,
    /// The CPU that takes every interrupt; `null` where several accept.
    pub default_acceptor: Option<Acceptor>,
}

/// A CPU that takes every interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Acceptor {
    /// Logical id.
    pub id: u8,
    /// MPIDR_EL1.
    pub mpidr: MpidrText,
}

impl<'a> Tables<'a> {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.tables/1";

    /// Of `socs`.
    #[must_use]
    pub fn new(socs: &[&'a Soc]) -> Self {
        let row = |soc: &&'a Soc| Row {
            soc,
            hardware: soc.state != State::ModelOnly,
            machine: machine(soc),
            default_acceptor: acceptor(soc),
        };
        Self {
            schema: Self::SCHEMA,
            socs: socs.iter().map(row).collect(),
        }
    }
}

fn machine(soc: &Soc) -> String {
    format!("apple,{}", soc.soc.to_lowercase())
}

fn acceptor(soc: &Soc) -> Option<Acceptor> {
    soc.sole_acceptor().map(|(id, cpu)| Acceptor {
        id,
        mpidr: cpu.mpidr,
    })
}

/// What every generated file begins with, without the marks of a comment.
fn made_by(what: &str) -> String {
    format!("{what}. Made by `aicprobe tables` from the files under socs: change those, not this.")
}

/// SoCs that a table which is compiled may hold, and the names of the others.
fn usable<'a>(socs: &[&'a Soc]) -> (Vec<&'a Soc>, Vec<&'a str>) {
    let (model, usable): (Vec<&Soc>, Vec<&Soc>) =
        socs.iter().partition(|soc| soc.state == State::ModelOnly);
    (usable, model.iter().map(|soc| soc.soc.as_str()).collect())
}

/// The sentence about SoCs that are left out.
fn left_out(names: &[&str]) -> String {
    format!(
        "Left out, because only a model says what they do: {}.",
        names.join(", ")
    )
}

/// Lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Evidence in a line.
fn evidence_line(e: &crate::socs::Evidence) -> String {
    let mut line = format!("{}: {} ({}, {}", e.kind.name(), e.what, e.device, e.date);
    if let Some(triggers) = e.triggers {
        line += &format!(", {} of {triggers} triggers missed", e.misses.unwrap_or(0));
    }
    if let Some(sha256) = &e.sha256 {
        line += &format!(", sha256 {sha256}");
    }
    line + ")"
}
