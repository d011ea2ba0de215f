//! One value, every form: a result says what its tables are, and all forms are made from that.

use std::fmt::Write as _;

use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;

use super::order::refuse_falling;
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

    /// As text, with a line end behind it.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.table(false) + "\n"
    }

    /// As a table in Markdown, without a heading; its text is escaped.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut escaped = self.clone();
        let columns = escaped.columns.iter_mut();
        for cell in columns.chain(escaped.rows.iter_mut().flatten()) {
            *cell = escape(cell);
        }
        escaped.table(true)
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
    /// Fields of the JSON that hold rows: JSON Lines writes each of their elements as a line of its own, under the name of the field; a
    /// field that holds no list has one line.
    const ROWS: &'static [&'static str];

    /// Lines above the tables, in words.
    fn heading(&self) -> Vec<String>;

    /// The tables.
    fn grids(&self) -> Vec<Grid>;

    /// Lines below the tables.
    fn notes(&self) -> Vec<String>;

    /// The table for CSV. Its columns keep their names and their order; new ones come behind them.
    fn rows(&self) -> Grid {
        self.grids().into_iter().next().unwrap_or_default()
    }

    /// The form for people, where that is made specially.
    fn table(&self) -> String
    where
        Self: Sized,
    {
        text(self)
    }
}

/// The result in the form asked for.
///
/// # Errors
/// [`Error::Falling`] for percentiles that fall; [`Error::Internal`] if the value cannot be written (it goes to memory, so it
/// can).
pub fn render<D: Document>(document: &D, format: Format) -> Result<String, Error> {
    refuse_falling(document)?;
    match format {
        Format::Table => Ok(document.table()),
        Format::Json => to_json(document),
        Format::Jsonl => json_lines(document),
        Format::Csv => csv(document),
        Format::Markdown => Ok(markdown(document)),
    }
}

pub(super) fn text<D: Document>(document: &D) -> String {
    let mut out = String::new();
    for line in document.heading() {
        let _ = writeln!(out, "{line}");
    }
    for grid in document.grids() {
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
    for grid in document.grids() {
        out.push('\n');
        if !grid.title.is_empty() {
            let _ = writeln!(out, "**{}**\n", escape(&grid.title));
        }
        let _ = writeln!(out, "{}", grid.to_markdown());
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

/// A text in which Markdown finds no markup.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        // A line end would end the row.
        if matches!(c, '\n' | '\r') {
            out.push(' ');
            continue;
        }
        if matches!(
            c,
            '*' | '_' | '|' | '<' | '>' | '`' | '\\' | '[' | ']' | '~' | '#' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A value as one word: the name that JSON has for it.
pub(crate) fn word<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).ok();
    let word = value.as_ref().and_then(Value::as_str);
    word.unwrap_or_default().to_owned()
}

/// Items with spaces between.
pub(super) fn spaced<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(" ")
}

fn csv<D: Document>(document: &D) -> Result<String, Error> {
    let bad = |e: &dyn std::fmt::Display| Error::Internal(e.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let grid = document.rows();
    if !grid.columns.is_empty() {
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
            match run.remove(*name) {
                Some(Value::Array(of)) => rows.extend(of.into_iter().map(|row| (*name, row))),
                Some(one) => rows.push((*name, one)),
                None => {}
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
