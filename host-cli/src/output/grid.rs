//! One value, every form: a result says what its tables are, and all forms are made from that.

use std::fmt::Write as _;

use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;
use crate::result::{Head, MarkKind};

use super::to_json;

/// Form of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people.
    Table,
    /// JSON; its field "schema" names the schema.
    Json,
    /// JSON Lines: {"run": …} without the rows, then a line for each row.
    Jsonl,
    /// CSV: the rows behind a line of names.
    Csv,
    /// Tables in Markdown.
    Markdown,
}

/// A table of strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// What it shows; empty = no heading.
    pub title: String,
    /// Names of the columns: as in JSON where there is such a field.
    pub columns: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// An empty one.
    #[must_use]
    pub fn new<S: ToString>(title: &str, columns: impl IntoIterator<Item = S>) -> Self {
        Self {
            title: title.to_owned(),
            columns: columns.into_iter().map(|c| c.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<S: ToString>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows
            .push(cells.into_iter().map(|c| c.to_string()).collect());
    }

    fn is_number(&self, column: usize) -> bool {
        let cell = |row: &Vec<String>| {
            let cell = row.get(column).map_or("", String::as_str);
            cell.is_empty() || cell == "-" || cell.parse::<f64>().is_ok()
        };
        self.rows.iter().all(cell)
    }

    fn table(&self, markdown: bool) -> String {
        let mut table = Table::new();
        table.load_style(if markdown {
            presets::ASCII_MARKDOWN
        } else {
            presets::NOTHING
        });
        table.set_header(self.columns.clone());
        for row in &self.rows {
            table.add_row(row.clone());
        }
        for (i, column) in table.column_iter_mut().enumerate() {
            if !markdown {
                column.set_padding((0, 2));
            }
            if self.is_number(i) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<String> = table.lines().map(|l| l.trim_end().to_owned()).collect();
        lines.join("\n")
    }
}

/// A result in all its forms.
pub trait Document: Serialize {
    /// Fields of the JSON that hold rows: JSON Lines writes each of their elements as a line of its own, under the name of the field.
    const ROWS: &'static [&'static str];

    /// Lines above the tables, in words.
    fn heading(&self) -> Vec<String>;

    /// The tables; CSV is the first of them.
    fn grids(&self) -> Vec<Grid>;

    /// The tables for people and in Markdown, where they are to be shorter.
    fn tables(&self) -> Vec<Grid> {
        self.grids()
    }

    /// Lines below the tables.
    fn notes(&self) -> Vec<String>;
}

/// The result in the form asked for.
///
/// # Errors
/// [`Error::Internal`] if the value cannot be written (it goes to memory, so it can).
pub fn render<D: Document>(document: &D, format: Format) -> Result<String, Error> {
    match format {
        Format::Table => Ok(text(document)),
        Format::Json => to_json(document),
        Format::Jsonl => json_lines(document),
        Format::Csv => csv(document),
        Format::Markdown => Ok(markdown(document)),
    }
}

fn text<D: Document>(document: &D) -> String {
    let mut out = String::new();
    for line in document.heading() {
        let _ = writeln!(out, "{line}");
    }
    for grid in document.tables() {
        out.push('\n');
        if !grid.title.is_empty() {
            let _ = writeln!(out, "{}", grid.title);
        }
        let _ = writeln!(out, "{}", grid.table(false));
    }
    let notes = document.notes();
    if !notes.is_empty() {
        out.push('\n');
    }
    for line in notes {
        let _ = writeln!(out, "{line}");
    }
    out
}

fn markdown<D: Document>(document: &D) -> String {
    let mut out = String::new();
    for line in document.heading() {
        let _ = writeln!(out, "{}  ", escape(&line));
    }
    for grid in document.tables() {
        out.push('\n');
        if !grid.title.is_empty() {
            let _ = writeln!(out, "**{}**\n", escape(&grid.title));
        }
        let mut escaped = grid;
        for cell in escaped.rows.iter_mut().flatten() {
            *cell = escape(cell);
        }
        let _ = writeln!(out, "{}", escaped.table(true));
    }
    let notes = document.notes();
    if !notes.is_empty() {
        out.push('\n');
    }
    for line in notes {
        let _ = writeln!(out, "* {}", escape(&line));
    }
    out
}

/// What Markdown would take for markup.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '_' | '|' | '<' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn csv<D: Document>(document: &D) -> Result<String, Error> {
    let bad = |e: &dyn std::fmt::Display| Error::Internal(e.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some(grid) = document.grids().first() {
        writer.write_record(&grid.columns).map_err(|e| bad(&e))?;
        for row in &grid.rows {
            // "-" is for eyes: nothing of the kind is an empty field.
            let cells = row.iter().map(|c| if c == "-" { "" } else { c.as_str() });
            writer.write_record(cells).map_err(|e| bad(&e))?;
        }
    }
    let bytes = writer.into_inner().map_err(|e| bad(&e))?;
    String::from_utf8(bytes).map_err(|e| bad(&e))
}

fn json_lines<D: Document>(document: &D) -> Result<String, Error> {
    let bad = |e: serde_json::Error| Error::Internal(e.to_string());
    let mut run = serde_json::to_value(document).map_err(bad)?;
    let mut rows: Vec<(&str, Value)> = Vec::new();
    if let Some(run) = run.as_object_mut() {
        for name in D::ROWS {
            if let Some(Value::Array(of)) = run.remove(*name) {
                rows.extend(of.into_iter().map(|row| (*name, row)));
            }
        }
    }
    let mut out = String::new();
    let _ = writeln!(out, "{}", json!({ "run": run }));
    for (name, row) in rows {
        let _ = writeln!(out, "{}", json!({ name: row }));
    }
    Ok(out)
}

/// The lines that every run on a target begins with.
#[must_use]
pub fn head_lines(head: &Head) -> Vec<String> {
    let mut lines = vec![format!(
        "{} board {}, target {}, seed {}",
        head.soc.title(),
        if head.soc.board.is_empty() {
            "-"
        } else {
            &head.soc.board
        },
        head.target,
        head.seed
    )];
    for mark in head.marks.iter().filter(|m| m.kind == MarkKind::ModelOnly) {
        lines.push(format!("MODEL ONLY: {}", mark.text));
    }
    let c = &head.counter;
    let turns = c.slice_ns.map_or_else(String::new, |ns| {
        format!("; virtual CPUs take turns of {ns} ns")
    });
    lines.push(format!(
        "counter {} Hz, step {} ticks = {} ns{turns}",
        c.hz, c.step_ticks, c.step_ns
    ));
    let b = &head.build;
    lines.push(format!("aicprobe {}, firmware {}", b.tool, b.firmware));
    lines
}

/// And those that it ends with.
#[must_use]
pub fn head_notes(head: &Head) -> Vec<String> {
    let mut lines = Vec::new();
    if !head.complete {
        lines.push("not everything that was planned ran to its end".to_owned());
    }
    lines.push(if head.restored {
        "state of the target: as found".to_owned()
    } else {
        "state of the target: NOT known to be as found".to_owned()
    });
    for m in head.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        lines.push(format!("{}: {}: {}", m.kind.name(), m.about, m.text));
    }
    lines
}

/// The table of CPUs.
#[must_use]
pub fn cpu_grid(head: &Head) -> Grid {
    let mut grid = Grid::new(
        "",
        [
            "CPU", "ADT id", "MPIDR", "cluster", "core", "boot", "state", "SIQ_CFG",
        ],
    );
    for c in &head.cpus {
        grid.row([
            c.id.to_string(),
            c.adt_id.to_string(),
            c.mpidr.clone(),
            c.cluster.to_string(),
            c.core.letter().to_owned(),
            if c.boot { "boot" } else { "" }.to_owned(),
            c.state.name().to_owned(),
            c.siq_cfg.clone().unwrap_or_else(|| "-".into()),
        ]);
    }
    grid
}
