//! Intervals as they come.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::session::{Event, Measured};
use crate::stats::{Latency, ticks_to_ns};

use super::spread::Over;

/// Part of an interval's length that counts as whole: the firmware ends it between two triggers.
const WHOLE_PERCENT: u64 = 95;

/// One interval; arrays by logical CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// From 0.
    pub index: u64,
    /// Measured time before it, in nanoseconds.
    pub from_ns: u64,
    /// Its length, in nanoseconds.
    pub elapsed_ns: u64,
    /// Triggers fired.
    pub fired: u64,
    /// Triggers a second.
    pub rate_per_s: u64,
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
    /// From the trigger to the handler's entry, in nanoseconds; `null` if nothing landed.
    pub latency_ns: Option<Latency>,
    /// Share of time that a CPU spent in the handler, in millionths.
    pub busy_ppm: Vec<u64>,
}

/// Part of a whole in millionths, rounded to nearest; 0 of nothing.
pub(super) fn ppm(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let ppm = (part * 1_000_000 + whole / 2).checked_div(whole);
    ppm.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

/// Triggers a second, rounded to nearest; 0 in no time.
pub(super) fn rate(fired: u64, ticks: u64, hz: u64) -> u64 {
    let (fired, ticks) = (u128::from(fired), u128::from(ticks));
    let rate = (fired * u128::from(hz) + ticks / 2).checked_div(ticks);
    rate.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

impl Interval {
    fn of(m: &Measured, index: u64, before: u64, hz: u64, cpus: usize) -> Result<Self, Error> {
        let latency = m
            .histogram
            .latency(m.latencies, m.min_ticks, m.max_ticks)?
            .map(|l| l.to_ns(hz).checked())
            .transpose()?;
        let by_cpu = |counts: &[u64]| {
            let mut counts = counts.to_vec();
            counts.resize(cpus, 0);
            counts
        };
        let busy = by_cpu(&m.busy);
        Ok(Self {
            index,
            from_ns: ticks_to_ns(before, hz),
            elapsed_ns: ticks_to_ns(m.elapsed, hz),
            fired: m.fired,
            rate_per_s: rate(m.fired, m.elapsed, hz),
            landed: by_cpu(&m.landed),
            lost: m.lost,
            late: m.late,
            duplicate: m.duplicate,
            spurious: m.spurious,
            latency_ns: latency,
            busy_ppm: busy.iter().map(|n| ppm(*n, m.elapsed)).collect(),
        })
    }
}

/// Makes intervals of the parts that a session tells of. What it keeps is bounded.
pub struct Intervals {
    /// Ticks of a whole interval.
    whole: u64,
    hz: u64,
    cpus: usize,
    /// Parts of the interval that is not whole yet.
    open: Measured,
    /// Ticks before it.
    before: u64,
    pub(super) over: Over,
    pub(super) kept: Vec<Interval>,
    most: usize,
    /// Every so many intervals one is kept.
    pub(super) every: u64,
    next: u64,
    /// Triggers of a part whose length is unknown: that in which a file of raw events is cut.
    pub(super) untimed: u64,
    failure: Option<Error>,
}

impl Intervals {
    /// Intervals of `interval_ms` on a counter of `hz`, for `cpus` CPUs; at most `keep` are kept (at least one).
    #[must_use]
    pub fn new(interval_ms: u32, hz: u64, cpus: usize, keep: usize) -> Self {
        let ticks = u128::from(interval_ms) * u128::from(hz) / 1000;
        let whole = u64::try_from(ticks).unwrap_or(u64::MAX);
        Self {
            whole: (whole / 100).saturating_mul(WHOLE_PERCENT).max(1),
            hz,
            cpus,
            open: Measured::default(),
            before: 0,
            over: Over::default(),
            kept: Vec::new(),
            most: keep.max(1),
            every: 1,
            next: 0,
            untimed: 0,
            failure: None,
        }
    }

    /// Notes what a session tells; the interval that ends with it, if one does.
    pub fn on(&mut self, event: &Event<'_>) -> Option<Interval> {
        let Event::Part { counts, .. } = event else {
            return None;
        };
        if counts.elapsed == 0 {
            self.untimed += counts.fired;
            return None;
        }
        self.open.merge(counts);
        if self.open.elapsed < self.whole {
            return None;
        }
        self.close()
    }

    /// What is left at the end: an interval that is not whole.
    pub fn close(&mut self) -> Option<Interval> {
        let open = std::mem::take(&mut self.open);
        if open.fired == 0 {
            return None;
        }
        let made = Interval::of(&open, self.next, self.before, self.hz, self.cpus);
        self.before += open.elapsed;
        self.next += 1;
        match made {
            Ok(interval) => {
                self.over.add(&interval);
                self.keep(&interval);
                Some(interval)
            }
            Err(e) => {
                self.failure.get_or_insert(e);
                None
            }
        }
    }

    /// Where there is no room for more, every second one goes.
    fn keep(&mut self, interval: &Interval) {
        if !interval.index.is_multiple_of(self.every) {
            return;
        }
        if self.kept.len() == self.most {
            self.every *= 2;
            let every = self.every;
            self.kept.retain(|i| i.index.is_multiple_of(every));
            if !interval.index.is_multiple_of(every) {
                return;
            }
        }
        if self.kept.len() < self.most {
            self.kept.push(interval.clone());
        }
    }

    /// The intervals, if all of their counts could be.
    ///
    /// # Errors
    /// [`Error::Histogram`].
    pub fn checked(mut self) -> Result<Self, Error> {
        match self.failure.take() {
            Some(e) => Err(e),
            None => Ok(self),
        }
    }
}
