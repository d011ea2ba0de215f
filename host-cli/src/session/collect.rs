//! What the firmware has said, put together.

use protocol::message::{
    self, CellResult, CpuInfo, Fault, FiqResult, Hello, IpiResult, Reading, Refusal, Restored,
    StormResult, WfiResult,
};

use crate::stats::{Histogram, HistogramError};

/// Counts of a cell; arrays by logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
