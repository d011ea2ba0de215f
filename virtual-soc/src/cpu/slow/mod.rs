//! The slow path: one instruction at a time, with everything that can go wrong or reach beyond RAM.

mod atomics;
mod mem;
mod ops;
mod sys;

use std::ops::Range;

use super::bus::{Bus, Time};
use super::code::{PAGE_BITS, PAGE_OFFSET};
use super::core::{Core, CoreState};
use super::decode::decode;
use super::exception::Exc;
use super::fast::{self, Exit};
use super::insn::{Insn, Op};
use super::mmu::{self, Access, fsc};
use super::timer::Clock;
use crate::mem::Ram;

/// One core at work, with all it can reach.
pub(crate) struct Ctx<'a> {
    pub core: &'a mut Core,
    pub ram: &'a mut Ram,
    pub bus: &'a mut dyn Bus,
    pub clock: &'a Clock,
    pub host_call: &'a Range<u64>,
    pub cpu: usize,
    /// Time at the slice's start.
    pub start: Time,
    pub ps_per_insn: u64,
    pub budget: u32,
    /// Instructions of the budget not executed yet.
    pub left: u32,
    /// Something happened that may have changed the core's masks or state.
    pub slow: bool,
    /// A device was accessed.
    pub bus_called: bool,
    /// An exception was taken.
    pub excepted: bool,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Budget,
    /// The core is in WFE or WFI now.
    Waiting,
    /// The core executed HLT in the host-call range and is parked.
    HostCall(u16),
}

/// What an instruction does with pc.
enum Flow {
    Next,
    /// pc is set already.
    Jumped,
    Wait(CoreState),
    HostCall(u16),
}

impl Ctx<'_> {
    /// Local time: the slice's start plus what was executed of it.
    pub(crate) fn now(&self) -> Time {
        Time(self.start.0 + u64::from(self.budget - self.left) * self.ps_per_insn)
    }

    /// Re-reads the interrupt lines after a call of the bus.
    pub(crate) fn after_bus(&mut self) {
        self.bus_called = true;
        self.refresh_lines();
        if self.core.timers_changed {
            self.refresh_timers();
        }
    }

    fn refresh_lines(&mut self) {
        self.core.irq_in = self.bus.irq_lines() >> self.cpu & 1 != 0;
        self.core.fiq_in = self.bus.fiq_lines() >> self.cpu & 1 != 0;
    }

    pub(crate) fn refresh_timers(&mut self) {
        let gate = self.bus.timer_fiq_gate(self.cpu);
        self.core.update_timers(self.clock, self.now(), gate);
    }

    /// Reads all interrupt inputs, timers included.
    pub(crate) fn refresh_inputs(&mut self) {
        self.refresh_lines();
        if self.core.timers_changed || self.now() >= self.core.timer_due {
            self.refresh_timers();
        }
    }

    /// Runs until the budget is used up or the core stops by itself.
    pub(crate) fn run(&mut self) -> End {
        self.refresh_inputs();
        let before = self.left;
        let end = self.run_loop();
        self.core.insns += u64::from(before - self.left);
        end
    }

    fn run_loop(&mut self) -> End {
        let mut attention = true;
        while self.left > 0 {
            if attention {
                attention = false;
                if self.core.any_pending() && self.interrupted() {
                    self.excepted = true;
                    self.slow = true;
                }
                if self.core.il {
                    self.left -= 1;
                    self.except(Exc::illegal_state());
                    continue;
                }
            }
            let (exit, left) = fast::run(self.core, self.ram, self.left);
            self.left = left;
            let insn = match exit {
                Exit::Budget => break,
                Exit::Fetch => {
                    if self.left > 0
                        && let Err(exc) = self.fetch()
                    {
                        self.left -= 1;
                        self.except(exc);
                    }
                    continue;
                }
                Exit::Slow(insn) if insn.op == Op::Undecoded => {
                    self.decode();
                    continue;
                }
                Exit::Slow(insn) => insn,
            };
            attention = true;
            self.slow = true;
            let flow = self.execute(&insn);
            self.left -= 1;
            match flow {
                Ok(Flow::Next) => self.core.pc = self.core.pc.wrapping_add(4),
                Ok(Flow::Jumped) => {}
                Ok(Flow::Wait(state)) => {
                    self.core.pc = self.core.pc.wrapping_add(4);
                    self.core.state = state;
                    return End::Waiting;
                }
                Ok(Flow::HostCall(imm)) => {
                    self.core.pc = self.core.pc.wrapping_add(4);
                    self.core.state = CoreState::Parked;
                    return End::HostCall(imm);
                }
                Err(exc) => self.except(exc),
            }
        }
        End::Budget
    }

    /// Takes the pending interrupt of highest priority, if one is open.
    pub(crate) fn interrupted(&mut self) -> bool {
        let taken = self.core.take_interrupt();
        if taken {
            self.bus.synchronize(self.cpu, self.now());
        }
        taken
    }

    fn except(&mut self, exc: Exc) {
        self.core.raise(exc);
        self.bus.synchronize(self.cpu, self.now());
        self.excepted = true;
        self.slow = true;
    }

    /// Physical address of the instruction at pc.
    fn fetch_address(&self) -> Result<u64, Exc> {
        let pc = self.core.pc;
        if pc & 3 != 0 {
            return Err(Exc::pc_alignment(pc));
        }
        let access = Access {
            write: false,
            fetch: true,
            privileged: self.core.el != 0,
            pan: false,
        };
        mmu::translate(self.core, self.ram, self.core.regime(), pc, access)
            .map(|m| m.pa)
            .map_err(|code| Exc::insn_abort(pc, code))
    }

    /// Makes the page of pc executable by the fast loop.
    fn fetch(&mut self) -> Result<(), Exc> {
        self.core.pc = self.core.untagged(self.core.pc);
        let pa = self.fetch_address()?;
        let pc = self.core.pc;
        let page = pa & !PAGE_OFFSET;
        if !self.ram.contains(page, PAGE_OFFSET + 1) {
            return Err(Exc::insn_abort(pc, fsc::EXTERNAL));
        }
        let (slot, made) = self.ram.code.slot(page - self.ram.base());
        if made {
            // No core may write it from the fast loop any more.
            self.ram.epoch += 1;
            self.core.flush_tlbs();
            self.core.epoch = self.ram.epoch;
        }
        self.core.codes.fill(pc, slot);
        Ok(())
    }

    /// Decodes the instruction at pc, which the fast loop has just found to be in a page of code.
    fn decode(&mut self) {
        let pc = self.core.pc;
        let Some(slot) = self.core.codes.lookup(pc) else {
            return;
        };
        let off = self.ram.code.offset(slot) | pc & PAGE_OFFSET;
        let index = (pc & PAGE_OFFSET) as usize >> 2;
        let insn = match self.ram.read_u32(self.ram.base() + off) {
            Ok(word) => decode(word, self.core.cfg.lse),
            Err(_) => Insn::undefined(),
        };
        self.ram.code.pages[slot as usize][index] = insn;
    }

    /// The word at pc, for traces; `None` if it cannot be fetched.
    pub(crate) fn peek_insn(&self) -> Option<u32> {
        let pa = self.fetch_address().ok()?;
        self.ram.read_u32(pa).ok()
    }
}

const _: () = assert!(PAGE_BITS == 12);
