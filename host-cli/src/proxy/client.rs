//! One request, one answer: deadlines, retries and resynchronisation.

use std::time::Duration;

use crate::link::{Link, LinkError};

use super::checksum;
use super::connect::{self, ConnectOptions};
use super::error::{ProxyError, Status};
use super::frame::{FEATURE_NO_DATA_CHECKSUMS, Kind, NO_CHECKSUM, Reply, SENTINEL, request, words};
use super::ops::Op;
use super::receiver::{Item, Receiver};

/// How often a request is made before it counts as failed.
const ATTEMPTS: u32 = 3;
/// Deadline of an ordinary answer, beside the time of its bytes: a link that went silent is noticed within a second.
const DEADLINE: Duration = Duration::from_millis(500);
/// How long after a damaged answer to look for a better one.
const AFTER_DAMAGE: Duration = Duration::from_millis(20);
/// Silence that ends the draining of a link.
const QUIET: Duration = Duration::from_millis(20);
/// Longest draining: a target that never stops talking is not in sync.
const DRAIN: Duration = Duration::from_secs(1);
/// Deadline of a NOP while synchronising.
const SYNC: Duration = Duration::from_millis(120);
/// Zeros before each NOP tried while synchronising. The first NOPs may be swallowed as the rest of an older frame; a
/// loader that still waits for the data of a broken-off write is given them: together more than a block.
const SYNC_PADS: [usize; 6] = [0, 0, 0, 8 * 1024, 64 * 1024, 128 * 1024];
/// Padding on a serial line, as a part of what it carries in a second: together more than a block there.
const PADS_PER_SECOND: u64 = 8;
/// Throughput in bytes per second that links without a known one are thought to have for padding.
const USUAL_RATE: u64 = 1_000_000;
/// Largest block of one memory transfer on a fast link; a loader that lost its place has at most this much to swallow.
const BLOCK: usize = 128 * 1024;
/// The same on a link that needs data checksums: a UART.
const SLOW_BLOCK: usize = 4 * 1024;
/// Time that a byte of a memory transfer may take: a UART at 115200 baud needs 87 us.
const BYTE_US: u64 = 200;

/// Counts of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProxyStats {
    /// Requests sent, repetitions included.
    pub requests: u64,
    /// Repetitions.
    pub retries: u64,
    /// Damaged frames seen.
    pub damaged: u64,
    /// Intact answers to something that was not asked (any more).
    pub stale: u64,
    /// EVENT frames.
    pub events: u64,
}

/// A connection to a loader.
pub struct Proxy<'l> {
    pub(super) link: &'l mut (dyn Link + 'l),
    pub(super) rx: Receiver,
    scratch: Vec<u8>,
    no_data_checksums: bool,
    /// The loader has answered once: from now on a BOOT frame means that it restarted.
    connected: bool,
    /// Asked between two blocks of a transfer whether to stop.
    stop: Option<fn() -> bool>,
    /// What became of the line's speed.
    pub(super) line: Vec<String>,
    stats: ProxyStats,
}

/// What waiting for an answer came to.
pub(super) enum Answer {
    Reply(Reply),
    Damaged,
    Silence,
}

impl<'l> Proxy<'l> {
    /// Drops what is left in the stream, finds the loader and asks for transfers without data checksums (a link that
    /// needs them does not grant it). On a serial line the speed is found and raised, see [`ConnectOptions`].
    ///
    /// # Errors
    /// [`ProxyError::Timeout`] if nobody answers.
    pub fn connect(link: &'l mut (dyn Link + 'l)) -> Result<Self, ProxyError> {
        Self::connect_with(link, ConnectOptions::default())
    }

    /// The same with options.
    ///
    /// # Errors
    /// [`ProxyError::Timeout`] if nobody answers; [`ProxyError::Interrupted`].
    pub fn connect_with(
        link: &'l mut (dyn Link + 'l),
        options: ConnectOptions,
    ) -> Result<Self, ProxyError> {
        let mut proxy = Self {
            link,
            rx: Receiver::default(),
            scratch: vec![0; 64 * 1024],
            no_data_checksums: false,
            connected: false,
            stop: options.stop,
            line: Vec::new(),
            stats: ProxyStats::default(),
        };
        connect::establish(&mut proxy, options.wait)?;
        Ok(proxy)
    }

    /// From now on asks `stop` between two blocks of a transfer; with `None` every transfer goes to its end.
    pub const fn stop_when(&mut self, stop: Option<fn() -> bool>) {
        self.stop = stop;
    }

    /// What became of the line's speed, in words; nothing where there is no such line.
    #[must_use]
    pub fn line_notes(&self) -> &[String] {
        &self.line
    }

    /// Whether data go with checksums.
    #[must_use]
    pub const fn data_checksums(&self) -> bool {
        !self.no_data_checksums
    }

    /// Whether the link's clock is that of a virtual machine.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.link.is_virtual()
    }

    /// Time on the link's clock.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.link.now()
    }

    /// See [`Link::salt`].
    #[must_use]
    pub fn salt(&self) -> u64 {
        self.link.salt()
    }

    /// Counts so far.
    #[must_use]
    pub const fn stats(&self) -> ProxyStats {
        self.stats
    }

    /// Console text of the loader since the last call.
    pub fn take_console(&mut self) -> Vec<u8> {
        self.rx.take_console()
    }

    /// An operation with up to six arguments; returns its value.
    ///
    /// # Errors
    /// [`ProxyError`]. Operations that may be repeated are repeated when their answer is damaged or missing.
    pub fn op(&mut self, op: Op, args: &[u64]) -> Result<u64, ProxyError> {
        self.op_within(op, args, DEADLINE)
    }

    /// The same with a deadline of its own.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn op_within(
        &mut self,
        op: Op,
        args: &[u64],
        deadline: Duration,
    ) -> Result<u64, ProxyError> {
        let mut payload = [0; 7];
        payload[0] = op as u64;
        payload[1..=args.len()].copy_from_slice(args);
        let frame = request(Kind::Proxy, &words(payload));
        let what = op.name();
        for attempt in 1..=ATTEMPTS {
            self.send(&frame, attempt)?;
            match self.answer(Kind::Proxy, Some(op), deadline, what)? {
                Answer::Reply(r) => match Status::from_word(r.status) {
                    // Not carried out, so that everything may be asked again.
                    Some(Status::Checksum) if attempt < ATTEMPTS => {}
                    Some(status) => return Err(refused(what, status)),
                    None if r.word(1) == 0 => return Ok(r.word(2)),
                    None => return Err(ProxyError::UnknownOp { what: what.into() }),
                },
                lost => self.again(lost, op.repeatable() && attempt < ATTEMPTS, what, deadline)?,
            }
        }
        Err(ProxyError::Damaged { what: what.into() })
    }

    /// An operation that must not be done twice. `None`: it was done, but its answer came damaged, so that its value is
    /// not known.
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::Timeout`] if no answer came, so that nobody knows whether it was done.
    pub fn op_once(
        &mut self,
        op: Op,
        args: &[u64],
        deadline: Duration,
    ) -> Result<Option<u64>, ProxyError> {
        match self.op_within(op, args, deadline) {
            Ok(value) => Ok(Some(value)),
            Err(ProxyError::Damaged { what }) => {
                self.resync(&what)?;
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Reads target memory. Only for bytes that nobody changes meanwhile: the loader goes over them twice.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn read_memory(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError> {
        let size = self.block();
        for (i, block) in out.chunks_mut(size).enumerate() {
            self.check_stop("MEMREAD")?;
            self.read_block(addr + (i * size) as u64, block)?;
        }
        Ok(())
    }

    /// Writes target memory. The loader stores 0 to the first and the last byte before the data comes.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn write_memory(&mut self, addr: u64, data: &[u8]) -> Result<(), ProxyError> {
        let size = self.block();
        for (i, block) in data.chunks(size).enumerate() {
            self.check_stop("MEMWRITE")?;
            self.write_block(addr + (i * size) as u64, block)?;
        }
        Ok(())
    }

    /// Size of one memory transfer.
    const fn block(&self) -> usize {
        if self.no_data_checksums {
            BLOCK
        } else {
            SLOW_BLOCK
        }
    }

    /// Deadline of a memory transfer: on a slow link its bytes take most of it.
    fn transfer_deadline(&self, bytes: usize) -> Duration {
        let us = if self.no_data_checksums {
            0
        } else {
            bytes as u64 * BYTE_US
        };
        DEADLINE + Duration::from_micros(us)
    }

    /// A transfer is only stopped where the loader waits for a request.
    pub(super) fn check_stop(&self, what: &str) -> Result<(), ProxyError> {
        if self.stop.is_some_and(|stop| stop()) {
            let what = what.to_owned();
            return Err(ProxyError::Interrupted { what });
        }
        Ok(())
    }

    fn read_block(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError> {
        let what = &format!("MEMREAD of {} bytes at {addr:#x}", out.len());
        let frame = request(Kind::MemRead, &words([addr, out.len() as u64]));
        let deadline = self.transfer_deadline(out.len());
        for attempt in 1..=ATTEMPTS {
            self.send(&frame, attempt)?;
            let answer = self.answer(Kind::MemRead, None, deadline, what)?;
            let Answer::Reply(r) = answer else {
                self.again(answer, attempt < ATTEMPTS, what, deadline)?;
                continue;
            };
            match Status::from_word(r.status) {
                Some(Status::Checksum) if attempt < ATTEMPTS => continue,
                Some(status) => return Err(refused(what, status)),
                None => {}
            }
            let mut sentinel = [0; 4];
            let intact = self.raw(out)?
                && if self.no_data_checksums {
                    self.raw(&mut sentinel)? && sentinel == SENTINEL
                } else {
                    r.half(0) == checksum(out)
                };
            if intact {
                return Ok(());
            }
            self.again(Answer::Damaged, attempt < ATTEMPTS, what, deadline)?;
        }
        Err(ProxyError::Damaged { what: what.clone() })
    }

    fn write_block(&mut self, addr: u64, data: &[u8]) -> Result<(), ProxyError> {
        let what = &format!("MEMWRITE of {} bytes at {addr:#x}", data.len());
        let deadline = self.transfer_deadline(data.len());
        for attempt in 1..=ATTEMPTS {
            let sum = if self.no_data_checksums {
                NO_CHECKSUM
            } else {
                checksum(data)
            };
            let payload = words([addr, data.len() as u64, u64::from(sum)]);
            self.send(&request(Kind::MemWrite, &payload), attempt)?;
            self.link.send(data)?;
            if self.no_data_checksums {
                self.link.send(&SENTINEL)?;
            }
            match self.answer(Kind::MemWrite, None, deadline, what)? {
                Answer::Reply(r) => match Status::from_word(r.status) {
                    None => return Ok(()),
                    // The loader may be reading our data as requests.
                    Some(Status::Checksum | Status::Transfer) if attempt < ATTEMPTS => {
                        self.resync(what)?;
                    }
                    Some(status) => return Err(refused(what, status)),
                },
                lost => self.again(lost, attempt < ATTEMPTS, what, deadline)?,
            }
        }
        Err(ProxyError::Damaged { what: what.clone() })
    }

    pub(super) fn send(&mut self, frame: &[u8], attempt: u32) -> Result<(), ProxyError> {
        self.stats.requests += 1;
        self.stats.retries += u64::from(attempt > 1);
        Ok(self.link.send(frame)?)
    }

    /// After a lost answer: back in step with the loader if the request may be repeated, else the error.
    fn again(
        &mut self,
        lost: Answer,
        may_repeat: bool,
        what: &str,
        after: Duration,
    ) -> Result<(), ProxyError> {
        if may_repeat {
            return self.resync(what);
        }
        let what = what.to_owned();
        Err(match lost {
            Answer::Silence => ProxyError::Timeout { what, after },
            _ => ProxyError::Damaged { what },
        })
    }

    /// Waits for the answer of `kind` (and to `op`).
    pub(super) fn answer(
        &mut self,
        kind: Kind,
        op: Option<Op>,
        deadline: Duration,
        what: &str,
    ) -> Result<Answer, ProxyError> {
        let mut end = self.link.now() + deadline;
        let mut damaged = false;
        loop {
            while let Some(item) = self.rx.next() {
                match item {
                    Item::Damaged => {
                        self.stats.damaged += 1;
                        damaged = true;
                        end = end.min(self.link.now() + AFTER_DAMAGE);
                    }
                    Item::Event { .. } => self.stats.events += 1,
                    Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                    Item::Reply(r)
                        if r.kind == kind
                            && (r.status != 0 || op.is_none_or(|op| r.word(0) == op as u64)) =>
                    {
                        return Ok(Answer::Reply(r));
                    }
                    Item::Reply(_) => self.stats.stale += 1,
                }
            }
            if self.fill(end)? == 0 {
                if self.rx.give_up() {
                    damaged = true;
                    continue;
                }
                return Ok(if damaged {
                    Answer::Damaged
                } else {
                    Answer::Silence
                });
            }
        }
    }

    /// Bytes that follow a reply; `false` if they stop coming.
    fn raw(&mut self, out: &mut [u8]) -> Result<bool, ProxyError> {
        let mut done = 0;
        while done < out.len() {
            done += self.rx.take_raw(&mut out[done..]);
            if done < out.len() && self.fill(self.link.now() + DEADLINE)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes bytes from the link until `end`; 0 if none came.
    fn fill(&mut self, end: Duration) -> Result<usize, ProxyError> {
        let left = end.saturating_sub(self.link.now());
        let n = self.link.recv(&mut self.scratch, left)?;
        self.rx.push(&self.scratch[..n]);
        Ok(n)
    }

    /// Back in step with the loader: lets it finish talking, then NOPs until one is answered.
    pub(super) fn resync(&mut self, what: &str) -> Result<(), ProxyError> {
        let start = self.link.now();
        for pad in SYNC_PADS {
            match self.try_sync(pad, what) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // Nobody takes what is sent: silence in the other direction.
                Err(ProxyError::Link(LinkError::Stalled(_))) => break,
                Err(e) => return Err(e),
            }
        }
        if self.connected && connect::answers_at_boot_speed(self)? {
            let what = what.to_owned();
            return Err(ProxyError::Rebooted { what });
        }
        Err(ProxyError::Timeout {
            what: what.to_owned(),
            after: self.link.now().saturating_sub(start),
        })
    }

    /// Drains the link and tries a NOP behind so many zeros.
    fn try_sync(&mut self, pad: usize, what: &str) -> Result<bool, ProxyError> {
        self.drain(what)?;
        let rate = self.link.bytes_per_second();
        let pad = rate.map_or(pad, |r| pad.min((r / PADS_PER_SECOND) as usize));
        if pad > 0 {
            self.link.send(&vec![0; pad])?;
        }
        // Twice its time: a line is not busy all the time.
        let us = pad as u64 * 2_000_000 / rate.unwrap_or(USUAL_RATE).max(1);
        self.nop(SYNC + Duration::from_micros(us), what)
    }

    /// One NOP, which also asks for the features; whether it was answered.
    pub(super) fn nop(&mut self, deadline: Duration, what: &str) -> Result<bool, ProxyError> {
        self.stats.requests += 1;
        let wanted = words([FEATURE_NO_DATA_CHECKSUMS]);
        self.link.send(&request(Kind::Nop, &wanted))?;
        if let Answer::Reply(r) = self.answer(Kind::Nop, None, deadline, what)?
            && r.status == 0
        {
            self.connected = true;
            self.no_data_checksums = r.word(0) & FEATURE_NO_DATA_CHECKSUMS != 0;
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes everything that still comes; text in it goes to the console, frames nowhere.
    fn drain(&mut self, what: &str) -> Result<(), ProxyError> {
        let end = self.link.now() + DRAIN;
        loop {
            while let Some(item) = self.rx.next() {
                match item {
                    Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                    Item::Reply(_) => self.stats.stale += 1,
                    Item::Event { .. } => self.stats.events += 1,
                    Item::Damaged => self.stats.damaged += 1,
                }
            }
            let until = end.min(self.link.now() + QUIET);
            if self.fill(until)? == 0 {
                self.rx.clear();
                return Ok(());
            }
        }
    }

    /// A BOOT frame: nothing but a greeting before the first answer, the end of the session afterwards.
    fn boot(&self, frame: &Reply, what: &str) -> Result<(), ProxyError> {
        let what = what.to_owned();
        match frame.half(0) {
            _ if !self.connected => Ok(()),
            0 => Err(ProxyError::Rebooted { what }),
            reason => Err(ProxyError::Exception {
                what,
                reason,
                code: frame.half(1),
                info: frame.word(1),
            }),
        }
    }
}

fn refused(what: &str, status: Status) -> ProxyError {
    ProxyError::Refused {
        what: what.to_owned(),
        status,
    }
}
