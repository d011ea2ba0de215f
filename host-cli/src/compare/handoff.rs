//! A result of `handoff` as a run: a cell is a pair of CPUs, a way and a load, or all pairs of a relation.

use crate::handoff::{HandoffReport, Row, Sum, Way};
use crate::stats::Percentiles;

use super::cells::Cells;
use super::clock::Clock;
use super::counts::{by_cpu, each};
use super::run::{Comparable, Key, Metric, Run, Scope};

impl Comparable for HandoffReport {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let clock = Clock::from(self.head.counter);
        let cpus = self.head.cpus.len();
        let mut cells = Cells::default();
        for (i, sum) in self.sums.iter().enumerate() {
            let Sum {
                total_ns, hand_ns, ..
            } = sum;
            let key = Key::default()
                .with("load", load(&sum.load).map_err(|e| at("sums", i, &e))?)
                .with("way", sum.way.name())
                .with("relation", sum.relation.name());
            // Not over all cells: its triggers are those of cells that are there already.
            let metrics = times(clock, Scope::Cell, Some(total_ns), Some(hand_ns));
            cells.add(key, total_ns.count, Vec::new(), metrics, &[]);
        }
        for (i, row) in self.rows.iter().enumerate() {
            check(row, cpus).map_err(|e| at("rows", i, &e))?;
            let serve = row.serve_cpu.map_or_else(String::new, |c| c.to_string());
            let key = Key::default()
                .with("load", &row.load)
                .with("way", row.way.name())
                .with("relation", row.relation.name())
                .with("land_cpu", row.land_cpu)
                .with("serve_cpu", serve);
            let mut states = by_cpu("lands on CPU", &row.landed);
            states.extend(by_cpu("is served by CPU", &row.served));
            states.push(("lost".to_owned(), row.lost));
            states.push(("duplicate".to_owned(), row.duplicate));
            let triggers = ("triggers", row.fired.to_string());
            cells.add(key, row.fired, states, metrics(row, clock), &[triggers]);
        }
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}

fn at(part: &str, i: usize, what: &str) -> String {
    format!("{part}[{i}].{what}")
}

fn check(row: &Row, cpus: usize) -> Result<(), String> {
    load(&row.load)?;
    for (name, counts) in [("landed", &row.landed), ("served", &row.served)] {
        // CPUs behind the last that was in the firmware have no entry.
        if counts.len() > cpus {
            return Err(format!("{name}: {} entries for {cpus} CPUs", counts.len()));
        }
    }
    if row.lost > row.fired {
        return Err(format!("lost: {} of {} fired", row.lost, row.fired));
    }
    Ok(())
}

/// A load, if there is such a one.
fn load(name: &str) -> Result<&str, String> {
    match name {
        "idle" | "spin" | "memory" => Ok(name),
        _ => Err(format!(
            "load: {:?}; allowed are idle, spin and memory",
            // As much as a message can take.
            name.chars().take(40).collect::<String>()
        )),
    }
}

fn metrics(row: &Row, clock: Clock) -> Vec<Metric> {
    let served = row
        .served
        .iter()
        .fold(0u64, |sum, n| sum.saturating_add(*n));
    let mut metrics = vec![
        each("served", Scope::Cell, served, row.fired),
        each("miss_rate", Scope::Whole, row.lost, row.fired),
        each("duplicates", Scope::Whole, row.duplicate, row.fired),
    ];
    if row.way == Way::Floating {
        // Who comes first is what that way is about.
        for (cpu, n) in row.served.iter().enumerate() {
            metrics.push(each(&format!("served_{cpu}"), Scope::Cell, *n, row.fired));
        }
    }
    let (total, hand) = (row.total_ns.as_ref(), row.hand_ns.as_ref());
    metrics.extend(times(clock, Scope::Both, total, hand));
    metrics
}

/// To the start of the service, from the trigger and from the handler's entry.
fn times(
    clock: Clock,
    scope: Scope,
    total: Option<&Percentiles>,
    hand: Option<&Percentiles>,
) -> Vec<Metric> {
    let mut all = clock.percentiles("total", "sw_set", scope, total);
    all.extend(clock.percentiles("hand", "entry", scope, hand));
    all
}
