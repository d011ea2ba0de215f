//! What goes over the link and back, one answer at a time: deadlines, proofs, retries and getting back in step.

use std::time::Duration;

use crate::link::LinkError;

use super::client::{ATTEMPTS, Answer, MARK, Proxy};
use super::connect;
use super::error::ProxyError;
use super::frame::{FEATURE_NO_DATA_CHECKSUMS, Kind, Reply, request, words};
use super::ops::Op;
use super::receiver::Item;

/// How long after a damaged answer to look for a better one.
const AFTER_DAMAGE: Duration = Duration::from_millis(20);
/// Silence that ends the draining of a link.
const QUIET: Duration = Duration::from_millis(20);
/// Longest draining: a target that never stops talking is not in sync.
const DRAIN: Duration = Duration::from_secs(1);
/// Deadline of a NOP while synchronising.
const SYNC: Duration = Duration::from_millis(100);
/// Zeros before each NOP tried while synchronising. The first NOPs may be swallowed as the rest of an older frame; a
/// loader that still waits for the data of a broken-off write is given them: the first two pads together are more than a
/// block.
const SYNC_PADS: [usize; 6] = [0, 0, 8 * 1024, 128 * 1024, 0, 64 * 1024];
/// Asking for so long without one byte ends the synchronising, once a loader had answered.
const SILENCE: Duration = Duration::from_millis(600);
/// Padding on a serial line, as a part of what it carries in a second: together more than a block there.
const PADS_PER_SECOND: u64 = 8;
/// Throughput in bytes per second that links without a known one are thought to have for padding.
const USUAL_RATE: u64 = 1_000_000;
/// Most receptions in one look at what came unasked.
const LOOKS: u32 = 64;
/// Longest wait for an operation's answer between two looks whether the user wants to stop.
const TURN: Duration = Duration::from_millis(100);
/// Proven exchanges after trouble until answers may go without proof again. The link keeps its order, so that one echo
/// shows that nothing old is under way; more of them show that the trouble is over.
pub(super) const DOUBT: u32 = 32;

/// What came back of a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Echo {
    /// It itself.
    Came,
    /// Something else.
    Other,
    /// Nothing.
    Silence,
}

impl Proxy<'_> {
    /// Whether the answer just taken was the last thing due: then a mark is answered by nothing but its echo. `None` if it
    /// was, or if no proof is needed; else what it has to count as.
    pub(super) fn prove(&mut self, what: &str) -> Result<Option<Answer>, ProxyError> {
        if self.trusts() {
            return Ok(None);
        }
        Ok(match self.echo(false, what)? {
            Echo::Came => {
                self.doubt = self.doubt.saturating_sub(1);
                None
            }
            Echo::Other => Some(Answer::Damaged),
            Echo::Silence => Some(Answer::Silence),
        })
    }

    /// Sends a mark and waits for its echo, past whatever else comes if `pass_over`.
    fn echo(&mut self, pass_over: bool, what: &str) -> Result<Echo, ProxyError> {
        self.mark += 1;
        let mark = MARK | self.mark;
        self.stats.requests += 1;
        self.link.send(&request(Kind::Proxy, &words([mark])))?;
        let start = self.link.now();
        let end = start + self.deadline();
        loop {
            while let Some(item) = self.rx.next() {
                match item {
                    Item::Reply(r) if r.kind == Kind::Boot => self.boot(&r, what)?,
                    Item::Reply(r) if r.kind == Kind::Proxy && r.word(0) == mark => {
                        return Ok(Echo::Came);
                    }
                    Item::Event { .. } => self.stats.events += 1,
                    other => {
                        self.surprise(&other);
                        if !pass_over {
                            return Ok(Echo::Other);
                        }
                    }
                }
            }
            if self.link.now() >= end || self.fill(end)? == 0 {
                self.doubt = DOUBT;
                return Ok(if self.heard > start {
                    Echo::Other
                } else {
                    Echo::Silence
                });
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
        self.doubt = DOUBT;
    }

    /// Looks at what came since the last answer: text, events, and what should not be there.
    pub(super) fn look(&mut self, what: &str) -> Result<(), ProxyError> {
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
    pub(super) fn again(
        &mut self,
        lost: Answer,
        may_repeat: bool,
        what: &str,
        after: Duration,
    ) -> Result<(), ProxyError> {
        self.doubt = DOUBT;
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
        // An operation may be left alone while it takes its time; the bytes of a transfer may not.
        let may_stop = kind == Kind::Proxy;
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
            let now = self.link.now();
            let over = now >= end && heard;
            heard = true;
            let turn = if may_stop { end.min(now + TURN) } else { end };
            if over || self.fill(turn)? == 0 {
                // A link whose clock stands still has nothing more to say.
                if !over && self.link.now() < end && self.link.now() > now {
                    self.check_stop(what)?;
                    continue;
                }
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
    pub(super) fn raw(&mut self, out: &mut [u8], end: Duration) -> Result<bool, ProxyError> {
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
    pub(super) fn fill(&mut self, end: Duration) -> Result<usize, ProxyError> {
        let left = end.saturating_sub(self.link.now());
        let n = self.link.recv(&mut self.scratch, left)?;
        if n > 0 {
            self.heard = self.link.now();
            self.stuck = false;
        }
        self.rx.push(&self.scratch[..n]);
        Ok(n)
    }

    /// Back in step with the loader: lets it finish talking, then NOPs until one is answered.
    pub(super) fn resync(&mut self, what: &str) -> Result<(), ProxyError> {
        self.resync_within(Duration::ZERO, what)
    }

    /// The same, and goes on asking for at least `patience`. Where not one byte comes, and where the user wants to stop, it
    /// ends sooner.
    pub(super) fn resync_within(
        &mut self,
        patience: Duration,
        what: &str,
    ) -> Result<(), ProxyError> {
        let start = self.link.now();
        let mut pads = SYNC_PADS.into_iter();
        let mut asked = 0;
        loop {
            let now = self.link.now();
            let waiting = now < start + patience;
            if self.connected && asked > 0 {
                let silent = now.saturating_sub(self.heard.max(start)) >= SILENCE && !waiting;
                if silent || self.wants_stop() {
                    break;
                }
                if asked == 1
                    && self.heard < start
                    && let Some(notice) = self.notice
                {
                    notice(&format!(
                        "no answer to {what} yet: asking whether anybody is there"
                    ));
                }
            }
            asked += 1;
            let pad = match pads.next() {
                Some(pad) => pad,
                None if waiting => 0,
                None => break,
            };
            match self.try_sync(pad, what) {
                Ok(true) => return Ok(()),
                Ok(false) => self.check_stop(what)?,
                // Nobody takes what is sent: silence in the other direction.
                Err(ProxyError::Link(LinkError::Stalled(_))) => {
                    self.stuck = true;
                    break;
                }
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

    /// After a failed exchange: whether the loader is there and in step. Where nothing at all came it is asked once more.
    pub fn recover(&mut self) -> bool {
        let start = self.link.now();
        for attempt in 0..ATTEMPTS {
            let silent = start.saturating_sub(self.heard) >= SILENCE;
            if self.stuck || attempt > 0 && (self.wants_stop() || silent && self.heard < start) {
                break;
            }
            if self.try_sync(0, "P_NOP").unwrap_or(false) {
                return true;
            }
        }
        false
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
        Ok(self.nop(SYNC + Duration::from_micros(us), what)?
            && self.echo(true, what)? == Echo::Came)
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
        let start = self.link.now();
        let end = start + DRAIN;
        // Where it is quiet already nobody has to wait for that.
        let quiet = if start.saturating_sub(self.heard) >= QUIET && self.connected {
            Duration::ZERO
        } else {
            QUIET
        };
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
            if now >= end || self.fill(end.min(now + quiet))? == 0 {
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
