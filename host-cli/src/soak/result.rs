//! Result of `soak`; serialised it is the JSON schema "aicprobe.soak/1".

use protocol::LineId;
use protocol::message::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::latency::{Around, Cause, Moment};
use crate::plan::PlannedCell;
use crate::result::{Head, Line, Mark, MissBound};
use crate::session::Measured;
use crate::stats::{Percentiles, ticks_to_ns};

use super::interval::{ppm, rate};
use super::{Amount, Ask, Interval, Intervals, OverIntervals};

/// Everything a run of `soak` found; arrays by logical CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SoakResult {
    /// "aicprobe.soak/1".
    pub schema: String,
    /// Target, CPUs, clock, marks.
    #[serde(flatten)]
    pub head: Head,
    /// The line that was fired.
    pub line: Line,
    /// Who fired.
    pub fire_cpu: u8,
    /// SIQ_CFG fields asked for, by CPU; `null` = as found.
    pub fields_requested: Vec<Option<u8>>,
    /// CPUs that were expected to take it.
    pub expected: Vec<u8>,
    /// Triggers asked for; `null` where a duration was.
    pub triggers: Option<u64>,
    /// Duration asked for, in milliseconds; `null` where triggers were.
    pub duration_ms: Option<u64>,
    /// Length of an interval, in milliseconds.
    pub interval_ms: u32,
    /// Pause before every trigger, in microseconds.
    pub gap_us: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Largest latency that is no violation, in nanoseconds; `null` = any.
    pub max_latency_ns: Option<u32>,
    /// All of it together.
    pub totals: Totals,
    /// How the intervals differ.
    pub over_intervals: OverIntervals,
    /// Every so many intervals one is in `intervals`.
    pub kept_every: u64,
    /// The intervals, or every so many of them.
    pub intervals: Vec<Interval>,
    /// What ended it early; `null` if nothing did.
    pub violation: Option<Violation>,
}

impl SoakResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.soak/1";
}

/// All triggers together; arrays by logical CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries within the timeout.
    pub landed: Vec<u64>,
    /// Triggers not taken within the timeout.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries of a trigger.
    pub duplicate: u64,
    /// IRQ exceptions whose EVENT was 0 or another line.
    pub spurious: u64,
    /// Bound of the miss rate.
    pub miss_rate: MissBound,
    /// Measured time, in nanoseconds.
    pub elapsed_ns: u64,
    /// Triggers a second.
    pub rate_per_s: u64,
    /// From the trigger to the handler's entry; `null` if nothing landed.
    pub entry_ns: Option<Percentiles>,
    /// From there to the handler's end; `null` if nothing landed.
    pub handler_ns: Option<Percentiles>,
    /// Share of time that a CPU spent in the handler, in millionths.
    pub busy_ppm: Vec<u64>,
}

/// The first thing that was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// Measured time until the end of the interval that it ended, in nanoseconds.
    pub at_ns: u64,
    /// What it was, and the events around it. Triggers are counted from the first of the run.
    #[serde(flatten)]
    pub moment: Moment,
}

/// Makes the result.
///
/// # Errors
/// [`Error::Histogram`] if counts or percentiles cannot be.
pub fn result(
    mut head: Head,
    ask: &Ask,
    (line, expected): (LineId, Vec<u8>),
    cells: &[(PlannedCell, Measured)],
    mut intervals: Intervals,
    around: &Around,
) -> Result<SoakResult, Error> {
    let hz = head.counter.hz;
    let mut all = Measured::default();
    for (_, m) in cells {
        all.merge(m);
    }
    // How a run is cut into cells is nothing that it says anything about.
    head.marks
        .retain(|m| !(m.about.starts_with("cells[") && m.text.ends_with("triggers fired")));
    intervals.close();
    let intervals = intervals.checked()?;
    let violation = violation(cells, &all, around, hz);
    if intervals.every > 1 {
        let text = format!(
            "one interval in {} is kept of {}",
            intervals.every,
            intervals.over.done().intervals
        );
        head.marks.push(Mark::partial("intervals", text));
    }
    if intervals.untimed > 0 {
        let text = format!(
            "{} triggers are of a part whose length is unknown: they are in no interval and in no rate",
            intervals.untimed
        );
        head.marks.push(Mark::partial("intervals", text));
    }
    if around.is_damaged() {
        let text = "some events could not be unpacked";
        head.marks.push(Mark::partial("violation.events", text));
    }
    let (triggers, duration_ms) = match ask.amount {
        Amount::Triggers(n) => (Some(n), None),
        Amount::Duration(us) => (None, Some(us / 1000)),
    };
    let cell = cells.first().map(|(cell, _)| cell);
    Ok(SoakResult {
        schema: SoakResult::SCHEMA.to_owned(),
        totals: totals(&all, intervals.untimed, head.cpus.len(), hz)?,
        head,
        line: line.into(),
        fire_cpu: cell.map_or(0, |c| c.fire_cpu),
        fields_requested: cell.map_or_else(Vec::new, |c| c.fields.clone()),
        expected,
        triggers,
        duration_ms,
        interval_ms: ask.interval_ms,
        gap_us: ask.gap_us,
        timeout_us: ask.timeout_us,
        max_latency_ns: (ask.max_latency_ns > 0).then_some(ask.max_latency_ns),
        over_intervals: intervals.over.done(),
        kept_every: intervals.every,
        intervals: intervals.kept,
        violation,
    })
}

fn totals(all: &Measured, untimed: u64, cpus: usize, hz: u64) -> Result<Totals, Error> {
    let by_cpu = |counts: &[u64]| {
        let mut counts = counts.to_vec();
        counts.resize(cpus, 0);
        counts
    };
    let busy = by_cpu(&all.busy);
    Ok(Totals {
        fired: all.fired,
        landed: by_cpu(&all.landed),
        lost: all.lost,
        late: all.late,
        duplicate: all.duplicate,
        spurious: all.spurious,
        miss_rate: MissBound::of(all.lost, all.fired),
        elapsed_ns: ticks_to_ns(all.elapsed, hz),
        rate_per_s: rate(all.fired.saturating_sub(untimed), all.elapsed, hz),
        entry_ns: Percentiles::of(
            &all.histogram,
            all.latencies,
            all.min_ticks,
            all.max_ticks,
            hz,
        )?,
        handler_ns: Percentiles::of(&all.second, all.seconds, all.min_second, all.max_second, hz)?,
        busy_ppm: busy.iter().map(|n| ppm(*n, all.elapsed)).collect(),
    })
}

/// What ended the cell that was ended.
fn violation(
    cells: &[(PlannedCell, Measured)],
    all: &Measured,
    around: &Around,
    hz: u64,
) -> Option<Violation> {
    let at = cells.iter().position(|(_, m)| m.is_stopped())?;
    let (cell, m): &(PlannedCell, Measured) = &cells[at];
    let before: u64 = cells[..at].iter().map(|(_, m)| m.fired).sum();
    let otherwise = match m.refusal {
        Some(Refusal::Spike) => Cause::Entry,
        _ if m.spurious > 0 => Cause::Spurious,
        _ if m.lost > 0 => Cause::Lost,
        _ if m.duplicate > 0 => Cause::Duplicate,
        _ => Cause::Elsewhere,
    };
    let mut moment = around.moment(cell.id, &cell.special.stop, hz, otherwise);
    if let Some(trigger) = &mut moment.trigger {
        *trigger += before;
    }
    for event in &mut moment.events {
        event.trigger += before;
    }
    moment.tell(&cell.special.stop, cell.timeout_us);
    Some(Violation {
        at_ns: ticks_to_ns(all.elapsed, hz),
        moment,
    })
}
