//! Secondary CPUs: start, calls, stop (third party: loader sources).

use crate::cpu::{Bus, CoreState};
use crate::model::CallWake;

use super::VirtualTarget;
use super::layout::RETURN_STUB;
use super::proxy::{Outcome, op};
use super::regs;
use super::state::{Callee, Secondary};
use super::target::Job;

/// I and F masked, SError open.
const PARKED_DAIF: u64 = 0xc0;
const STACK_SIZE: u64 = 0x1_0000;
/// How long the loader waits for a CPU that does not come up.
const START_TIMEOUT_US: u64 = 100_000;
/// How long a CPU takes to come up, as the loader sees it: it looks every millisecond (third party).
const START_TIME_US: u64 = 1000;

impl VirtualTarget {
    /// START_SECONDARIES: all that are not alive, in the tree's order.
    pub(super) fn start_secondaries(&mut self) -> Outcome {
        let mut spent = 0;
        self.loader.knows_boot_cpu = true;
        self.loader.print("Starting the other CPUs");
        for cpu in self.tree_order.clone() {
            if cpu == 0 || self.loader.secondaries[cpu].alive {
                continue;
            }
            let index = self.cpu_models[cpu].adt_id;
            let Some([active, start]) = self.machine.bus.pmgr.start_writes(cpu) else {
                self.loader
                    .print("SMP: no power manager in the device tree");
                break;
            };
            self.loader.print(&format!(
                "Starting CPU {index} (MPIDR {:#x})",
                self.mpidrs[cpu]
            ));
            let skips = self.loader.model.leaves_inactive.contains(&index);
            let writes = [(!skips).then_some(active), Some(start)];
            for (address, value) in writes.into_iter().flatten() {
                let now = self.machine.now();
                // The block lies inside the model's own window.
                let _ = self
                    .machine
                    .bus
                    .mmio_write(0, address, 4, value.into(), now);
            }
            self.hardware_requests();
            if !self.loader.secondaries[cpu].alive {
                self.loader.print("  Failed!");
                spent += START_TIMEOUT_US;
                continue;
            }
            self.loader.print("  Started.");
            spent += START_TIME_US;
        }
        self.delay(spent)
    }

    fn bring_up(&mut self, cpu: usize) {
        let now = self.machine.now();
        let loader = self.loader.layout.loader;
        if self.loader.secondaries[cpu].stack == 0 {
            self.loader.secondaries[cpu].stack =
                self.loader.heap.memalign(0x4000, STACK_SIZE) + STACK_SIZE;
        }
        let secondary = &mut self.loader.secondaries[cpu];
        (secondary.alive, secondary.busy) = (true, false);
        self.machine.bus.set_running(cpu, true, now);
        let index = self.cpu_models[cpu].adt_id;
        let core = &mut self.machine.cores[cpu];
        core.reset(loader + RETURN_STUB, 2, 0);
        core.set_state(CoreState::Parked);
        core.set_daif(PARKED_DAIF);
        core.set_sp(secondary.stack);
        for (reg, value) in [
            (regs::HCR_EL2, regs::HCR),
            (regs::VBAR_EL2, loader),
            (regs::TPIDR_EL2, index.into()),
        ] {
            core.set_sysreg(reg, value);
        }
        for timer in regs::TIMERS {
            core.set_sysreg(timer.control, regs::TIMER_MASKED);
        }
        if !self.siq_survives_stop {
            let found = self.cpu_models[cpu].siq_cfg;
            self.machine.bus.set_siq_cfg(cpu, found, now);
        }
        if let Some(value) = self.loader.model.writes_siq_cfg {
            self.machine.bus.set_siq_cfg(cpu, value, now);
        }
        self.found(cpu);
        self.enters_loader(cpu);
    }

    /// MMU_INIT_SECONDARY: a call to the CPU, with everything that can hang about calls.
    pub(super) fn mmu_init_secondary(&mut self, index: u64) -> Outcome {
        let cpu = match self.loader.callee(index) {
            Callee::Ignored => return Outcome::Done(0),
            Callee::Nobody => return Outcome::Hang,
            Callee::Secondary(cpu) => cpu,
        };
        if !self.wake_for_call(cpu) {
            return Outcome::Hang;
        }
        if self.cpu_models[cpu].mmu {
            let before = self.snapshot();
            self.mmu_on(cpu);
            let after = self.snapshot();
            self.as_found.cpus[cpu].changed_by_loader(&before.cpus[cpu], &after.cpus[cpu]);
        }
        Outcome::Done(0)
    }

    pub(super) fn mmu_on(&mut self, cpu: usize) {
        let roots = self.loader.roots;
        let core = &mut self.machine.cores[cpu];
        for (reg, value) in [
            (regs::MAIR_EL2, super::pages::MAIR),
            (regs::TCR_EL2, super::pages::TCR),
            (regs::TTBR0_EL2, roots.ttbr0),
            (regs::TTBR1_EL2, roots.ttbr1),
            (regs::SCTLR_EL2, regs::SCTLR_ON),
        ] {
            core.set_sysreg(reg, value);
        }
    }

    /// Wakes a CPU for a call; whether the call would reach it and come back. A CPU in WFI gets a fast IPI. If it has lost its
    /// registers meanwhile, the loader ends there (observed).
    fn wake_for_call(&mut self, cpu: usize) -> bool {
        let Secondary { alive, busy, .. } = self.loader.secondaries[cpu];
        if !alive || busy {
            return false;
        }
        if self.machine.bus.in_loader.wfi_loses >> cpu & 1 == 1 {
            self.send_ipi(cpu);
            return false;
        }
        self.loader.wfe_mode || self.loader.model.call_wake == CallWake::Any
    }

    fn send_ipi(&mut self, cpu: usize) {
        let now = self.machine.now().as_picos();
        self.machine.bus.send_ipi_from_loader(self.mpidrs[cpu], now);
    }

    /// SMP_SET_WFE_MODE: every CPU that is up gets a fast IPI. One that waits in WFE does not acknowledge it: it stays pending, F
    /// being masked there. One that waits in WFI acknowledges it and goes on as told, unless it has lost its registers (observed:
    /// the loader at commit 7c7716b6).
    fn set_wfe_mode(&mut self, on: bool) {
        let was = std::mem::replace(&mut self.loader.wfe_mode, on);
        for cpu in 1..self.loader.secondaries.len() {
            let Secondary { alive, busy, .. } = self.loader.secondaries[cpu];
            if !alive {
                continue;
            }
            let lost = self.machine.bus.in_loader.wfi_loses >> cpu & 1 == 1;
            if lost || on && was || busy {
                self.send_ipi(cpu);
            }
            if !on && !busy {
                // From WFE it passes the WFI once, since the IPI is pending, and acknowledges it.
                self.machine.bus.acknowledge_ipi(cpu);
                self.enters_loader(cpu);
            }
        }
    }

    /// SMP_CALL, and SMP_CALL_SYNC when `sync`.
    pub(super) fn smp_call(&mut self, args: &[u64; 6], sync: bool) -> Outcome {
        let cpu = match self.loader.callee(args[0]) {
            Callee::Ignored => return Outcome::Done(0),
            Callee::Nobody => return Outcome::Hang,
            Callee::Secondary(cpu) => cpu,
        };
        // A CPU takes address 0 for "nothing to do".
        if !self.wake_for_call(cpu) || args[1] == 0 {
            return Outcome::Hang;
        }
        self.loader.secondaries[cpu].busy = true;
        let stack = self.loader.secondaries[cpu].stack;
        self.enter(cpu, args[1], &args[2..6], stack);
        if sync {
            Outcome::Job(Job::Wait { cpu })
        } else {
            Outcome::Done(0)
        }
    }

    /// SMP_WAIT.
    pub(super) fn smp_wait(&self, index: u64) -> Outcome {
        match self.loader.callee(index) {
            Callee::Secondary(cpu) => Outcome::Job(Job::Wait { cpu }),
            Callee::Ignored | Callee::Nobody => Outcome::Done(0),
        }
    }

    /// SMP_IS_ALIVE. The boot CPU has no mark (inference).
    pub(super) fn smp_is_alive(&self, index: u64) -> Outcome {
        let alive = match self.loader.callee(index) {
            Callee::Secondary(cpu) => self.loader.secondaries[cpu].alive,
            Callee::Ignored | Callee::Nobody => false,
        };
        Outcome::Done(alive.into())
    }

    /// SMP_STOP_SECONDARIES: each gets a call that does not return.
    pub(super) fn stop_secondaries(&mut self) -> Outcome {
        self.set_wfe_mode(true);
        self.loader.print("Stopping the other CPUs");
        let now = self.machine.now();
        for cpu in 1..self.loader.secondaries.len() {
            if !self.loader.secondaries[cpu].alive {
                continue;
            }
            if !self.wake_for_call(cpu) {
                return Outcome::Hang;
            }
            self.loader.secondaries[cpu].alive = false;
            self.machine.cores[cpu].set_state(CoreState::Off);
            self.machine.bus.set_running(cpu, false, now);
        }
        Outcome::Done(0)
    }

    pub(super) fn smp(&mut self, opcode: u64, args: &[u64; 6]) -> Outcome {
        match opcode {
            op::SMP_START_SECONDARIES => self.start_secondaries(),
            op::SMP_CALL => self.smp_call(args, false),
            op::SMP_CALL_SYNC => self.smp_call(args, true),
            op::SMP_WAIT => self.smp_wait(args[0]),
            op::SMP_SET_WFE_MODE => {
                self.set_wfe_mode(args[0] & 0xff != 0);
                Outcome::Done(0)
            }
            op::SMP_IS_ALIVE => self.smp_is_alive(args[0]),
            op::SMP_STOP_SECONDARIES => self.stop_secondaries(),
            _ => Outcome::Unknown,
        }
    }

    /// Do what the start block was told by whoever wrote to it. A CPU that starts runs the loader's reset path, since that is
    /// where its locked reset vector points, and parks there.
    pub(super) fn hardware_requests(&mut self) {
        let (start, stop) = self.machine.bus.take_requests();
        for cpu in 1..self.loader.secondaries.len() {
            let alive = self.loader.secondaries[cpu].alive;
            if stop >> cpu & 1 == 1 && alive {
                self.loader.secondaries[cpu].alive = false;
                self.machine.cores[cpu].set_state(CoreState::Off);
            }
            if start >> cpu & 1 == 1 && !self.loader.secondaries[cpu].alive {
                let now = self.machine.now();
                match self.cpu_models[cpu].starts {
                    true => self.bring_up(cpu),
                    false => self.machine.bus.set_running(cpu, false, now),
                }
            }
        }
    }
}
