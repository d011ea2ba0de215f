//! Whether FIQs reach a CPU, whatever its routing field says.

use protocol::command::{FIELD_AS_FOUND, FiqCell, IpiCell, Reach, Receive};
use protocol::message::{FiqResult, Reading, Refusal};
use protocol::{Message, Register};

use super::ipi::empty_result;
use super::{BOOT, Context};
use crate::mailbox::{self, Operation};
use crate::platform::Platform;
use crate::{fiq, ipi};

/// Longest time that the timers of a cell may take together, in microseconds: less than a worker may take to answer.
const LONGEST_US: u64 = 50_000;

impl<P: Platform> Context<'_, '_, P> {
    #[cold]
    #[inline(never)]
    pub(super) fn fiq_cell(&mut self, cell: &FiqCell) {
        let cpu = usize::from(cell.cpu);
        let mut result = FiqResult {
            id: cell.id,
            refusal: None,
            field: 0xff,
            sent: 0,
            ipis: 0,
            armed: 0,
            timers: 0,
        };
        let each = u64::from(cell.timeout_us) + fiq::AHEAD_US;
        result.refusal = if !self.me.open {
            Some(Refusal::NotOpen)
        } else if !self.present(cpu) {
            Some(Refusal::Cpu(cell.cpu))
        } else if cell.field > 3 {
            Some(Refusal::Field(cell.cpu))
        } else if cell.count == 0 || u64::from(cell.count).saturating_mul(each) > LONGEST_US {
            Some(Refusal::Triggers)
        } else if !self.owns_config() {
            // AICv1: the field decides nothing there.
            Some(Refusal::SiqCfg {
                cpu: cell.cpu,
                esr: 0,
            })
        } else {
            None
        };
        if result.refusal.is_none() {
            match self.set_field(cpu, cell.field) {
                Ok(field) => {
                    result.field = field;
                    self.send_fiqs(cell, &mut result);
                    if let Err(why) = self.set_field(cpu, FIELD_AS_FOUND) {
                        result.refusal = Some(why);
                    }
                }
                Err(why) => result.refusal = Some(why),
            }
        }
        self.say(&Message::Fiq(result));
    }

    fn send_fiqs(&mut self, cell: &FiqCell, result: &mut FiqResult) {
        let cpu = usize::from(cell.cpu);
        let from = (0..self.block.cpus()).find(|c| *c != cpu && self.present(*c));
        if let (Some(from), Some(Reading::Value(mpidr))) = (from, self.read(cpu, Register::Mpidr)) {
            let ipis = IpiCell {
                id: cell.id,
                from: from as u8,
                to: cell.cpu,
                reach: Reach::Global,
                kind: 0,
                receive: Receive::Normal,
                count: cell.count,
                timeout_us: cell.timeout_us,
            };
            let mut of = empty_result(cell.id);
            if let Err(why) = self.send_all(&ipis, ipi::address(Reach::Global, mpidr), &mut of) {
                result.refusal = Some(why);
            }
            result.sent = of.sent;
            result.ipis = of.sent - of.missed;
        }
        let operand = u64::from(cell.count) << 32 | u64::from(cell.timeout_us);
        let timers = if cpu == BOOT {
            Ok(Reading::Value(fiq::timers(
                self.platform,
                self.block.private(BOOT),
                operand,
            )))
        } else {
            mailbox::ask(self.block, self.platform, cpu, Operation::Timers, operand)
        };
        match timers {
            Ok(Reading::Value(taken)) => {
                result.armed = cell.count;
                result.timers = taken as u32;
            }
            Ok(_) => {}
            Err(why) => result.refusal = Some(why),
        }
    }
}
