//! Entering guest code, and what the loader's vectors do when guest code comes back or takes an exception.
//!
//! The vectors and the return stub are HLT instructions in a page whose HLTs call the host; each vector's second instruction is ERET,
//! so that a handled exception returns as on hardware.

use crate::cpu::CoreState;
use crate::soc::{Consumed, InLoader};

use super::VirtualTarget;
use super::layout::RETURN_STUB;
use super::regs;
use super::state::{FAULT_MARK, Guard, GuardMode};
use super::target::Phase;

/// HLT immediate of the return stub; vectors have their own number (0..=15).
const RETURNED: u16 = 0x20;
const VECTOR_STEP: u64 = 0x80;
/// Syndrome of a load from an address where nothing is (observed).
const EXTERNAL_ABORT: u64 = 0x9600_0010;
const DAIF_I: u64 = 1 << 7;
const DAIF_F: u64 = 1 << 6;
/// ERET.
const ERET: u32 = 0xd69f_03e0;

const fn hlt(imm: u16) -> u32 {
    0xd440_0000 | (imm as u32) << 5
}

/// The page of vectors and return stub: (offset, word).
pub(super) fn stub_page() -> Vec<(u64, u32)> {
    let mut words = vec![(RETURN_STUB, hlt(RETURNED)), (RETURN_STUB + 4, ERET)];
    for n in 0..16u16 {
        let at = u64::from(n) * VECTOR_STEP;
        words.extend([(at, hlt(n)), (at + 4, ERET)]);
    }
    words
}

impl VirtualTarget {
    /// Send a parked CPU into a function.
    pub(super) fn enter(&mut self, cpu: usize, function: u64, args: &[u64], stack: u64) {
        let stub = self.loader.layout.return_stub();
        self.leaves_loader(cpu);
        let core = &mut self.machine.cores[cpu];
        for (n, value) in args.iter().enumerate() {
            core.set_x(n as u8, *value);
        }
        core.set_x(30, stub);
        core.set_sp(stack);
        core.set_pc(function);
        core.set_state(CoreState::Running);
    }

    /// A CPU is parked in the loader: what it does not mask, the loader's handler takes.
    pub(super) fn enters_loader(&mut self, cpu: usize) {
        let daif = self.machine.cores[cpu].daif();
        self.leaves_loader(cpu);
        let loses = self.waits_in_losing_wfi(cpu);
        let inside = &mut self.machine.bus.in_loader;
        inside.cpus |= 1 << cpu;
        inside.irq_open |= u64::from(daif & DAIF_I == 0) << cpu;
        inside.fiq_open |= u64::from(daif & DAIF_F == 0) << cpu;
        inside.wfi_loses |= u64::from(loses) << cpu;
        if daif & DAIF_F == 0 {
            self.mask_timers(cpu);
        }
    }

    fn leaves_loader(&mut self, cpu: usize) {
        let inside = &mut self.machine.bus.in_loader;
        let others = !(1 << cpu);
        inside.cpus &= others;
        inside.irq_open &= others;
        inside.fiq_open &= others;
        inside.wfi_loses &= others;
    }

    /// Whether a CPU that is parked now waits in WFI on a core that loses its registers there: what wakes it ends the loader.
    fn waits_in_losing_wfi(&self, cpu: usize) -> bool {
        let loses = self.machine.cores[cpu].config().wfi_loses_gprs;
        cpu != 0 && loses && !self.loader.wfe_mode
    }

    /// A guest executed a HLT in the stub page.
    pub(super) fn host_call(&mut self, cpu: usize, imm: u16) {
        match imm {
            RETURNED if cpu == 0 => {
                self.call_result = Some(self.machine.cores[0].x(0));
                self.enters_loader(0);
            }
            RETURNED => {
                let retval = self.machine.cores[cpu].x(0);
                let secondary = &mut self.loader.secondaries[cpu];
                secondary.busy = false;
                secondary.retval = retval;
                self.enters_loader(cpu);
            }
            0..=15 => self.exception(cpu, imm),
            _ => self.crash(&format!(
                "CPU {cpu}: unexpected HLT #{imm:#x} in the loader"
            )),
        }
    }

    /// Vector `n`: its low two bits are synchronous, IRQ, FIQ, SError.
    fn exception(&mut self, cpu: usize, n: u16) {
        let resumed = match n & 3 {
            0 => self.synchronous(cpu, n),
            1 => self.irq(cpu),
            2 => self.fiq(cpu),
            _ => self.serror(cpu),
        };
        if resumed {
            self.machine.cores[cpu].set_state(CoreState::Running);
        }
    }

    fn register(&self, cpu: usize, reg: crate::cpu::SysReg) -> u64 {
        self.machine.cores[cpu].sysreg(reg).unwrap_or(0)
    }

    fn synchronous(&mut self, cpu: usize, n: u16) -> bool {
        let (esr, elr, far) = (
            self.register(cpu, regs::ESR_EL2),
            self.register(cpu, regs::ELR_EL2),
            self.register(cpu, regs::FAR_EL2),
        );
        let mode = self.loader.guard;
        if !mode.silent || mode.guard == Guard::Off {
            let mpidr = self.mpidr(cpu);
            self.loader.print(&format!("Exception: sync, vector {n}, MPIDR {mpidr:#x}, ESR {esr:#x}, ELR {elr:#x}, FAR {far:#x}"));
        }
        let next = match mode.guard {
            Guard::Off => {
                self.crash("Unhandled exception, rebooting");
                return false;
            }
            Guard::Skip => elr.wrapping_add(4),
            Guard::Mark => {
                let insn = self.load(elr, 4).unwrap_or(31);
                self.machine.cores[cpu].set_x((insn & 0x1f) as u8, FAULT_MARK);
                elr.wrapping_add(4)
            }
            Guard::Return => {
                let core = &mut self.machine.cores[cpu];
                core.set_x(0, FAULT_MARK);
                let link = core.x(30);
                // This guard ends with its first use, silence included.
                self.loader.guard = GuardMode::OFF;
                if mode.silent {
                    self.loader
                        .print(&format!("Exception: returned to {link:#x}"));
                }
                link
            }
        };
        self.count_exception();
        self.machine.cores[cpu].set_sysreg(regs::ELR_EL2, next)
    }

    fn serror(&mut self, cpu: usize) -> bool {
        let esr = self.register(cpu, regs::ESR_EL2);
        let mode = self.loader.guard;
        if !mode.silent || mode.guard == Guard::Off {
            let mpidr = self.mpidr(cpu);
            self.loader.print(&format!(
                "Exception: SError, MPIDR {mpidr:#x}, ESR {esr:#x}"
            ));
        }
        if mode.guard == Guard::Off {
            self.crash("Unhandled exception, rebooting");
            return false;
        }
        self.count_exception();
        true
    }

    /// Read EVENT until it gives 0 and print what came (third party: the loader's handler).
    fn irq(&mut self, cpu: usize) -> bool {
        let now = self.machine.now();
        if !self.loader.model.reads_event {
            // Such a loader masks interrupts instead; set I in the state that ERET restores.
            let spsr = self.register(cpu, regs::SPSR_EL2);
            return self.machine.cores[cpu].set_sysreg(regs::SPSR_EL2, spsr | DAIF_I);
        }
        loop {
            let word = self.machine.bus.loader_event(cpu, now);
            if word == 0 {
                return true;
            }
            self.print_irq(cpu, word, now.as_picos());
        }
    }

    /// Mask firing timers, acknowledge a fast IPI.
    fn fiq(&mut self, cpu: usize) -> bool {
        self.mask_timers(cpu);
        if self.machine.bus.acknowledge_ipi(cpu) {
            self.print_ipi(cpu);
        }
        true
    }

    fn print_ipi(&mut self, cpu: usize) {
        let mpidr = self.mpidr(cpu);
        self.loader
            .print(&format!("Exception: FIQ, fast IPI, MPIDR {mpidr:#x}"));
    }

    /// Mask every timer of a CPU that is enabled, not masked and due.
    fn mask_timers(&mut self, cpu: usize) {
        for timer in regs::TIMERS {
            let offset = if timer.offset {
                self.register(cpu, regs::CNTVOFF_EL2)
            } else {
                0
            };
            let count = self.machine.counter().wrapping_sub(offset);
            let open = self.register(cpu, timer.control) & regs::TIMER_CONTROL == regs::TIMER_OPEN;
            if open && count >= self.register(cpu, timer.compare) {
                self.machine.cores[cpu].set_sysreg(timer.control, regs::TIMER_MASKED);
                self.loader.print("Exception: FIQ, timer");
            }
        }
    }

    /// Print what the loader's handler took while CPUs sat in the loader.
    pub(super) fn report_consumed(&mut self) {
        for consumed in std::mem::take(&mut self.machine.bus.consumed) {
            match consumed {
                Consumed::Irq(cpu, word, at) => self.print_irq(cpu, word, at),
                Consumed::FastIpi(cpu) => self.print_ipi(cpu),
                Consumed::LostInWfi(cpu) => self.lost_in_wfi(cpu),
            }
        }
    }

    /// A CPU woke in the loader's own code with every register 0, and loads through one of them (observed on the image; whether
    /// silicon does it is not known). The boot CPU goes on until its answer is out.
    fn lost_in_wfi(&mut self, cpu: usize) {
        let (mpidr, elr) = (self.mpidr(cpu), self.machine.cores[cpu].pc());
        self.loader.print(&format!(
            "Exception: sync, vector 4, MPIDR {mpidr:#x}, ESR {EXTERNAL_ABORT:#x}, ELR {elr:#x}, FAR 0x0"
        ));
        self.loader.doomed = true;
    }

    fn print_irq(&mut self, cpu: usize, word: u32, at_ps: u64) {
        let (die, kind, number) = (word >> 24, word >> 16 & 0xff, word & 0xffff);
        let count = u128::from(at_ps) * u128::from(self.counter_hz) / 1_000_000_000_000;
        let mpidr = self.mpidr(cpu);
        self.loader.print(&format!("Exception: IRQ, die {die}, type {kind}, number {number}, MPIDR {mpidr:#x}, count {count}"));
    }

    fn count_exception(&mut self) {
        self.loader.exceptions += 1;
        self.loader.exceptions_total += 1;
    }

    /// An access by the loader's own code faulted and its guard took it: its own one, which is never silent.
    pub(super) fn guarded_fault(&mut self, what: &str, va: u64) {
        self.count_exception();
        self.loader
            .print(&format!("Exception: sync, {what} at {va:#x}"));
    }

    /// The loader dies: text on the console, then nothing.
    pub(super) fn crash(&mut self, why: &str) {
        self.loader.print(why);
        for core in &mut self.machine.cores {
            core.set_state(CoreState::Off);
        }
        self.machine.bus.in_loader = InLoader::default();
        self.phase = Phase::Silent;
    }

    fn mpidr(&self, cpu: usize) -> u64 {
        self.mpidrs[cpu]
    }
}
