//! The interrupt controller, one module a generation: version 1 ([`v1`]) and versions 2 and 3 ([`block`], with their
//! offsets in [`layout`] and the choice of a CPU in [`router`]).

mod block;
mod layout;
mod lines;
mod router;
mod toggles;
mod v1;

use crate::cpu::CpuView;
use crate::model::SocModel;

use block::Block;
pub use layout::AicLayout;
use toggles::Toggles;
use v1::V1;

/// Type field of an EVENT word for a hardware line.
const EVENT_TYPE_IRQ: u32 = 1 << 16;

/// The controller of a machine.
#[derive(Debug, Clone)]
pub struct Aic {
    kind: Kind,
    toggles: Toggles,
}

#[derive(Debug, Clone)]
enum Kind {
    V1(Box<V1>),
    Block(Box<Block>),
}

/// The same expression for either generation.
macro_rules! either {
    ($aic:expr, $it:ident => $what:expr) => {
        match &$aic.kind {
            Kind::V1($it) => $what,
            Kind::Block($it) => $what,
        }
    };
    (mut $aic:expr, $it:ident => $what:expr) => {
        match &mut $aic.kind {
            Kind::V1($it) => $what,
            Kind::Block($it) => $what,
        }
    };
}

impl Aic {
    pub(crate) fn new(model: &SocModel, order: &[usize], seed: u64) -> Self {
        Self {
            kind: if model.aic.generation == 1 {
                Kind::V1(Box::new(V1::new(model, order, seed)))
            } else {
                Kind::Block(Box::new(Block::new(model, order, seed)))
            },
            toggles: Toggles::new(model),
        }
    }

    /// Offset of EVENT, the view of the CPU that reads it.
    pub(crate) fn event_offset(&self) -> u32 {
        either!(self, it => it.event_offset())
    }

    /// The CPU whose EVENT a read of `offset` by `cpu` takes from; `None` if that is another register.
    pub(crate) fn event_of(&self, cpu: usize, offset: u32) -> Option<usize> {
        match &self.kind {
            Kind::V1(v1) => v1.event_of(cpu, offset),
            Kind::Block(block) => (offset == block.event_offset()).then_some(cpu),
        }
    }

    /// CONFIG as it stands.
    #[must_use]
    pub fn config(&self) -> u32 {
        either!(self, it => it.config())
    }

    /// Number of dies whose banks answer.
    #[must_use]
    pub fn dies(&self) -> usize {
        match &self.kind {
            Kind::V1(_) => 1,
            Kind::Block(block) => block.dies(),
        }
    }

    /// Mask words of a die.
    #[must_use]
    pub fn mask_words(&self, die: usize) -> &[u32] {
        either!(self, it => it.lines(die).mask())
    }

    /// Software-set words of a die.
    #[must_use]
    pub fn software_words(&self, die: usize) -> &[u32] {
        either!(self, it => it.lines(die).software())
    }

    /// Configuration words of a die, one a line: IRQ_CFG, on version 1 TARGET_CPU.
    #[must_use]
    pub fn config_words(&self, die: usize) -> &[u32] {
        either!(self, it => it.config_words(die))
    }

    /// AIC 1: IPIs sent by IPI_SEND, one for every CPU that a write names, and those that found one pending.
    #[must_use]
    pub fn ipi_counts(&self) -> (u64, u64) {
        match &self.kind {
            Kind::V1(v1) => v1.ipi_counts(),
            _ => (0, 0),
        }
    }

    /// Version 1: pending and masked IPIs of every CPU; empty on later versions, which have none.
    #[must_use]
    pub fn ipis(&self) -> Vec<[u32; 2]> {
        match &self.kind {
            Kind::V1(v1) => v1.ipis(),
            Kind::Block(_) => Vec::new(),
        }
    }

    /// Bits of SW_SET that went from 0 to 1.
    #[must_use]
    pub fn triggers(&self) -> u64 {
        either!(self, it => it.triggers())
    }

    /// Drive the hardware level of a line.
    pub(crate) fn set_hw(&mut self, die: usize, number: u32, high: bool, now: u64) {
        either!(mut self, it => it.set_hw(die, number, high, now));
    }

    /// Drive the inputs that change by themselves up to `now`.
    fn drive_toggles(&mut self, now: u64) {
        if self.toggles.is_due(now) {
            for edge in self.toggles.advance(now) {
                self.set_hw(edge.die, edge.number, edge.high, now);
            }
        }
    }

    pub(crate) fn read(&mut self, cpu: usize, offset: u32, now: u64) -> u32 {
        self.drive_toggles(now);
        either!(mut self, it => it.read(cpu, offset, now))
    }

    pub(crate) fn write(&mut self, cpu: usize, offset: u32, value: u32, now: u64) {
        self.drive_toggles(now);
        either!(mut self, it => it.write(cpu, offset, value, now));
    }

    /// SIQ_CFG of a CPU: kept here because the routing of versions 2 and 3 looks at it.
    pub(crate) fn siq_cfg(&self, cpu: usize) -> u64 {
        match &self.kind {
            Kind::V1(v1) => v1.siq_cfg[cpu],
            Kind::Block(block) => block.router.siq_cfg(cpu),
        }
    }

    /// The register has this value, and routing goes by it.
    pub(crate) fn set_siq_cfg(&mut self, cpu: usize, value: u64, now: u64) {
        match &mut self.kind {
            // No effect on routing (inference: M1 reads 3 on every CPU and its interrupts work).
            Kind::V1(v1) => v1.siq_cfg[cpu] = value,
            Kind::Block(block) => block.router.set_siq_cfg(cpu, value, now),
        }
    }

    /// The CPU writes SIQ_CFG; when that acts on routing, the model says.
    pub(crate) fn write_siq_cfg(&mut self, cpu: usize, value: u64, now: u64) {
        match &mut self.kind {
            Kind::V1(v1) => v1.siq_cfg[cpu] = value,
            Kind::Block(block) => block.router.write_siq_cfg(cpu, value, now),
        }
    }

    /// A context synchronisation of the CPU.
    pub(crate) fn synchronize(&mut self, cpu: usize, now: u64) {
        if let Kind::Block(block) = &mut self.kind {
            block.router.synchronize(cpu, now);
        }
    }

    /// The rest of the system takes a CPU for running, or not.
    pub(crate) fn set_alive(&mut self, cpu: usize, alive: bool, now: u64) {
        match &mut self.kind {
            Kind::V1(v1) => v1.set_alive(cpu, alive, now),
            Kind::Block(block) => block.router.set_alive(cpu, alive, now),
        }
    }

    /// IRQ inputs, bit i = CPU i.
    pub(crate) fn irq_lines(&self) -> u64 {
        match &self.kind {
            Kind::V1(v1) => v1.irq_lines(),
            Kind::Block(block) => block.router.irq_lines(),
        }
    }

    /// Masks changed or time passed.
    pub(crate) fn tick(&mut self, view: &CpuView, now: u64) {
        self.drive_toggles(now);
        match &mut self.kind {
            Kind::V1(v1) => v1.refresh(now),
            Kind::Block(block) => block.router.tick(view, now),
        }
    }

    /// When something will change by itself, if later than `now`.
    pub(crate) fn next_event(&self, now: u64) -> Option<u64> {
        let delivery = match &self.kind {
            Kind::V1(v1) => v1.next_event(now),
            Kind::Block(block) => block.router.next_event(now),
        };
        delivery.into_iter().chain(self.toggles.next()).min()
    }
}
