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
const ATTEMPTS: u32 = 4;
/// Deadline of an ordinary answer, beside the time of its bytes: a link that went silent is noticed within a second.
const DEADLINE: Duration = Duration::from_millis(500);
/// The same where both ends share a virtual clock and no cable: nobody is slow there, and time that only passes costs the
/// simulation as much as time that is used.
const VIRTUAL_DEADLINE: Duration = Duration::from_millis(50);
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
/// Smallest block that a link with faults brings it down to.
const LEAST_BLOCK: usize = 1024;
/// How much smaller a block gets with every transfer that fails.
const SHRINK: usize = 8;
/// Most receptions in one look at what came unasked.
const LOOKS: u32 = 64;
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
    scratch: Vec<u8>,
    /// Features asked for with every NOP.
    wanted: u64,
    /// Those that stay when the kind of link is known.
    bare: u64,
    /// The loader would do without data checksums: no UART.
    fast: bool,
    no_data_checksums: bool,
    /// Largest block of one memory transfer.
    block: usize,
    /// Number of the last mark.
    mark: u64,
    /// Answers need no proof that they are to the question just asked: what they say proves itself.
    relaxed: bool,
    /// Something came that was not asked for, or came damaged: from now on every answer needs proof.
    trouble: bool,
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
            wanted: FEATURE_NO_DATA_CHECKSUMS,
            bare: 0,
            fast: false,
            no_data_checksums: false,
            block: SLOW_BLOCK,
            mark: 0,
            relaxed: false,
            trouble: false,
            connected: false,
            stop: options.stop,
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

    /// Whether answers may go without the proof that they belong to the question just asked, as long as nothing was seen
    /// to go wrong. Replies carry no number: on a link that repeats or delays, an old one looks like the new one. Only
    /// for exchanges whose answers are checked by what they say.
    pub const fn relax(&mut self, relaxed: bool) {
        self.relaxed = relaxed;
    }

    /// After a failed exchange: whether the loader is there and in step.
    pub fn recover(&mut self) -> bool {
        (0..ATTEMPTS).any(|_| self.try_sync(0, "P_NOP").unwrap_or(false))
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
            match self.proven_answer(op, deadline, what)? {
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
        let lost = match self.op_within(op, args, deadline) {
            Ok(value) => return Ok(Some(value)),
            Err(e @ (ProxyError::Damaged { .. } | ProxyError::Timeout { .. })) => e,
            Err(e) => return Err(e),
        };
        // What was asked for may still be under way.
        match self.resync_within(deadline, op.name()) {
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
        let us = if self.fast { FAST_BYTE_US } else { BYTE_US };
        self.deadline()
            .saturating_add(Duration::from_micros(bytes as u64 * us))
    }

    /// A transfer is only stopped where the loader waits for a request.
    pub(super) fn check_stop(&self, what: &str) -> Result<(), ProxyError> {
        if self.stop.is_some_and(|stop| stop()) {
            let what = what.to_owned();
            return Err(ProxyError::Interrupted { what });
        }
        Ok(())
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
            Some(status) if self.prove(what)? => return Err(refused(what, status)),
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
        Ok((!intact || !self.prove(what)?).then_some(Answer::Damaged))
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
        if !self.prove(what)? {
            return Ok(Some(Answer::Damaged));
        }
        match Status::from_word(r.status) {
            None => Ok(None),
            // The loader may be reading our data as requests.
            Some(Status::Checksum) => Ok(Some(Answer::Damaged)),
            Some(Status::Transfer) if failed + 1 < ATTEMPTS => Ok(Some(Answer::Damaged)),
            Some(status) => Err(refused(what, status)),
        }
    }

    /// The answer to `op`, proven to be that and no older one where this is needed.
    fn proven_answer(
        &mut self,
        op: Op,
        deadline: Duration,
        what: &str,
    ) -> Result<Answer, ProxyError> {
        let answer = self.answer(Kind::Proxy, Some(op), deadline, what)?;
        if matches!(answer, Answer::Reply(_)) && !self.prove(what)? {
            return Ok(Answer::Damaged);
        }
        Ok(answer)
    }

    /// Whether the answer just taken was the last thing due: then a mark is answered by nothing but its echo. `true`
    /// without asking where no proof is needed.
    fn prove(&mut self, what: &str) -> Result<bool, ProxyError> {
        if self.relaxed && !self.trouble {
            return Ok(true);
        }
        self.echo(false, what)
    }

    /// Sends a mark and waits for its echo. `true` if it came, and, unless `pass_over`, nothing before it.
    fn echo(&mut self, pass_over: bool, what: &str) -> Result<bool, ProxyError> {
        self.mark += 1;
        let mark = MARK | self.mark;
        self.stats.requests += 1;
        self.link.send(&request(Kind::Proxy, &words([mark])))?;
        let end = self.link.now() + self.deadline();
        loop {
            while let Some(item) = self.rx.next() {
                match item {
                    Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                    Item::Reply(r) if r.kind == Kind::Proxy && r.word(0) == mark => {
                        return Ok(true);
                    }
                    Item::Event { .. } => self.stats.events += 1,
                    other => {
                        self.surprise(&other);
                        if !pass_over {
                            return Ok(false);
                        }
                    }
                }
            }
            if self.link.now() >= end || self.fill(end)? == 0 {
                self.trouble = true;
                return Ok(false);
            }
        }
    }

    /// Something came that nobody waits for.
    const fn surprise(&mut self, item: &Item) {
        match item {
            Item::Reply(_) => self.stats.stale += 1,
            Item::Damaged => self.stats.damaged += 1,
            Item::Event { .. } => {
                self.stats.events += 1;
                return;
            }
        }
        self.trouble = true;
    }

    /// Looks at what came since the last answer: text, events, and what should not be there.
    fn look(&mut self, what: &str) -> Result<(), ProxyError> {
        for _ in 0..LOOKS {
            if self.fill(self.link.now())? == 0 {
                break;
            }
        }
        while let Some(item) = self.rx.next() {
            match item {
                Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                other => self.surprise(&other),
            }
        }
        Ok(())
    }

    pub(super) fn send(&mut self, frame: &[u8], attempt: u32) -> Result<(), ProxyError> {
        self.look("the exchange before")?;
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
        self.trouble = true;
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
        let (mut damaged, mut heard) = (false, false);
        loop {
            while let Some(item) = self.rx.next() {
                match item {
                    Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                    Item::Reply(r)
                        if r.kind == kind
                            && (r.status != 0 || op.is_none_or(|op| r.word(0) == op as u64)) =>
                    {
                        return Ok(Answer::Reply(r));
                    }
                    other => {
                        self.surprise(&other);
                        if other == Item::Damaged {
                            damaged = true;
                            end = end.min(self.link.now() + AFTER_DAMAGE);
                        }
                    }
                }
            }
            // A target that never stops talking does not keep us beyond the deadline either.
            let over = self.link.now() >= end && heard;
            heard = true;
            if over || self.fill(end)? == 0 {
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

    /// Bytes that follow a reply; `false` if they stop coming, or are not all there at `end`.
    fn raw(&mut self, out: &mut [u8], end: Duration) -> Result<bool, ProxyError> {
        let mut done = 0;
        loop {
            done += self.rx.take_raw(&mut out[done..]);
            if done == out.len() {
                return Ok(true);
            }
            let now = self.link.now();
            if now >= end || self.fill(end.min(now + self.deadline()))? == 0 {
                return Ok(false);
            }
        }
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
        self.resync_within(Duration::ZERO, what)
    }

    /// The same, and goes on asking for at least `patience`.
    fn resync_within(&mut self, patience: Duration, what: &str) -> Result<(), ProxyError> {
        let start = self.link.now();
        let mut pads = SYNC_PADS.into_iter();
        loop {
            let pad = match pads.next() {
                Some(pad) => pad,
                None if self.link.now() < start + patience => 0,
                None => break,
            };
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
        // The echo of a mark has nothing but this exchange behind it: whatever was still on its way is here by then.
        Ok(self.nop(SYNC + Duration::from_micros(us), what)? && self.echo(true, what)?)
    }

    /// One NOP, which also asks for the features; whether it was answered.
    pub(super) fn nop(&mut self, deadline: Duration, what: &str) -> Result<bool, ProxyError> {
        self.stats.requests += 1;
        let wanted = words([self.wanted]);
        self.link.send(&request(Kind::Nop, &wanted))?;
        if let Answer::Reply(r) = self.answer(Kind::Nop, None, deadline, what)?
            && r.status == 0
        {
            self.connected = true;
            self.no_data_checksums = r.word(0) & self.wanted & FEATURE_NO_DATA_CHECKSUMS != 0;
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
            let now = self.link.now();
            if now >= end || self.fill(end.min(now + QUIET))? == 0 {
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
