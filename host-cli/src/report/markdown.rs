//! The short form, for the body of a pull request.

use std::fmt::Write as _;

use crate::output::{Grid, escape};

use super::input::{Input, Saved};
use super::{heat, machine, page, provenance, verdict};

/// The report in Markdown: verdict, rules, where interrupts landed, CPUs, provenance.
#[must_use]
pub fn markdown(inputs: &[Input]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## {}\n", escape(&page::title(inputs)));
    for (at, input) in (1..).zip(inputs) {
        for words in input.model() {
            let _ = writeln!(out, "**MODEL ONLY** (input {at}): {}  ", escape(&words));
        }
    }
    for (at, input) in (1..).zip(inputs) {
        let said = verdict::said(input);
        let word = match said.word {
            "" => String::new(),
            word => format!("**{word}** "),
        };
        let title = escape(&input.title());
        let _ = writeln!(out, "\n{at}. {word}{title}: {}", escape(&said.text));
        for fault in input.faults() {
            let _ = writeln!(out, "   * **ATTENTION**: {}", escape(&fault));
        }
    }
    for (at, input) in (1..).zip(inputs) {
        let matrices = heat::of(input);
        let rules = match &input.saved {
            Saved::Verify(v) => Some(verdict::rules(v)),
            _ => None,
        };
        if rules.is_none() && matrices.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\n### {at}. {}", escape(&input.title()));
        if let Some(grid) = rules {
            grid_of(&mut out, "Rules", &grid);
        }
        if let Saved::Verify(v) = &input.saved {
            let _ = writeln!(out, "\n{}.", escape(&verdict::table_used(v)));
        }
        for m in matrices {
            let grid = m.grid();
            grid_of(&mut out, &grid.title, &grid);
        }
    }
    let cpus = machine::cpus(inputs);
    if !cpus.is_empty() {
        let _ = writeln!(out, "\n### CPUs");
    }
    for (of, grid) in cpus {
        let of: Vec<String> = of.iter().map(usize::to_string).collect();
        grid_of(&mut out, &format!("CPUs of input {}", of.join(", ")), &grid);
    }
    let _ = writeln!(out, "\n### Where all of this comes from");
    for (at, input) in (1..).zip(inputs) {
        let mut grid = provenance::facts(input);
        grid.columns = vec!["fact".to_owned(), "value".to_owned()];
        grid_of(&mut out, &format!("Input {at}"), &grid);
    }
    out
}

fn grid_of(out: &mut String, title: &str, grid: &Grid) {
    let _ = writeln!(out, "\n**{}**\n\n{}", escape(title), grid.to_markdown());
}
