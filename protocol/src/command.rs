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
}
