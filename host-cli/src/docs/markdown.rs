//! Tables in Markdown, without widths: a changed cell changes one line.

use std::fmt::Write as _;

use crate::output::escape;

/// A table. Cells are texts, not markup.
pub fn table<const N: usize>(out: &mut String, columns: [&str; N], rows: &[[String; N]]) {
    let line = |out: &mut String, cells: &[&str]| {
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    line(out, &columns);
    line(out, &[" --- "; N].map(str::trim));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        line(out, &cells);
    }
    out.push('\n');
}
