//! Fast IPIs from one CPU to another, and a CPU that lies in WFI.

use core::sync::atomic::Ordering::Acquire;

use heapless::Vec;
use protocol::command::{IpiCell, Receive};
use protocol::message::{IpiResult, Reading, Refusal, WfiResult};
use protocol::{MAX_CPUS, Message, Register};

use super::{BOOT, Context};
use crate::ipi::{self, Mode};
use crate::mailbox::{self, Operation};
use crate::platform::{Platform, pause, rest};

/// Longest time that all IPIs of a cell may take together, in microseconds: the boot CPU is not back before.
const LONGEST_US: u64 = 100_000;
/// Longest stay in WFI, in microseconds: less than a worker may take to answer.
const LONGEST_WFI_US: u32 = 50_000;

impl<P: Platform> Context<'_, '_, P> {
    pub(super) fn ipi_cell(&mut self, cell: &IpiCell) {
        let mut result = empty_result(cell.id);
        let before = self.ipi_counts();
        if let Err(refusal) = self.run_ipis(cell, &mut result) {
            result.refusal = Some(refusal);
        }
        for (now, before) in self.ipi_counts().iter().zip(before).take(self.block.cpus()) {
            let _ = result.received.push(now.wrapping_sub(before) as u32);
        }
        self.say(&Message::Ipi(result));
    }

    fn ipi_counts(&self) -> [u64; MAX_CPUS] {
        core::array::from_fn(|cpu| {
            if cpu < self.block.cpus() {
                self.block.private(cpu).ipis.load(Acquire)
            } else {
                0
            }
        })
    }

    fn run_ipis(&mut self, cell: &IpiCell, result: &mut IpiResult) -> Result<(), Refusal> {
        if !self.me.open {
            return Err(Refusal::NotOpen);
        }
        if let Some(cpu) = [cell.from, cell.to]
            .into_iter()
            .find(|c| !self.present((*c).into()))
        {
            return Err(Refusal::Cpu(cpu));
        }
        let held = cell.receive == Receive::Held;
        let waits = if held { 1 } else { u64::from(cell.count) };
        if cell.count == 0 || waits * u64::from(cell.timeout_us) > LONGEST_US {
            return Err(Refusal::Triggers);
        }
        let to = usize::from(cell.to);
        let Some(Reading::Value(mpidr)) = self.read(to, Register::Mpidr) else {
            return Err(Refusal::Cpu(cell.to));
        };
        let request = ipi::request(cell, mpidr);
        self.ipi_mode(to, cell.receive.into())?;
        let sent = self.send_all(cell, request, result);
        if held {
            // The last of them may still be on their way.
            let until = self.platform.now() + self.platform.ticks(ipi::WORK_US);
            pause(self.platform, until);
        }
        let back = self.ipi_mode(to, Mode::Normal);
        sent.and(back)?;
        if held {
            let private = self.block.private(to);
            let before = private.ipis.load(Acquire);
            let until = self.platform.now() + self.platform.ticks(cell.timeout_us.into());
            rest(self.platform, &private.ipis, before, until);
        }
        Ok(())
    }

    pub(super) fn send_all(
        &mut self,
        cell: &IpiCell,
        request: u64,
        result: &mut IpiResult,
    ) -> Result<(), Refusal> {
        let from = usize::from(cell.from);
        let counted = &self.block.private(cell.to.into()).ipis;
        let timeout = self.platform.ticks(cell.timeout_us.into());
        for _ in 0..cell.count {
            let before = counted.load(Acquire);
            let answer = if from == BOOT {
                ipi::send(self.platform, request)
            } else {
                mailbox::ask(self.block, self.platform, from, Operation::SendIpi, request)?
            };
            if let Reading::Trapped(esr) = answer {
                result.trapped = Some(esr);
                return Ok(());
            }
            result.sent += 1;
            if cell.receive != Receive::Held {
                let until = self.platform.now() + timeout;
                let now = rest(self.platform, counted, before, until);
                result.missed += u32::from(now == before);
            }
        }
        Ok(())
    }

    fn ipi_mode(&mut self, cpu: usize, mode: Mode) -> Result<(), Refusal> {
        if cpu == BOOT {
            ipi::set_mode(self.platform, self.block.private(BOOT), mode as u64);
            return Ok(());
        }
        mailbox::ask(
            self.block,
            self.platform,
            cpu,
            Operation::IpiMode,
            mode as u64,
        )
        .map(drop)
    }

    pub(super) fn wfi(&mut self, cpu: u8, us: u32) {
        let start = self.platform.now();
        let us = us.min(LONGEST_WFI_US);
        let worker = usize::from(cpu);
        let answer = if worker == BOOT || !self.present(worker) {
            Err(Refusal::Cpu(cpu))
        } else {
            mailbox::ask(self.block, self.platform, worker, Operation::Wfi, us.into())
        };
        let word = match answer {
            Ok(Reading::Value(word)) => Some(word),
            _ => None,
        };
        self.say(&Message::Wfi(WfiResult {
            cpu,
            changed: word.map(|w| w as u32),
            system: word.map_or(0, |w| (w >> 32) as u8),
            ticks: self.platform.now() - start,
        }));
    }

    /// Writes to VM_TMR_FIQ_ENA of a CPU what it reads.
    pub(super) fn write_back(&mut self, cpu: u8) {
        let worker = usize::from(cpu);
        let reading = if !self.present(worker) {
            None
        } else if worker == BOOT {
            Some(crate::local::write_back(self.platform))
        } else {
            mailbox::ask(self.block, self.platform, worker, Operation::WriteBack, 0).ok()
        };
        self.say(&Message::Register {
            cpu,
            register: Register::VmTmrFiqEna,
            reading,
        });
    }
}

pub(super) const fn empty_result(id: u32) -> IpiResult {
    IpiResult {
        id,
        refusal: None,
        trapped: None,
        sent: 0,
        missed: 0,
        received: Vec::new(),
    }
}
