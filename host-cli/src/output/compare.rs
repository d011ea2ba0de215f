//! Two sides compared, as tables.

use crate::compare::{CompareResult, Key, MetricRow, Side, Verdict, WhichSide};

use super::grid::{Document, Grid};

/// Most cells of one side in a table for eyes: sets of combinations that are made from different seeds have thousands.
const UNPAIRED: usize = 50;

impl Document for CompareResult {
    const ROWS: &'static [&'static str] = &["metrics", "states", "unpaired", "conditions"];

    fn heading(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (which, side) in [(WhichSide::A, &self.a), (WhichSide::B, &self.b)] {
            lines.push(format!(
                "{}: {}, {}, {} (firmware {})",
                side.label(which),
                side.name,
                side.chip,
                runs(side),
                firmware(side)
            ));
        }
        if !self.complete {
            lines.push("PARTIAL: not every run was made that was to be, see below".to_owned());
        }
        for (which, side) in [(WhichSide::A, &self.a), (WhichSide::B, &self.b)] {
            if let Some(text) = &side.model {
                lines.push(format!("MODEL ONLY, side {}: {text}", which.name()));
            }
        }
        let ignored = if self.ignored.is_empty() {
            String::new()
        } else {
            format!(", whatever their {}", self.ignored.join(", "))
        };
        lines.push(format!(
            "{} cell{} on both sides{ignored}; differences are B - A, intervals {} %, margin {} %",
            self.summary.cells,
            if self.summary.cells == 1 { "" } else { "s" },
            self.confidence * 100.0,
            self.margin_percent
        ));
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = vec![self.metric_grid()];
        if !self.states.is_empty() {
            grids.push(self.state_grid());
        }
        if !self.unpaired.is_empty() {
            let mut grid = Grid::new(
                "cells of one side, compared with nothing",
                ["only in", "cell"],
            );
            for only in self.unpaired.iter().take(self.listed()) {
                grid.row([self.label(only.only_in), only.cell.to_string()]);
            }
            grids.push(grid);
        }
        if !self.conditions.is_empty() {
            let title = "what held differently in cells of both sides";
            let columns = [
                "what".to_owned(),
                self.label(WhichSide::A),
                self.label(WhichSide::B),
            ];
            let more = ["cells".to_owned(), "first".to_owned()];
            let mut grid = Grid::new(title, columns.into_iter().chain(more));
            for c in &self.conditions {
                grid.row([
                    c.name.clone(),
                    c.a.clone(),
                    c.b.clone(),
                    c.cells.to_string(),
                    c.first.to_string(),
                ]);
            }
            grids.push(grid);
        }
        grids
    }

    fn rows(&self) -> Grid {
        let columns = [
            "cell",
            "metric",
            "basis",
            "a_runs",
            "b_runs",
            "a",
            "b",
            "difference",
            "low",
            "high",
            "verdict",
            "stands",
            "model",
        ];
        let mut grid = Grid::new("", columns);
        let end = |x: Option<f64>| x.map_or_else(String::new, |x| x.to_string());
        let model = match (&self.a.model, &self.b.model) {
            (Some(_), Some(_)) => "A B",
            (Some(_), None) => "A",
            (None, Some(_)) => "B",
            (None, None) => "",
        };
        for m in &self.metrics {
            grid.row([
                m.cell.as_ref().map_or_else(String::new, Key::to_string),
                m.metric.clone(),
                m.basis.clone(),
                m.a_runs.to_string(),
                m.b_runs.to_string(),
                m.a.to_string(),
                m.b.to_string(),
                m.difference.to_string(),
                end(m.low),
                end(m.high),
                m.verdict.name().to_owned(),
                m.stands.to_string(),
                model.to_owned(),
            ]);
        }
        grid
    }

    fn notes(&self) -> Vec<String> {
        let s = &self.summary;
        let (a, b) = (self.label(WhichSide::A), self.label(WhichSide::B));
        let mut notes = vec![
            format!(
                "{} numbers: {a} higher: {}, {b} higher: {}, same: {}, cannot tell: {}",
                self.metrics.len(),
                s.a_higher,
                s.b_higher,
                s.same,
                s.cannot_tell
            ),
            format!(
                "differences that stand when all numbers are judged together: {}",
                s.standing
            ),
            format!(
                "states only in {a}: {}, only in {b}: {} ({} of them beyond chance); shown by both: {}",
                s.states_only_in_a, s.states_only_in_b, s.states_beyond_chance, s.states_shared
            ),
        ];
        if self.brief && s.same > 0 {
            notes.push(format!(
                "left out here: {} numbers that are the same (--all)",
                s.same
            ));
        }
        if let Some(more) = self.unpaired.len().checked_sub(self.listed() + 1) {
            notes.push(format!(
                "left out here: {} of {} cells of one side (--all)",
                more + 1,
                self.unpaired.len()
            ));
        }
        notes.extend(self.notes.iter().cloned());
        notes
    }
}

impl CompareResult {
    fn label(&self, which: WhichSide) -> String {
        match which {
            WhichSide::A => self.a.label(which),
            WhichSide::B => self.b.label(which),
        }
    }

    /// How many cells of one side a table has.
    const fn listed(&self) -> usize {
        if self.brief { UNPAIRED } else { usize::MAX - 1 }
    }

    /// The word, its side named as a model where it is one.
    fn word(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::AHigher => format!("{} higher", self.label(WhichSide::A)),
            Verdict::BHigher => format!("{} higher", self.label(WhichSide::B)),
            other => other.name().to_owned(),
        }
    }

    fn metric_grid(&self) -> Grid {
        let (a, b) = (self.label(WhichSide::A), self.label(WhichSide::B));
        let mut grid = Grid::new(
            "",
            [
                "cell",
                "number",
                "from",
                "runs A",
                "runs B",
                &a,
                &b,
                "B - A",
                "low",
                "high",
                "verdict",
                "all together",
            ],
        );
        let shown = |m: &&MetricRow| !(self.brief && m.verdict == Verdict::Same);
        for m in self.metrics.iter().filter(shown) {
            let cell = m
                .cell
                .as_ref()
                .map_or_else(|| "all".to_owned(), Key::to_string);
            let end = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), number);
            let basis = if m.basis.is_empty() { "-" } else { &m.basis };
            grid.row([
                cell,
                m.metric.clone(),
                basis.to_owned(),
                m.a_runs.to_string(),
                m.b_runs.to_string(),
                number(m.a),
                number(m.b),
                number(m.difference),
                end(m.low),
                end(m.high),
                self.word(m.verdict),
                if m.stands { "stands" } else { "-" }.to_owned(),
            ]);
        }
        grid
    }

    fn state_grid(&self) -> Grid {
        let (a, b) = (self.label(WhichSide::A), self.label(WhichSide::B));
        let mut grid = Grid::new(
            "states that one side shows and the other never does",
            [
                "cell",
                "a trigger",
                "only in",
                &a,
                &format!("of {a}"),
                &format!("runs of {a}"),
                &b,
                &format!("of {b}"),
                &format!("runs of {b}"),
                "meaning",
            ],
        );
        for s in &self.states {
            grid.row([
                s.cell.to_string(),
                s.state.clone(),
                self.label(s.only_in),
                s.a.to_string(),
                s.a_of.to_string(),
                s.a_runs.to_string(),
                s.b.to_string(),
                s.b_of.to_string(),
                s.b_runs.to_string(),
                s.says.clone(),
            ]);
        }
        grid
    }
}

/// Rounded for eyes: the smaller, the more places.
fn number(x: f64) -> String {
    let places = match x.abs() {
        x if x < 2.0 => 4,
        x if x < 100.0 => 2,
        _ => 1,
    };
    let shown = format!("{x:.places$}");
    // No "-0".
    let zero = !shown.contains(|c: char| ('1'..='9').contains(&c));
    match shown.strip_prefix('-') {
        Some(positive) if zero => positive.to_owned(),
        _ => shown,
    }
}

/// How many runs, and which.
fn runs(side: &Side) -> String {
    let of: Vec<String> = side.runs.iter().map(|r| r.origin.clone()).collect();
    let n = side.runs.len();
    let plural = if n == 1 { "" } else { "s" };
    format!("{n} run{plural}: {}", of.join(", "))
}

/// The builds that ran, once each.
fn firmware(side: &Side) -> String {
    let mut builds: Vec<&str> = side.runs.iter().map(|r| r.firmware.as_str()).collect();
    builds.dedup();
    builds.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_eyes() {
        let shown = [
            0.0, -0.0, -0.00001, 0.0308, -1.5, 2.406, -2.4361, 41.667, 215.54, -124_664.0,
        ];
        assert_eq!(
            shown.map(number),
            [
                "0.0000",
                "0.0000",
                "0.0000",
                "0.0308",
                "-1.5000",
                "2.41",
                "-2.44",
                "41.67",
                "215.5",
                "-124664.0"
            ]
        );
    }
}
