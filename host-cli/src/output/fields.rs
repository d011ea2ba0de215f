//! The truth table of fields for people, and for tools that read lines.

use std::fmt::Write as _;

use crate::fields::{FieldsReport, Further};
use crate::plan::Plan;
use crate::result::MarkKind;

/// The whole report; `plan` is what was measured.
#[must_use]
pub fn fields_table(report: &FieldsReport, plan: &Plan) -> String {
    let mut out = String::new();
    let c = &report.coverage;
    let _ = writeln!(
        out,
        "{} board {}, target {}, seed {}",
        report.soc.name, report.soc.board, report.target, report.seed
    );
    for mark in &report.marks {
        if mark.kind == MarkKind::ModelOnly {
            let _ = writeln!(out, "MODEL ONLY: {}", mark.text);
        }
    }
    let of =
        c.of.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
    let _ = writeln!(
        out,
        "{} cells, {} triggers: {} of {of} combinations, {} of {} pairs of CPUs and values, {} with one value per cluster",
        report.cells, report.fired, c.combinations, c.pairs, c.pairs_of, c.by_cluster
    );
    out.push('\n');
    match (&report.rule, &report.fit) {
        (Some(rule), _) => {
            let further = report.further.as_ref().map(Further::text);
            let further = further.filter(|text| !text.is_empty());
            let also = further.map_or_else(String::new, |text| format!("; {text}"));
            let _ = writeln!(out, "rule: {rule}{also}");
        }
        (None, Some(fit)) => {
            let _ = writeln!(
                out,
                "no rule explains this: the best one leaves {} of {} cells unexplained ({})",
                fit.contradicted, report.cells, fit.rule
            );
            for id in &fit.contradictions {
                if let Some(cell) = plan.cells.iter().find(|c| c.id == *id) {
                    let fields: String = cell
                        .fields
                        .iter()
                        .map(|f| f.map_or_else(|| ".".to_owned(), |f| f.to_string()))
                        .collect();
                    let masked = if cell.masked.is_empty() {
                        ""
                    } else {
                        ", CPU 0 masked"
                    };
                    let _ = writeln!(out, "  cell {id}: fields {fields}{masked}");
                }
            }
        }
        (None, None) => out.push_str("no cell was measured\n"),
    }
    out.push('\n');
    for line in report.observations() {
        let _ = writeln!(out, "{line}");
    }
    if !report.restored {
        out.push_str("\nstate of the target: NOT known to be as found\n");
    }
    for mark in &report.marks {
        if mark.kind != MarkKind::ModelOnly {
            let _ = writeln!(out, "{}: {}: {}", mark.kind.name(), mark.about, mark.text);
        }
    }
    out
}
