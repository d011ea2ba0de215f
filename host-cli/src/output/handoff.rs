//! Hand-overs as tables.

use crate::handoff::HandoffReport;
use crate::stats::Percentiles;

use super::grid::{Document, Grid};
use super::head::{head_lines, head_notes};

impl Document for HandoffReport {
    const ROWS: &'static [&'static str] = &["sums", "rows"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        lines.push(format!("served within {} us, or lost", self.timeout_us));
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let names = |first: &[&str]| {
            let first = first.iter().map(|c| (*c).to_owned());
            let of = |what: &'static str| {
                let columns = Percentiles::COLUMNS.iter();
                columns.map(move |c| format!("{what}_{c}"))
            };
            first
                .chain(of("total"))
                .chain(of("hand"))
                .collect::<Vec<_>>()
        };
        let values = |p: Option<Percentiles>| match p {
            Some(p) => p.values().map(|v| v.to_string()).to_vec(),
            None => vec!["-".to_owned(); Percentiles::COLUMNS.len()],
        };
        let mut rows = Grid::new(
            "every pair, ns: from SW_SET (total) and from the handler's entry (hand) to the start of the service",
            names(&[
                "load",
                "land_cpu",
                "way",
                "serve_cpu",
                "relation",
                "fired",
                "lost",
                "served_by",
            ]),
        );
        for r in &self.rows {
            let who = r.served.iter().enumerate().filter(|(_, n)| **n > 0);
            let who: Vec<String> = who.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
            let mut cells = vec![
                r.load.clone(),
                r.land_cpu.to_string(),
                r.way.name().to_owned(),
                r.serve_cpu
                    .map_or_else(|| "-".to_owned(), |c| c.to_string()),
                r.relation.name().to_owned(),
                r.fired.to_string(),
                r.lost.to_string(),
                who.join(" "),
            ];
            cells.extend(values(r.total_ns));
            cells.extend(values(r.hand_ns));
            rows.row(cells);
        }
        let mut sums = Grid::new(
            "by way and relation, ns",
            names(&["load", "way", "relation", "count"]),
        );
        for s in &self.sums {
            let mut cells = vec![
                s.load.clone(),
                s.way.name().to_owned(),
                s.relation.name().to_owned(),
                s.total_ns.count.to_string(),
            ];
            cells.extend(values(Some(s.total_ns)));
            cells.extend(values(Some(s.hand_ns)));
            sums.row(cells);
        }
        vec![rows, sums]
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "CPU 0 fires and is never under load; \"store\" and \"sev\" reach a saturated CPU when it looks, \"ipi\" at once"
                .to_owned(),
        ];
        for r in &self.rows {
            if let Some(why) = &r.refused {
                notes.push(format!("cell {} stopped early: {why}", r.id));
            }
        }
        notes.extend(head_notes(&self.head));
        notes
    }
}
