//! One trigger: fire, hold the mask windows, wait for what lands, look for what should not.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use protocol::MAX_CPUS;
use protocol::message::{EventKind, Reading, Refusal};

use super::cell::Running;
use super::{BOOT, Context};
use crate::local;
use crate::mailbox::{self, Operation};
use crate::platform::Platform;
use crate::state::{RECORDS, STORM};

/// A trigger that was not taken within its timeout is watched for this part of the timeout longer before it is withdrawn:
/// a second trigger of the same line could not be told from it.
const LATE_PART: u64 = 8;

/// One interrupt out of the record.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub cpu: usize,
    pub time: u64,
    /// End of the handler; 0 unless timed.
    pub end: u64,
}

/// When each CPU was unmasked; 0 = it never was masked.
pub type Unmasked = [u64; MAX_CPUS];

impl<P: Platform> Context<'_, '_, P> {
    /// Fires once and accounts for it.
    pub(super) fn trigger(&mut self, r: &mut Running) -> Result<(), Refusal> {
        self.drain_stragglers(r);
        self.block.shared().before.store(self.me.consumed, Relaxed);
        r.last_late = false;
        r.last_landed = false;
        if r.plain {
            return self.trigger_open(r);
        }
        match r.cell.special.gap_us {
            0 => {}
            us => self.sleep_until(self.platform.now() + self.platform.ticks(us.into())),
        }
        self.before_trigger(r)?;
        if r.cell.special.handover.is_some() {
            self.trigger_handed(r)?;
        } else if let Some(rewrite) = r.cell.special.rewrite {
            self.trigger_rewritten(r, rewrite)?;
        } else {
            self.trigger_timed(r)?;
        }
        self.look_at_masks(r);
        Ok(())
    }

    /// Fires from the CPU of the cell; the time just before.
    pub(super) fn fire(&mut self, fire: usize) -> Result<u64, Refusal> {
        if fire == BOOT {
            return Ok(local::fire(self.platform, self.block.shared()));
        }
        let reading = mailbox::ask(self.block, self.platform, fire, Operation::Fire, 0)?;
        self.value(reading, fire)
    }

    fn trigger_open(&mut self, r: &mut Running) -> Result<(), Refusal> {
        let fire = usize::from(r.cell.fire_cpu);
        let (taken, fired_at) = if fire == BOOT {
            let at = local::fire(self.platform, self.block.shared());
            (self.next_record(at + r.timeout), at)
        } else {
            let posted = mailbox::post(self.block, fire, Operation::Fire, 0)?;
            // The landing usually comes before the answer: wait for it first, with the delay of the mailbox on top.
            let taken = self.next_record(self.platform.now() + r.timeout);
            let at = self.value(mailbox::collect(self.block, self.platform, posted)?, fire)?;
            let taken = taken.or_else(|| self.next_record(at + r.timeout));
            (taken, at)
        };
        r.result.fired += 1;
        self.account(r, taken, fired_at, fired_at + r.timeout, None)
    }

    /// A trigger with windows or steps.
    fn trigger_timed(&mut self, r: &mut Running) -> Result<(), Refusal> {
        let mut unmasked: Unmasked = [0; MAX_CPUS];
        for mask in &r.cell.masked {
            self.mask(mask.cpu.into())?;
        }
        let fired_at = self.fire(r.cell.fire_cpu.into())?;
        r.result.fired += 1;
        let mut offered = 0u32;
        let mut last = fired_at;
        let mut steps = 0;
        loop {
            let step = r.cell.special.steps.get(steps).copied();
            let window = next_window(r, &unmasked);
            let (us, window) = match (step, window) {
                (None, None) => break,
                (Some(step), Some((_, us))) if u64::from(step.at_us) <= us => {
                    (step.at_us.into(), None)
                }
                (_, Some((cpu, us))) => (us, Some(cpu)),
                (Some(step), None) => (step.at_us.into(), None),
            };
            self.sleep_until(fired_at + self.platform.ticks(us));
            if let Some(cpu) = window {
                // Every window that is still open is sampled before the first of them closes.
                for mask in &r.cell.masked {
                    let cpu = usize::from(mask.cpu);
                    if unmasked[cpu] == 0 && self.sample(cpu)? {
                        offered |= 1 << cpu;
                    }
                }
                last = self.unmask(cpu)?;
                unmasked[cpu] = last;
            } else if let Some(step) = step {
                self.step(r, steps, step, &unmasked)?;
                last = last.max(self.platform.now());
                steps += 1;
            }
        }
        for (cpu, count) in r.result.offered.iter_mut().enumerate() {
            *count += offered >> cpu & 1;
        }
        let until = last + r.timeout;
        let taken = self.next_record(until);
        self.account(r, taken, fired_at, until, Some(&unmasked))
    }

    /// Books the first interrupt of a trigger, or its absence, then looks for more of them.
    pub(super) fn account(
        &mut self,
        r: &mut Running,
        taken: Option<Taken>,
        fired_at: u64,
        until: u64,
        unmasked: Option<&Unmasked>,
    ) -> Result<(), Refusal> {
        match taken {
            Some(taken) if taken.time <= until => {
                let (kind, from) = match unmasked.map_or(0, |at| at[taken.cpu]) {
                    0 => (EventKind::Landed, fired_at),
                    at => {
                        r.result.from_unmask += 1;
                        (EventKind::Unmasked, at)
                    }
                };
                let first = taken.time.saturating_sub(from);
                let second = taken.end.saturating_sub(taken.time);
                self.land(r, kind, taken.cpu, from, first, second);
            }
            Some(taken) => {
                self.lose(r, fired_at);
                self.straggle(r, taken);
            }
            None => {
                self.lose(r, fired_at);
                // A little longer, so that what comes late is told from what never comes.
                let patience = r.grace + r.timeout / LATE_PART;
                let late = self.next_in_grace(self.platform.now() + patience);
                // Withdraw it; and whoever swallowed the event left the line masked.
                self.platform.aic().sw_clr(&r.handle);
                self.unmask_lines(&r.handle, r.second.as_ref());
                if let Some(taken) = late {
                    self.straggle(r, taken);
                }
            }
        }
        self.watch_grace(r)
    }

    /// Looks for further deliveries of the trigger.
    pub(super) fn watch_grace(&mut self, r: &mut Running) -> Result<(), Refusal> {
        while let Some(taken) = self.next_in_grace(self.platform.now() + r.grace) {
            self.straggle(r, taken);
            self.check_storm()?;
        }
        Ok(())
    }

    /// Books a delivery in time, with its latencies.
    pub(super) fn land(
        &mut self,
        r: &mut Running,
        kind: EventKind,
        cpu: usize,
        from: u64,
        first: u64,
        second: u64,
    ) {
        r.last_landed = true;
        let result = &mut r.result;
        result.landed[cpu] += 1;
        if result.latencies == 0 || first < result.min_ticks {
            result.min_ticks = first;
        }
        result.max_ticks = result.max_ticks.max(first);
        result.latencies += 1;
        self.me.histograms[0].add(first);
        if r.timed {
            if result.seconds == 0 || second < result.min_second {
                result.min_second = second;
            }
            result.max_second = result.max_second.max(second);
            result.seconds += 1;
            self.me.histograms[1].add(second);
        }
        if r.noted {
            self.note(r, kind, cpu, from, [first, second]);
        }
    }

    /// Books a trigger that was not taken in time.
    pub(super) fn lose(&mut self, r: &mut Running, fired_at: u64) {
        r.result.lost += 1;
        if r.noted {
            self.note(r, EventKind::Lost, 0, fired_at, [0, 0]);
        }
    }

    /// Books an interrupt that is not the first in time of its trigger.
    #[inline(never)]
    fn straggle(&mut self, r: &mut Running, taken: Taken) {
        let kind = if r.last_landed || r.last_late {
            r.result.duplicate += 1;
            EventKind::Duplicate
        } else {
            r.last_late = true;
            r.result.late += 1;
            EventKind::Late
        };
        if r.noted {
            self.note(r, kind, taken.cpu, taken.time, [0, 0]);
        }
    }

    /// Interrupts that came after the end of the trigger before.
    pub(super) fn drain_stragglers(&mut self, r: &mut Running) {
        while let Some(taken) = self.peek_record() {
            self.straggle(r, taken);
        }
    }

    fn check_storm(&self) -> Result<(), Refusal> {
        let shared = self.block.shared();
        let since = shared
            .taken
            .load(Relaxed)
            .wrapping_sub(shared.before.load(Relaxed));
        if since >= STORM {
            Err(Refusal::Storm)
        } else {
            Ok(())
        }
    }

    /// The next record if it is complete.
    fn peek_record(&mut self) -> Option<Taken> {
        let record = &self.block.shared().records[self.me.consumed as usize % RECORDS];
        if record.valid.load(Acquire) != self.me.consumed + 1 {
            return None;
        }
        self.me.consumed += 1;
        Some(Taken {
            cpu: (record.cpu.load(Relaxed) as usize).min(self.block.cpus() - 1),
            time: record.time.load(Relaxed),
            end: record.end.load(Relaxed),
        })
    }

    /// The next record, waiting until `until` for it.
    pub(super) fn next_record(&mut self, until: u64) -> Option<Taken> {
        self.record_by(|platform, word, seen| platform.wait(word, seen, until))
    }

    /// The same for a wait whose exact length does not matter.
    fn next_in_grace(&mut self, until: u64) -> Option<Taken> {
        self.record_by(|platform, word, seen| platform.wait_about(word, seen, until))
    }

    #[inline]
    fn record_by(&mut self, wait: impl Fn(&P, &AtomicU64, u64) -> u64) -> Option<Taken> {
        let record = &self.block.shared().records[self.me.consumed as usize % RECORDS];
        let mut seen = record.valid.load(Acquire);
        while seen != self.me.consumed + 1 {
            let now = wait(self.platform, &record.valid, seen);
            if now == seen {
                return None;
            }
            seen = now;
        }
        self.peek_record()
    }

    #[inline(never)]
    pub(super) fn sleep_until(&self, until: u64) {
        // A word that nobody stores to.
        let never = AtomicU64::new(0);
        self.platform.wait(&never, 0, until);
    }

    fn mask(&mut self, cpu: usize) -> Result<(), Refusal> {
        if cpu == BOOT {
            self.platform.irqs(false);
        } else {
            mailbox::ask(self.block, self.platform, cpu, Operation::Mask, 0)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn sample(&mut self, cpu: usize) -> Result<bool, Refusal> {
        if cpu == BOOT {
            return Ok(local::irq_offered(self.platform));
        }
        let reading = mailbox::ask(self.block, self.platform, cpu, Operation::Sample, 0)?;
        Ok(self.value(reading, cpu)? != 0)
    }

    /// Unmasks a CPU and returns the time just before.
    #[inline(never)]
    fn unmask(&mut self, cpu: usize) -> Result<u64, Refusal> {
        if cpu == BOOT {
            let now = self.platform.now();
            self.platform.irqs(true);
            return Ok(now);
        }
        let reading = mailbox::ask(self.block, self.platform, cpu, Operation::Unmask, 0)?;
        self.value(reading, cpu)
    }

    /// Opens whatever windows an aborted trigger left.
    pub(super) fn unmask_all(&mut self, r: &Running) {
        self.platform.irqs(true);
        if r.result.refusal.is_some() {
            for mask in &r.cell.masked {
                let _ = self.unmask(mask.cpu.into());
            }
        }
    }

    pub(super) fn value(&self, reading: Reading, cpu: usize) -> Result<u64, Refusal> {
        match reading {
            Reading::Value(value) => Ok(value),
            Reading::Trapped(_) => Err(Refusal::WorkerFault(cpu as u8)),
        }
    }
}

/// The masked CPU whose window ends next, with its length in microseconds.
#[inline(never)]
fn next_window(r: &Running, unmasked: &Unmasked) -> Option<(usize, u64)> {
    r.cell
        .masked
        .iter()
        .filter(|m| unmasked[usize::from(m.cpu)] == 0)
        .min_by_key(|m| m.us)
        .map(|m| (usize::from(m.cpu), u64::from(m.us)))
}
