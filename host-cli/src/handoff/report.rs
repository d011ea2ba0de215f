//! What the cells say: a row for each, and sums by relation of the two CPUs.

use std::collections::BTreeMap;

use protocol::command::{Handover, Load};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan::PlannedCell;
use crate::result::Head;
use crate::session::{Measured, describe};
use crate::stats::{Histogram, Percentiles};

use super::{TIMEOUT_US, Way, said};

/// Where the serving CPU is, seen from the landing CPU.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is the landing CPU.
    SameCpu,
    /// Another CPU of its cluster.
    SameCluster,
    /// A CPU of another cluster.
    OtherCluster,
    /// Any worker.
    Any,
}

impl Relation {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameCpu => "same-cpu",
            Self::SameCluster => "same-cluster",
            Self::OtherCluster => "other-cluster",
            Self::Any => "any",
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Number in the plan.
    pub id: u32,
    /// CPU that took the interrupt.
    pub land_cpu: u8,
    /// CPU that was to serve it; `null` = floating.
    pub serve_cpu: Option<u8>,
    /// How it was told.
    pub way: Way,
    /// Where it is.
    pub relation: Relation,
    /// "idle", "spin" or "memory": what every worker does meanwhile.
    pub load: String,
    /// Triggers fired.
    pub fired: u64,
    /// Triggers served, by serving CPU.
    pub served: Vec<u64>,
    /// Interrupts taken, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers not served within the timeout.
    pub lost: u64,
    /// Taken again.
    pub duplicate: u64,
    /// From SW_SET to the start of the service, ns; `null` if nothing was served.
    pub total_ns: Option<Percentiles>,
    /// From the handler's entry to the start of the service, ns.
    pub hand_ns: Option<Percentiles>,
    /// Why the cell stopped early; `null` if it did not.
    pub refused: Option<String>,
}

/// All cells of a way, a relation and a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sum {
    /// How the serving CPU was told.
    pub way: Way,
    /// Where it is.
    pub relation: Relation,
    /// What the workers did meanwhile.
    pub load: String,
    /// From SW_SET to the start of the service, ns.
    pub total_ns: Percentiles,
    /// From the handler's entry to the start of the service, ns.
    pub hand_ns: Percentiles,
}

/// Result of `aicprobe handoff`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffReport {
    /// "aicprobe.handoff/1".
    pub schema: String,
    /// Who was measured.
    #[serde(flatten)]
    pub head: Head,
    /// Time within which a trigger had to be served, in microseconds.
    pub timeout_us: u32,
    /// Sums by way, relation and load.
    pub sums: Vec<Sum>,
    /// Cells in the order in which they ran.
    pub rows: Vec<Row>,
}

impl HandoffReport {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.handoff/1";

    /// Why not a single trigger was served, if triggers were fired and that is so.
    #[must_use]
    pub fn why_nothing(&self) -> Option<String> {
        said::why_nothing(&self.rows, self.timeout_us)
    }
}

/// Name of a load.
#[must_use]
pub const fn load_name(load: Load) -> &'static str {
    match load {
        Load::Idle => "idle",
        Load::Spin => "spin",
        Load::Memory => "memory",
    }
}

/// Both latencies of cells that belong together.
#[derive(Default)]
struct Both {
    first: (Histogram, u64, Option<(u64, u64)>),
    second: (Histogram, u64, Option<(u64, u64)>),
}

impl Both {
    fn add(&mut self, m: &Measured) {
        let widen = |old: Option<(u64, u64)>, low: u64, high: u64| {
            Some(old.map_or((low, high), |(a, b)| (a.min(low), b.max(high))))
        };
        if m.latencies > 0 {
            self.first.0.merge(&m.histogram);
            self.first.1 += m.latencies;
            self.first.2 = widen(self.first.2, m.min_ticks, m.max_ticks);
        }
        if m.seconds > 0 {
            self.second.0.merge(&m.second);
            self.second.1 += m.seconds;
            self.second.2 = widen(self.second.2, m.min_second, m.max_second);
        }
    }

    fn percentiles(&self, hz: u64) -> Result<Option<(Percentiles, Percentiles)>, Error> {
        let of = |part: &(Histogram, u64, Option<(u64, u64)>)| {
            let (min, max) = part.2.unwrap_or_default();
            Percentiles::of(&part.0, part.1, min, max, hz)
        };
        Ok(of(&self.first)?.zip(of(&self.second)?))
    }
}

/// Makes the report.
///
/// # Errors
/// [`Error::Histogram`] if counts cannot be.
pub fn report(mut head: Head, cells: &[(PlannedCell, Measured)]) -> Result<HandoffReport, Error> {
    let hz = head.counter.hz;
    let mut rows = Vec::new();
    let mut sums: BTreeMap<(u8, Way, Relation), Both> = BTreeMap::new();
    for (cell, m) in cells {
        let Some(row) = row(cell, m, &head, hz)? else {
            continue;
        };
        let load = cell.special.load as u8;
        let sum = sums.entry((load, row.way, row.relation)).or_default();
        sum.add(m);
        rows.push(row);
    }
    let mut table = Vec::new();
    for ((load, way, relation), both) in &sums {
        if let Some((total_ns, hand_ns)) = both.percentiles(hz)? {
            let load = [Load::Idle, Load::Spin, Load::Memory][usize::from(*load)];
            table.push(Sum {
                way: *way,
                relation: *relation,
                load: load_name(load).to_owned(),
                total_ns,
                hand_ns,
            });
        }
    }
    let timeout_us = cells
        .first()
        .map_or(TIMEOUT_US, |(cell, _)| cell.timeout_us);
    said::mark(&mut head, &rows, timeout_us);
    Ok(HandoffReport {
        schema: HandoffReport::SCHEMA.to_owned(),
        head,
        timeout_us,
        sums: table,
        rows,
    })
}

fn row(cell: &PlannedCell, m: &Measured, head: &Head, hz: u64) -> Result<Option<Row>, Error> {
    if m.fired == 0 && m.refusal.is_none() {
        return Ok(None);
    }
    let accepts = |field: &Option<u8>| *field != Some(3) && field.is_some();
    let land = match &cell.routing {
        crate::plan::Routing::Cpus(cpus) => cpus.first().copied(),
        _ => cell.fields.iter().position(accepts).map(|at| at as u8),
    };
    let Some((land, handover)) = land.zip(cell.special.handover) else {
        return Ok(None);
    };
    let (way, serve) = match handover {
        Handover::Direct => (Way::Direct, Some(land)),
        Handover::Store(cpu) => (Way::Store, Some(cpu)),
        Handover::Event(cpu) => (Way::Sev, Some(cpu)),
        Handover::Ipi(cpu) => (Way::Ipi, Some(cpu)),
        Handover::Floating(_) => (Way::Floating, None),
    };
    let cluster = |cpu: u8| {
        let mpidr = head.cpus.get(usize::from(cpu)).map(|c| c.mpidr.as_str());
        let digits = mpidr.and_then(|m| m.strip_prefix("0x"));
        digits
            .and_then(|m| u64::from_str_radix(m, 16).ok())
            .map(|m| m >> 8 & 0xffff)
    };
    let relation = match serve {
        None => Relation::Any,
        Some(cpu) if cpu == land => Relation::SameCpu,
        Some(cpu) if cluster(cpu) == cluster(land) => Relation::SameCluster,
        Some(_) => Relation::OtherCluster,
    };
    Ok(Some(Row {
        id: cell.id,
        land_cpu: land,
        serve_cpu: serve,
        way,
        relation,
        load: load_name(cell.special.load).to_owned(),
        fired: m.fired,
        served: m.served.clone(),
        landed: m.landed.clone(),
        lost: m.lost,
        duplicate: m.duplicate,
        total_ns: Percentiles::of(&m.histogram, m.latencies, m.min_ticks, m.max_ticks, hz)?,
        hand_ns: Percentiles::of(&m.second, m.seconds, m.min_second, m.max_second, hz)?,
        refused: m.refusal.map(describe),
    }))
}
