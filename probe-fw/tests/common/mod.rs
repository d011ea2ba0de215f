//! A machine of fakes: one thread, a clock that moves when somebody looks at it, workers that are served while the
//! conductor waits, and a routing rule given as a function.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use aic_regs::aic::{Aic, Generation, Geometry, Line};
use aic_regs::mmio::{FakeMmio, Mmio};
use aic_regs::sysreg::{
    FakeSysRegs, IPI_RR_GLOBAL, ISR_EL1, IpiRequest, Isr, MPIDR, Mpidr, SIQ_CFG, SiqCfg,
};
use probe_fw::block::Block;
use probe_fw::conductor::Conductor;
use probe_fw::platform::{Platform, Slept};
use probe_fw::{handover, ipi, irq, local, worker};
use protocol::context::{self, CpuState, SliceStatus, UP_RING_SIZE};
use protocol::frame::{self, Decoder, MAX_FRAME};
use protocol::{Command, Message, Packet};

/// Who gets a pending interrupt: fields and masks by CPU.
pub type Rule = fn(&[u8], &[bool]) -> Option<usize>;

/// Lowest CPU of the best class (1, 0, 2), masked or not.
pub fn by_class(fields: &[u8], _masked: &[bool]) -> Option<usize> {
    [1, 0, 2]
        .iter()
        .find_map(|class| fields.iter().position(|f| f == class))
}

pub struct Sim {
    memory: NonNull<u8>,
    layout: Layout,
    pub mmio: FakeMmio,
    pub geometry: Geometry,
    pub regs: Vec<FakeSysRegs>,
    masked: Vec<Cell<bool>>,
    fiqs_held: Vec<Cell<bool>>,
    ipi_pending: Vec<Cell<bool>>,
    /// Counter values at which virtual timers fire; 0 = off.
    timers: Vec<Cell<u64>>,
    /// Workers that carry out a request.
    busy: Vec<Cell<bool>>,
    clock: Cell<u64>,
    pub rule: Rule,
    /// A worker that does not answer any more.
    pub silent: Cell<Option<usize>>,
    conductor: RefCell<Conductor>,
}

pub struct SimCpu<'s> {
    sim: &'s Sim,
    id: usize,
    aic: Aic<FakeMmio>,
}

pub const HZ: u64 = 24_000_000;
pub const LINE: u16 = 700;

impl Sim {
    /// `fields` are the SIQ_CFG values found, by CPU.
    pub fn new(fields: &[u64], rule: Rule) -> Self {
        Self::with(fields, rule, Geometry::v3(1504, 4096, 1, 0x40000))
    }

    /// The same with another controller.
    pub fn with(fields: &[u64], rule: Rule, geometry: Geometry) -> Self {
        let layout =
            Layout::from_size_align(context::size(fields.len()) as usize, 0x1_0000).unwrap();
        // SAFETY: the layout is not empty.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap();
        let mmio = FakeMmio::new(geometry);
        for word in 0..geometry.words_per_die() {
            mmio.write32(geometry.mask_set + word * 4, !0);
        }
        let regs: Vec<_> = fields
            .iter()
            .zip(1..)
            .map(|(f, core)| {
                let regs = FakeSysRegs::new();
                regs.set::<MPIDR>(Mpidr(0x8000_0000 + core));
                regs.set::<SIQ_CFG>(SiqCfg(*f));
                regs
            })
            .collect();
        let sim = Self {
            memory,
            layout,
            mmio,
            geometry,
            masked: fields.iter().map(|_| Cell::new(false)).collect(),
            fiqs_held: fields.iter().map(|_| Cell::new(false)).collect(),
            ipi_pending: fields.iter().map(|_| Cell::new(false)).collect(),
            timers: fields.iter().map(|_| Cell::new(0)).collect(),
            busy: fields.iter().map(|_| Cell::new(false)).collect(),
            regs,
            clock: Cell::new(1000),
            rule,
            silent: Cell::new(None),
            conductor: RefCell::new(Conductor::new()),
        };
        let cpus = &sim.block().control().cpus;
        cpus.store(fields.len() as u64, Relaxed);
        // A block notes the number when it is made.
        let block = sim.block();
        for cpu in 0..fields.len() {
            local::introduce(&sim.cpu(cpu), cpu, block.private(cpu));
            block
                .words(cpu)
                .state
                .store(CpuState::Ready as u64, Relaxed);
        }
        sim
    }

    pub fn block(&self) -> Block<'_> {
        // SAFETY: allocated above with that size and alignment, zeroed, freed only in `drop`.
        unsafe { Block::new(self.memory) }
    }

    pub fn cpu(&self, id: usize) -> SimCpu<'_> {
        SimCpu {
            sim: self,
            id,
            aic: Aic::new(self.mmio.as_cpu(id as u8), self.geometry),
        }
    }

    /// Puts bytes into the down ring.
    pub fn send(&self, bytes: &[u8]) {
        let control = self.block().control();
        for byte in bytes {
            let at = control.down_head.load(Relaxed);
            let offset = (at % context::DOWN_RING_SIZE) as usize;
            // SAFETY: inside the down ring.
            unsafe { self.block().down_ring().add(offset).write(*byte) };
            control.down_head.store(at + 1, Relaxed);
        }
    }

    /// Sends commands, runs slices until idle, returns everything the boot CPU said.
    pub fn run(&self, commands: &[Command], slice_us: u64) -> Vec<Message> {
        self.run_until(commands, slice_us, |_| {})
    }

    /// The same; `between` is told before each slice how many there were.
    pub fn run_until(
        &self,
        commands: &[Command],
        slice_us: u64,
        between: impl Fn(usize),
    ) -> Vec<Message> {
        for command in commands {
            let mut bytes = [0; MAX_FRAME];
            let n = frame::encode(command, &mut bytes).unwrap();
            self.send(&bytes[..n]);
        }
        let mut said = Vec::new();
        for slices in 0..10_000 {
            between(slices);
            let cpu = self.cpu(0);
            let status = self
                .conductor
                .borrow_mut()
                .slice(self.block(), &cpu, slice_us);
            self.assert_clean();
            said.extend(self.drain(0));
            match status {
                SliceStatus::Idle => return said,
                SliceStatus::Busy | SliceStatus::NeedDrain => {}
                other => panic!("{other:?}"),
            }
        }
        panic!("never idle");
    }

    /// Between slices nothing of ours may be pending, and the boot CPU takes interrupts.
    fn assert_clean(&self) {
        assert!(!self.mmio.irq_pending());
        assert!(!self.masked[0].get());
    }

    pub fn drain(&self, cpu: usize) -> Vec<Message> {
        let words = self.block().words(cpu);
        let mut decoder = Decoder::new();
        let mut out = Vec::new();
        let (tail, head) = (words.up_tail.load(Relaxed), words.up_head.load(Relaxed));
        for at in tail..head {
            let offset = (at % UP_RING_SIZE) as usize;
            // SAFETY: inside the up ring.
            let byte = unsafe { self.block().up_ring(cpu).add(offset).read() };
            if let Some(packet) = decoder.push::<Packet>(byte) {
                out.push(packet.unwrap().message);
            }
        }
        words.up_tail.store(head, Relaxed);
        out
    }

    pub fn siq(&self, cpu: usize) -> u64 {
        self.regs[cpu].get::<SIQ_CFG>().0
    }

    fn tick(&self) -> u64 {
        self.clock.set(self.clock.get() + 3);
        self.clock.get()
    }

    /// Lets everybody but `me` get on, and delivers what is pending.
    fn others(&self, me: usize) {
        for cpu in 1..self.regs.len() {
            let private = self.block().private(cpu);
            let word = private.request.word.load(Acquire);
            if cpu != me
                && !self.busy[cpu].get()
                && self.silent.get() != Some(cpu)
                && word != private.answer.word.load(Relaxed)
            {
                self.busy[cpu].set(true);
                worker::serve(self.block(), &self.cpu(cpu), cpu, word);
                self.busy[cpu].set(false);
            }
            if private.standing.load(Relaxed) != 0 && cpu != me {
                handover::stand(self.block(), &self.cpu(cpu), cpu, 0);
            }
        }
        self.deliver();
    }

    /// Fast IPIs that were sent: to the CPU whose core number is named.
    fn deliver_ipis(&self) {
        for regs in &self.regs {
            let sent = regs.get::<IPI_RR_GLOBAL>();
            if sent.0 != 0 {
                regs.set::<IPI_RR_GLOBAL>(IpiRequest(0));
                if let Some(to) = usize::from(sent.core()).checked_sub(1) {
                    self.ipi_pending[to].set(true);
                }
            }
        }
        for cpu in 0..self.regs.len() {
            if self.ipi_pending[cpu].get() && !self.fiqs_held[cpu].get() {
                let pending = &self.ipi_pending[cpu];
                let counted = &self.block().shared().storm.counted;
                let count = || {
                    counted.fetch_add(1, Relaxed);
                };
                let private = self.block().private(cpu);
                ipi::take(private, |_| pending.set(false), || {}, count);
                if private.owed.swap(0, Relaxed) != 0 {
                    handover::serve(self.block(), &self.cpu(cpu), cpu);
                }
            }
        }
    }

    /// FIQs of virtual timers.
    fn deliver_timers(&self) {
        for (cpu, timer) in self.timers.iter().enumerate() {
            if timer.get() != 0 && timer.get() <= self.clock.get() {
                timer.set(0);
                self.block().private(cpu).timers.fetch_add(1, Relaxed);
            }
        }
    }

    /// AICv1 offers each CPU its own IPIs.
    fn deliver_v1(&self) {
        for cpu in 0..self.regs.len() {
            let mmio = self.mmio.as_cpu(cpu as u8);
            if mmio.irq_pending() && !self.masked[cpu].get() {
                let (aic, block) = (Aic::new(mmio, self.geometry), self.block());
                let (shared, private) = (block.shared(), block.private(cpu));
                irq::serve(&aic, shared, private, cpu as u64, || self.tick(), |_, _| 0);
            }
        }
    }

    fn deliver(&self) {
        self.deliver_ipis();
        self.deliver_timers();
        if self.geometry.generation == Generation::V1 {
            return self.deliver_v1();
        }
        for regs in &self.regs {
            regs.set::<ISR_EL1>(Isr(0));
        }
        if !self.mmio.irq_pending() {
            return;
        }
        let fields: Vec<u8> = (0..self.regs.len())
            .map(|c| (self.siq(c) & 3) as u8)
            .collect();
        let masked: Vec<bool> = self.masked.iter().map(Cell::get).collect();
        let Some(cpu) = (self.rule)(&fields, &masked) else {
            return;
        };
        if masked[cpu] {
            self.regs[cpu].set::<ISR_EL1>(Isr(1 << 7));
            return;
        }
        let aic = Aic::new(self.mmio.clone(), self.geometry);
        let block = self.block();
        let private = block.private(cpu);
        irq::serve(
            &aic,
            block.shared(),
            private,
            cpu as u64,
            || self.tick(),
            |ending, time| handover::finish(block, &self.cpu(cpu), cpu, ending, time),
        );
    }

    pub fn sw_pending(&self) -> bool {
        let aic = Aic::new(self.mmio.clone(), self.geometry);
        let line = aic
            .line(Line {
                die: 0,
                number: LINE,
            })
            .unwrap();
        aic.sw_state(&line)
    }
}

impl Drop for Sim {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}

impl Platform for SimCpu<'_> {
    type Mmio = FakeMmio;
    type Regs = FakeSysRegs;

    fn aic(&self) -> &Aic<FakeMmio> {
        &self.aic
    }

    fn regs(&self) -> &FakeSysRegs {
        &self.sim.regs[self.id]
    }

    fn now(&self) -> u64 {
        self.sim.deliver_ipis();
        self.sim.tick()
    }

    fn counter_hz(&self) -> u64 {
        HZ
    }

    fn wait(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        loop {
            self.sim.others(self.id);
            let value = word.load(Acquire);
            if value != old || self.sim.tick() >= until {
                return value;
            }
            // Nothing happens by itself here: a long wait may take long steps.
            let left = until.saturating_sub(self.sim.clock.get());
            self.sim.clock.set(self.sim.clock.get() + left / 8);
        }
    }

    fn wait_at_el1(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        self.wait(word, old, until)
    }

    fn fiqs(&self, open: bool) {
        self.sim.fiqs_held[self.id].set(!open);
        self.sim.deliver_ipis();
    }

    fn event(&self) {}

    fn rewrite_siq(&self, value: u64, _isb: bool) {
        local::set_siq_cfg(self, value);
    }

    fn wfi(&self, _us: u64) -> Slept {
        // This machine's worker 2 loses x9 and SIQ_CFG.
        if self.id == 2 {
            Slept {
                registers: 1 << 9,
                system: 1,
            }
        } else {
            Slept::default()
        }
    }

    fn set_timer(&self, ticks: u64, control: u64) -> u64 {
        let timer = &self.sim.timers[self.id];
        let before = u64::from(timer.get() != 0);
        // A timer of this machine's CPU 3 never fires.
        let on = control & 1 != 0 && self.id != 3;
        timer.set(if on { self.sim.clock.get() + ticks } else { 0 });
        before
    }

    fn irqs(&self, open: bool) {
        self.sim.masked[self.id].set(!open);
        self.sim.deliver();
    }

    fn count_wakes(&self, word: &AtomicU64, old: u64) -> u32 {
        self.wait(word, old, u64::MAX);
        100
    }

    fn build_id(&self) -> [u8; 16] {
        [7; 16]
    }
}
