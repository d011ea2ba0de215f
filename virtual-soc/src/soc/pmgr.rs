//! CPU-start registers and the CPUs' implementation blocks with their reset vectors.
//!
//! Third party (loader sources): +0x0 stop, +0x4 "active" bits without which no interrupt reaches a core, +0x8 + 4*cluster start bits.
//! Every die has such a block at the same offset from its own base.
//! "Active" bits are set by writing 1 and cleared by a stop (inference: loaders write one CPU's bit at a time).
//! The packed bit of a CPU is cluster * stride + core, stride 4 or the largest cluster. On M4 and later the reset vector is locked.

use crate::model::SocModel;

const STOP: u32 = 0x0;
const ACTIVE: u32 = 0x4;
const START: u32 = 0x8;
const CLUSTERS: u32 = 8;
/// Values of the die field of a CPU's `reg`.
const DIES: usize = 16;
/// Size of the start block that this model answers.
const BLOCK: u32 = START + 4 * CLUSTERS;
const RVBAR_LOCK: u64 = 1;
/// Address field of a reset-vector register (third party: loader sources).
const RVBAR_ADDRESS: u64 = 0xffff_ffff_f000;
/// Size of a CPU's implementation block (seen on T8132).
const IMPL_SIZE: u64 = 0x9010;
const IMPL_STATUS: u64 = 0x100;

/// Place of a CPU in the start registers.
#[derive(Debug, Clone)]
struct Slot {
    die: u64,
    cluster: u32,
    core: u32,
    packed: u32,
    impl_reg: u64,
    rvbar: u64,
    running: bool,
}

/// What a write to the block asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    None,
    /// Start these CPUs (bits by logical id).
    Start(u64),
    /// Stop these CPUs.
    Stop(u64),
    /// The system takes these CPUs for running from now on.
    Active(u64),
}

/// The block.
#[derive(Debug, Clone)]
pub(crate) struct Pmgr {
    base: u64,
    size: u64,
    start: u64,
    /// From one die's block to the next one's.
    die_stride: u64,
    /// Whether interrupts ask for the "active" bit.
    pub(crate) gates: bool,
    /// By die.
    active: [u32; DIES],
    slots: Vec<Slot>,
}

impl Pmgr {
    pub(crate) fn new(model: &SocModel, order: &[usize], reset_vector: u64) -> Self {
        let largest = order
            .iter()
            .map(|&i| (model.cpu[i].reg & 0xff) + 1)
            .max()
            .unwrap_or(1);
        let cores = largest.max(4);
        let locked = model.pmgr.as_ref().is_none_or(|p| p.rvbar_locked);
        let slots = order.iter().map(|&i| {
            let cpu = &model.cpu[i];
            let (cluster, core) = (cpu.reg >> 8 & 7, cpu.reg & 0xff);
            Slot {
                die: u64::from(cpu.reg >> 11 & 0xf),
                cluster,
                core,
                packed: cluster * cores + core,
                impl_reg: cpu.impl_reg,
                rvbar: reset_vector | if locked { RVBAR_LOCK } else { 0 },
                running: cpu.boot,
            }
        });
        let (base, size, offset) = model
            .pmgr
            .as_ref()
            .map_or((0, 0, 0), |p| (p.base, p.size, p.cpu_start));
        let slots: Vec<Slot> = slots.collect();
        let mut active = [0; DIES];
        if let Some(boot) = slots.first() {
            active[boot.die as usize] = 1 << (boot.packed & 31);
        }
        let stride = model.pmgr.as_ref().map_or(0, |p| p.die_stride);
        Self {
            die_stride: stride,
            gates: model.pmgr.as_ref().is_some_and(|p| p.gates_irqs),
            base,
            size,
            start: base + u64::from(offset),
            active,
            slots,
        }
    }

    /// Where a loader writes to start a CPU: address and value of the "active" and the start register.
    pub(crate) fn start_writes(&self, cpu: usize) -> Option<[(u64, u32); 2]> {
        if self.size == 0 {
            return None;
        }
        let s = &self.slots[cpu];
        let block = self.start + s.die * self.die_stride;
        Some([
            (block + u64::from(ACTIVE), 1 << (s.packed & 31)),
            (block + u64::from(START + 4 * s.cluster), 1 << s.core),
        ])
    }

    /// Where a CPU begins when it is started.
    pub(crate) fn reset_vector(&self, cpu: usize) -> u64 {
        self.slots[cpu].rvbar & RVBAR_ADDRESS
    }

    pub(crate) fn set_running(&mut self, cpu: usize, running: bool) {
        self.slots[cpu].running = running;
    }

    pub(crate) fn contains(&self, pa: u64) -> bool {
        self.place(pa).is_some() || self.slot_at(pa).is_some()
    }

    /// Die whose window an address lies in, and the address as it would be on die 0.
    fn place(&self, pa: u64) -> Option<(u64, u64)> {
        let die = match self.die_stride {
            0 => 0,
            stride => pa.checked_sub(self.base)? / stride,
        };
        let on_die_0 = pa - die * self.die_stride;
        let there = die == 0 || self.slots.iter().any(|s| s.die == die);
        let inside = (self.base..self.base + self.size).contains(&on_die_0);
        (self.size != 0 && there && inside).then_some((die, on_die_0))
    }

    fn slot_at(&self, pa: u64) -> Option<(usize, u64)> {
        self.slots
            .iter()
            .position(|s| s.impl_reg != 0 && (s.impl_reg..s.impl_reg + IMPL_SIZE).contains(&pa))
            .map(|i| (i, pa - self.slots[i].impl_reg))
    }

    pub(crate) fn read(&self, pa: u64) -> u64 {
        if let Some((cpu, offset)) = self.slot_at(pa) {
            return match offset {
                0 => self.slots[cpu].rvbar,
                IMPL_STATUS => self.slots[cpu].running.into(),
                _ => 0,
            };
        }
        match self.place(pa) {
            Some((die, pa)) if pa == self.start + u64::from(ACTIVE) => {
                self.active[die as usize].into()
            }
            _ => 0,
        }
    }

    /// A write; `Err` means a locked register was written.
    pub(crate) fn write(&mut self, pa: u64, value: u64) -> Result<Request, ()> {
        if let Some((cpu, offset)) = self.slot_at(pa) {
            if offset == 0 {
                if self.slots[cpu].rvbar & RVBAR_LOCK != 0 {
                    return Err(());
                }
                self.slots[cpu].rvbar = value;
            }
            return Ok(Request::None);
        }
        let Some((die, pa)) = self.place(pa) else {
            return Ok(Request::None);
        };
        let Some(offset) = pa.checked_sub(self.start).filter(|o| *o < u64::from(BLOCK)) else {
            return Ok(Request::None);
        };
        let cpus = |hit: &dyn Fn(&Slot) -> bool| {
            self.slots
                .iter()
                .enumerate()
                .filter(|(_, s)| s.die == die && hit(s))
                .fold(0u64, |set, (i, _)| set | 1 << i)
        };
        let value = value as u32;
        Ok(match offset as u32 {
            STOP => {
                self.active[die as usize] &= !value;
                Request::Stop(cpus(&|s| value >> (s.packed & 31) & 1 == 1))
            }
            ACTIVE => {
                let set = cpus(&|s| value >> (s.packed & 31) & 1 == 1);
                self.active[die as usize] |= value;
                Request::Active(set)
            }
            offset if offset < START || !offset.is_multiple_of(4) => Request::None,
            offset => {
                let cluster = (offset - START) / 4;
                Request::Start(cpus(&|s| s.cluster == cluster && value >> s.core & 1 == 1))
            }
        })
    }
}
