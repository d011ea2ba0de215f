//! The truth table of fields for people, and for tools that read lines.

use std::fmt::Write as _;

use crate::fields::{Contradiction, FieldsReport, Further};

use super::{Document, Grid, head_lines, head_notes};

impl Document for FieldsReport {
    const ROWS: &'static [&'static str] = &["observations", "contradictions"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        let c = &self.coverage;
        let of =
            c.of.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
        lines.push(format!(
            "{} cells, {} triggers: {} of {of} combinations, {} of {} pairs of CPUs and values, {} with one value per cluster",
            self.cells, self.fired, c.combinations, c.pairs, c.pairs_of, c.by_cluster
        ));
        lines.push(match (&self.rule, &self.fit) {
            (Some(rule), _) => {
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
                fit.contradicted, self.cells, fit.rule
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
        let mut cells = Grid::new(
            "cells that the rule does not explain",
            ["cell", "fields", "masked", "landed", "lost"],
        );
        for c in &self.contradictions {
            cells.row([
                c.cell.to_string(),
                digits(c),
                c.masked
                    .map_or_else(|| "-".to_owned(), |cpu| cpu.to_string()),
                by_cpu(&c.landed),
                c.lost.to_string(),
            ]);
        }
        let mut grids = vec![grid];
        grids.extend((!cells.rows.is_empty()).then_some(cells));
        grids
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
            let (fields, landed) = (digits(c), by_cpu(&c.landed));
            let _ = writeln!(
                out,
                "  cell {}: fields {fields}{masked}: landed {landed}, {} lost",
                c.cell, c.lost
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

/// One digit a CPU.
fn digits(c: &Contradiction) -> String {
    c.fields.iter().map(u8::to_string).collect()
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
