//! What the host asks of the firmware.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::MAX_CPUS;

/// A field value in [`Cell::fields`] that leaves the CPU's SIQ_CFG as it was found.
pub const FIELD_AS_FOUND: u8 = 0xff;

/// One AIC line: a die and the number within that die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineId {
    /// Die, from 0.
    pub die: u8,
    /// Line within the die, `0..nr_irq`.
    pub number: u16,
}

/// One CPU's mask window in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    /// Logical CPU whose PSTATE.I is set.
    pub cpu: u8,
    /// Length of the window in microseconds, from before the trigger until the unmask.
    pub us: u32,
}

/// Most [`Step`]s of a cell.
pub const STEPS: usize = 8;

/// What a [`Step`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Set the CPU's SIQ_CFG field (0..=3); counted when it reads back so. It is put back after the trigger.
    SetField(u8),
    /// Read EVENT on the CPU, which does not take its own interrupts for it; counted when the line under test came.
    TakeEvent,
    /// Sample ISR_EL1.I on the CPU; counted when set.
    Sample,
    /// Unmask the line at the controller; counted when it reads unmasked afterwards.
    UnmaskLine,
    /// Drop the line's software state; counted when it reads dropped afterwards.
    ClearLine,
}

/// Something done in every trigger of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Microseconds after the SW_SET store. Steps are done in the order given.
    pub at_us: u32,
    /// Logical CPU that does it, where that matters.
    pub cpu: u8,
    /// What is done.
    pub action: Action,
}

/// What the CPU that takes an interrupt does to end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// Drops the software state, then unmasks.
    #[default]
    Normal,
    /// Masks the line as a driver that disables it, drops the software state, does not unmask; the line is unmasked before
    /// the next trigger.
    Disabled,
    /// Fires a second line, takes its event, then ends the first before the second.
    OutOfOrder(LineId),
}

/// What a cell can have beside fields and windows. The default is an ordinary cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Special {
    /// The line's IRQ_CFG word (AICv2, AICv3) or TARGET_CPU mask (AICv1, by WHOAMI) during the cell; `None` = as found.
    pub routing: Option<u32>,
    /// CONFIG.ENABLE during the cell; `None` = enabled (AICv1: as found).
    pub enable: Option<bool>,
    /// The line is masked at the controller before every trigger.
    pub line_masked: bool,
    /// The line may be high or pending before it is fired: a device's, taken on purpose.
    pub live: bool,
    /// How interrupts are ended.
    pub ending: Ending,
    /// Workers that wait at EL1 with interrupts routed there, one bit by logical CPU.
    pub at_el1: u32,
    /// Done in every trigger, beside its windows; the timeout counts from the last of both.
    pub steps: Vec<Step, STEPS>,
    /// What the CPUs of `loaded` do while they wait.
    pub load: Load,
    /// Workers under load, one bit by logical CPU. They take interrupts and answer between two pieces of work.
    pub loaded: u32,
    /// Measure how long the handler takes, by trigger and by CPU. Implied by `handover`.
    pub timed: bool,
    /// Pause before every trigger, in microseconds.
    pub gap_us: u32,
    /// The cell ends after this time, in microseconds, whatever is left of it; 0 = no limit.
    pub limit_us: u32,
    /// What ends the cell early, with the events around it.
    pub stop: Stop,
    /// Who serves the interrupt; `None` = the handler, uncounted.
    pub handover: Option<Handover>,
    /// SIQ_CFG of the firing CPU is written right before SW_SET, and put back after the trigger.
    pub rewrite: Option<Rewrite>,
    /// SW_SET is not written: the firing CPU unmasks the line, which a device holds high.
    pub unfired: bool,
}

/// What a CPU does that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Load {
    /// Waits in WFE.
    #[default]
    Idle,
    /// Computes without touching memory.
    Spin,
    /// Reads and writes the whole of its part of [`crate::context::Control::hammer`], a cache line at a time.
    Memory,
}

/// Thresholds and conditions that end a cell, [`AFTER_STOP`] triggers later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// A first latency (see [`crate::message::Event::first`]) above this, in nanoseconds; 0 = none.
    pub first_ns: u32,
    /// First and second latency together above this, in nanoseconds; 0 = none.
    pub both_ns: u32,
    /// A trigger that is lost, taken twice or late, or an interrupt without an event.
    pub wrong: bool,
    /// Landing CPUs that are right, one bit by logical CPU; 0 = any.
    pub expected: u32,
}

/// Triggers that are still fired after one that stops the cell.
pub const AFTER_STOP: u32 = 4;

/// Who serves an interrupt, and how he is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Handover {
    /// The handler, where it landed.
    Direct,
    /// This CPU, outside its handlers; a store to the word that it waits on tells it.
    Store(u8),
    /// The same, and SEV after the store.
    Event(u8),
    /// The FIQ handler of this CPU, told by a fast IPI (global).
    Ipi(u8),
    /// Whichever of these workers (one bit by logical CPU) sees it first.
    Floating(u32),
}

/// A write to SIQ_CFG so close to the trigger that it shows when the write acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewrite {
    /// Field written, 0..=3.
    pub field: u8,
    /// What stands between the write and SW_SET.
    pub between: Between,
}

/// See [`Rewrite`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// ISB.
    Isb,
    /// ISB, and one interrupt of the same line, delivered and not counted.
    Interrupt,
}

/// One measurement: a line is fired `triggers` times from one CPU, everything else held still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The host's name for it; comes back in every message about it.
    pub id: u32,
    /// The line that is fired.
    pub line: LineId,
    /// Logical CPU that writes SW_SET.
    pub fire_cpu: u8,
    /// SIQ_CFG bits \[1:0\] asked for, by logical CPU: 0..=3, or [`FIELD_AS_FOUND`].
    pub fields: Vec<u8, MAX_CPUS>,
    /// CPUs that keep IRQs masked, one window per trigger. A CPU at most once.
    pub masked: Vec<Mask, MAX_CPUS>,
    /// How often the line is fired; at least 1.
    pub triggers: u32,
    /// How long to wait for the interrupt, in microseconds: from SW_SET, in a masked cell from the last unmask.
    pub timeout_us: u32,
    /// How long to look for a second delivery after the first, in microseconds.
    pub grace_us: u32,
    /// Send every event ([`crate::message::Batch`]).
    pub raw: bool,
    /// What most cells do without.
    pub special: Special,
}

/// How far a fast IPI reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    /// IPI_RR_LOCAL: the sender's own cluster.
    Local,
    /// IPI_RR_GLOBAL: any cluster.
    Global,
}

/// What the receiver of a fast IPI does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Receive {
    /// Acknowledges, ISB, then counts it.
    Normal,
    /// Counts it, works for a few microseconds, then acknowledges.
    LateAcknowledge,
    /// Acknowledges, counts it, and works for a few microseconds without an ISB in between.
    NoBarrier,
    /// Keeps FIQs masked until every IPI of the batch was sent.
    Held,
}

/// Fast IPIs from one CPU to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpiCell {
    /// The host's name for it.
    pub id: u32,
    /// Logical CPU that sends.
    pub from: u8,
    /// Logical CPU whose MPIDR is addressed.
    pub to: u8,
    /// Which register.
    pub reach: Reach,
    /// Type bits \[29:28\]: 0 immediate, 1 retract, 2 deferred, 3 no-wake.
    pub kind: u8,
    /// What the receiver does.
    pub receive: Receive,
    /// How many are sent; each after the one before was counted, or after its timeout. [`Receive::Held`]: all at once.
    pub count: u32,
    /// How long an IPI may take, in microseconds.
    pub timeout_us: u32,
}

/// How an IPI of a storm is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// IPI_RR_LOCAL.
    Local,
    /// IPI_RR_GLOBAL.
    Global,
    /// IPI_SEND of AICv1; taken as an IRQ.
    Mmio,
}

/// Who sends to whom in a storm; CPUs of the set in ascending order of logical ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// Every other CPU of the set to this one, which is in the set too.
    ToOne(u8),
    /// Every CPU of the set to every other one, in turn.
    ToAll,
    /// First and second to each other, third and fourth, and so on; the last of an odd number does nothing.
    Pairs,
}

/// Many CPUs send IPIs to each other for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StormCell {
    /// The host's name for it.
    pub id: u32,
    /// CPUs that take part, one bit by logical CPU; at least two.
    pub cpus: u32,
    /// Who sends to whom.
    pub pattern: Pattern,
    /// How.
    pub via: Via,
    /// A sender waits until its target has counted one more before it sends to it again (at most 100 us).
    pub paced: bool,
    /// Receivers also count in one word that all of them share.
    pub shared: bool,
    /// How long, in microseconds, at most 50,000.
    pub us: u32,
}

/// Whether FIQs reach a CPU whatever its SIQ_CFG says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiqCell {
    /// The host's name for it.
    pub id: u32,
    /// Logical CPU.
    pub cpu: u8,
    /// Field set meanwhile, 0..=3.
    pub field: u8,
    /// Global fast IPIs sent to it by another CPU, and timers armed on it, each.
    pub count: u32,
    /// How long each may take, in microseconds.
    pub timeout_us: u32,
}

/// Registers that may be read on request; a fixed list, so that no command can touch anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Register {
    /// SIQ_CFG_EL1.
    SiqCfg,
    /// MPIDR_EL1.
    Mpidr,
    /// MIDR_EL1.
    Midr,
    /// IPI_SR_EL1.
    IpiSr,
    /// IPI_CR_EL1.
    IpiCr,
    /// ISR_EL1.
    Isr,
    /// SCTLR_EL1 (EL2's under E2H).
    Sctlr,
    /// HCR_EL2.
    Hcr,
    /// CNTFRQ_EL0.
    Cntfrq,
    /// CNTHCTL_EL2.
    Cnthctl,
    /// VM_TMR_FIQ_ENA_EL2.
    VmTmrFiqEna,
}

/// The host's side of the greeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::PROTOCOL_VERSION`] of the host.
    pub protocol: u16,
    /// [`crate::SCHEMA_HASH`] of the host.
    pub schema: u64,
    /// Comes back in the answer: proof that it is this run's answer and no stale bytes.
    pub nonce: u64,
}

/// Everything the firmware can be told.
#[expect(
    clippy::large_enum_variant,
    reason = "the firmware has no allocator to box it"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Answer with [`crate::Message::Hello`] and one [`crate::Message::Cpu`] per CPU.
    Hello(Hello),
    /// Save what will be changed, mask every line, enable the controller.
    Open,
    /// Run a cell. Only between `Open` and `Close`.
    Cell(Cell),
    /// Read one register on one CPU, guarded.
    Read {
        /// Logical CPU that reads.
        cpu: u8,
        /// What is read.
        register: Register,
    },
    /// Put everything back and read it back.
    Close,
    /// Every worker restores its own CPU and returns to the loader; ends the streams with
    /// [`crate::Message::End`].
    Leave,
    /// Write to VM_TMR_FIQ_ENA_EL2 of a CPU what it reads, guarded.
    WriteBack {
        /// Logical CPU.
        cpu: u8,
    },
    /// Send fast IPIs. Only between `Open` and `Close`.
    Ipi(IpiCell),
    /// Let a CPU lie in WFI until its timer wakes it, and compare what it held.
    Wfi {
        /// Logical CPU, a worker.
        cpu: u8,
        /// How long, in microseconds.
        us: u32,
    },
    /// Many CPUs send IPIs to each other. Only between `Open` and `Close`.
    Storm(StormCell),
    /// Look whether FIQs reach a CPU. Only between `Open` and `Close`.
    Fiq(FiqCell),
}
