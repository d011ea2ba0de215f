//! Result of `latency`; serialised it is the JSON schema "aicprobe.latency/1".
//!
//! Latencies are in nanoseconds: from the SW_SET store to the first instruction of the handler that reads the clock ("entry"), and
//! from there to the handler's end ("handler").

use protocol::latency::bounds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan::PlannedCell;
use crate::result::{Head, Line, Mark, MissBound};
use crate::session::{Measured, describe};
use crate::stats::{Histogram, Percentiles, ticks_to_ns};

use super::{Around, Ask, Cause, Moment, Pairs, Setting};

/// Everything a run of `latency` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyResult {
    /// "aicprobe.latency/1".
    pub schema: String,
    /// Target, CPUs, clock, marks.
    #[serde(flatten)]
    pub head: Head,
    /// The line that was fired.
    pub line: Line,
    /// Triggers of a cell.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Pause before every trigger, in microseconds.
    pub gap_us: u32,
    /// What ends the run.
    pub thresholds: Thresholds,
    /// A row for every pair of CPUs and setting, in the order in which they were measured.
    pub pairs: Vec<Pair>,
    /// The spike that ended the run; `null` without one.
    pub spike: Option<Spike>,
}

impl LatencyResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.latency/1";
}

/// Latencies above which the run ends, in nanoseconds; `null` = none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Thresholds {
    /// To the handler's entry.
    pub entry_ns: Option<u32>,
    /// To the handler's end.
    pub total_ns: Option<u32>,
}

/// One firing CPU, one landing CPU, one setting. Arrays are by logical CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// Number of the cell.
    pub cell: u32,
    /// What the other CPUs do.
    pub load: Setting,
    /// Which those are.
    pub loaded: Vec<u8>,
    /// Who fires.
    pub fire_cpu: u8,
    /// Who is to take it: the only CPU that accepts.
    pub land_cpu: u8,
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries within the timeout.
    pub landed: Vec<u64>,
    /// Triggers not taken within the timeout.
    pub lost: u64,
    /// Of the lost, taken before the cell ended.
    pub late: u64,
    /// Further deliveries of a trigger.
    pub duplicate: u64,
    /// IRQ exceptions whose EVENT was 0 or another line.
    pub spurious: u64,
    /// Bound of the miss rate.
    pub miss_rate: MissBound,
    /// To the handler's entry; `null` if nothing landed.
    pub entry_ns: Option<Percentiles>,
    /// Of the handler; `null` if nothing landed.
    pub handler_ns: Option<Percentiles>,
    /// Counts of `entry_ns`.
    pub entry_histogram: Vec<Bucket>,
    /// Counts of `handler_ns`.
    pub handler_histogram: Vec<Bucket>,
    /// Why the cell stopped early; `null` if it did not.
    pub refused: Option<String>,
}

/// Part of a histogram: the target counts in buckets whose bounds are less than 1 % apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    /// Smallest value, in nanoseconds.
    pub from_ns: u64,
    /// Largest value, in nanoseconds.
    pub to_ns: u64,
    /// How many.
    pub count: u64,
}

/// Where the run ended by a threshold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spike {
    /// Number of the cell.
    pub cell: u32,
    /// What the other CPUs did.
    pub load: Setting,
    /// Who fired.
    pub fire_cpu: u8,
    /// Who was to take it.
    pub land_cpu: u8,
    /// What it was, and the events around it.
    #[serde(flatten)]
    pub moment: Moment,
}

/// The buckets of a histogram of ticks of a counter of `hz`, ascending.
#[must_use]
pub fn buckets(histogram: &Histogram, hz: u64) -> Vec<Bucket> {
    let bucket = |(bucket, count)| {
        let (low, high) = bounds(bucket);
        Bucket {
            from_ns: ticks_to_ns(low, hz),
            to_ns: ticks_to_ns(high, hz),
            count,
        }
    };
    histogram.iter().map(bucket).collect()
}

/// Makes the result.
///
/// # Errors
/// [`Error::Histogram`] if counts or percentiles cannot be.
pub fn result(
    mut head: Head,
    ask: &Ask,
    planned: &Pairs,
    line: protocol::LineId,
    cells: &[(PlannedCell, Measured)],
    around: &Around,
) -> Result<LatencyResult, Error> {
    let hz = head.counter.hz;
    let cpus = head.cpus.len();
    let (mut pairs, mut spike) = (Vec::new(), None);
    for (cell, m) in cells {
        let Some((load, land_cpu)) = planned.of.get(cell.id as usize).copied() else {
            continue;
        };
        if m.fired == 0 && m.refusal.is_none() {
            continue;
        }
        let by_cpu = |counts: &[u64]| {
            let mut counts = counts.to_vec();
            counts.resize(cpus, 0);
            counts
        };
        let special = &cell.special;
        let pair = Pair {
            cell: cell.id,
            load,
            loaded: (0..32).filter(|c| special.loaded >> c & 1 == 1).collect(),
            fire_cpu: cell.fire_cpu,
            land_cpu,
            fired: m.fired,
            landed: by_cpu(&m.landed),
            lost: m.lost,
            late: m.late,
            duplicate: m.duplicate,
            spurious: m.spurious,
            miss_rate: MissBound::of(m.lost, m.fired),
            entry_ns: Percentiles::of(&m.histogram, m.latencies, m.min_ticks, m.max_ticks, hz)?,
            handler_ns: Percentiles::of(&m.second, m.seconds, m.min_second, m.max_second, hz)?,
            entry_histogram: buckets(&m.histogram, hz),
            handler_histogram: buckets(&m.second, hz),
            refused: m.refusal.map(describe),
        };
        let elsewhere: u64 = (0u8..)
            .zip(&pair.landed)
            .filter(|(cpu, _)| *cpu != land_cpu)
            .map(|(_, n)| n)
            .sum();
        if elsewhere > 0 {
            let text = format!(
                "{elsewhere} of {} landed on another CPU than {land_cpu}: their latencies are among the counts",
                m.fired
            );
            let about = format!("pairs[{}]", pairs.len());
            head.marks.push(Mark::note(&about, text));
        }
        if m.is_stopped() {
            let mut moment = around.moment(cell.id, &special.stop, hz, Cause::Entry);
            moment.tell(&special.stop, cell.timeout_us);
            spike = Some(Spike {
                cell: cell.id,
                load,
                fire_cpu: cell.fire_cpu,
                land_cpu,
                moment,
            });
        }
        pairs.push(pair);
    }
    // One mark for all cells that were not reached.
    head.marks
        .retain(|m| !(m.about.starts_with("cells[") && m.text.starts_with("0 of ")));
    let (measured, of) = (pairs.len(), planned.plan.cells.len());
    if measured < of {
        let text = format!("{measured} of {of} pairs and settings were measured");
        head.marks.push(Mark::partial("pairs", text));
    }
    if around.is_damaged() {
        let text = "some events could not be unpacked";
        head.marks.push(Mark::partial("spike.events", text));
    }
    head.marks.extend(planned.marks.iter().cloned());
    let threshold = |ns: u32| (ns > 0).then_some(ns);
    Ok(LatencyResult {
        schema: LatencyResult::SCHEMA.to_owned(),
        head,
        line: line.into(),
        triggers: ask.triggers,
        timeout_us: ask.timeout_us,
        gap_us: ask.gap_us,
        thresholds: Thresholds {
            entry_ns: threshold(ask.stop_entry_ns),
            total_ns: threshold(ask.stop_total_ns),
        },
        pairs,
        spike,
    })
}
