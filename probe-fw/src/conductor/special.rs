//! What only some cells have: routing words, ENABLE, waiting at EL1, steps, other ways of ending.

use aic_regs::aic::{Generation, IrqConfig, Line, LineHandle};
use protocol::command::{Action, Ending, Load, Special, Step};
use protocol::message::{Reading, Refusal};
use protocol::{Cell, command::FIELD_AS_FOUND};

use super::cell::Running;
use super::trigger::Unmasked;
use super::{BOOT, Context};
use crate::local;
use crate::mailbox::{self, Operation};
use crate::platform::Platform;

impl<P: Platform> Context<'_, '_, P> {
    /// Whether CONFIG is ours to switch: nobody is known to touch that of AICv1.
    pub(super) fn owns_config(&self) -> bool {
        self.platform.aic().geometry().generation != Generation::V1
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.platform.aic().config().enable()
    }

    pub(super) fn set_enable(&self, on: bool) {
        let aic = self.platform.aic();
        let mut config = aic.config();
        config.set_enable(on);
        aic.set_config(config);
    }

    /// CPUs that the cell names must be there; those at EL1 must be workers.
    pub(super) fn check_special(&self, special: &Special) -> Result<(), Refusal> {
        for step in &special.steps {
            let cpu = usize::from(step.cpu);
            if !self.present(cpu) {
                return Err(Refusal::Cpu(step.cpu));
            }
            match step.action {
                Action::SetField(field) if field > 3 => return Err(Refusal::Field(step.cpu)),
                Action::SetField(_) if self.me.siq_now[cpu].is_none() => {
                    return Err(self.siq_refusal(cpu));
                }
                _ => {}
            }
        }
        let el1 = special.at_el1;
        match (0..32).find(|cpu| el1 >> cpu & 1 != 0 && (*cpu == BOOT || !self.present(*cpu))) {
            Some(cpu) => Err(Refusal::Cpu(cpu as u8)),
            None => Ok(()),
        }
    }

    /// Sends the workers of `at_el1` to EL1 and all others back.
    pub(super) fn set_levels(&mut self, at_el1: u32) -> Result<(), Refusal> {
        for cpu in 1..self.block.cpus() {
            let level = at_el1 >> cpu & 1;
            if self.me.at_el1 >> cpu & 1 != level && self.present(cpu) {
                let operand = u64::from(level);
                mailbox::ask(self.block, self.platform, cpu, Operation::Level, operand)?;
                self.me.at_el1 = self.me.at_el1 & !(1 << cpu) | level << cpu;
            }
        }
        Ok(())
    }

    /// Routing word and ENABLE of a cell.
    pub(super) fn set_surroundings(&mut self, cell: &Cell, handle: &LineHandle) {
        if let Some(word) = cell.special.routing {
            self.platform
                .aic()
                .set_irq_cfg(handle, IrqConfig::from(word));
        }
        if let Some(on) = cell.special.enable {
            self.set_enable(on);
        }
    }

    /// And what they were before.
    pub(super) fn reset_surroundings(&mut self, r: &Running) {
        if r.cell.special.routing.is_some() {
            self.restore_routing(&r.handle);
        }
        if r.cell.special.enable.is_some() {
            self.take_config();
        }
        // A worker that does not answer shows at the end.
        let _ = self.set_levels(0);
        let _ = self.set_loads(Load::Idle, 0);
    }

    /// Unmasks the lines of a cell at its start and at the start of a slice.
    pub(super) fn unmask_lines(&self, handle: &LineHandle, second: Option<&LineHandle>) {
        let aic = self.platform.aic();
        for line in [Some(handle), second].into_iter().flatten() {
            aic.unmask(line);
        }
    }

    /// Masks the lines of a cell, with nothing of ours pending.
    #[inline(never)]
    pub(super) fn silence(&self, r: &Running) {
        let aic = self.platform.aic();
        for line in [Some(&r.handle), r.second.as_ref()].into_iter().flatten() {
            aic.mask(line);
            aic.sw_clr(line);
        }
    }

    /// Carries out one step; counts it if its answer is yes.
    pub(super) fn step(
        &mut self,
        r: &mut Running,
        at: usize,
        step: Step,
        unmasked: &Unmasked,
    ) -> Result<(), Refusal> {
        let cpu = usize::from(step.cpu);
        let aic = self.platform.aic();
        let yes = match step.action {
            Action::SetField(field) => self.set_field(cpu, field)? == field,
            Action::TakeEvent => {
                let masked = r.cell.masked.iter().any(|m| usize::from(m.cpu) == cpu);
                self.take_event(cpu, masked && unmasked[cpu] == 0)?
            }
            Action::Sample => self.sample(cpu)?,
            Action::UnmaskLine => {
                aic.unmask(&r.handle);
                !aic.is_masked(&r.handle)
            }
            Action::ClearLine => {
                aic.sw_clr(&r.handle);
                !aic.sw_state(&r.handle)
            }
        };
        r.result.hits[at] += u32::from(yes);
        Ok(())
    }

    fn take_event(&mut self, cpu: usize, masked: bool) -> Result<bool, Refusal> {
        let came = if cpu == BOOT {
            local::take_event(self.platform, self.block.shared(), masked)
        } else {
            let operand = u64::from(masked);
            match mailbox::ask(
                self.block,
                self.platform,
                cpu,
                Operation::TakeEvent,
                operand,
            )? {
                Reading::Value(came) => came,
                Reading::Trapped(_) => return Err(Refusal::WorkerFault(cpu as u8)),
            }
        };
        Ok(came != 0)
    }

    /// Before a trigger: fields that the one before changed, and the line's mask.
    pub(super) fn before_trigger(&mut self, r: &Running) -> Result<(), Refusal> {
        for step in &r.cell.special.steps {
            if let Action::SetField(_) = step.action {
                let cpu = usize::from(step.cpu);
                let field = r.cell.fields.get(cpu).copied().unwrap_or(FIELD_AS_FOUND);
                self.set_field(cpu, field)?;
            }
        }
        if r.cell.special.line_masked {
            self.platform.aic().mask(&r.handle);
        } else if r.cell.special.ending == Ending::Disabled {
            self.platform.aic().unmask(&r.handle);
        }
        Ok(())
    }

    /// After a trigger: whether a mask stayed that was to go.
    pub(super) fn look_at_masks(&mut self, r: &mut Running) {
        let aic = self.platform.aic();
        let left = match r.cell.special.ending {
            Ending::Normal => false,
            Ending::Disabled => {
                aic.unmask(&r.handle);
                aic.is_masked(&r.handle)
            }
            Ending::OutOfOrder(_) => {
                aic.is_masked(&r.handle) || r.second.as_ref().is_some_and(|s| aic.is_masked(s))
            }
        };
        r.result.left_masked += u32::from(left);
    }

    /// The routing word of a line as found.
    fn restore_routing(&self, handle: &LineHandle) {
        let Line { die, number } = handle.line();
        if let Some(found) = self.me.kept.routing(die, number) {
            self.platform
                .aic()
                .set_irq_cfg(handle, IrqConfig::from(found));
        }
    }
}
