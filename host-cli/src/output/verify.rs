//! A verdict as tables.

use crate::verify::{RuleResult, Verdict, VerifyResult};

use super::grid::{Document, Grid};
use super::head::{cpu_grid, head_lines, head_notes};

impl Document for VerifyResult {
    const ROWS: &'static [&'static str] = &["rules", "cells"];

    fn heading(&self) -> Vec<String> {
        let (r, t) = (&self.record, &self.totals);
        let mut lines = head_lines(&r.head);
        lines.push(format!(
            "{} triggers without a mask and {} windows in {} cells: {} lost, {} duplicate, {} spurious",
            t.triggers,
            t.windows,
            r.cells.len(),
            t.lost,
            t.duplicate,
            t.spurious
        ));
        lines.push(if r.table.is_own() {
            format!("held against the table of {} ({})", r.table.soc, r.table.state)
        } else {
            "no table knows this SoC: values are assumed to mean what they mean on T8140 (silicon: PR #228)".to_owned()
        });
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        vec![overview(&self.rules), cpu_grid(&self.record.head)]
    }

    fn notes(&self) -> Vec<String> {
        let count = |v: Verdict| self.rules.iter().filter(|r| r.verdict == v).count();
        let mut lines: Vec<String> = self.rules.iter().filter_map(worth_saying).collect();
        lines.push(format!(
            "VERDICT: {}: {} passed, {} failed, {} inconclusive, {} not applicable",
            self.verdict.name(),
            count(Verdict::Pass),
            count(Verdict::Fail),
            count(Verdict::Inconclusive),
            count(Verdict::NotApplicable)
        ));
        if !self.left_out.is_empty() {
            lines.push(format!("not looked at: {}", self.left_out.join(", ")));
        }
        lines.extend(head_notes(&self.record.head));
        lines
    }

    fn rows(&self) -> Grid {
        rules(&self.rules)
    }
}

/// Why a rule did not pass, and what is noteworthy where it did.
fn worth_saying(rule: &RuleResult) -> Option<String> {
    let noted = rule.why.contains(';');
    (rule.verdict != Verdict::Pass || noted)
        .then(|| format!("{} {}: {}", rule.id, rule.verdict.name(), rule.why))
}

/// For people: what fits on a screen.
fn overview(rules: &[RuleResult]) -> Grid {
    let columns = ["rule", "verdict", "trials", "of", "against", "at most", ""];
    let mut grid = Grid::new("rules", columns);
    for r in rules {
        grid.row([
            r.id.clone(),
            r.verdict.name().to_owned(),
            r.trials.to_string(),
            r.kind.clone(),
            r.against.to_string(),
            r.upper_95.map_or_else(|| "-".to_owned(), percent),
            if r.required {
                r.title.clone()
            } else {
                format!("{} (not required)", r.title)
            },
        ]);
    }
    grid
}

/// A rate with its unit.
fn percent(rate: f64) -> String {
    if rate < 1e-4 {
        format!("{:.2} ppm", rate * 1e6)
    } else {
        format!("{:.3} %", rate * 100.0)
    }
}

fn rules(rules: &[RuleResult]) -> Grid {
    let columns = [
        "rule", "verdict", "required", "trials", "of", "held", "against", "upper_95", "title",
        "why",
    ];
    let mut grid = Grid::new("rules", columns);
    for r in rules {
        grid.row([
            r.id.clone(),
            r.verdict.name().to_owned(),
            if r.required { "yes" } else { "no" }.to_owned(),
            r.trials.to_string(),
            r.kind.clone(),
            r.held.to_string(),
            r.against.to_string(),
            r.upper_95
                .map_or_else(|| "-".to_owned(), |b| format!("{b:.3e}")),
            r.title.clone(),
            r.why.clone(),
        ]);
    }
    grid
}
