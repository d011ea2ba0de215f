//! What the firmware has said, put together.

use protocol::command::Stop;
use protocol::message::{
    self, CellResult, CpuInfo, Fault, FiqResult, Hello, IpiResult, Reading, Refusal, Restored,
    StormResult, WfiResult,
};
use serde::{Deserialize, Serialize};

use crate::stats::{Histogram, HistogramError, ticks_above};

/// Counts of a cell; arrays by logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// SIQ_CFG fields read back.
    pub fields: Vec<u8>,
    /// The fields were not the same in every part of the cell.
    pub fields_changed: bool,
    /// See [`CellResult`], for this and all that follows.
    pub fired: u64,
    /// First deliveries.
    pub landed: Vec<u64>,
    /// Seen pending while masked.
    pub offered: Vec<u64>,
    /// Not taken in time.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Taken again.
    pub duplicate: u64,
    /// EVENT was 0 or another line.
    pub spurious: u64,
    /// Latencies measured.
    pub latencies: u64,
    /// Of these, counted from an unmask.
    pub from_unmask: u64,
    /// Smallest, in ticks.
    pub min_ticks: u64,
    /// Largest, in ticks.
    pub max_ticks: u64,
    /// Their histogram.
    pub histogram: Histogram,
    /// Second latencies measured: how long handlers took, or from a handler's entry to the service.
    pub seconds: u64,
    /// Smallest, in ticks.
    pub min_second: u64,
    /// Largest, in ticks.
    pub max_second: u64,
    /// Their histogram.
    pub second: Histogram,
    /// Ticks that handlers of the line took, by CPU; empty unless timed.
    pub busy: Vec<u64>,
    /// Triggers served, by serving CPU; empty without a hand-over.
    pub served: Vec<u64>,
    /// Ticks that the parts took.
    pub elapsed: u64,
    /// Triggers for which each step's answer was yes.
    pub hits: Vec<u64>,
    /// Triggers that left a mask behind.
    pub left_masked: u64,
    /// Why it stopped early.
    pub refusal: Option<Refusal>,
    /// Every trigger was fired.
    pub complete: bool,
}

impl Measured {
    /// Adds one part of the cell. One that was given back before it began says nothing.
    pub fn add(&mut self, part: &CellResult) {
        let aborted = part.refusal == Some(Refusal::Aborted);
        if aborted && part.fired == 0 {
            return;
        }
        let first = self.fired == 0 && self.fields.is_empty();
        self.fields_changed |=
            !first && part.refusal.is_none() && self.fields[..] != part.fields[..];
        if first {
            self.fields = part.fields.to_vec();
        }
        add_by_cpu(&mut self.landed, &part.landed);
        add_by_cpu(&mut self.offered, &part.offered);
        add_by_cpu(&mut self.hits, &part.hits);
        if part.latencies > 0 {
            self.min_ticks = match self.latencies {
                0 => part.min_ticks,
                _ => self.min_ticks.min(part.min_ticks),
            };
            self.max_ticks = self.max_ticks.max(part.max_ticks);
        }
        add_by_cpu(&mut self.busy, &part.busy);
        add_by_cpu(&mut self.served, &part.served);
        self.elapsed += part.elapsed;
        if part.seconds > 0 {
            self.min_second = match self.seconds {
                0 => part.min_second,
                _ => self.min_second.min(part.min_second),
            };
            self.max_second = self.max_second.max(part.max_second);
        }
        for (sum, n) in [
            (&mut self.fired, part.fired),
            (&mut self.seconds, part.seconds),
            (&mut self.lost, part.lost),
            (&mut self.late, part.late),
            (&mut self.duplicate, part.duplicate),
            (&mut self.spurious, part.spurious),
            (&mut self.latencies, part.latencies),
            (&mut self.from_unmask, part.from_unmask),
            (&mut self.left_masked, part.left_masked),
        ] {
            *sum += u64::from(n);
        }
        if self.refusal.is_none() && !aborted {
            self.refusal = part.refusal;
        }
    }

    /// Adds the counts of another cell, or of another part of this one. Fields, refusal and completeness stay.
    pub fn merge(&mut self, other: &Self) {
        for (sums, counts) in [
            (&mut self.landed, &other.landed),
            (&mut self.offered, &other.offered),
            (&mut self.hits, &other.hits),
            (&mut self.busy, &other.busy),
            (&mut self.served, &other.served),
        ] {
            if sums.len() < counts.len() {
                sums.resize(counts.len(), 0);
            }
            for (sum, n) in sums.iter_mut().zip(counts) {
                *sum += n;
            }
        }
        for (count, min, max, n, low, high) in [
            (
                self.latencies,
                &mut self.min_ticks,
                &mut self.max_ticks,
                other.latencies,
                other.min_ticks,
                other.max_ticks,
            ),
            (
                self.seconds,
                &mut self.min_second,
                &mut self.max_second,
                other.seconds,
                other.min_second,
                other.max_second,
            ),
        ] {
            if n > 0 {
                *min = if count == 0 { low } else { low.min(*min) };
                *max = high.max(*max);
            }
        }
        self.histogram.merge(&other.histogram);
        self.second.merge(&other.second);
        for (sum, n) in [
            (&mut self.fired, other.fired),
            (&mut self.lost, other.lost),
            (&mut self.late, other.late),
            (&mut self.duplicate, other.duplicate),
            (&mut self.spurious, other.spurious),
            (&mut self.latencies, other.latencies),
            (&mut self.from_unmask, other.from_unmask),
            (&mut self.seconds, other.seconds),
            (&mut self.elapsed, other.elapsed),
            (&mut self.left_masked, other.left_masked),
        ] {
            *sum += n;
        }
    }

    /// Whether the cell was ended by its [`protocol::command::Stop`].
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        matches!(self.refusal, Some(Refusal::Spike | Refusal::Wrong))
    }

    /// Adds part of the histogram.
    ///
    /// # Errors
    /// [`HistogramError::Bucket`].
    pub fn add_latencies(&mut self, chunk: &message::LatencyChunk) -> Result<(), HistogramError> {
        let histogram = if chunk.second {
            &mut self.second
        } else {
            &mut self.histogram
        };
        for (bucket, count) in &chunk.counts {
            histogram.add(*bucket, *count)?;
        }
        Ok(())
    }
}

/// Why a cell with such a `stop` is over after `part`, by its counts on a counter of `hz`: also where what ended it came in the
/// last triggers of the part, so that the firmware did not stop. A threshold of both latencies is not among it.
#[must_use]
pub fn stopped_by(part: &CellResult, stop: &Stop, hz: u64) -> Option<Refusal> {
    let wrong = part.lost + part.late + part.duplicate + part.spurious > 0;
    let mut elsewhere = (0..).zip(&part.landed);
    let elsewhere = elsewhere.any(|(cpu, n): (u32, _)| *n > 0 && stop.expected >> cpu & 1 == 0);
    if part.refusal.is_some_and(|r| r != Refusal::Aborted) {
        part.refusal
    } else if stop.wrong && wrong || stop.expected != 0 && elsewhere {
        Some(Refusal::Wrong)
    } else if stop.first_ns > 0 && ticks_above(part.max_ticks, stop.first_ns, hz) {
        Some(Refusal::Spike)
    } else {
        part.refusal
    }
}

/// Adds counts by CPU, making room for CPUs not seen before.
pub fn add_by_cpu(sums: &mut Vec<u64>, counts: &[u32]) {
    if sums.len() < counts.len() {
        sums.resize(counts.len(), 0);
    }
    for (sum, n) in sums.iter_mut().zip(counts) {
        *sum += u64::from(*n);
    }
}

/// Answers outside cells.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Greeting.
    pub hello: Option<Hello>,
    /// What each CPU said of itself, by logical id.
    pub cpus: Vec<Option<CpuInfo>>,
    /// Answer to opening: software-pending lines, unmasked lines, CONFIG.
    pub opened: Option<Opened>,
    /// Answer to closing.
    pub restored: Option<Restored>,
    /// First CPU that stopped.
    pub fault: Option<Fault>,
    /// Every one of them, as they came.
    pub faults: Vec<Fault>,
    /// Answers to the plan's questions, in their order.
    pub replies: Vec<Reply>,
}

/// The answer to a [`crate::plan::Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// To `Ipi`.
    Ipi(IpiResult),
    /// To `Wfi`.
    Wfi(WfiResult),
    /// To `Storm`.
    Storm(Box<StormResult>),
    /// To `Fiq`.
    Fiq(FiqResult),
    /// To `Read` and `WriteBack`.
    Register {
        /// Logical CPU.
        cpu: u8,
        /// `None` if it is not in the firmware.
        reading: Option<Reading>,
    },
}

/// What was found when the controller was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Lines found set by software.
    pub software_pending: u32,
    /// Lines found unmasked.
    pub unmasked: u32,
    /// CONFIG.
    pub config: u32,
}

/// A refusal in words.
#[must_use]
pub fn describe(refusal: Refusal) -> String {
    match refusal {
        Refusal::NotOpen => "the controller was not opened".into(),
        Refusal::Line => "the firmware does not accept the line".into(),
        Refusal::Cpu(cpu) => format!("CPU {cpu} is not in the firmware"),
        Refusal::Field(cpu) => format!("the field for CPU {cpu} is above 3"),
        Refusal::MaskedTwice(cpu) => format!("CPU {cpu} is masked twice"),
        Refusal::Triggers => "zero triggers".into(),
        Refusal::LineBusy => "the line became high or set without us".into(),
        Refusal::SiqCfg { cpu, esr: 0 } => {
            format!("SIQ_CFG of CPU {cpu} does not keep what is written")
        }
        Refusal::SiqCfg { cpu, esr } => {
            format!("writing SIQ_CFG of CPU {cpu} traps, ESR {esr:#x}")
        }
        Refusal::WorkerSilent(cpu) => format!("CPU {cpu} did not answer its mailbox"),
        Refusal::WorkerFault(cpu) => format!("CPU {cpu} has stopped with a fault"),
        Refusal::Storm => "the line fires without end: it was left masked".into(),
        Refusal::NotEnabled => {
            "the controller does not take ENABLE in its CONFIG: what is not delivered then says \
             nothing about routing"
                .into()
        }
        Refusal::Aborted => "it was stopped".into(),
        Refusal::Spike => "a latency was above its threshold".into(),
        Refusal::Wrong => "an interrupt was lost, late, taken twice or taken by another CPU".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(fired: u32, landed: &[u32], min: u64, max: u64) -> CellResult {
        CellResult {
            id: 0,
            refusal: None,
            fields: [0, 3].into_iter().collect(),
            fired,
            landed: landed.iter().copied().collect(),
            offered: [1, 0].into_iter().collect(),
            lost: 1,
            late: 0,
            duplicate: 2,
            spurious: 0,
            latencies: fired,
            from_unmask: 0,
            min_ticks: min,
            max_ticks: max,
            hits: Default::default(),
            left_masked: 0,
            elapsed: 10,
            seconds: fired,
            min_second: min,
            max_second: max,
            busy: [7, 0].into_iter().collect(),
            served: Default::default(),
        }
    }

    #[test]
    fn parts_add_up() {
        let mut m = Measured::default();
        m.add(&part(3, &[3, 0], 5, 9));
        m.add(&part(0, &[0, 0], 0, 0));
        m.add(&part(4, &[1, 3], 4, 7));
        assert_eq!(
            (m.fired, &m.landed[..], &m.offered[..]),
            (7, &[4, 3][..], &[3, 0][..])
        );
        assert_eq!(
            (m.min_ticks, m.max_ticks, m.lost, m.duplicate),
            (4, 9, 3, 6)
        );
        assert_eq!(
            (m.elapsed, m.min_second, &m.busy[..]),
            (30, 4, &[21, 0][..])
        );
        assert!(!m.fields_changed);
        let mut other = part(1, &[1, 0], 5, 5);
        other.fields[1] = 2;
        other.refusal = Some(Refusal::Storm);
        m.add(&other);
        assert!(
            !m.fields_changed,
            "a refused part may not have set its fields"
        );
        other.refusal = None;
        m.add(&other);
        assert!(m.fields_changed);
        assert_eq!(m.refusal, Some(Refusal::Storm));
    }

    #[test]
    fn what_came_too_late_for_the_firmware_stops_as_well() {
        let stop = Stop {
            first_ns: 8,
            both_ns: 0,
            wrong: true,
            expected: 0b01,
        };
        let clean = CellResult {
            lost: 0,
            duplicate: 0,
            ..part(3, &[3, 0], 5, 8)
        };
        let by = |part: &CellResult| stopped_by(part, &stop, 1_000_000_000);
        assert_eq!(by(&clean), None);
        let spike = CellResult {
            max_ticks: 9,
            ..clean.clone()
        };
        assert_eq!(by(&spike), Some(Refusal::Spike));
        let mut elsewhere = clean.clone();
        elsewhere.landed[1] = 1;
        let spurious = CellResult {
            spurious: 1,
            ..clean.clone()
        };
        for wrong in [&part(3, &[3, 0], 5, 8), &elsewhere, &spurious] {
            assert_eq!(by(wrong), Some(Refusal::Wrong));
            assert_eq!(stopped_by(wrong, &Stop::default(), 1), None);
        }
        for (told, refusal) in [
            (Refusal::Storm, Refusal::Storm),
            (Refusal::Aborted, Refusal::Spike),
        ] {
            let told = CellResult {
                refusal: Some(told),
                ..spike.clone()
            };
            assert_eq!(by(&told), Some(refusal));
        }
        let stopped = CellResult {
            refusal: Some(Refusal::Aborted),
            ..clean
        };
        assert_eq!(by(&stopped), Some(Refusal::Aborted));
    }

    #[test]
    fn merged_parts_are_as_parts_added() {
        let parts = [part(3, &[3, 0], 5, 9), part(4, &[1, 3], 4, 7)];
        let mut added = Measured::default();
        let mut merged = Measured::default();
        for part in &parts {
            added.add(part);
            let mut alone = Measured::default();
            alone.add(part);
            merged.merge(&alone);
        }
        merged.merge(&Measured::default());
        merged.fields.clone_from(&added.fields);
        assert_eq!(merged, added);
    }

    #[test]
    fn what_was_stopped_is_no_refusal() {
        let mut m = Measured::default();
        let mut stopped = part(0, &[0, 0], 0, 0);
        stopped.refusal = Some(Refusal::Aborted);
        stopped.fields = [0xff, 0xff].into_iter().collect();
        m.add(&stopped);
        assert_eq!(m, Measured::default());
        m.add(&part(3, &[3, 0], 5, 9));
        stopped = part(2, &[2, 0], 5, 9);
        stopped.refusal = Some(Refusal::Aborted);
        m.add(&stopped);
        assert_eq!((m.fired, m.refusal, m.fields_changed), (5, None, false));
    }
}
