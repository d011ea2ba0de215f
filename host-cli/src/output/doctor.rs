//! What `doctor` found, for people and as rows.

use std::fmt::Write as _;

use crate::doctor::{DoctorReport, State};

use super::grid::word;
use super::{Document, Grid};

impl Document for DoctorReport {
    const ROWS: &'static [&'static str] = &["checks"];

    fn heading(&self) -> Vec<String> {
        let target = self.target.as_deref().unwrap_or("any target");
        vec![format!("{target} from this computer ({})", self.system)]
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new("", ["id", "state", "seen", "next"]);
        for check in &self.checks {
            let next = check.next.join("; ");
            let next = if next.is_empty() { "-" } else { &next };
            grid.row([check.id, &word(&check.state), &check.seen, next]);
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        vec![summary(self)]
    }

    fn table(&self) -> String {
        let mut out = String::new();
        for line in self.heading() {
            let _ = writeln!(out, "{line}\n");
        }
        for check in &self.checks {
            let _ = writeln!(
                out,
                "{:<8} {:<14} {}",
                check.state.name(),
                check.id,
                check.seen
            );
            for step in &check.next {
                let _ = writeln!(out, "{:<8} {:<14}   -> {step}", "", "");
            }
        }
        let _ = writeln!(out, "\n{}", summary(self));
        out
    }
}

fn summary(report: &DoctorReport) -> String {
    let count = |state| report.checks.iter().filter(|c| c.state == state).count();
    let (problems, warnings) = (count(State::Problem), count(State::Warning));
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let verdict = if report.usable {
        "nothing stands in the way"
    } else {
        "not usable as it is"
    };
    format!(
        "{verdict}: {problems} problem{}, {warnings} warning{}",
        plural(problems),
        plural(warnings)
    )
}
