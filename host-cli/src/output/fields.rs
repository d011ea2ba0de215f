//! The truth table of fields for people, and for tools that read lines.

use std::fmt::Write as _;

use crate::fields::{FieldsCell, FieldsReport, Further};
use crate::result::CpuState;

use super::{Document, Grid, head_lines, head_notes};

impl Document for FieldsReport {
    const ROWS: &'static [&'static str] = &["rule", "contradictions", "observations", "table"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        let c = &self.coverage;
        let of =
            c.of.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
        lines.push(format!(
            "{} cells, {} triggers: {} of {of} combinations, {} of {} pairs of CPUs and values, {} with one value per cluster",
            self.cells, self.fired, c.combinations, c.pairs, c.pairs_of, c.by_cluster
        ));
        let t = &self.totals;
        lines.push(format!(
            "{} lost ({} late), {} duplicate, {} spurious; CPU {} masked for {} us a trigger in every second cell",
            t.lost, t.late, t.duplicate, t.spurious, self.mask.cpu, self.mask.us
        ));
        let missing = self.head.cpus.iter();
        let missing = missing.filter(|c| c.state != CpuState::Running);
        let missing: Vec<String> = missing
            .map(|c| format!("CPU {} ({})", c.id, c.state.name()))
            .collect();
        if !missing.is_empty() {
            lines.push(format!("left out: {}", missing.join(", ")));
        }
        lines.push(match (&self.rule, &self.fit) {
            (Some(rule), _) => {
                let rule = rule.text(self.mask.us);
                let also = self.further.as_ref().map(Further::text);
                let also = also.filter(|text| !text.is_empty());
                let also = also.map_or_else(String::new, |text| format!("; {text}"));
                format!("rule: {rule}{also}")
            }
            (None, Some(fit)) if fit.is_complete() => {
                "no rule: what was measured cannot tell one (the marks about \"rule\" say why)"
                    .to_owned()
            }
            (None, Some(fit)) => format!(
                "no rule explains this: the best one leaves {} of {} cells unexplained ({})",
                fit.contradicted,
                self.cells,
                fit.rule.text(self.mask.us)
            ),
            (None, None) => "no cell was measured".to_owned(),
        });
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new("", ["id", "answer", "for", "against"]);
        for o in &self.observations {
            grid.row([
                o.id.clone(),
                o.answer.name().to_owned(),
                o.held.to_string(),
                o.against.to_string(),
            ]);
        }
        let cells = grid_of(
            "cells that the rule does not explain",
            &self.contradictions,
            digits,
        );
        let mut grids = vec![grid];
        grids.extend((!cells.rows.is_empty()).then_some(cells));
        grids
    }

    /// A row for each cell.
    fn rows(&self) -> Grid {
        grid_of("", &self.table, apart)
    }

    fn notes(&self) -> Vec<String> {
        head_notes(&self.head)
    }

    /// With a stable line for each observation, `Observation ID Never|Sometimes|Always FOR AGAINST`.
    fn table(&self) -> String {
        let mut out = String::new();
        for line in self.heading() {
            let _ = writeln!(out, "{line}");
        }
        for c in &self.contradictions {
            let masked = c.masked;
            let masked = masked.map_or_else(String::new, |cpu| format!(", CPU {cpu} masked"));
            let (fields, landed) = (digits(&c.fields), by_cpu(&c.landed));
            let _ = writeln!(
                out,
                "  cell {}: fields {fields}{masked}: landed {landed}, {} lost, {} duplicate, {} spurious",
                c.cell, c.lost, c.duplicate, c.spurious
            );
        }
        out.push('\n');
        for o in &self.observations {
            let (answer, held, against) = (o.answer.name(), o.held, o.against);
            let _ = writeln!(out, "Observation {} {answer} {held} {against}", o.id);
        }
        out.push('\n');
        for line in self.notes() {
            let _ = writeln!(out, "{line}");
        }
        out
    }
}

/// Cells as rows, with their fields in these words.
fn grid_of(title: &str, cells: &[FieldsCell], fields: fn(&[Option<u8>]) -> String) -> Grid {
    let mut grid = Grid::new(
        title,
        [
            "cell",
            "fields",
            "masked",
            "fired",
            "landed",
            "lost",
            "late",
            "duplicate",
            "spurious",
            "contradicts",
        ],
    );
    for c in cells {
        let counts = [c.lost, c.late, c.duplicate, c.spurious];
        let mut row = vec![
            c.cell.to_string(),
            fields(&c.fields),
            c.masked
                .map_or_else(|| "-".to_owned(), |cpu| cpu.to_string()),
            c.fired.to_string(),
            by_cpu(&c.landed),
        ];
        row.extend(counts.map(|n| n.to_string()));
        row.push(c.contradicts.to_string());
        grid.row(row);
    }
    grid
}

/// One digit a CPU; a dot for one that does not take part.
fn digits(fields: &[Option<u8>]) -> String {
    let fields = fields.iter();
    fields
        .map(|f| f.map_or_else(|| ".".to_owned(), |f| f.to_string()))
        .collect()
}

/// The same for programs: with spaces between, a dash for one that does not take part.
fn apart(fields: &[Option<u8>]) -> String {
    let fields = fields.iter();
    let fields = fields.map(|f| f.map_or_else(|| "-".to_owned(), |f| f.to_string()));
    fields.collect::<Vec<_>>().join(" ")
}

/// Counts that are not 0, as `CPU:count`.
fn by_cpu(counts: &[u64]) -> String {
    let some = counts.iter().enumerate().filter(|(_, n)| **n > 0);
    let some: Vec<String> = some.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
    match some.is_empty() {
        true => "-".to_owned(),
        false => some.join(" "),
    }
}
