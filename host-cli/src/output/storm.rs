//! Storms of IPIs as tables.

use crate::storm::{Pace, Row, StormReport};

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
        lines.push(
            "alone: no request can have found another one pending, one that was not taken is lost; elsewhere merged is an upper bound"
                .to_owned(),
        );
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
                "alone",
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
        let mut ran = self.rows.iter().filter(|r| r.runs > 0);
        let alone = self.rows.iter().any(|r| r.runs > 0 && r.alone);
        if self.violations.is_empty() && alone && ran.all(|r| r.lost == 0) {
            lines.push(
                "the books balance: what was sent was taken, or may have merged with one that was pending"
                    .to_owned(),
            );
        }
        lines.extend(self.about_merged());
        lines.extend(head_notes(&self.head));
        lines
    }
}

/// A row in a few words.
#[must_use]
pub fn title(row: &Row) -> String {
    format!("CPUs {}, {}", ranges(&row.cpus), row.kind())
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
        row.pattern.name().to_owned(),
        row.via.name().to_owned(),
        row.pace.name().to_owned(),
        row.accounting.name().to_owned(),
        rate(row.m_sent.mean),
        rate(row.m_received.mean),
        rate(row.m_received.min),
        rate(row.m_received.max),
        rate(row.per_cpu),
        share(row.efficiency),
        count(row.sent),
        count(row.received),
        if row.alone { "yes" } else { "no" }.to_owned(),
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
