//! The loop of slices: commands in, messages out.

use std::mem::offset_of;
use std::time::Duration;

use protocol::context::{Control, PUBLISHED, Published, SliceStatus};
use protocol::{Command, Message};

use crate::error::Error;
use crate::firmware::{Firmware, LogDecoder};
use crate::plan::Until;
use crate::proxy::Proxy;

use super::SessionError;
use super::collect::{Answers, Measured, Opened, Reply, stopped_by};
use super::cpus::{self, CpuRun};
use super::memory::Memory;
use super::observe::{Event, Observer};
use super::rings::{DownRing, UpRing};
use super::schedule::Schedule;

/// Length of a slice: the loader is not served meanwhile.
const SLICE: Duration = Duration::from_millis(20);
/// Slices without any progress after which the firmware counts as silent.
const IDLE_SLICES: u32 = 50;

/// A session in which the firmware runs.
pub struct Slices<'s, 'l> {
    pub proxy: &'s mut Proxy<'l>,
    pub observer: &'s mut dyn Observer,
    pub memory: Memory,
    pub cpus: Vec<CpuRun>,
    pub answers: Answers,
    pub schedule: Schedule,
    pub measured: Vec<Measured>,
    /// When the plan is over before its last trigger.
    pub until: Until,
    /// Histograms of the part whose result comes next.
    part: Measured,
    /// Slices that the firmware has run, as it said last.
    pub ran: u64,
    down: DownRing,
    up: Vec<UpRing>,
    log: LogDecoder,
}

impl<'s, 'l> Slices<'s, 'l> {
    pub fn new(
        proxy: &'s mut Proxy<'l>,
        observer: &'s mut dyn Observer,
        memory: Memory,
        cpus: Vec<CpuRun>,
        firmware: &Firmware,
    ) -> Self {
        Self {
            proxy,
            observer,
            memory,
            answers: Answers {
                cpus: vec![None; cpus.len()],
                ..Answers::default()
            },
            schedule: Schedule::new(Vec::new(), Vec::new()),
            measured: Vec::new(),
            until: Until::default(),
            part: Measured::default(),
            ran: 0,
            down: DownRing::default(),
            up: cpus.iter().map(|c| UpRing::new(c.id)).collect(),
            log: firmware.log_decoder(),
            cpus,
        }
    }

    /// Puts a command in line.
    pub fn command(&mut self, command: &Command) -> Result<(), Error> {
        self.down.push(command)
    }

    /// Takes back every cell: those that the firmware was not given, and those that it was.
    pub fn abort(&mut self) -> Result<(), Error> {
        self.down.forget_waiting();
        let word = self.memory.context + offset_of!(Control, abort) as u64;
        Ok(self.proxy.write64(word, 1)?)
    }

    /// Gives out cells and runs slices until `done`; `what` is being waited for.
    pub fn until(
        &mut self,
        what: &str,
        mut done: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), Error> {
        let mut idle = 0;
        while !done(self) {
            let progress = self.slice()?;
            idle = if progress { 0 } else { idle + 1 };
            if let Some(fault) = self.answers.fault {
                return Err(SessionError::Fault(fault).into());
            }
            if idle >= IDLE_SLICES {
                return Err(SessionError::Silent(what.to_owned()).into());
            }
        }
        Ok(())
    }

    /// Puts the next parts of cells in line: as many as are to run.
    pub fn give_cells(&mut self) -> Result<(), Error> {
        let elapsed = self.elapsed_us();
        let measured = &self.measured;
        loop {
            let ahead = elapsed + u128::from(self.schedule.ahead_us());
            if self
                .until
                .duration_us
                .is_some_and(|us| ahead >= u128::from(us))
            {
                return Ok(());
            }
            match self.schedule.next_part(|cell| measured[cell].lost) {
                Some(part) => self.down.push(&Command::Cell(part))?,
                None => return Ok(()),
            }
        }
    }

    /// Whether the plan is over although triggers are left.
    pub fn is_enough(&self) -> bool {
        let elapsed = |us| self.elapsed_us() >= u128::from(us);
        self.is_stopped() || self.until.duration_us.is_some_and(elapsed)
    }

    /// Whether a stop ended the plan.
    fn is_stopped(&self) -> bool {
        self.until.stop && self.measured.iter().any(Measured::is_stopped)
    }

    /// Whether the cell has ended by a stop, its own or one that ended the plan: what the firmware was given before it told
    /// does not count.
    fn is_beyond_stop(&self, cell: usize) -> bool {
        self.measured[cell].is_stopped() || self.is_stopped()
    }

    /// Time that cells have taken so far, in microseconds.
    fn elapsed_us(&self) -> u128 {
        let hz = self.answers.hello.as_ref().map_or(1, |h| h.counter_hz);
        let ticks: u128 = self.measured.iter().map(|m| u128::from(m.elapsed)).sum();
        ticks * 1_000_000 / u128::from(hz.max(1))
    }

    /// One slice; whether anything came of it.
    ///
    /// Its exchanges need no proof that each answer is to its question: packets carry numbers and checksums, indices only
    /// grow, and a slice that was asked for twice, or never, is no harm.
    fn slice(&mut self) -> Result<bool, Error> {
        self.proxy.relax(true);
        let done = self.slice_relaxed();
        self.proxy.relax(false);
        let (status, progress) = done?;
        self.tell_link(false);
        if status == SliceStatus::Fault && self.answers.fault.is_none() {
            return Err(cpus::fault(self.proxy, &self.memory, 0)?.into());
        }
        Ok(progress)
    }

    fn slice_relaxed(&mut self) -> Result<(SliceStatus, bool), Error> {
        let context = self.memory.context;
        self.down.feed(self.proxy, context)?;
        let trigger = Duration::from_micros(self.schedule.longest_trigger_us());
        let args = [context, 0, SLICE.as_micros() as u64, 0, 0];
        let entry = self.memory.boot_entry;
        // Beside its length and its last trigger it takes next to nothing.
        let deadline = SLICE + trigger + self.proxy.deadline();
        let word = self.proxy.call(entry, args, deadline)?;
        let published = PublishedWords::read(self.proxy, context)?;
        // What the entry returned is also published, but for a block that it does not know.
        let word = word.unwrap_or(published.status);
        let status = SliceStatus::from_word(word).ok_or(SessionError::BadStatus(word))?;
        if status == SliceStatus::BadContext {
            return Err(SessionError::BadContext.into());
        }
        self.ran = published.slice;
        let moved = self.down.consumed_to(published.down_tail)?;
        let mut messages = Vec::new();
        for (i, ring) in self.up.iter_mut().enumerate() {
            ring.drain(self.proxy, context, published.up_heads[i], &mut messages)?;
        }
        let progress = moved || !messages.is_empty();
        self.take(messages)?;
        self.show_console();
        Ok((status, progress))
    }

    /// Takes what the workers wrote after the last slice.
    pub fn drain_workers(&mut self) -> Result<(), Error> {
        let mut messages = Vec::new();
        for ring in &mut self.up {
            let head = cpus::up_head(self.proxy, &self.memory, ring.cpu())?;
            ring.drain(self.proxy, self.memory.context, head, &mut messages)?;
        }
        self.take(messages)
    }

    /// Every stream of a CPU that ran has ended, and nothing was dropped.
    pub fn check_totals(&self) -> Result<(), SessionError> {
        for (ring, run) in self.up.iter().zip(&self.cpus) {
            let (cpu, dropped) = (ring.cpu(), ring.dropped());
            if dropped != 0 {
                return Err(SessionError::Dropped { cpu, dropped });
            }
            if !ring.ended() && run.state == crate::result::CpuState::Running {
                return Err(SessionError::Silent(format!(
                    "the end of CPU {cpu}'s stream"
                )));
            }
        }
        Ok(())
    }

    /// Whether the boot CPU has ended its stream.
    pub fn boot_ended(&self) -> bool {
        self.up.first().is_some_and(UpRing::ended)
    }

    fn take(&mut self, messages: Vec<(u8, Message)>) -> Result<(), Error> {
        for (cpu, message) in messages {
            self.message(cpu, message)?;
        }
        Ok(())
    }

    fn message(&mut self, cpu: u8, message: Message) -> Result<(), Error> {
        match message {
            Message::Hello(hello) => self.answers.hello = Some(hello),
            Message::Cpu(info) => match self.answers.cpus.get_mut(usize::from(info.cpu)) {
                Some(slot) => *slot = Some(info),
                None => return Err(unexpected(format!("a greeting of CPU {}", info.cpu))),
            },
            Message::Opened {
                software_pending,
                unmasked,
                config,
            } => {
                self.answers.opened = Some(Opened {
                    software_pending,
                    unmasked,
                    config,
                });
            }
            Message::Latency(chunk) => {
                self.cell_of(chunk.id)?;
                self.part.add_latencies(&chunk)?;
            }
            Message::Progress(progress) => {
                let cell = self.cell_of(progress.id)?;
                let mut so_far = self.measured[cell].clone();
                so_far.fired += u64::from(progress.fired);
                so_far.lost += u64::from(progress.lost);
                super::collect::add_by_cpu(&mut so_far.landed, &progress.landed);
                self.tell_progress(cell, &so_far);
            }
            Message::Cell(part) => self.part_over(&part)?,
            Message::Restored(restored) => self.answers.restored = Some(restored),
            Message::Fault(fault) => {
                self.answers.faults.push(fault);
                self.answers.fault.get_or_insert(fault);
            }
            Message::Log(bytes) => {
                let (level, text) = self.log.decode(&bytes);
                let text = &text;
                self.observer.on(Event::Log { cpu, level, text });
            }
            Message::BadCommand { at } => {
                return Err(unexpected(format!(
                    "\"no command\" at byte {at} of the down ring"
                )));
            }
            Message::Ipi(result) => self.answers.replies.push(Reply::Ipi(result)),
            Message::Wfi(result) => self.answers.replies.push(Reply::Wfi(result)),
            Message::Register { cpu, reading, .. } => {
                self.answers.replies.push(Reply::Register { cpu, reading });
            }
            Message::Storm(result) => self.answers.replies.push(Reply::Storm(Box::new(result))),
            Message::Fiq(result) => self.answers.replies.push(Reply::Fiq(result)),
            Message::Events(batch) => {
                let cell = self.cell_of(batch.id)?;
                let before = self.measured[cell].fired;
                if self.is_beyond_stop(cell) {
                    return Ok(());
                }
                self.observer.on(Event::Raw {
                    cell: &self.schedule.cells()[cell],
                    before,
                    batch: &batch,
                });
            }
            // Details beside a refusal.
            Message::Line { .. } => {}
            Message::End { .. } => {}
        }
        Ok(())
    }

    fn cell_of(&self, part: u32) -> Result<usize, Error> {
        self.schedule
            .cell_of(part)
            .ok_or_else(|| unexpected(format!("counts of a cell {part} that it was not given")))
    }

    fn part_over(&mut self, part: &protocol::message::CellResult) -> Result<(), Error> {
        let hz = self.answers.hello.as_ref().map_or(1, |h| h.counter_hz);
        let mut part = part.clone();
        if let Some(cell) = self.schedule.cell_of(part.id) {
            let stop = &self.schedule.cells()[cell].special.stop;
            part.refusal = stopped_by(&part, stop, hz);
        }
        let (cell, over) = self
            .schedule
            .finish(part.id, part.fired, part.refusal.is_some())
            .ok_or_else(|| unexpected(format!("a result {} that was not due", part.id)))?;
        let mut alone = Measured {
            histogram: std::mem::take(&mut self.part.histogram),
            second: std::mem::take(&mut self.part.second),
            ..Measured::default()
        };
        if !self.is_beyond_stop(cell) {
            alone.add(&part);
            self.measured[cell].histogram.merge(&alone.histogram);
            self.measured[cell].second.merge(&alone.second);
            self.measured[cell].add(&part);
            self.observer.on(Event::Part {
                cell: &self.schedule.cells()[cell],
                counts: &alone,
            });
        }
        let of = self.schedule.cells().len();
        let planned = &self.schedule.cells()[cell];
        let counts = &mut self.measured[cell];
        counts.complete = counts.refusal.is_none() && counts.fired == u64::from(planned.triggers);
        let event = if over {
            Event::Done {
                cell: planned,
                of,
                counts,
            }
        } else {
            Event::Progress {
                cell: planned,
                of,
                so_far: counts,
            }
        };
        self.observer.on(event);
        Ok(())
    }

    pub fn tell_link(&mut self, lost: bool) {
        let retries = self.proxy.stats().retries;
        self.observer.on(Event::Link { retries, lost });
    }

    fn tell_progress(&mut self, cell: usize, so_far: &Measured) {
        let cells = self.schedule.cells();
        let of = cells.len();
        self.observer.on(Event::Progress {
            cell: &cells[cell],
            of,
            so_far,
        });
    }

    pub fn show_console(&mut self) {
        let text = self.proxy.take_console();
        if !text.is_empty() {
            let text = String::from_utf8_lossy(&text);
            self.observer.on(Event::Console(&text));
        }
    }
}

fn unexpected(what: String) -> Error {
    SessionError::Unexpected(what).into()
}

/// What the host needs of [`Published`].
struct PublishedWords {
    slice: u64,
    status: u64,
    down_tail: u64,
    up_heads: [u64; protocol::MAX_CPUS],
}

impl PublishedWords {
    /// One block read: nothing in it changes between slices.
    fn read(proxy: &mut Proxy<'_>, context: u64) -> Result<Self, Error> {
        let mut bytes = [0; size_of::<Published>()];
        proxy.read_memory(context + PUBLISHED, &mut bytes)?;
        let word = |at: usize| {
            let mut b = [0; 8];
            b.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(b)
        };
        let heads = offset_of!(Published, up_heads);
        Ok(Self {
            slice: word(offset_of!(Published, slice)),
            status: word(offset_of!(Published, status)),
            down_tail: word(offset_of!(Published, down_tail)),
            up_heads: std::array::from_fn(|i| word(heads + i * 8)),
        })
    }
}
