//! A listing of `/proc/interrupts` as rows.

use crate::irqs::{IrqsReport, irqs_table};

use super::grid::{spaced, word};
use super::{Document, Grid};

impl Document for IrqsReport {
    const ROWS: &'static [&'static str] = &["rows", "totals"];

    fn heading(&self) -> Vec<String> {
        vec![format!(
            "{}: {} CPUs, {} rows; counts of a running Linux, not measured by this program",
            self.file,
            self.cpus.len(),
            self.rows.len()
        )]
    }

    fn grids(&self) -> Vec<Grid> {
        let mut rows = Grid::new(
            "",
            [
                "irq", "chip", "hwirq", "kind", "line", "die", "number", "trigger", "total",
                "counts", "owners", "handlers", "note",
            ],
        );
        let number = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
        for r in &self.rows {
            let owners = r.owners.as_ref().map(|o| o.0.join(", "));
            rows.row([
                r.irq.clone(),
                r.chip.clone(),
                number(r.hwirq),
                word(&r.kind),
                r.line.clone().unwrap_or_else(|| "-".to_owned()),
                number(r.die.map(u64::from)),
                number(r.number.map(u64::from)),
                r.trigger.unwrap_or("-").to_owned(),
                r.total.to_string(),
                spaced(&r.counts),
                owners.unwrap_or_else(|| "-".to_owned()),
                r.handlers.clone(),
                r.note.clone().unwrap_or_default(),
            ]);
        }
        let mut totals = Grid::new("interrupts of the AIC", ["cpu", "count", "share"]);
        for t in &self.totals {
            let share = t.share.map_or_else(|| "-".to_owned(), |s| s.to_string());
            totals.row([t.cpu.to_string(), t.count.to_string(), share]);
        }
        vec![rows, totals]
    }

    fn notes(&self) -> Vec<String> {
        let marks = self.marks.iter();
        marks
            .map(|m| format!("{}: {}: {}", m.kind.name(), m.about, m.text))
            .collect()
    }

    fn table(&self) -> String {
        irqs_table(self)
    }
}
