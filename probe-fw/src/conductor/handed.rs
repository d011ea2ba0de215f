//! Triggers whose interrupt somebody else serves than its handler, and those right behind a write to SIQ_CFG.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use protocol::command::{Between, Handover, Rewrite};
use protocol::message::{EventKind, Refusal};

use super::cell::Running;
use super::{BOOT, Context};
use crate::mailbox::{self, Operation};
use crate::platform::Platform;
use crate::{handover, local};

impl<P: Platform> Context<'_, '_, P> {
    /// Fires, waits until somebody has served it, and books from the trigger to the start of the service.
    pub(super) fn trigger_handed(&mut self, r: &mut Running) -> Result<(), Refusal> {
        let (shared, own) = (self.block.shared(), self.block.private(BOOT));
        let here = BOOT as u8;
        let handover = r.cell.special.handover;
        let serves =
            handover == Some(Handover::Store(here)) || handover == Some(Handover::Event(here));
        let (before, stood) = (shared.done.valid.load(Acquire), own.work.word.load(Acquire));
        if let Some(Handover::Ipi(cpu)) = handover {
            // One that never came must not be served by the next.
            self.block.private(cpu.into()).owed.store(0, Relaxed);
        }
        let fired_at = self.fire(r.cell.fire_cpu.into())?;
        r.result.fired += 1;
        let until = fired_at + r.timeout;
        if serves && self.platform.wait(&own.work.word, stood, until) != stood {
            handover::serve(self.block, self.platform, BOOT);
        }
        let served = self.platform.wait(&shared.done.valid, before, until) != before;
        let taken = self.next_record(until);
        let time = shared.done.time.load(Relaxed);
        match taken {
            Some(taken) if served && time <= until => {
                let (first, second) = (
                    time.saturating_sub(fired_at),
                    time.saturating_sub(taken.time),
                );
                let server = (shared.done.cpu.load(Relaxed) as usize).min(self.block.cpus() - 1);
                r.result.served[server] += 1;
                self.land(r, EventKind::Landed, taken.cpu, fired_at, first, second);
                self.watch_grace(r)
            }
            // It landed, and nobody served it.
            Some(_) => {
                self.lose(r, fired_at);
                self.watch_grace(r)
            }
            None => self.account(r, None, fired_at, until, None),
        }
    }

    /// Fires right behind a write to SIQ_CFG of the firing CPU. What was there before the write is brought into effect first, by
    /// an interrupt that is not counted.
    pub(super) fn trigger_rewritten(
        &mut self,
        r: &mut Running,
        rewrite: Rewrite,
    ) -> Result<(), Refusal> {
        let fire = usize::from(r.cell.fire_cpu);
        let field = r.cell.fields.get(fire).copied();
        self.set_field(fire, field.unwrap_or(protocol::command::FIELD_AS_FOUND))?;
        self.fire_uncounted(r, None)?;
        let Some(found) = self.me.siq_now[fire] else {
            return Err(self.siq_refusal(fire));
        };
        let wanted = found & !3 | u64::from(rewrite.field);
        self.me.siq_now[fire] = Some(wanted);
        let operand = match rewrite.between {
            Between::Nothing => wanted,
            Between::Isb | Between::Interrupt => wanted | local::WITH_ISB,
        };
        let fired_at = if rewrite.between == Between::Interrupt {
            self.fire_uncounted(r, Some(operand))?;
            self.fire(fire)?
        } else {
            self.fire_behind(fire, operand)?
        };
        r.result.fired += 1;
        let taken = self.next_record(fired_at + r.timeout);
        self.account(r, taken, fired_at, fired_at + r.timeout, None)
    }

    fn fire_behind(&mut self, fire: usize, operand: u64) -> Result<u64, Refusal> {
        if fire == BOOT {
            return Ok(local::fire_rewritten(
                self.platform,
                self.block.shared(),
                operand,
            ));
        }
        let reading = mailbox::ask(self.block, self.platform, fire, Operation::Rewrite, operand)?;
        self.value(reading, fire)
    }

    /// An interrupt that is delivered somewhere and says nothing; one that is not delivered is withdrawn.
    fn fire_uncounted(&mut self, r: &Running, behind: Option<u64>) -> Result<(), Refusal> {
        let fire = usize::from(r.cell.fire_cpu);
        let at = match behind {
            None => self.fire(fire)?,
            Some(operand) => self.fire_behind(fire, operand)?,
        };
        if self.next_record(at + r.timeout).is_none() {
            self.platform.aic().sw_clr(&r.handle);
        }
        self.sleep_until(self.platform.now() + r.grace);
        let shared = self.block.shared();
        self.me.consumed = shared.taken.load(Relaxed);
        shared.before.store(self.me.consumed, Relaxed);
        Ok(())
    }
}
