//! What the dashboard knows: made from a session's events and the times at which they came, without a terminal.

use std::time::Duration;

use crate::plan::{PlannedCell, Question, cell_us};
use crate::result::CpuState;
use crate::session::{Event, Measured, Reply};

use super::About;
use super::counts::Counts;
use super::series::{Last, Rate};
use super::storms::{Storm, Storms};

/// Latencies kept: more than any terminal is wide.
const PARTS: usize = 512;
/// Lines of the log kept for the screen.
const LINES: usize = 100;
/// Lines kept for standard error.
const HELD: usize = 1000;
/// A time without any sign of life after which the link counts as silent. A slice takes 20 ms, and longer only while one
/// trigger of the plan does.
const SILENT: Duration = Duration::from_secs(2);

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
    /// Storms of IPIs that are over, if it is about these.
    pub storms: Storms,
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
    pub(super) done_us: u128,
    /// Ticks of the target's counter that parts of cells took.
    pub(super) ticks: u64,
    rate: Rate,
    pub(super) begun: Duration,
    pub(super) measuring: Option<Duration>,
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
            storms: Storms::default(),
            latencies: Last::new(PARTS),
            retries: 0,
            log: Last::new(LINES),
            stopping: false,
            done: Counts::default(),
            done_us: 0,
            ticks: 0,
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
            Event::Answered {
                question: Question::Storm(cell),
                reply: Reply::Storm(result),
                ..
            } => {
                let storm = Storm::new(cell, result, self.counter_hz);
                self.log.push(storm.line());
                self.storms.add(storm);
            }
            Event::Part { counts, .. } => {
                self.ticks += counts.elapsed;
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
        self.ticks = 0;
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
