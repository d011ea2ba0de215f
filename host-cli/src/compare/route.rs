//! A result of `route` as a run.

use crate::result::{Cell, RouteResult};

use super::cells::{Cells, fields, list};
use super::clock::{Clock, value};
use super::counts::{Counts, entries};
use super::run::{Comparable, Key, Metric, Run, Scope};

/// Runs of `route`, measured just now or saved.
impl Comparable for RouteResult {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let clock = Clock::from(self.counter);
        let mut cells = Cells::default();
        for (i, cell) in self.cells.iter().enumerate() {
            let counts = Counts {
                fired: cell.fired,
                landed: &cell.landed,
                lost: cell.lost,
                late: cell.late,
                duplicate: cell.duplicate,
                spurious: cell.spurious,
            };
            let checked = check(cell, self.cpus.len()).and_then(|()| counts.check(self.cpus.len()));
            checked.map_err(|what| format!("cells[{i}].{what}"))?;
            let mut metrics = counts.metrics(Scope::Both);
            metrics.extend(latencies(cell, clock));
            let conditions = conditions(cell);
            cells.add(key(cell), cell.fired, counts.states(), metrics, &conditions);
        }
        Ok(cells.run(Self::SCHEMA, &self.head(), origin))
    }
}

/// What a damaged or hand-made file could get wrong in a way that the comparison would take for an answer.
fn check(cell: &Cell, cpus: usize) -> Result<(), String> {
    if let Some(latency) = cell.latency_ns {
        latency.checked().map_err(|e| format!("latency_ns: {e}"))?;
    }
    entries("fields", cell.fields.len(), cpus)?;
    entries("fields_requested", cell.fields_requested.len(), cpus)?;
    if cell.masked_cpus.len() != cell.masked_us.len() {
        let (cpus, windows) = (cell.masked_cpus.len(), cell.masked_us.len());
        return Err(format!("masked_us: {windows} windows of {cpus} CPUs"));
    }
    if cell.fired > u64::from(cell.triggers) {
        return Err(format!("fired: {} of {}", cell.fired, cell.triggers));
    }
    Ok(())
}

fn key(cell: &Cell) -> Key {
    let mut masks: Vec<(u8, u32)> = cell
        .masked_cpus
        .iter()
        .copied()
        .zip(cell.masked_us.iter().copied())
        .collect();
    masks.sort_unstable();
    let masks = masks
        .iter()
        .map(|(cpu, us)| format!("{cpu}:{}ms", f64::from(*us) / 1e3));
    let routing = match (&cell.target_cpus, &cell.irq_cfg) {
        (Some(cpus), _) => format!("cpus:{}", list(cpus)),
        (None, Some(word)) => format!("irq_cfg:{word}"),
        (None, None) => String::new(),
    };
    Key::default()
        .with("line", format!("{}:{}", cell.line.die, cell.line.number))
        .with("fire_cpu", cell.fire_cpu)
        .with("fields", fields(&cell.fields_requested))
        .with("masked", list(masks))
        .with("routing", routing)
}

fn conditions(cell: &Cell) -> [(&'static str, String); 4] {
    let read: Vec<String> = cell
        .fields
        .iter()
        .map(|f| f.map_or_else(|| ".".to_owned(), |f| f.to_string()))
        .collect();
    [
        ("fields read back", read.concat()),
        ("timeout_us", cell.timeout_us.to_string()),
        ("grace_us", cell.grace_us.to_string()),
        ("triggers", cell.triggers.to_string()),
    ]
}

fn latencies(cell: &Cell, clock: Clock) -> Vec<Metric> {
    let Some(l) = cell.latency_ns else {
        return Vec::new();
    };
    [
        ("p50_ns", l.p50, clock.counted(l.p50)),
        ("p95_ns", l.p95, clock.counted(l.p95)),
        ("p99_ns", l.p99, clock.counted(l.p99)),
        ("max_ns", l.max, clock.exact()),
    ]
    .map(|(name, ns, resolution)| {
        value(name, &cell.latency_from, Scope::Both, ns as f64, resolution)
    })
    .into()
}
