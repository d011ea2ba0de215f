//! What can be asked of a loader: operations and memory transfers.

use std::time::Duration;

use crate::link::Link;

use super::checksum;
use super::connect::{self, ConnectOptions};
use super::error::{ProxyError, Status};
use super::frame::{FEATURE_NO_DATA_CHECKSUMS, Kind, NO_CHECKSUM, Reply, SENTINEL, request, words};
use super::ops::Op;
use super::receiver::Receiver;

/// How often a request is made before it counts as failed.
pub(super) const ATTEMPTS: u32 = 4;
/// Deadline of an ordinary answer, beside the time of its bytes. Together with the questions whether the loader is there
/// at all, a link that went silent is noticed within about a second.
const DEADLINE: Duration = Duration::from_millis(400);
/// The same where both ends share a virtual clock and no cable: nobody is slow there, and time that only passes costs the
/// simulation as much as time that is used.
const VIRTUAL_DEADLINE: Duration = Duration::from_millis(50);
/// Largest block of one memory transfer on a fast link; a loader that lost its place has at most this much to swallow.
const BLOCK: usize = 128 * 1024;
/// The same on a link that needs data checksums: a UART.
const SLOW_BLOCK: usize = 4 * 1024;
/// Smallest block that a link with faults brings it down to.
const LEAST_BLOCK: usize = 1024;
/// How much smaller a block gets with every transfer that fails.
const SHRINK: usize = 8;
/// Time that a byte of a memory transfer may take: a UART at 115200 baud needs 87 us.
const BYTE_US: u64 = 200;
/// The same on a fast link.
const FAST_BYTE_US: u64 = 2;
/// Upper half of the number of an operation that no loader has. The loader echoes the number, so that the lower half
/// tells whether everything before has been answered (third party: m1n1 `src/proxy.c`, unknown operations).
pub(super) const MARK: u64 = 0x6d61_726b_0000_0000;

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
    pub(super) scratch: Vec<u8>,
    /// Features asked for with every NOP.
    pub(super) wanted: u64,
    /// Those that stay when the kind of link is known.
    bare: u64,
    /// The loader would do without data checksums: no UART.
    fast: bool,
    pub(super) no_data_checksums: bool,
    /// Largest block of one memory transfer.
    block: usize,
    /// Number of the last mark.
    pub(super) mark: u64,
    /// Answers need no proof that they are to the question just asked: what they say proves itself.
    relaxed: bool,
    /// Clean exchanges until answers may go without proof again: something came that was not asked for, or came damaged.
    pub(super) doubt: u32,
    /// The loader has answered once: from now on a BOOT frame means that it restarted.
    pub(super) connected: bool,
    /// When the last byte came.
    pub(super) heard: Duration,
    /// The link has taken no bytes, and none have come since.
    pub(super) stuck: bool,
    /// Whether the user wants to stop.
    stop: Option<fn() -> bool>,
    /// Everything goes to its end, whatever the user wants.
    held: bool,
    /// Told when the loader stays silent for longer than an answer takes.
    pub(super) notice: Option<fn(&str)>,
    /// What became of the line's speed.
    pub(super) line: Vec<String>,
    pub(super) stats: ProxyStats,
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
            wanted: FEATURE_NO_DATA_CHECKSUMS,
            bare: 0,
            fast: false,
            no_data_checksums: false,
            block: SLOW_BLOCK,
            mark: 0,
            relaxed: false,
            doubt: 0,
            connected: false,
            heard: Duration::ZERO,
            stuck: false,
            stop: options.stop,
            held: false,
            notice: options.notice,
            line: Vec::new(),
            stats: ProxyStats::default(),
        };
        if options.bare_data {
            proxy.bare = FEATURE_NO_DATA_CHECKSUMS;
        }
        connect::establish(&mut proxy, options.wait)?;
        Ok(proxy)
    }

    /// Finds out what kind of link the loader has at its end (the features were asked for on the way), and goes back to
    /// transfers with checksums, unless told otherwise: they cost next to nothing, and without them a damaged byte in a
    /// device tree would make a wrong table.
    pub(super) fn settle_features(&mut self, what: &str) -> Result<(), ProxyError> {
        self.fast = self.no_data_checksums;
        self.block = if self.fast { BLOCK } else { SLOW_BLOCK };
        self.wanted = self.bare;
        if self.no_data_checksums && self.wanted == 0 {
            self.resync(what)?;
        }
        Ok(())
    }

    /// Whether answers may go without the proof that they belong to the question just asked, as long as nothing is seen
    /// to go wrong, and again when enough has gone well since. Replies carry no number: on a link that repeats or delays,
    /// an old one looks like the new one. Only for exchanges whose answers are checked by what they say.
    pub const fn relax(&mut self, relaxed: bool) {
        self.relaxed = relaxed;
    }

    /// Whether answers go without proof now.
    pub(super) const fn trusts(&self) -> bool {
        self.relaxed && self.doubt == 0
    }

    /// From now on asks `stop` whether the user wants to stop: between two blocks of a transfer, between two attempts at
    /// an exchange, and while an operation takes its time.
    pub const fn stop_when(&mut self, stop: Option<fn() -> bool>) {
        self.stop = stop;
    }

    /// While held, a user who wants to stop ends nothing that works: only an exchange that fails is not tried as often.
    /// For everything that has to be put back. Returns what was said before.
    pub const fn hold(&mut self, held: bool) -> bool {
        std::mem::replace(&mut self.held, held)
    }

    /// Does `work` with the connection held (see [`Proxy::hold`]), then as before.
    pub fn held<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.hold(true);
        let done = work(self);
        self.hold(before);
        done
    }

    /// Whether the user wants to stop.
    pub(super) fn wants_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// The same, where that ends what is under way.
    pub(super) fn must_stop(&self) -> bool {
        !self.held && self.wants_stop()
    }

    /// Between two exchanges: an error if the user wants to stop and nothing is held.
    ///
    /// # Errors
    /// [`ProxyError::Interrupted`].
    pub fn check_stop(&self, what: &str) -> Result<(), ProxyError> {
        if self.must_stop() {
            let what = what.to_owned();
            return Err(ProxyError::Interrupted { what });
        }
        Ok(())
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

    /// Whether the loader would do without data checksums: its end of the link is no UART.
    #[must_use]
    pub const fn is_fast(&self) -> bool {
        self.fast
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
        self.op_within(op, args, self.deadline())
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
            let answer = match self.answer(Kind::Proxy, Some(op), deadline, what)? {
                answer @ Answer::Reply(_) => self.prove(what)?.unwrap_or(answer),
                lost => lost,
            };
            match answer {
                Answer::Reply(r) => match Status::from_word(r.status) {
                    // Not carried out, so that everything may be asked again.
                    Some(Status::Checksum) if attempt < ATTEMPTS => {}
                    Some(Status::Checksum) => break,
                    Some(status) => return Err(refused(what, status)),
                    None if r.word(1) == 0 => return Ok(r.word(2)),
                    None => return Err(ProxyError::UnknownOp { what: what.into() }),
                },
                lost => self.again(lost, op.repeatable() && attempt < ATTEMPTS, what, deadline)?,
            }
        }
        Err(ProxyError::Damaged { what: what.into() })
    }

    /// An operation that must not be done twice. `None`: the loader is in step and waits for requests, but nobody knows
    /// whether this one reached it, nor its value.
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::Timeout`] if no answer came and the loader does not talk any more.
    pub fn op_once(
        &mut self,
        op: Op,
        args: &[u64],
        deadline: Duration,
    ) -> Result<Option<u64>, ProxyError> {
        let (lost, patience) = match self.op_within(op, args, deadline) {
            Ok(value) => return Ok(Some(value)),
            Err(e @ ProxyError::Timeout { .. }) => (e, Duration::ZERO),
            // What was asked for may still be under way.
            Err(e @ ProxyError::Damaged { .. }) => (e, deadline),
            Err(e) => return Err(e),
        };
        match self.resync_within(patience, op.name()) {
            Ok(()) => Ok(None),
            Err(ProxyError::Timeout { .. }) => Err(lost),
            Err(e) => Err(e),
        }
    }

    /// Reads target memory. Only for bytes that nobody changes meanwhile: the loader goes over them twice.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn read_memory(&mut self, addr: u64, out: &mut [u8]) -> Result<(), ProxyError> {
        let (mut at, mut failed) = (0, 0);
        while at < out.len() {
            self.check_stop("MEMREAD")?;
            let end = out.len().min(at + self.block);
            let what = format!("MEMREAD of {} bytes at {:#x}", end - at, addr + at as u64);
            match self.read_block(addr + at as u64, &mut out[at..end], failed, &what)? {
                None => (at, failed) = (end, 0),
                Some(lost) => self.transfer_failed(lost, &mut failed, end - at, &what)?,
            }
        }
        Ok(())
    }

    /// Writes target memory. The loader stores 0 to the first and the last byte before the data comes.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn write_memory(&mut self, addr: u64, data: &[u8]) -> Result<(), ProxyError> {
        let (mut at, mut failed) = (0, 0);
        while at < data.len() {
            self.check_stop("MEMWRITE")?;
            let end = data.len().min(at + self.block);
            let what = format!("MEMWRITE of {} bytes at {:#x}", end - at, addr + at as u64);
            match self.write_block(addr + at as u64, &data[at..end], failed, &what)? {
                None => (at, failed) = (end, 0),
                Some(lost) => self.transfer_failed(lost, &mut failed, end - at, &what)?,
            }
        }
        Ok(())
    }

    /// After a transfer that did not work: an error after too many, else back in step, and smaller blocks from now on.
    fn transfer_failed(
        &mut self,
        lost: Answer,
        failed: &mut u32,
        bytes: usize,
        what: &str,
    ) -> Result<(), ProxyError> {
        *failed += 1;
        self.again(
            lost,
            *failed < ATTEMPTS,
            what,
            self.transfer_deadline(bytes),
        )?;
        self.block = (self.block / SHRINK).max(LEAST_BLOCK).min(self.block);
        Ok(())
    }

    /// Deadline of an ordinary answer.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        if self.fast && self.link.is_virtual() {
            VIRTUAL_DEADLINE
        } else {
            DEADLINE
        }
    }

    /// Deadline of a memory transfer: on a slow link its bytes take most of it.
    fn transfer_deadline(&self, bytes: usize) -> Duration {
        let us = match self.link.bytes_per_second() {
            // Twice its time: a line is not busy all the time.
            Some(rate) => 2_000_000 / rate.max(1),
            None if self.fast => FAST_BYTE_US,
            None => BYTE_US,
        };
        self.deadline()
            .saturating_add(Duration::from_micros(bytes as u64 * us))
    }

    /// One attempt; what was lost, if it did not work.
    fn read_block(
        &mut self,
        addr: u64,
        out: &mut [u8],
        failed: u32,
        what: &str,
    ) -> Result<Option<Answer>, ProxyError> {
        let deadline = self.transfer_deadline(out.len());
        let frame = request(Kind::MemRead, &words([addr, out.len() as u64]));
        self.send(&frame, failed + 1)?;
        let r = match self.answer(Kind::MemRead, None, deadline, what)? {
            Answer::Reply(r) => r,
            lost => return Ok(Some(lost)),
        };
        match Status::from_word(r.status) {
            Some(Status::Checksum) => return Ok(Some(Answer::Damaged)),
            Some(status) if self.prove(what)?.is_none() => return Err(refused(what, status)),
            Some(_) => return Ok(Some(Answer::Damaged)),
            None => {}
        }
        let end = self.link.now() + deadline;
        let mut sentinel = [0; 4];
        let intact = self.raw(out, end)?
            && if self.no_data_checksums {
                self.raw(&mut sentinel, end)? && sentinel == SENTINEL
            } else {
                r.half(0) == checksum(out)
            };
        if !intact {
            return Ok(Some(Answer::Damaged));
        }
        self.prove(what)
    }

    /// One attempt; what was lost, if it did not work.
    fn write_block(
        &mut self,
        addr: u64,
        data: &[u8],
        failed: u32,
        what: &str,
    ) -> Result<Option<Answer>, ProxyError> {
        let sum = if self.no_data_checksums {
            NO_CHECKSUM
        } else {
            checksum(data)
        };
        let payload = words([addr, data.len() as u64, u64::from(sum)]);
        self.send(&request(Kind::MemWrite, &payload), failed + 1)?;
        self.link.send(data)?;
        if self.no_data_checksums {
            self.link.send(&SENTINEL)?;
        }
        let deadline = self.transfer_deadline(data.len());
        let r = match self.answer(Kind::MemWrite, None, deadline, what)? {
            Answer::Reply(r) => r,
            lost => return Ok(Some(lost)),
        };
        if let Some(lost) = self.prove(what)? {
            return Ok(Some(lost));
        }
        match Status::from_word(r.status) {
            None => Ok(None),
            // The loader may be reading our data as requests.
            Some(Status::Checksum) => Ok(Some(Answer::Damaged)),
            Some(Status::Transfer) if failed + 1 < ATTEMPTS => Ok(Some(Answer::Damaged)),
            Some(status) => Err(refused(what, status)),
        }
    }
}

fn refused(what: &str, status: Status) -> ProxyError {
    ProxyError::Refused {
        what: what.to_owned(),
        status,
    }
}
