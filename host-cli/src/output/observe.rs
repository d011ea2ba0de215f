//! A report of observations for people, and for tools that read lines.

use std::fmt::Write as _;

use comfy_table::{Table, presets};

use crate::behaviour::{Answer, Report};
use crate::result::MarkKind;

/// The whole report: a table, then one stable line per observation,
/// `Observation ID Never|Sometimes|Always FOR AGAINST`.
#[must_use]
pub fn observe_table(report: &Report) -> String {
    let mut out = String::new();
    let soc = &report.soc;
    let _ = writeln!(
        out,
        "{} board {}, AICv{}, target {}, seed {}",
        soc.title(),
        soc.board,
        report.aic_generation,
        report.target,
        report.seed
    );
    for mark in &report.marks {
        if mark.kind == MarkKind::ModelOnly {
            let _ = writeln!(out, "MODEL ONLY: {}", mark.text);
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["row", "claim", "seen", "for", "against", ""]);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    for o in &report.observations {
        table.add_row([
            o.row.to_string(),
            o.claim.clone(),
            o.answer.name().to_owned(),
            o.held.to_string(),
            o.against.to_string(),
            o.note.clone().unwrap_or_default(),
        ]);
    }
    out.push('\n');
    for line in table.lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out.push('\n');
    for o in &report.observations {
        if o.answer != Answer::NotApplicable {
            let _ = writeln!(
                out,
                "Observation {} {} {} {}",
                o.id,
                o.answer.name(),
                o.held,
                o.against
            );
        }
    }
    if !report.restored {
        let _ = writeln!(out, "\nstate of the target: NOT as found");
    }
    for mark in &report.marks {
        if mark.kind != MarkKind::ModelOnly {
            let _ = writeln!(out, "{}: {}: {}", mark.kind.name(), mark.about, mark.text);
        }
    }
    out
}
