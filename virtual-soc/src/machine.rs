//! The machine: cores, RAM and a bus on one clock, run in exact round-robin slices.

use std::ops::Range;

use crate::cpu::{Bus, Core, CoreConfig, Time};
use crate::mem::Ram;

/// What a machine is made of.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// Physical address of RAM (page aligned).
    pub ram_base: u64,
    /// Size of RAM in bytes (page multiple).
    pub ram_size: u64,
    /// Instructions per core and round.
    pub slice: u32,
    /// Picoseconds per instruction.
    pub ps_per_insn: u32,
    /// Ticks per second of CNTPCT (CNTFRQ_EL0 at reset).
    pub counter_hz: u64,
    /// CNTPCT advances in steps of this many ticks (1 = every tick).
    pub counter_step: u64,
    /// At most 64 cores.
    pub cores: Vec<CoreConfig>,
    /// Physical addresses where HLT is a host call; elsewhere HLT is UNDEFINED.
    pub host_call: Range<u64>,
}

impl Default for MachineConfig {
    fn default() -> Self {
        MachineConfig {
            ram_base: 0x8_0000_0000,
            ram_size: 64 << 20,
            slice: 100,
            ps_per_insn: 1000,
            counter_hz: 24_000_000,
            counter_step: 1,
            cores: vec![CoreConfig::default()],
            host_call: 0..0,
        }
    }
}

/// Why [`Machine::run`] returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A core executed `HLT #imm` in the host-call range. It is parked, its pc after the HLT.
    HostCall {
        /// Index of the core.
        cpu: usize,
        /// The HLT's immediate.
        imm: u16,
    },
    /// The deadline has come.
    Deadline,
}

/// What [`Machine::step_core`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One instruction was executed.
    Executed,
    /// One exception was taken: the instruction at pc did not complete, or an interrupt was taken before it.
    Exception,
    /// A host call; the core is parked.
    HostCall(u16),
    /// The core is off, parked, or waits in WFE or WFI.
    Idle,
}

/// Cores, RAM and bus on one clock.
pub struct Machine<B: Bus> {
    /// The cores, by index.
    pub cores: Vec<Core>,
    /// Guest memory.
    pub ram: Ram,
    /// Everything outside the cores.
    pub bus: B,
    now: Time,
}

impl<B: Bus> Machine<B> {
    /// A machine at power-on: all cores off, memory zero.
    pub fn new(cfg: MachineConfig, bus: B) -> Self {
        Machine {
            cores: cfg.cores.iter().map(Core::new).collect(),
            ram: Ram::new(cfg.ram_base, cfg.ram_size),
            bus,
            now: Time::ZERO,
        }
    }

    /// The machine's clock: start of the round that runs next.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Runs until a host call or until the clock reaches `deadline`.
    ///
    /// Rounds are whole: the clock may pass `deadline` by less than one round. If every core waits and nothing is
    /// due before, the clock jumps straight to `deadline`.
    pub fn run(&mut self, _deadline: Time) -> Stop {
        todo!()
    }

    /// Executes one instruction of one core, or takes one exception; the clock advances by one instruction.
    pub fn step_core(&mut self, _cpu: usize) -> Step {
        todo!()
    }

    /// Instructions executed by all cores since power-on.
    pub fn total_insns(&self) -> u64 {
        self.cores.iter().map(Core::insns).sum()
    }

    /// The event register of a core.
    pub fn event_register(&self, _cpu: usize) -> bool {
        todo!()
    }

    /// Sets the event register of a core (wakes it from WFE).
    pub fn send_event(&mut self, _cpu: usize) {
        todo!()
    }

    /// Calls `hook(cpu, pc, word)` before every instruction; `None` switches tracing off (then it costs nothing).
    pub fn set_trace(&mut self, _hook: Option<TraceHook>) {
        todo!()
    }
}

/// See [`Machine::set_trace`].
pub type TraceHook = Box<dyn FnMut(usize, u64, u32)>;
