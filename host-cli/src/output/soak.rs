//! A soak as tables.

use crate::soak::{Interval, SoakResult, Spread};
use crate::stats::Percentiles;

use super::grid::{Document, Grid};
use super::head::{cpu_grid, head_lines, head_notes};
use super::latency::near;

/// Intervals that the table for people shows: the last ones.
const SHOWN: usize = 20;

impl Document for SoakResult {
    const ROWS: &'static [&'static str] = &["intervals"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        let t = &self.totals;
        let on: Vec<String> = (0u8..)
            .zip(&t.landed)
            .filter(|(_, n)| **n > 0)
            .map(|(cpu, n)| format!("CPU {cpu}: {n}"))
            .collect();
        lines.push(format!(
            "line {}:{}, CPU {} fires: {} triggers in {} s, {}/s, landed on {}, lost {}, late {}, duplicate {}, spurious {}",
            self.line.die,
            self.line.number,
            self.fire_cpu,
            t.fired,
            seconds(t.elapsed_ns),
            t.rate_per_s,
            if on.is_empty() { "no CPU".to_owned() } else { on.join(", ") },
            t.lost,
            t.late,
            t.duplicate,
            t.spurious
        ));
        if let Some(bound) = t.miss_rate.upper_95 {
            lines.push(format!("miss rate below {bound:e} (95 %)"));
        }
        if let Some(v) = &self.violation {
            lines.push(format!(
                "STOPPED after {} s: {}",
                seconds(v.at_ns),
                v.moment.text
            ));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = vec![self.last_intervals(), self.over(), self.latencies()];
        if let Some(v) = &self.violation {
            grids.push(near(&v.moment));
        }
        grids.push(cpu_grid(&self.head));
        grids
    }

    fn rows(&self) -> Grid {
        self.intervals_grid()
    }

    fn notes(&self) -> Vec<String> {
        head_notes(&self.head)
    }
}

impl SoakResult {
    fn intervals_grid(&self) -> Grid {
        let columns = ["index", "from_ms", "elapsed_ms", "fired", "rate_per_s"];
        let latency = ["min_ns", "p50_ns", "p95_ns", "max_ns"];
        let counts = ["lost", "late", "duplicate", "spurious"];
        let columns = columns.into_iter().chain(latency).chain(counts);
        let busy = (0..self.head.cpus.len()).map(|cpu| format!("busy_percent_{cpu}"));
        let columns = columns.map(str::to_owned).chain(busy);
        let mut grid = Grid::new("intervals", columns);
        for i in &self.intervals {
            grid.row(row(i));
        }
        grid
    }

    /// The last intervals, for people.
    fn last_intervals(&self) -> Grid {
        let mut grid = self.intervals_grid();
        self.leave_busy(&mut grid);
        let skipped = grid.rows.len().saturating_sub(SHOWN);
        grid.rows.drain(..skipped);
        if skipped > 0 {
            let of = self.over_intervals.intervals;
            grid.title = format!("the last {SHOWN} of {of} intervals");
        }
        grid
    }

    /// Takes the columns of CPUs that never were in the handler out of a table.
    fn leave_busy(&self, grid: &mut Grid) {
        let first = grid.columns.len().saturating_sub(self.head.cpus.len());
        let busy = |cpu: usize| self.totals.busy_ppm.get(cpu).is_some_and(|n| *n > 0);
        let stays = |i: usize| i < first || busy(i - first);
        for cells in std::iter::once(&mut grid.columns).chain(&mut grid.rows) {
            let mut at = 0..;
            cells.retain(|_| at.next().is_some_and(stays));
        }
    }

    fn over(&self) -> Grid {
        let o = &self.over_intervals;
        let columns = ["per interval", "min", "mean", "p95", "max"];
        let mut grid = Grid::new(&format!("over {} intervals", o.intervals), columns);
        let mut add = |name: &str, spread: &Option<Spread>, shown: fn(u64) -> String| {
            let values = spread.map(|s| [s.min, s.mean, s.p95, s.max].map(shown));
            let values = values.unwrap_or_else(|| [const { String::new() }; 4].map(|_| "-".into()));
            grid.row(std::iter::once(name.to_owned()).chain(values));
        };
        let plain = |n: u64| n.to_string();
        add("triggers/s", &o.rate_per_s, plain);
        add("latency min ns", &o.latency_min_ns, plain);
        add("latency p50 ns", &o.latency_p50_ns, plain);
        add("latency p95 ns", &o.latency_p95_ns, plain);
        add("latency max ns", &o.latency_max_ns, plain);
        for (cpu, spread) in o.busy_ppm.iter().enumerate() {
            // CPUs that took nothing say nothing.
            if spread.is_some_and(|s| s.max > 0) {
                add(&format!("CPU {cpu} in the handler %"), spread, percent);
            }
        }
        grid
    }

    fn latencies(&self) -> Grid {
        let columns = std::iter::once("latency")
            .chain(["count"])
            .chain(Percentiles::COLUMNS);
        let mut grid = Grid::new("all triggers, in ns", columns);
        let t = &self.totals;
        for (name, p) in [("entry", &t.entry_ns), ("handler", &t.handler_ns)] {
            if let Some(p) = p {
                let values = std::iter::once(p.count).chain(p.values());
                let values = values.map(|n| n.to_string());
                grid.row(std::iter::once(name.to_owned()).chain(values));
            }
        }
        grid
    }
}

fn row(i: &Interval) -> Vec<String> {
    let ms = |ns: u64| format!("{:.3}", ns as f64 / 1e6);
    let mut row = vec![
        i.index.to_string(),
        ms(i.from_ns),
        ms(i.elapsed_ns),
        i.fired.to_string(),
        i.rate_per_s.to_string(),
    ];
    match &i.latency_ns {
        Some(l) => row.extend([l.min, l.p50, l.p95, l.max].map(|n| n.to_string())),
        None => row.extend(["-", "-", "-", "-"].map(str::to_owned)),
    }
    row.extend([i.lost, i.late, i.duplicate, i.spurious].map(|n| n.to_string()));
    row.extend(i.busy_ppm.iter().map(|n| percent(*n)));
    row
}

fn percent(ppm: u64) -> String {
    format!("{:.4}", ppm as f64 / 1e4)
}

fn seconds(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e9)
}
