//! Latencies as tables.

use std::collections::BTreeMap;

use crate::latency::{Bucket, LatencyResult, Moment, Near, Pair, Setting};
use crate::stats::Percentiles;

use super::grid::{Document, Grid};
use super::head::{cpu_grid, head_lines, head_notes};

impl Document for LatencyResult {
    const ROWS: &'static [&'static str] = &["pairs"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        lines.push(format!(
            "line {}:{}, {} triggers a cell, timeout {} us, pause {} us",
            self.line.die, self.line.number, self.triggers, self.timeout_us, self.gap_us
        ));
        if let Some(spike) = &self.spike {
            lines.push(format!(
                "STOPPED: {}: cell {}, {}, CPU {} fires, CPU {} takes it",
                spike.moment.text,
                spike.cell,
                spike.load.name(),
                spike.fire_cpu,
                spike.land_cpu
            ));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = vec![pairs(&self.pairs), histogram(&self.pairs)];
        if let Some(spike) = &self.spike {
            grids.push(near(&spike.moment));
        }
        grids.push(cpu_grid(&self.head));
        grids
    }

    fn notes(&self) -> Vec<String> {
        head_notes(&self.head)
    }
}

fn pairs(pairs: &[Pair]) -> Grid {
    let columns = ["load", "fire_cpu", "land_cpu", "latency", "count"];
    let counts = ["fired", "lost", "late", "duplicate", "spurious"];
    let columns = columns.into_iter().chain(Percentiles::COLUMNS);
    let mut grid = Grid::new("latency in ns", columns.chain(counts));
    for pair in pairs {
        for (name, latency) in [("entry", &pair.entry_ns), ("handler", &pair.handler_ns)] {
            let mut row = vec![
                pair.load.name().to_owned(),
                pair.fire_cpu.to_string(),
                pair.land_cpu.to_string(),
                name.to_owned(),
            ];
            row.extend(percentiles(latency.as_ref()));
            let counts = [
                pair.fired,
                pair.lost,
                pair.late,
                pair.duplicate,
                pair.spurious,
            ];
            row.extend(counts.map(|n| n.to_string()));
            grid.row(row);
        }
    }
    grid
}

/// Count and percentiles as cells.
fn percentiles(p: Option<&Percentiles>) -> Vec<String> {
    match p {
        None => std::iter::once("0".to_owned())
            .chain(Percentiles::COLUMNS.map(|_| "-".to_owned()))
            .collect(),
        Some(p) => std::iter::once(p.count)
            .chain(p.values())
            .map(|n| n.to_string())
            .collect(),
    }
}

/// All pairs together, in buckets from one power of two to the next; the JSON has them as fine as they were counted.
fn histogram(pairs: &[Pair]) -> Grid {
    let columns = ["load", "latency", "from ns", "below ns", "count", "percent"];
    let mut grid = Grid::new("histogram over all pairs", columns);
    for load in Setting::ALL {
        let of: Vec<&Pair> = pairs.iter().filter(|p| p.load == load).collect();
        for (name, buckets) in [
            ("entry", sums(&of, |p| &p.entry_histogram)),
            ("handler", sums(&of, |p| &p.handler_histogram)),
        ] {
            let total: u64 = buckets.values().sum();
            for (power, count) in buckets {
                let from = if power == 0 { 0 } else { 1u128 << (power - 1) };
                grid.row([
                    load.name().to_owned(),
                    name.to_owned(),
                    from.to_string(),
                    (1u128 << power).to_string(),
                    count.to_string(),
                    format!("{:.2}", count as f64 * 100.0 / total as f64),
                ]);
            }
        }
    }
    grid
}

fn sums(pairs: &[&Pair], of: impl Fn(&Pair) -> &[Bucket]) -> BTreeMap<u32, u64> {
    let mut sums = BTreeMap::new();
    for bucket in pairs.iter().flat_map(|p| of(p)) {
        *sums.entry(64 - bucket.from_ns.leading_zeros()).or_default() += bucket.count;
    }
    sums
}

/// The events around the one that ended a cell.
pub(super) fn near(moment: &Moment) -> Grid {
    let columns = [
        "",
        "trigger",
        "event",
        "CPU",
        "since ns",
        "entry ns",
        "handler ns",
    ];
    let mut grid = Grid::new("events around it", columns);
    let shown = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    for Near {
        trigger,
        kind,
        cpu,
        since_ns,
        entry_ns,
        handler_ns,
        cause,
    } in &moment.events
    {
        grid.row([
            if *cause { ">" } else { "" }.to_owned(),
            trigger.to_string(),
            kind.clone(),
            shown(cpu.map(u64::from)),
            since_ns.to_string(),
            shown(*entry_ns),
            shown(*handler_ns),
        ]);
    }
    grid
}
