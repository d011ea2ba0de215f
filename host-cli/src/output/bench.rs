//! Times of a link for people, and as rows.

use comfy_table::{CellAlignment, Table, presets};

use crate::result::{BenchLink, MarkKind, Times};

use super::{Document, Grid};

impl Document for BenchLink {
    const ROWS: &'static [&'static str] = &["transfers"];

    fn heading(&self) -> Vec<String> {
        let mut lines = vec![format!("link to {}", self.target)];
        let model = self.marks.iter().filter(|m| m.kind == MarkKind::ModelOnly);
        lines.extend(model.map(|m| format!("MODEL ONLY: {}", m.text)));
        lines.extend(self.line.iter().cloned());
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "exchange",
                "bytes",
                "iterations",
                "min_ns",
                "median_ns",
                "max_ns",
                "per_s",
                "mb_per_s",
            ],
        );
        let mut row = |what: &str, bytes: &str, t: &Times, mb: String| {
            let [n, min] = [u64::from(t.iterations), t.min_ns].map(|n| n.to_string());
            let [median, max] = [t.median_ns, t.max_ns].map(|n| n.to_string());
            let rate = format!("{:.1}", Times::per_second(t.median_ns));
            grid.row([what, bytes, &n, &min, &median, &max, &rate, &mb]);
        };
        if let Some(t) = &self.round_trip {
            row("round trip", "-", t, "-".to_owned());
        }
        for t in &self.transfers {
            let bytes = t.bytes.to_string();
            row("down", &bytes, &t.down, format!("{:.3}", t.down_mb_per_s));
            row("up", &bytes, &t.up, format!("{:.3}", t.up_mb_per_s));
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        let (retries, damaged) = (self.retries, self.damaged);
        let mut lines = vec![format!("{retries} repetitions, {damaged} damaged frames")];
        let others = self.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly);
        lines.extend(others.map(|m| format!("{}: {}: {}", m.kind.name(), m.about, m.text)));
        lines
    }

    fn table(&self) -> String {
        to_text(self)
    }
}

fn to_text(result: &BenchLink) -> String {
    let mut text = format!("link to {}\n", result.target);
    if result.clock == "virtual" {
        text += "times are of the virtual SoC's clock: its model of a link, not this computer and not hardware\n";
    }
    for line in &result.line {
        text += &format!("{line}\n");
    }
    text += if result.data_checksums {
        "data go with checksums\n"
    } else {
        "data go without checksums (the loader grants it)\n"
    };
    let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "exchange",
        "bytes",
        "times",
        "min us",
        "median us",
        "max us",
        "rate",
    ]);
    let mut row = |what: &str, bytes: String, t: &Times, rate: String| {
        let times = t.iterations.to_string();
        let (min, median, max) = (us(t.min_ns), us(t.median_ns), us(t.max_ns));
        table.add_row([what.to_owned(), bytes, times, min, median, max, rate]);
    };
    if let Some(t) = &result.round_trip {
        let rate = Times::per_second(t.median_ns);
        row("round trip", "-".to_owned(), t, format!("{rate:.0} /s"));
    }
    for t in &result.transfers {
        let mb = |rate: f64| format!("{rate:.3} MB/s");
        row("down", t.bytes.to_string(), &t.down, mb(t.down_mb_per_s));
        row("up", t.bytes.to_string(), &t.up, mb(t.up_mb_per_s));
    }
    for column in 1..7 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    text += &format!("{table}\n");
    if result.retries + result.damaged > 0 {
        text += &format!(
            "{} repetitions, {} damaged frames\n",
            result.retries, result.damaged
        );
    }
    text
}
