//! Storms of IPIs as tables.

use crate::storm::{Accounting, Pace, Row, StormReport, Target, Way};

use super::grid::{Document, Grid};
use super::head::{cpu_grid, head_lines, head_notes};

impl Document for StormReport {
    const ROWS: &'static [&'static str] = &["rows"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        lines.push(format!(
            "storms of {} us, each {} times, interleaved; m_sent, m_received, per_cpu: million IPIs a second of target time",
            self.us, self.repeat
        ));
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "n",
                "cpus",
                "pattern",
                "via",
                "pace",
                "accounting",
                "m_sent",
                "m_received",
                "min",
                "max",
                "per_cpu",
                "efficiency",
                "sent",
                "received",
                "merged",
                "merged_share",
                "lost",
                "strayed",
                "missed",
                "counted",
                "note",
            ],
        );
        for row in &self.rows {
            grid.row(cells(row));
        }
        vec![grid, cpu_grid(&self.head)]
    }

    fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for v in &self.violations {
            let row = &self.rows[v.row];
            lines.push(format!("VIOLATION in {}: {}", title(row), v.text));
        }
        let mut ran = self.rows.iter().filter(|r| r.runs > 0).peekable();
        if self.violations.is_empty() && ran.peek().is_some() && ran.all(|r| r.lost == 0) {
            let paced = self
                .rows
                .iter()
                .any(|r| r.runs > 0 && r.pace == Pace::Paced);
            let text = if paced {
                "the books balance: what was sent was taken, or merged with one that was pending"
            } else {
                "a flood cannot tell an IPI that merged from one that was lost: --pace paced can"
            };
            lines.push(text.to_owned());
        }
        lines.extend(head_notes(&self.head));
        lines
    }
}

/// A row in a few words.
#[must_use]
pub fn title(row: &Row) -> String {
    format!(
        "CPUs {}, {}, {}, {}, {}",
        ranges(&row.cpus),
        pattern(row.pattern),
        way(row.via),
        pace(row.pace),
        accounting(row.accounting)
    )
}

fn cells(row: &Row) -> Vec<String> {
    let rate = |r: f64| {
        if row.runs == 0 {
            "-".to_owned()
        } else {
            format!("{r:.3}")
        }
    };
    let share = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| format!("{s:.3}"));
    let count = |n: u64| {
        if row.runs == 0 {
            "-".to_owned()
        } else {
            n.to_string()
        }
    };
    vec![
        row.cpus.len().to_string(),
        ranges(&row.cpus),
        pattern(row.pattern).to_owned(),
        way(row.via).to_owned(),
        pace(row.pace).to_owned(),
        accounting(row.accounting).to_owned(),
        rate(row.m_sent.mean),
        rate(row.m_received.mean),
        rate(row.m_received.min),
        rate(row.m_received.max),
        rate(row.per_cpu),
        share(row.efficiency),
        count(row.sent),
        count(row.received),
        count(row.merged),
        share(row.merged_share),
        count(row.lost),
        count(row.strayed),
        if row.pace == Pace::Paced {
            count(row.missed)
        } else {
            "-".to_owned()
        },
        row.counted.map_or_else(|| "-".to_owned(), count),
        row.note.clone(),
    ]
}

/// Ids with their runs joined: `0 2-5`.
fn ranges(cpus: &[u8]) -> String {
    let mut out: Vec<(u8, u8)> = Vec::new();
    for cpu in cpus {
        match out.last_mut() {
            Some((_, last)) if *last + 1 == *cpu => *last = *cpu,
            _ => out.push((*cpu, *cpu)),
        }
    }
    let parts: Vec<String> = out
        .iter()
        .map(|(a, b)| {
            if a == b {
                a.to_string()
            } else {
                format!("{a}-{b}")
            }
        })
        .collect();
    parts.join(" ")
}

const fn pattern(p: Target) -> &'static str {
    match p {
        Target::One => "one",
        Target::All => "all",
        Target::Pairs => "pairs",
    }
}

const fn way(w: Way) -> &'static str {
    match w {
        Way::Local => "local",
        Way::Global => "global",
        Way::Mmio => "mmio",
    }
}

const fn pace(p: Pace) -> &'static str {
    match p {
        Pace::Flood => "flood",
        Pace::Paced => "paced",
    }
}

const fn accounting(a: Accounting) -> &'static str {
    match a {
        Accounting::PerCpu => "per-cpu",
        Accounting::Shared => "shared",
    }
}
