//! What events alone say, cell by cell: the JSON schema "aicprobe.replay/1".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::output::{Document, Grid, head_lines, head_notes};
use crate::plan::PlannedCell;
use crate::result::{Head, Line};
use crate::session::Measured;
use crate::stats::Percentiles;

use super::{Replayed, Trailer};

/// The counts of a file of raw events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayResult {
    /// "aicprobe.replay/1".
    pub schema: String,
    /// The command that ran.
    pub command: String,
    /// Of the run.
    #[serde(flatten)]
    pub head: Head,
    /// Batches of events, events, parts of cells, events that the target dropped, and the file's CRC-32 (0 if it is cut).
    pub totals: Trailer,
    /// The byte after which the file is cut; `null` = it is whole.
    pub cut: Option<u64>,
    /// What the target counted otherwise than its events say.
    pub differences: Vec<String>,
    /// Cells of which anything came, in the order of the plan.
    pub cells: Vec<CellCounts>,
}

/// Counts of a cell from its events; arrays by logical CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellCounts {
    /// Number in the plan.
    pub id: u32,
    /// The line fired.
    pub line: Line,
    /// Who fired.
    pub fire_cpu: u8,
    /// Triggers.
    pub fired: u64,
    /// First deliveries in time, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers not taken in time.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries.
    pub duplicate: u64,
    /// Latencies that count from an unmask.
    pub from_unmask: u64,
    /// Nanoseconds; `null` if nothing landed.
    pub latency_ns: Option<Percentiles>,
    /// How long handlers took, with a hand-over from a handler's entry to the service; `null` in cells that did not ask.
    pub second_ns: Option<Percentiles>,
    /// Triggers by serving CPU; empty without a hand-over.
    pub served: Vec<u64>,
}

impl ReplayResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.replay/1";

    /// Of a file.
    ///
    /// # Errors
    /// [`Error::Histogram`] if counts cannot be.
    pub fn of(replayed: &Replayed) -> Result<Self, Error> {
        let hz = replayed.head.counter.hz;
        let any = |m: &Measured| m.fired > 0 || m.refusal.is_some();
        let cells = replayed.cells.iter().filter(|(_, m)| any(m));
        Ok(Self {
            schema: Self::SCHEMA.to_owned(),
            command: replayed.run.command.clone(),
            head: replayed.head.clone(),
            totals: replayed.totals,
            cut: replayed.cut,
            differences: replayed.differences.clone(),
            cells: cells
                .map(|(planned, m)| CellCounts::of(planned, m, hz))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl CellCounts {
    fn of(planned: &PlannedCell, m: &Measured, hz: u64) -> Result<Self, Error> {
        let first = Percentiles::of(&m.histogram, m.latencies, m.min_ticks, m.max_ticks, hz)?;
        let second = Percentiles::of(&m.second, m.seconds, m.min_second, m.max_second, hz)?;
        Ok(Self {
            id: planned.id,
            line: planned.line.into(),
            fire_cpu: planned.fire_cpu,
            fired: m.fired,
            landed: m.landed.clone(),
            lost: m.lost,
            late: m.late,
            duplicate: m.duplicate,
            from_unmask: m.from_unmask,
            latency_ns: first,
            second_ns: second,
            served: m.served.clone(),
        })
    }
}

/// "CPU:count" of every CPU that has any.
fn by_cpu(counts: &[u64]) -> String {
    let any = counts.iter().enumerate().filter(|(_, n)| **n > 0);
    let words: Vec<String> = any.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
    if words.is_empty() {
        return "-".to_owned();
    }
    words.join(" ")
}

fn columns(p: Option<&Percentiles>) -> Vec<String> {
    match p {
        None => vec!["-".to_owned(); Percentiles::COLUMNS.len()],
        Some(p) => p.values().iter().map(ToString::to_string).collect(),
    }
}

impl Document for ReplayResult {
    const ROWS: &'static [&'static str] = &["cells"];

    fn heading(&self) -> Vec<String> {
        let mut lines = head_lines(&self.head);
        let Trailer {
            events,
            batches,
            parts,
            ..
        } = self.totals;
        lines.push(format!(
            "{events} events of `{}` in {batches} batches, {parts} parts of cells",
            self.command
        ));
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let names = [
            "cell", "line", "fire", "fired", "landed", "lost", "late", "dup",
        ];
        let percentiles = Percentiles::COLUMNS.iter().map(|c| format!("{c} ns"));
        let mut first = Grid::new("", names.map(str::to_owned).into_iter().chain(percentiles));
        for c in &self.cells {
            let mut row = vec![
                c.id.to_string(),
                format!("{}:{}", c.line.die, c.line.number),
                c.fire_cpu.to_string(),
                c.fired.to_string(),
                by_cpu(&c.landed),
                c.lost.to_string(),
                c.late.to_string(),
                c.duplicate.to_string(),
            ];
            row.extend(columns(c.latency_ns.as_ref()));
            first.row(row);
        }
        let mut grids = vec![first];
        if self.cells.iter().any(|c| c.second_ns.is_some()) {
            let names = ["cell", "served"].map(str::to_owned).into_iter();
            let percentiles = Percentiles::COLUMNS.iter().map(|c| format!("{c} ns"));
            let mut second = Grid::new("second latencies", names.chain(percentiles));
            for c in &self.cells {
                let mut row = vec![c.id.to_string(), by_cpu(&c.served)];
                row.extend(columns(c.second_ns.as_ref()));
                second.row(row);
            }
            grids.push(second);
        }
        grids
    }

    fn notes(&self) -> Vec<String> {
        head_notes(&self.head)
    }

    fn rows(&self) -> Grid {
        const VALUES: [&str; 7] = ["min", "p50", "p95", "p98", "p99", "p999", "max"];
        let names = "cell,line,fire_cpu,fired,landed,lost,late,duplicate,from_unmask,served";
        let values = ["", "second_"]
            .iter()
            .flat_map(|of| VALUES.map(|v| format!("{of}{v}_ns")));
        let mut grid = Grid::new("", names.split(',').map(str::to_owned).chain(values));
        for c in &self.cells {
            let mut row = vec![
                c.id.to_string(),
                format!("{}:{}", c.line.die, c.line.number),
                c.fire_cpu.to_string(),
                c.fired.to_string(),
                by_cpu(&c.landed),
                c.lost.to_string(),
                c.late.to_string(),
                c.duplicate.to_string(),
                c.from_unmask.to_string(),
                by_cpu(&c.served),
            ];
            row.extend(columns(c.latency_ns.as_ref()));
            row.extend(columns(c.second_ns.as_ref()));
            grid.row(row);
        }
        grid
    }
}
