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
    /// Send a [`crate::message::RawEvent`] for every interrupt taken.
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
}
