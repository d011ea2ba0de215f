//! What workers do during a cell beside answering: load, and standing by for interrupts that are handed over.

use core::sync::atomic::Ordering::Relaxed;

use protocol::command::{Handover, Load, Special};
use protocol::message::{Reading, Refusal};
use protocol::{Cell, Register};

use super::{BOOT, Context};
use crate::handover::{self, Stand, Told};
use crate::load;
use crate::mailbox::{self, Operation, PATIENCE_US};
use crate::platform::Platform;

/// The workers that stand by for a hand-over, one bit each, and what they wait on.
#[inline(never)]
const fn standing(handover: Option<Handover>) -> (u32, Stand) {
    match handover {
        Some(Handover::Store(cpu) | Handover::Event(cpu)) if cpu as usize != BOOT => {
            (1 << (cpu & 31), Stand::Alone)
        }
        Some(Handover::Floating(set)) => (set, Stand::Together),
        _ => (0, Stand::Nowhere),
    }
}

impl<P: Platform> Context<'_, '_, P> {
    /// CPUs under load must be workers, those that serve must be here, and nobody can stand by and fire.
    pub(super) fn check_crew(&self, cell: &Cell) -> Result<(), Refusal> {
        let special = &cell.special;
        let (standing, _) = standing(special.handover);
        if let Some(Handover::Store(cpu) | Handover::Event(cpu) | Handover::Ipi(cpu)) =
            special.handover
            && !self.present(cpu.into())
        {
            return Err(Refusal::Cpu(cpu));
        }
        if special.handover == Some(Handover::Floating(0)) || standing >> cell.fire_cpu & 1 != 0 {
            return Err(Refusal::Cpu(cell.fire_cpu));
        }
        let workers = special.loaded | standing;
        match (0..32).find(|cpu| workers >> cpu & 1 != 0 && (*cpu == BOOT || !self.present(*cpu))) {
            Some(cpu) => Err(Refusal::Cpu(cpu as u8)),
            None => Ok(()),
        }
    }

    /// Puts the workers of `loaded` under load and relieves all others.
    pub(super) fn set_loads(&mut self, load: Load, loaded: u32) -> Result<(), Refusal> {
        for cpu in 1..self.block.cpus() {
            let wanted = match loaded >> cpu & 1 {
                0 => load::word(Load::Idle),
                _ => load::word(load),
            };
            let now = self.block.private(cpu).load.load(Relaxed);
            if now != wanted && self.present(cpu) {
                mailbox::ask(self.block, self.platform, cpu, Operation::Load, wanted)?;
            }
        }
        Ok(())
    }

    /// Leaves the order for handlers, and lets those stand by that will serve.
    pub(super) fn begin_handover(&mut self, special: &Special) -> Result<(), Refusal> {
        let Some(handover) = special.handover else {
            return Ok(());
        };
        let shared = self.block.shared();
        shared.hand.store(handover::order(handover), Relaxed);
        if let Handover::Ipi(cpu) = handover {
            let Some(Reading::Value(mpidr)) = self.read(cpu.into(), Register::Mpidr) else {
                return Err(Refusal::Cpu(cpu));
            };
            let request = mpidr & 0xff | (mpidr & 0xff00) << 8;
            shared.hand_ipi.store(request, Relaxed);
        }
        let (set, stand) = standing(special.handover);
        for cpu in (1..self.block.cpus()).filter(|cpu| set >> cpu & 1 != 0) {
            let operand = stand as u64;
            mailbox::ask(self.block, self.platform, cpu, Operation::Stand, operand)?;
        }
        Ok(())
    }

    /// Sends those who stand by back to their mailboxes.
    pub(super) fn end_handover(&mut self, special: &Special) {
        let (set, stand) = standing(special.handover);
        if stand == Stand::Together {
            handover::tell(&self.block.shared().floating, Told::Stop);
        }
        for cpu in (1..self.block.cpus()).filter(|cpu| set >> cpu & 1 != 0) {
            let private = self.block.private(cpu);
            if stand == Stand::Alone {
                handover::tell(&private.work, Told::Stop);
            }
            // One that does not come back shows at the next question to it.
            let until = self.platform.now() + self.platform.ticks(PATIENCE_US);
            self.platform.wait(&private.standing, stand as u64, until);
        }
    }
}
