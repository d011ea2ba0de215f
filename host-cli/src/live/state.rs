//! What the dashboard knows: made from a session's events and the times at which they came, without a terminal.

use std::time::Duration;

use crate::plan::{Plan, PlannedCell, Question, cell_us};
use crate::result::{CpuState, Mark, MarkKind};
use crate::session::{Event, Measured};
use crate::target::{CpuFacts, Target};

use super::series::{Last, Rate};

/// Latencies kept: more than any terminal is wide.
const PARTS: usize = 512;
/// Lines of the log kept for the screen.
const LINES: usize = 100;
/// Lines kept for standard error.
const HELD: usize = 1000;
/// A time without any sign of life after which the link counts as silent. A slice takes 20 ms, and longer only while one
/// trigger of the plan does.
const SILENT: Duration = Duration::from_secs(2);

/// A plan tells nothing about its end before it has run for so long.
const SETTLE: Duration = Duration::from_secs(1);

/// What is known before the session starts.
#[derive(Clone, Debug)]
pub struct About {
    /// The target as the user named it.
    pub target: String,
    /// Chip and board.
    pub machine: String,
    /// Every number is a model's answer.
    pub model: bool,
    /// CPUs by logical id.
    pub cpus: Vec<CpuFacts>,
    /// Cells planned; 0 if nobody knows yet.
    pub cells: usize,
    /// Triggers planned.
    pub triggers: u64,
    /// How long the cells take if everything is delivered, in microseconds of the target's clock.
    pub expected_us: u128,
    /// It ends when its time is over: how much of it is done is not told by its cells.
    pub ends_by_time: bool,
}

impl About {
    /// A run of `plan`, which may be empty: then the session's events tell how many cells there are.
    #[must_use]
    pub fn new(name: &str, target: &Target, marks: &[Mark], plan: &Plan) -> Self {
        let soc = &target.soc;
        let machine = [soc.title(), &soc.board];
        let ends_by_time = plan.until.duration_us.is_some();
        Self {
            target: name.to_owned(),
            machine: machine.join(" ").trim_end().to_owned(),
            model: marks.iter().any(|m| m.kind == MarkKind::ModelOnly),
            cpus: target.cpus.clone(),
            cells: plan.cells.len(),
            triggers: if ends_by_time {
                0
            } else {
                plan.cells.iter().map(|c| u64::from(c.triggers)).sum()
            },
            expected_us: plan.cells.iter().map(cell_us).sum(),
            ends_by_time,
        }
    }
}

/// Counts that are shown; `landed` by logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Triggers.
    pub fired: u64,
    /// Where they landed.
    pub landed: Vec<u64>,
    /// Not taken in time.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Taken again.
    pub duplicate: u64,
    /// EVENT was 0 or another line.
    pub spurious: u64,
}

impl Counts {
    fn of(m: &Measured) -> Self {
        Self {
            fired: m.fired,
            landed: m.landed.clone(),
            lost: m.lost,
            late: m.late,
            duplicate: m.duplicate,
            spurious: m.spurious,
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        if self.landed.len() < other.landed.len() {
            self.landed.resize(other.landed.len(), 0);
        }
        for (sum, n) in self.landed.iter_mut().zip(&other.landed) {
            *sum += n;
        }
        self.fired += other.fired;
        self.lost += other.lost;
        self.late += other.late;
        self.duplicate += other.duplicate;
        self.spurious += other.spurious;
    }
}

/// The cell that is being measured, or was last.
#[derive(Clone, Debug)]
pub struct Current {
    /// The cell.
    pub cell: PlannedCell,
    /// SIQ_CFG fields read back; empty before its first part is over.
    pub fields: Vec<u8>,
    /// Its counts so far.
    pub counts: Counts,
    /// It is over, and its counts are in those of all cells.
    pub over: bool,
}

/// How the link does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Answers come.
    Connected,
    /// An answer is missing, for so long.
    Asking(Duration),
    /// Nothing was heard, for so long.
    Silent(Duration),
    /// Given up.
    Lost,
}

/// What the dashboard shows.
#[derive(Clone, Debug)]
pub struct State {
    /// What was known before.
    pub about: About,
    /// What is being done.
    pub step: String,
    /// State of each CPU, once known.
    pub cpus: Vec<CpuState>,
    /// Hertz of the target's counter; 0 if not known.
    pub counter_hz: u64,
    /// Cells that are over, and how many there are.
    pub cells: (usize, usize),
    /// The question that is asked: its index, how many there are, and its kind.
    pub question: Option<(usize, usize, &'static str)>,
    /// The cell of the last event.
    pub current: Option<Current>,
    /// p50 and p99 of each part of a cell, in ticks.
    pub latencies: Last<(u64, u64)>,
    /// Exchanges with the loader that were repeated.
    pub retries: u64,
    /// The last lines, for the screen.
    pub log: Last<String>,
    /// The user wants to stop.
    pub stopping: bool,
    /// Counts of the cells that are over.
    done: Counts,
    done_us: u128,
    rate: Rate,
    begun: Duration,
    measuring: Option<Duration>,
    heard: Duration,
    asked: Option<Duration>,
    lost: bool,
    /// Lines for standard error, and how many did not fit.
    held: Last<String>,
    left_out: u64,
}

impl State {
    /// Of a session that begins now.
    #[must_use]
    pub fn new(about: About, now: Duration) -> Self {
        Self {
            cells: (0, about.cells),
            about,
            step: String::new(),
            cpus: Vec::new(),
            counter_hz: 0,
            question: None,
            current: None,
            latencies: Last::new(PARTS),
            retries: 0,
            log: Last::new(LINES),
            stopping: false,
            done: Counts::default(),
            done_us: 0,
            rate: Rate::default(),
            begun: now,
            measuring: None,
            heard: now,
            asked: None,
            lost: false,
            held: Last::new(HELD),
            left_out: 0,
        }
    }

    /// Something happened in the session.
    pub fn on(&mut self, event: &Event<'_>, now: Duration) {
        match event {
            Event::Step(step) => (*step).clone_into(&mut self.step),
            Event::Started {
                counter_hz, cpus, ..
            } => self.start(*counter_hz, cpus, now),
            Event::Link { retries, lost } => {
                self.retries = *retries;
                self.lost = *lost;
            }
            Event::Asked { at, of, question } => {
                if *at == 0 {
                    // What the cells took says nothing about questions.
                    self.measuring = Some(now);
                }
                self.question = Some((*at, *of, kind(question)));
            }
            Event::Progress { cell, of, so_far } => self.counts(cell, *of, so_far, false, now),
            Event::Done { cell, of, counts } => self.counts(cell, *of, counts, true, now),
            Event::Part { counts, .. } => {
                if counts.histogram.total() > 0 {
                    let at = |part| counts.histogram.per_mille(part);
                    self.latencies.push((at(500), at(990)));
                }
            }
            // Text reaches the screen as lines.
            Event::Console(_) | Event::Log { .. } | Event::Raw { .. } | Event::Answered { .. } => {}
        }
        self.heard = now;
        self.asked = None;
    }

    /// A command may run more than one session: each begins with its own count of cells.
    fn start(&mut self, counter_hz: u64, cpus: &[CpuState], now: Duration) {
        self.counter_hz = counter_hz;
        self.cpus = cpus.to_vec();
        self.cells = (0, self.about.cells);
        self.done_us = 0;
        self.question = None;
        self.measuring = Some(now);
        self.rate.add(now, self.total().fired);
    }

    fn counts(
        &mut self,
        cell: &PlannedCell,
        of: usize,
        counts: &Measured,
        over: bool,
        now: Duration,
    ) {
        self.cells.1 = of;
        let counts_now = Counts::of(counts);
        let fields = counts.fields.clone();
        match &mut self.current {
            Some(c) if c.cell.id == cell.id && !c.over => {
                c.counts = counts_now;
                c.fields = fields;
            }
            current => {
                *current = Some(Current {
                    cell: cell.clone(),
                    fields,
                    counts: counts_now,
                    over: false,
                });
            }
        }
        if over {
            self.cells.0 += 1;
            self.done_us += cell_us(cell);
            if let Some(current) = &mut self.current {
                current.over = true;
                self.done.add(&current.counts);
            }
        }
        let fired = self.total().fired;
        self.rate.add(now, fired);
    }

    /// A line for the screen alone.
    pub fn log_line(&mut self, line: &str) {
        self.log.push(line.to_owned());
    }

    /// A line that would have gone to standard error.
    pub fn say(&mut self, line: &str) {
        self.log_line(line);
        if self.held.push(line.to_owned()).is_some() {
            self.left_out += 1;
        }
    }

    /// A line about the link: somebody waits for an answer.
    pub fn notice(&mut self, line: &str, now: Duration) {
        self.asked.get_or_insert(now);
        self.say(line);
    }

    /// Everything that was said, in order.
    #[must_use]
    pub fn take_held(&mut self) -> Vec<String> {
        let gone = std::mem::take(&mut self.left_out);
        let note = (gone > 0).then(|| format!("{gone} lines before these are left out"));
        note.into_iter().chain(self.held.drain()).collect()
    }

    /// Counts of all cells, the current one included.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = self.done.clone();
        if let Some(current) = self.current.as_ref().filter(|c| !c.over) {
            total.add(&current.counts);
        }
        total
    }

    /// Triggers per second of the last seconds.
    #[must_use]
    pub fn rate(&self, now: Duration) -> Option<f64> {
        self.rate.per_second(now)
    }

    /// How the link does.
    #[must_use]
    pub fn link(&self, now: Duration) -> Link {
        let since = now.saturating_sub(self.heard);
        match self.asked {
            _ if self.lost => Link::Lost,
            Some(asked) => Link::Asking(now.saturating_sub(asked)),
            None if since >= SILENT => Link::Silent(since),
            None => Link::Connected,
        }
    }

    /// How much is done, 0 to 1: by the time that cells are expected to take, or by their number where nobody knows that; 0 of
    /// a run that ends by time.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        if self.about.ends_by_time {
            return 0.0;
        }
        let part = self.current.as_ref().filter(|c| !c.over);
        let share = part.map_or(0.0, |c| {
            c.counts.fired as f64 / f64::from(c.cell.triggers.max(1))
        });
        let done = match (self.about.expected_us, self.question, self.cells.1) {
            // Questions come after all cells.
            (_, Some((at, of, _)), _) => at as f64 / of.max(1) as f64,
            (0, None, 0) => 0.0,
            (0, None, of) => (self.cells.0 as f64 + share) / of as f64,
            (us, None, _) => {
                let now = part.map_or(0.0, |c| share * cell_us(&c.cell) as f64);
                (self.done_us as f64 + now) / us as f64
            }
        };
        done.clamp(0.0, 1.0)
    }

    /// Time since the session began.
    #[must_use]
    pub fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.begun)
    }

    /// Time that the rest takes if it goes on like this; `None` before there is anything to tell it from.
    #[must_use]
    pub fn left(&self, now: Duration) -> Option<Duration> {
        let (done, since) = (self.fraction(), self.measuring?);
        if done <= 0.0 || now.saturating_sub(since) < SETTLE {
            return None;
        }
        Duration::try_from_secs_f64(now.saturating_sub(since).as_secs_f64() * (1.0 - done) / done)
            .ok()
    }
}

const fn kind(question: &Question) -> &'static str {
    match question {
        Question::Ipi(_) => "fast IPIs",
        Question::Wfi(..) => "a stay in WFI",
        Question::Read(..) => "a register",
        Question::WriteBack(_) => "a register written back",
        Question::Storm(_) => "a storm of IPIs",
        Question::Fiq(_) => "FIQs",
    }
}
