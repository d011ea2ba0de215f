//! A result of `soak` as a run: it is one cell, with the statistics of its intervals.

use crate::soak::{SoakResult, Spread};

use super::cells::{Cells, fields, list};
use super::clock::{Clock, value, width};
use super::counts::{Counts, entries};
use super::run::{Comparable, Key, Metric, Run, Scope};

impl Comparable for SoakResult {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let (t, cpus) = (&self.totals, self.head.cpus.len());
        let counts = Counts {
            fired: t.fired,
            landed: &t.landed,
            lost: t.lost,
            late: t.late,
            duplicate: t.duplicate,
            spurious: t.spurious,
        };
        let checked = counts
            .check(cpus)
            .and_then(|()| entries("busy_ppm", t.busy_ppm.len(), cpus));
        checked.map_err(|what| format!("totals.{what}"))?;
        entries("busy_ppm", self.over_intervals.busy_ppm.len(), cpus)
            .map_err(|what| format!("over_intervals.{what}"))?;
        for (what, spread) in spreads(self) {
            let Spread {
                min,
                mean,
                p95,
                max,
            } = spread;
            if ![min, mean, max].is_sorted() || ![min, p95, max].is_sorted() {
                return Err(format!(
                    "over_intervals: {what:?}: min {min}, mean {mean}, p95 {p95}, max {max}"
                ));
            }
        }
        let key = Key::default()
            .with("fire_cpu", self.fire_cpu)
            .with("fields", fields(&self.fields_requested));
        let amount = match (self.triggers, self.duration_ms) {
            (Some(n), _) => format!("{n} triggers"),
            (None, Some(ms)) => format!("{ms} ms"),
            (None, None) => String::new(),
        };
        let conditions = [
            ("line", format!("{}:{}", self.line.die, self.line.number)),
            ("expected CPUs", list(&self.expected)),
            ("asked for", amount),
            ("interval_ms", self.interval_ms.to_string()),
            ("timeout_us", self.timeout_us.to_string()),
            ("gap_us", self.gap_us.to_string()),
        ];
        let mut metrics = counts.metrics(Scope::Cell);
        // It is the only cell: nothing is seen better over all of them.
        metrics.iter_mut().for_each(|m| m.scope = Scope::Cell);
        metrics.extend(times(self));
        let mut cells = Cells::default();
        cells.add(key, t.fired, counts.states(), metrics, &conditions);
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}

fn times(soak: &SoakResult) -> Vec<Metric> {
    let (t, clock) = (&soak.totals, Clock::from(soak.head.counter));
    let number =
        |name: &str, of: u64, resolution| value(name, "", Scope::Cell, of as f64, resolution);
    // One trigger more or less in the time, its length to a step of the counter, and whole numbers.
    let rates = |seconds: f64| {
        let step = t.rate_per_s as f64 * clock.step_ns() / 1e9;
        (1.0 + step) / seconds + 1.0
    };
    let elapsed_ns = t.elapsed_ns.max(1) as f64;
    // The handler is measured to a step of the counter each time that it runs.
    let busy = |cpu: usize| {
        let times = t.landed.get(cpu).copied().unwrap_or(0) as f64;
        times * clock.step_ns() / elapsed_ns * 1e6 + 1.0
    };
    let whole = rates(elapsed_ns / 1e9);
    let mut all = vec![number("rate_per_s", t.rate_per_s, whole)];
    for (name, basis, of) in [
        ("entry", "sw_set", &t.entry_ns),
        ("handler", "entry", &t.handler_ns),
    ] {
        all.extend(clock.percentiles(name, basis, Scope::Cell, of.as_ref()));
    }
    for (cpu, ppm) in t.busy_ppm.iter().enumerate() {
        all.push(number(&format!("busy_{cpu}_ppm"), *ppm, busy(cpu)));
    }
    for (watched, spread) in spreads(soak) {
        let Spread {
            min,
            mean,
            p95,
            max,
        } = spread;
        let mut ranks = vec![("mean", mean), ("p95", p95), ("max", max)];
        if watched == Watched::Rate {
            // The worst interval is the slowest.
            ranks.insert(0, ("min", min));
        }
        for (rank, of) in ranks {
            let (name, resolution) = match watched {
                Watched::Rate => (format!("rate_{rank}_per_s"), rates(shortest(soak))),
                Watched::Latency(name) => (format!("{name}_{rank}_ns"), clock.counted(of)),
                Watched::Busy(cpu) => (format!("busy_{cpu}_{rank}_ppm"), busy(cpu)),
            };
            // Percentiles over intervals are counted in buckets.
            let bucket = if rank == "p95" { width(of) } else { 0.0 };
            all.push(number(&format!("interval_{name}"), of, resolution + bucket));
        }
    }
    all
}

/// A number of every interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched {
    /// Triggers a second.
    Rate,
    /// Which of its latencies.
    Latency(&'static str),
    /// Share of time that this CPU spent in the handler.
    Busy(usize),
}

/// The shortest interval, in seconds: the last one is seldom whole.
fn shortest(soak: &SoakResult) -> f64 {
    let whole = u64::from(soak.interval_ms) * 1_000_000;
    let kept = soak.intervals.iter().map(|i| i.elapsed_ns);
    kept.fold(whole, u64::min).max(1) as f64 / 1e9
}

/// What was watched interval by interval.
fn spreads(soak: &SoakResult) -> Vec<(Watched, Spread)> {
    let o = &soak.over_intervals;
    let mut all = vec![
        (Watched::Rate, o.rate_per_s),
        (Watched::Latency("p50"), o.latency_p50_ns),
        (Watched::Latency("p95"), o.latency_p95_ns),
        (Watched::Latency("max"), o.latency_max_ns),
    ];
    let busy = o.busy_ppm.iter().enumerate();
    all.extend(busy.map(|(cpu, spread)| (Watched::Busy(cpu), *spread)));
    let measured = all.into_iter();
    measured.filter_map(|(what, s)| Some((what, s?))).collect()
}
