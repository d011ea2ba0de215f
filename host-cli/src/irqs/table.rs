//! The report on a listing as text.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use crate::target::printable;

use super::report::{IrqsReport, Kind, RowInfo};

/// The report for people.
#[must_use]
pub fn irqs_table(report: &IrqsReport) -> String {
    let mut out = String::new();
    let (aic, other): (Vec<_>, Vec<_>) = report.rows.iter().partition(|row| row.kind.is_aic());
    let _ = writeln!(
        out,
        "{}: {} CPUs, {} rows, {} of them the AIC's; counts of a running Linux, not measured by this program",
        report.file,
        report.cpus.len(),
        report.rows.len(),
        aic.len(),
    );
    if aic.is_empty() {
        out.push_str("\nno row is the AIC's\n");
    } else {
        let _ = writeln!(out, "\n{}", lines(&of_the_aic(report, &aic)));
    }
    if !other.is_empty() {
        out.push_str("\nnot the AIC's\n");
        let _ = writeln!(out, "{}", lines(&others(&other)));
    }
    summary(&mut out, report);
    for mark in &report.marks {
        let _ = writeln!(out, "{} ({}): {}", mark.kind.name(), mark.about, mark.text);
    }
    out
}

/// A table's lines without the spaces at their ends.
fn lines(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|l| l.trim_end().to_owned()).collect();
    lines.join("\n")
}

fn new_table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.iter().copied());
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn of_the_aic(report: &IrqsReport, rows: &[&RowInfo]) -> Table {
    let with_tree = rows.iter().any(|row| row.owners.is_some());
    let mut header = vec!["irq", "chip", "hwirq", "line", "total", "by CPU", "handler"];
    if with_tree {
        header.push("owner");
    }
    header.push("note");
    let mut table = new_table(&header, &[0, 2, 3, 4]);
    for row in rows {
        let mut cells = vec![
            row.irq.clone(),
            row.chip.clone(),
            number(row),
            row.line.clone().unwrap_or_else(|| "-".into()),
            row.total.to_string(),
            by_cpu(report, row),
            or_dash(&printable(&row.handlers)),
        ];
        if with_tree {
            cells.push(owners(row));
        }
        cells.push(row.note.clone().unwrap_or_default());
        table.add_row(cells);
    }
    table
}

fn others(rows: &[&RowInfo]) -> Table {
    let mut table = new_table(
        &["irq", "chip", "number", "total", "what it is"],
        &[0, 2, 3],
    );
    for row in rows {
        table.add_row([
            row.irq.clone(),
            or_dash(&printable(&row.chip)),
            number(row),
            row.total.to_string(),
            what(row),
        ]);
    }
    table
}

fn what(row: &RowInfo) -> String {
    let handlers = printable(&row.handlers);
    match (row.kind, &row.note) {
        (Kind::Fiq, Some(name)) => format!("FIQ, {name}: {handlers}"),
        (Kind::Fiq, None) => format!("FIQ: {handlers}"),
        (Kind::OtherController, _) => {
            let chip = printable(&row.chip);
            format!("numbers of {chip}, no line of the AIC: {handlers}")
        }
        _ => or_dash(&handlers),
    }
}

fn number(row: &RowInfo) -> String {
    row.hwirq.map_or_else(|| "-".into(), |n| n.to_string())
}

fn or_dash(text: &str) -> String {
    if text.is_empty() { "-" } else { text }.to_owned()
}

/// CPU:count, CPUs without any left out.
fn by_cpu(report: &IrqsReport, row: &RowInfo) -> String {
    let counts = report.cpus.iter().zip(&row.counts);
    let taken: Vec<String> = counts
        .filter(|(_, count)| **count > 0)
        .map(|(cpu, count)| format!("{cpu}:{count}"))
        .collect();
    or_dash(&taken.join(" "))
}

fn owners(row: &RowInfo) -> String {
    match &row.owners {
        None => "-".to_owned(),
        Some(owners) if owners.0.is_empty() => "nobody in the device tree".to_owned(),
        Some(owners) => owners.0.join(", "),
    }
}

fn summary(out: &mut String, r: &IrqsReport) {
    if r.total == 0 {
        let _ = writeln!(out, "\nno CPU took an interrupt of the AIC");
        return;
    }
    let taking: Vec<String> = r
        .totals
        .iter()
        .filter(|t| t.count > 0)
        .map(|t| {
            let share = t.share.unwrap_or_default() * 100.0;
            format!("{} ({}, {share:.1} %)", t.cpu, t.count)
        })
        .collect();
    let _ = writeln!(
        out,
        "\nCPUs that take interrupts of the AIC: {} of {}: {}",
        r.taking.len(),
        r.cpus.len(),
        taking.join(", ")
    );
    let none: Vec<String> = r.not_taking.iter().map(u32::to_string).collect();
    if !none.is_empty() {
        let _ = writeln!(out, "CPUs that took none: {}", none.join(", "));
    }
}
