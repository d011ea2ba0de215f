//! Counts again what the target counted, from its events.

use protocol::MAX_CPUS;
use protocol::event::{Malformed, SECOND, SERVED, unpack};
use protocol::latency::{BUCKETS, bucket};
use protocol::message::{Batch, CellResult, EventKind};

use crate::stats::Histogram;

/// CPUs that an event can name.
const CPUS: usize = 32;

/// Counts of the part of a cell whose events come.
pub struct Recount {
    landed: [u32; CPUS],
    served: [u32; CPUS],
    lost: u32,
    late: u32,
    duplicate: u32,
    unmasked: u32,
    first: Spread,
    second: Spread,
    handed_over: bool,
    events: u64,
}

/// A part of a cell, counted again.
#[derive(Clone, Debug, PartialEq)]
pub struct Recounted {
    /// Its counts: what events tell from them, the rest as the target said.
    pub part: CellResult,
    /// Latencies.
    pub histogram: Histogram,
    /// Second latencies.
    pub second: Histogram,
    /// Events that the target has counted and that did not come.
    pub dropped: u64,
    /// Numbers that are not those that the target counted, although every event came.
    pub differences: Vec<String>,
}

impl Default for Recount {
    fn default() -> Self {
        Self {
            landed: [0; CPUS],
            served: [0; CPUS],
            lost: 0,
            late: 0,
            duplicate: 0,
            unmasked: 0,
            first: Spread::default(),
            second: Spread::default(),
            handed_over: false,
            events: 0,
        }
    }
}

impl Recount {
    /// Takes events of the part.
    ///
    /// # Errors
    /// [`Malformed`]; what stood before the damage is counted.
    pub fn batch(&mut self, batch: &Batch) -> Result<(), Malformed> {
        let (second, served) = (batch.shape & SECOND != 0, batch.shape & SERVED != 0);
        self.handed_over |= served;
        for event in unpack(batch) {
            let event = event?;
            self.events += 1;
            match event.kind {
                EventKind::Landed | EventKind::Unmasked => {
                    self.unmasked += u32::from(event.kind == EventKind::Unmasked);
                    // The packed form has five bits for it.
                    self.landed[usize::from(event.cpu) % CPUS] += 1;
                    self.first.add(event.first);
                    if second {
                        self.second.add(event.second);
                    }
                    if served {
                        self.served[usize::from(event.served) % CPUS] += 1;
                    }
                }
                EventKind::Lost => self.lost += 1,
                EventKind::Late => self.late += 1,
                EventKind::Duplicate => self.duplicate += 1,
            }
        }
        Ok(())
    }

    /// Whether events have come that no part was made of.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// The part is over, the target has counted `said`; the next events are of another one.
    #[must_use]
    pub fn part(&mut self, said: &CellResult) -> Recounted {
        let (dropped, unresolved) = missing(said, self.events);
        let mut again = self.counts(said);
        again.part.fired += unresolved;
        let differences = if dropped == 0 {
            differences(said, &again.part)
        } else {
            Vec::new()
        };
        again.dropped = dropped;
        again.differences = differences;
        *self = Self::default();
        again
    }

    /// What the events say, in the form of `said`.
    fn counts(&mut self, said: &CellResult) -> Recounted {
        let by_cpu = |counts: &[u32; CPUS], cpus: usize| {
            let used = counts.iter().rposition(|n| *n != 0).map_or(0, |i| i + 1);
            counts[..cpus.max(used)]
                .iter()
                .copied()
                .take(MAX_CPUS)
                .collect()
        };
        let cpus = said.landed.len();
        let latencies = self.first.total;
        let part = CellResult {
            fired: latencies + self.lost,
            landed: by_cpu(&self.landed, cpus),
            lost: self.lost,
            late: self.late,
            duplicate: self.duplicate,
            latencies,
            from_unmask: self.unmasked,
            min_ticks: self.first.min(),
            max_ticks: self.first.max,
            seconds: self.second.total,
            min_second: self.second.min(),
            max_second: self.second.max,
            served: if self.handed_over {
                by_cpu(&self.served, cpus)
            } else {
                said.served.iter().map(|_| 0).collect()
            },
            ..said.clone()
        };
        Recounted {
            part,
            histogram: self.first.histogram(),
            second: self.second.histogram(),
            dropped: 0,
            differences: Vec::new(),
        }
    }
}

/// Of the events that the target counted and that did not come: how many it dropped, and how many triggers (one at most) have
/// none because the cell was refused before anybody knew what became of them.
pub(super) fn missing(said: &CellResult, came: u64) -> (u64, u32) {
    let counted = u64::from(said.fired) + u64::from(said.late) + u64::from(said.duplicate);
    match counted.saturating_sub(came) {
        1 if said.refusal.is_some() => (0, 1),
        n => (n, 0),
    }
}

/// Values of which events are the only source, as the target counted them and as they were counted again.
fn differences(said: &CellResult, again: &CellResult) -> Vec<String> {
    let mut found = Vec::new();
    for (what, said, again) in [
        ("fired", u64::from(said.fired), u64::from(again.fired)),
        ("lost", said.lost.into(), again.lost.into()),
        ("late", said.late.into(), again.late.into()),
        ("duplicate", said.duplicate.into(), again.duplicate.into()),
        ("latencies", said.latencies.into(), again.latencies.into()),
        (
            "from_unmask",
            said.from_unmask.into(),
            again.from_unmask.into(),
        ),
        ("min_ticks", said.min_ticks, again.min_ticks),
        ("max_ticks", said.max_ticks, again.max_ticks),
        ("seconds", said.seconds.into(), again.seconds.into()),
        ("min_second", said.min_second, again.min_second),
        ("max_second", said.max_second, again.max_second),
    ] {
        if said != again {
            found.push(format!(
                "{what}: the target counted {said}, its events say {again}"
            ));
        }
    }
    for (what, said, again) in [
        ("landed", &said.landed, &again.landed),
        ("served", &said.served, &again.served),
    ] {
        if said != again {
            found.push(format!(
                "{what}: the target counted {said:?}, its events say {again:?}"
            ));
        }
    }
    found
}

/// Latencies in their buckets.
struct Spread {
    counts: Vec<u32>,
    total: u32,
    min: u64,
    max: u64,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            counts: Vec::new(),
            total: 0,
            min: u64::MAX,
            max: 0,
        }
    }
}

impl Spread {
    #[inline]
    fn add(&mut self, ticks: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS];
        }
        self.counts[usize::from(bucket(ticks))] += 1;
        self.total += 1;
        self.min = self.min.min(ticks);
        self.max = self.max.max(ticks);
    }

    /// The smallest, 0 if there are none: as the target says it.
    const fn min(&self) -> u64 {
        if self.total == 0 { 0 } else { self.min }
    }

    fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        for (bucket, count) in (0u16..).zip(&self.counts) {
            if *count != 0 {
                // There are no other buckets than these.
                let _ = histogram.add(bucket, *count);
            }
        }
        histogram
    }
}
