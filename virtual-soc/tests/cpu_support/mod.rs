//! A small machine for the core's tests: RAM, a bus that is a log, and a few encodings.

#![allow(dead_code)]

use virtual_soc::cpu::{Bus, BusFault, Core, CoreConfig, CpuView, SysReg, SysRegFault, Time};
use virtual_soc::machine::{Machine, MachineConfig, Stop};

pub mod a64;

pub const RAM: u64 = 0x8_0000_0000;
pub const RAM_SIZE: u64 = 8 << 20;
pub const CODE: u64 = RAM + 0x1_0000;
pub const DATA: u64 = RAM + 0x2_0000;
pub const VECTORS: u64 = RAM + 0x4_0000;
pub const VECTORS_EL1: u64 = RAM + 0x4_8000;
/// HLT here and in the 4 KiB behind is a host call.
pub const HOST: u64 = RAM + 0x5_0000;
pub const TABLES: u64 = RAM + 0x10_0000;
/// Where the test bus answers (outside RAM).
pub const MMIO: u64 = 0x2_0000_0000;

pub const SCTLR_EL1: SysReg = SysReg::new(3, 0, 1, 0, 0);
pub const TTBR0_EL1: SysReg = SysReg::new(3, 0, 2, 0, 0);
pub const TCR_EL1: SysReg = SysReg::new(3, 0, 2, 0, 2);
pub const MAIR_EL1: SysReg = SysReg::new(3, 0, 10, 2, 0);
pub const VBAR_EL1: SysReg = SysReg::new(3, 0, 12, 0, 0);
pub const ESR_EL1: SysReg = SysReg::new(3, 0, 5, 2, 0);
pub const ELR_EL1: SysReg = SysReg::new(3, 0, 4, 0, 1);
pub const SPSR_EL1: SysReg = SysReg::new(3, 0, 4, 0, 0);
pub const FAR_EL1: SysReg = SysReg::new(3, 0, 6, 0, 0);
pub const PAR_EL1: SysReg = SysReg::new(3, 0, 7, 4, 0);
pub const SCTLR_EL2: SysReg = SysReg::new(3, 4, 1, 0, 0);
pub const HCR_EL2: SysReg = SysReg::new(3, 4, 1, 1, 0);
pub const TTBR0_EL2: SysReg = SysReg::new(3, 4, 2, 0, 0);
pub const TTBR1_EL2: SysReg = SysReg::new(3, 4, 2, 0, 1);
pub const TCR_EL2: SysReg = SysReg::new(3, 4, 2, 0, 2);
pub const MAIR_EL2: SysReg = SysReg::new(3, 4, 10, 2, 0);
pub const VBAR_EL2: SysReg = SysReg::new(3, 4, 12, 0, 0);
pub const ESR_EL2: SysReg = SysReg::new(3, 4, 5, 2, 0);
pub const ELR_EL2: SysReg = SysReg::new(3, 4, 4, 0, 1);
pub const SPSR_EL2: SysReg = SysReg::new(3, 4, 4, 0, 0);
pub const FAR_EL2: SysReg = SysReg::new(3, 4, 6, 0, 0);
pub const CNTHCTL_EL2: SysReg = SysReg::new(3, 4, 14, 1, 0);
pub const CNTKCTL_EL1: SysReg = SysReg::new(3, 0, 14, 1, 0);
pub const CNTVOFF_EL2: SysReg = SysReg::new(3, 4, 14, 0, 3);
pub const CNTHP_CTL_EL2: SysReg = SysReg::new(3, 4, 14, 2, 1);
pub const CNTHP_CVAL_EL2: SysReg = SysReg::new(3, 4, 14, 2, 2);

/// A bus whose devices are fields.
#[derive(Default)]
pub struct TestBus {
    pub irq: u64,
    pub fiq: u64,
    /// Value of every MMIO read.
    pub value: u64,
    pub fault: Option<BusFault>,
    pub sysreg_fault: Option<SysRegFault>,
    /// (cpu, address, size, value if written, time).
    pub accesses: Vec<(usize, u64, u8, Option<u64>, u64)>,
    pub sysregs: Vec<(usize, SysReg, u8, Option<u64>)>,
    /// Value that the IRQ lines take when anything is written.
    pub irq_on_write: Option<u64>,
    pub ticks: Vec<(u64, CpuView)>,
    pub next: Option<Time>,
    /// Timers that reach FIQ, if not all.
    pub gate: Option<u8>,
    /// IRQ lines raised when `next` comes.
    pub irq_at_next: u64,
}

impl Bus for TestBus {
    fn mmio_read(&mut self, cpu: usize, pa: u64, size: u8, now: Time) -> Result<u64, BusFault> {
        self.accesses.push((cpu, pa, size, None, now.0));
        self.fault.map_or(Ok(self.value), Err)
    }
    fn mmio_write(
        &mut self,
        cpu: usize,
        pa: u64,
        size: u8,
        value: u64,
        now: Time,
    ) -> Result<(), BusFault> {
        self.accesses.push((cpu, pa, size, Some(value), now.0));
        if let Some(irq) = self.irq_on_write {
            self.irq = irq;
        }
        self.fault.map_or(Ok(()), Err)
    }
    fn sysreg_read(
        &mut self,
        cpu: usize,
        reg: SysReg,
        el: u8,
        _: Time,
    ) -> Result<u64, SysRegFault> {
        self.sysregs.push((cpu, reg, el, None));
        self.sysreg_fault.map_or(Ok(self.value), Err)
    }
    fn sysreg_write(
        &mut self,
        cpu: usize,
        reg: SysReg,
        el: u8,
        value: u64,
        _: Time,
    ) -> Result<(), SysRegFault> {
        self.sysregs.push((cpu, reg, el, Some(value)));
        self.sysreg_fault.map_or(Ok(()), Err)
    }
    fn irq_lines(&self) -> u64 {
        self.irq
    }
    fn fiq_lines(&self) -> u64 {
        self.fiq
    }
    fn timer_fiq_gate(&self, _: usize) -> u8 {
        self.gate.unwrap_or(0xf)
    }
    fn tick(&mut self, now: Time, view: &CpuView) {
        self.ticks.push((now.0, *view));
        if self.next.is_some_and(|t| now >= t) {
            self.next = None;
            self.irq |= self.irq_at_next;
        }
    }
    fn next_event(&self, _: Time) -> Option<Time> {
        self.next
    }
}

pub type M = Machine<TestBus>;

/// A machine with `cores` cores, all off.
pub fn machine(cores: usize) -> M {
    machine_of(vec![CoreConfig::default(); cores])
}

pub fn machine_of(cores: Vec<CoreConfig>) -> M {
    let cfg = MachineConfig {
        ram_base: RAM,
        ram_size: RAM_SIZE,
        cores,
        host_call: HOST..HOST + 0x1000,
        ..MachineConfig::default()
    };
    Machine::new(cfg, TestBus::default())
}

/// Stores words from `at` on.
pub fn put(m: &mut M, at: u64, words: &[u32]) {
    for (i, w) in words.iter().enumerate() {
        m.ram.write_u32(at + 4 * i as u64, *w).expect("in RAM");
    }
}

/// Core 0 at EL2 with MMU off, about to execute `words` at [`CODE`]; vectors set.
pub fn start(words: &[u32]) -> M {
    let mut m = machine(1);
    put(&mut m, CODE, words);
    boot(&mut m, 0, CODE);
    m
}

/// Starts a core at EL2, MMU off, vectors and stack set.
pub fn boot(m: &mut M, cpu: usize, entry: u64) {
    let core = &mut m.cores[cpu];
    core.reset(entry, 2, 0);
    core.set_sp(DATA + 0x8000 + 0x1000 * cpu as u64);
    set(core, VBAR_EL2, VECTORS);
    set(core, VBAR_EL1, VECTORS_EL1);
}

pub fn set(core: &mut Core, reg: SysReg, value: u64) {
    assert!(core.set_sysreg(reg, value), "{reg} exists");
}

pub fn get(m: &M, reg: SysReg) -> u64 {
    m.cores[0]
        .sysreg(reg)
        .unwrap_or_else(|| panic!("{reg} exists"))
}

pub fn steps(m: &mut M, n: usize) {
    for _ in 0..n {
        m.step_core(0);
    }
}

/// Turns the MMU on at EL2 with RAM mapped to itself: Normal, read, write, execute; MMIO as Device.
/// 16 KiB granule, 36-bit addresses (one level-2 table of 32 MiB blocks).
pub fn mmu_on(m: &mut M, cpu: usize) {
    const AF: u64 = 1 << 10;
    m.ram
        .write_u64(TABLES + 8 * (RAM >> 25 & 0x7ff), RAM | AF | 3 << 8 | 1)
        .expect("in RAM");
    m.ram
        .write_u64(
            TABLES + 8 * (MMIO >> 25 & 0x7ff),
            MMIO | AF | 1 << 2 | 1 << 54 | 1 << 53 | 1,
        )
        .expect("in RAM");
    let core = &mut m.cores[cpu];
    set(core, MAIR_EL2, 0x00ff);
    set(core, TTBR0_EL2, TABLES);
    set(core, TCR_EL2, 28 | 2 << 14 | 3 << 32 | 1 << 23);
    set(core, SCTLR_EL2, 0x30d0_0801);
}

/// Runs until a host call; gives its immediate.
pub fn run_to_host(m: &mut M, micros: u64) -> (usize, u16) {
    let deadline = Time(m.now().0 + micros * 1_000_000);
    match m.run(deadline) {
        Stop::HostCall { cpu, imm } => (cpu, imm),
        Stop::Deadline | Stop::Limit => {
            panic!("no host call within {micros} us; pc {:#x}", m.cores[0].pc())
        }
    }
}

/// Exception class of a syndrome.
pub fn ec(esr: u64) -> u64 {
    esr >> 26
}
