//! The machine: cores, RAM and a bus on one clock, run in exact round-robin slices.

use std::ops::Range;

use crate::cpu::slow::{Ctx, End};
use crate::cpu::sysreg::R;
use crate::cpu::timer::Clock;
use crate::cpu::{Bus, Core, CoreConfig, CoreState, CpuView, Time};
use crate::mem::Ram;

/// Bits of a set of cores.
const CORES_MAX: usize = 64;

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
    /// The limit of [`Machine::limit_insns`] is reached.
    Limit,
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

/// Calls of [`Machine::set_trace`]: CPU, pc, instruction word.
pub type TraceHook = Box<dyn FnMut(usize, u64, u32)>;

/// Cores, RAM and bus on one clock.
pub struct Machine<B: Bus> {
    /// The cores, by index.
    pub cores: Vec<Core>,
    /// Guest memory.
    pub ram: Ram,
    /// Everything outside the cores.
    pub bus: B,
    now: Time,
    clock: Clock,
    slice: u32,
    ps_per_insn: u64,
    host_call: Range<u64>,
    /// The core whose slice is next in the round under way; 0 at a round's start.
    next_core: usize,
    /// What the bus was last told, and when it wants to be called again.
    view: CpuView,
    bus_due: Time,
    /// The bus was called since its last tick, or its owner may have changed it.
    bus_touched: bool,
    /// The cores as they are now.
    fresh: CpuView,
    /// When each core that waits has a reason of its own to wake; never for the others.
    due: Vec<Time>,
    /// Waiting cores that have to be looked at in every round.
    look_at: u64,
    trace: Option<TraceHook>,
    /// Instructions of all cores at which nothing runs any more.
    limit: u64,
}

impl<B: Bus> Machine<B> {
    /// A machine at power-on: all cores off, memory zero. At most 64 cores are made.
    pub fn new(cfg: MachineConfig, bus: B) -> Self {
        let clock = Clock::new(cfg.counter_hz, cfg.counter_step);
        let mut cores: Vec<Core> = cfg.cores.iter().take(CORES_MAX).map(Core::new).collect();
        for core in &mut cores {
            core.put_reg(R::CntfrqEl0, clock.hz);
        }
        Machine {
            ram: Ram::new(cfg.ram_base, cfg.ram_size, cores.len()),
            cores,
            bus,
            now: Time::ZERO,
            clock,
            slice: cfg.slice.max(1),
            ps_per_insn: u64::from(cfg.ps_per_insn.max(1)),
            host_call: cfg.host_call,
            next_core: 0,
            view: CpuView::default(),
            bus_due: Time::ZERO,
            bus_touched: true,
            fresh: CpuView::default(),
            due: vec![Time::MAX; cfg.cores.len().min(CORES_MAX)],
            look_at: 0,
            trace: None,
            limit: u64::MAX,
        }
    }

    /// The machine's clock: start of the round under way or to come.
    pub fn now(&self) -> Time {
        self.now
    }

    /// CNTPCT at [`Machine::now`].
    pub fn counter(&self) -> u64 {
        self.clock.count(self.now)
    }

    /// Runs until a host call, until the clock reaches `deadline` or until the [limit](Machine::limit_insns).
    ///
    /// Rounds are whole: the clock may pass `deadline` by less than one round, and a round that a host call interrupted
    /// is completed by the next call. If every core waits and nothing is due before, the clock jumps straight to
    /// `deadline`. How a span of time is cut into calls makes no difference to what happens in it.
    pub fn run(&mut self, deadline: Time) -> Stop {
        self.bus_touched = true;
        // The owner may have changed any of them.
        (0..self.cores.len()).for_each(|cpu| self.note(cpu));
        loop {
            if self.next_core == 0 {
                if self.now >= deadline {
                    return Stop::Deadline;
                }
                self.wake_cores();
                self.tick();
                if self.view.running == 0 {
                    // The tick may have raised a line.
                    self.wake_cores();
                    if self.fresh.running == 0 {
                        self.now = self.next_event().min(deadline).max(self.now);
                        continue;
                    }
                }
            }
            if let Some(stop) = self.round() {
                return stop;
            }
            self.now = self.now.after_picos(self.round_ps());
        }
    }

    /// The slices of the round under way that are still to run.
    fn round(&mut self) -> Option<Stop> {
        let count = self.cores.len();
        while let Some(cpu) = first_from(self.fresh.running, self.next_core) {
            let budget = self.budget();
            if budget == 0 {
                return Some(Stop::Limit);
            }
            self.next_core = cpu + 1;
            let end = if self.trace.is_some() {
                self.traced_slice(cpu, budget)
            } else {
                self.slice(cpu, budget, 0)
            };
            if let End::HostCall(imm) = end {
                if self.next_core == count {
                    self.next_core = 0;
                    self.now = self.now.after_picos(self.round_ps());
                }
                return Some(Stop::HostCall { cpu, imm });
            }
        }
        self.next_core = 0;
        None
    }

    /// Instructions of a core's turn: a slice, or what the limit leaves.
    fn budget(&self) -> u32 {
        if self.limit == u64::MAX {
            return self.slice;
        }
        let left = self.limit.saturating_sub(self.total_insns());
        u32::try_from(left).map_or(self.slice, |left| left.min(self.slice))
    }

    /// Length of a round.
    fn round_ps(&self) -> u64 {
        u64::from(self.slice) * self.ps_per_insn
    }

    /// Runs one core for instructions `done..budget` of a slice.
    fn slice(&mut self, cpu: usize, budget: u32, done: u32) -> End {
        let mut ctx = self.context(cpu, budget, budget - done);
        let end = ctx.run();
        let (called, slow) = (ctx.bus_called, ctx.slow);
        self.bus_touched |= called;
        if slow {
            self.note(cpu);
        }
        end
    }

    fn context(&mut self, cpu: usize, budget: u32, left: u32) -> Ctx<'_> {
        Ctx {
            core: &mut self.cores[cpu],
            ram: &mut self.ram,
            bus: &mut self.bus,
            clock: &self.clock,
            host_call: &self.host_call,
            cpu,
            start: self.now,
            ps_per_insn: self.ps_per_insn,
            budget,
            left,
            bus_called: false,
            slow: false,
            excepted: false,
        }
    }

    /// A slice, one instruction at a time, with the hook called before each. Same timing as an untraced one.
    fn traced_slice(&mut self, cpu: usize, budget: u32) -> End {
        for done in 0..budget {
            let mut ctx = self.context(cpu, budget, budget - done);
            ctx.refresh_inputs();
            let taken = ctx.core.any_pending() && ctx.interrupted();
            let word = ctx.peek_insn().unwrap_or(0);
            let pc = ctx.core.pc;
            if taken {
                self.note(cpu);
            }
            if let Some(hook) = &mut self.trace {
                hook(cpu, pc, word);
            }
            match self.slice(cpu, done + 1, done) {
                End::Budget => {}
                end => return end,
            }
        }
        End::Budget
    }

    /// Wakes the cores in WFE and WFI that have a reason to.
    fn wake_cores(&mut self) {
        let raised =
            self.bus.irq_lines() | self.bus.fiq_lines() | self.ram.monitors.events | self.look_at;
        let mut set = raised & self.fresh.waiting;
        for (cpu, due) in self.due.iter().enumerate() {
            set |= u64::from(self.now >= *due) << cpu;
        }
        let mut from = 0;
        while let Some(cpu) = first_from(set, from) {
            self.wake(cpu);
            self.note(cpu);
            from = cpu + 1;
        }
    }

    /// Takes over what a core is doing.
    fn note(&mut self, cpu: usize) {
        let core = &self.cores[cpu];
        let bit = 1 << cpu;
        let view = &mut self.fresh;
        let put = |set: &mut u64, on: bool| *set = if on { *set | bit } else { *set & !bit };
        let waits = matches!(core.state, CoreState::Wfe | CoreState::Wfi);
        put(&mut view.running, core.state == CoreState::Running);
        put(&mut view.waiting, waits);
        put(&mut view.at_el1, core.below_el2());
        put(&mut view.irq_masked, core.irq_masked());
        put(&mut view.fiq_masked, core.fiq_masked());
        // The levels that a waiting core has seen may have fallen since.
        let now = core.timers_changed || core.any_pending();
        put(&mut self.look_at, waits && now);
        self.due[cpu] = match core.state {
            CoreState::Wfe => core.timer_due.min(core.stream_wake).min(core.wait_limit),
            CoreState::Wfi => core.timer_due.min(core.wait_limit),
            _ => Time::MAX,
        };
    }

    /// Wakes a waiting core if it has a reason to; an event that wakes a WFE is used up by it.
    fn wake(&mut self, cpu: usize) {
        let now = self.now;
        let mut ctx = self.context(cpu, 0, 0);
        ctx.refresh_inputs();
        let Ctx {
            core, ram, clock, ..
        } = ctx;
        let over = now >= core.wait_limit;
        if core.state == CoreState::Wfi {
            if core.any_pending() || over {
                let loses = if core.timed_wait {
                    core.cfg.wfit_loses_gprs
                } else {
                    core.cfg.wfi_loses_gprs
                };
                if loses {
                    core.regs[..31].fill(0);
                }
                core.wakes();
            }
            return;
        }
        let event = ram.monitors.events >> cpu & 1 != 0;
        if event || now >= core.stream_wake {
            ram.monitors.events &= !(1 << cpu);
            core.stream_fired(clock, now);
            core.wakes();
        } else if over || core.any_pending() && core.takeable().is_some() {
            core.wakes();
        }
    }

    /// Tells the bus what it needs to know at a round's start.
    fn tick(&mut self) {
        let view = self.fresh;
        if self.bus_touched || view != self.view || self.now >= self.bus_due {
            self.bus_touched = false;
            self.view = view;
            self.bus.tick(self.now, &view);
            // An event that is due already is one for the next round.
            let soonest = self.now.after_picos(self.round_ps());
            self.bus_due = self
                .bus
                .next_event(self.now)
                .map_or(Time::MAX, |t| t.max(soonest));
        }
    }

    /// The next time anything can happen while every core waits.
    fn next_event(&self) -> Time {
        self.due.iter().copied().fold(self.bus_due, Time::min)
    }

    /// Executes one instruction of one core, or takes one exception; the clock advances by one instruction.
    ///
    /// # Panics
    /// If there is no such core.
    pub fn step_core(&mut self, cpu: usize) -> Step {
        self.bus_touched = true;
        if matches!(self.cores[cpu].state, CoreState::Wfe | CoreState::Wfi) {
            self.wake(cpu);
        }
        let step = if self.cores[cpu].state == CoreState::Running {
            self.step_running(cpu)
        } else {
            Step::Idle
        };
        self.now = self.now.after_picos(self.ps_per_insn);
        step
    }

    fn step_running(&mut self, cpu: usize) -> Step {
        let mut ctx = self.context(cpu, 1, 1);
        ctx.refresh_inputs();
        if ctx.core.any_pending() && ctx.interrupted() {
            return Step::Exception;
        }
        match ctx.run() {
            End::HostCall(imm) => Step::HostCall(imm),
            _ if ctx.excepted => Step::Exception,
            _ => Step::Executed,
        }
    }

    /// Instructions executed by all cores since power-on.
    pub fn total_insns(&self) -> u64 {
        self.cores.iter().map(Core::insns).sum()
    }

    /// Stops for good once all cores together have executed `limit` instructions, to the instruction.
    pub fn limit_insns(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// The event register of a core.
    pub fn event_register(&self, cpu: usize) -> bool {
        self.ram.monitors.events >> cpu & 1 != 0
    }

    /// Sets the event register of a core (wakes it from WFE).
    pub fn send_event(&mut self, cpu: usize) {
        self.ram.monitors.events |= 1 << cpu;
    }

    /// Calls `hook(cpu, pc, word)` before every instruction of [`Machine::run`]; `word` is 0 if it cannot be fetched.
    /// `None` switches tracing off (then it costs nothing).
    pub fn set_trace(&mut self, hook: Option<TraceHook>) {
        self.trace = hook;
    }
}

/// The first core of a set from number `from` on.
fn first_from(set: u64, from: usize) -> Option<usize> {
    let ahead = set & u64::MAX.checked_shl(from as u32).unwrap_or(0);
    (ahead != 0).then(|| ahead.trailing_zeros() as usize)
}
