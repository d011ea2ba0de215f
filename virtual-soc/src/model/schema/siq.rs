//! Routing register and policy, fast IPIs, other implementation-defined registers.

use serde::Deserialize;

use super::{model_only, yes};
use crate::model::Source;

/// What an access to a system register does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterAccess {
    /// Reads and writes work.
    ReadWrite,
    /// Writes are ignored.
    ReadOnly,
    /// Reads give 0, writes are ignored.
    Zero,
    /// Reads work, writes take an UNDEFINED exception (EC 0).
    WriteUndefined,
    /// Every access takes an UNDEFINED exception (EC 0).
    Undefined,
    /// Every access traps to EL2 (EC 0x18).
    Trap,
}

/// Standing of a CPU for a value of the routing field; earlier ones are asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Asked first.
    Preferred,
    /// Asked when no preferred CPU takes it.
    Normal,
    /// Asked when nobody else takes it.
    Fallback,
    /// Never asked.
    Never,
}

/// Choice among the CPUs of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Lowest MPIDR.
    LowestMpidr,
    /// Lowest logical id (the boot CPU first).
    LowestId,
    /// The next one after the last receiver.
    RoundRobin,
    /// Any, from the seed.
    Random,
    /// The last receiver as long as it accepts.
    Sticky,
    /// P cores before others, lowest logical id among them.
    PCoresFirst,
}

/// What happens while the chosen CPU has interrupts masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnMasked {
    /// It waits for that CPU.
    Wait,
    /// It moves to the next acceptor that is not masked, of any class; if all are masked it waits for the first choice.
    Move,
}

/// When routing takes up what was written to SIQ_CFG. A read always gives what was written last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TakesEffect {
    /// With the write.
    #[default]
    AtOnce,
    /// At the writing CPU's next context synchronisation (ISB, exception entry, exception return).
    Isb,
    /// When the controller has handed out one more interrupt to any CPU, or has found nobody to offer one to.
    NextIrq,
}

/// What becomes of an interrupt that a CPU has been offered and not taken when fields change. On its own it leaves that CPU only as
/// `on_masked` says, and when the rest of the system takes the CPU for dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offered {
    /// It leaves when the CPU's class becomes `never`; a class that is only worse keeps it.
    #[default]
    StaysUnlessNever,
    /// It leaves at every change after which the CPU is not one of the best that accept.
    Follows,
    /// It stays whatever the fields become.
    Stays,
}

/// SIQ_CFG and the routing policy.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiqModel {
    /// What an access to SIQ_CFG does.
    pub access: RegisterAccess,
    /// Bits that keep what is written; \[1:0\] on everything known.
    #[serde(default = "three")]
    pub writable: u64,
    /// Whether routing looks at the field at all; if not, every CPU is `Normal`.
    #[serde(default = "yes")]
    pub honoured: bool,
    /// Class for field values 0, 1, 2, 3.
    pub classes: [Class; 4],
    /// Choice within a class.
    pub choice: Choice,
    /// What a masked CPU does to an interrupt.
    pub on_masked: OnMasked,
    /// With `on_masked = "move"`: how long it stays with a masked CPU first, in ns.
    #[serde(default)]
    pub move_after_ns: u64,
    /// From a line becoming deliverable to the CPU's interrupt input, in ns.
    #[serde(default)]
    pub delivery_ns: u64,
    /// At most this much more, from the seed, in ns.
    #[serde(default)]
    pub jitter_ns: u64,
    /// With field 0, an interrupt that was offered to a CPU at EL1 (or EL0 below it) is delivered once more after it was taken. Stands for
    /// "0 misbehaves when interrupts fire in EL1" (third party: loader history); what misbehaves how was never said.
    #[serde(default)]
    pub el1_misbehaves: bool,
    /// When a write acts on routing. Nothing has been published: model only.
    #[serde(default)]
    pub takes_effect: TakesEffect,
    /// What a change does to an interrupt that waits at a CPU. Nothing has been published: model only.
    #[serde(default)]
    pub offered: Offered,
    /// The register keeps its value while the CPU is off. If not, the CPU starts again with the value it was found with. Which of
    /// the two holds has not been published: model only.
    #[serde(default)]
    pub survives_stop: bool,
    /// Source mark of register access.
    pub access_source: Source,
    /// Source mark of the classes.
    pub classes_source: Source,
    /// Source mark of choice within a class.
    pub choice_source: Source,
    /// Source mark of what masking does.
    pub masked_source: Source,
    /// Source mark of delays.
    pub timing_source: Source,
}

/// What a local request does whose cluster field names another cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LocalReach {
    /// The field is ignored: the core of that number in the sender's own cluster gets it.
    #[default]
    OwnCluster,
    /// Nobody gets it.
    Nobody,
}

/// Fast IPIs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct IpiModel {
    /// IPI_RR_LOCAL exists (it does not on A11).
    pub local: bool,
    /// From the write to the target's FIQ input, in ns.
    pub delivery_ns: u64,
    /// IPI_SR shows the sender's machine number in \[15:8\].
    pub sender_in_sr: bool,
    /// What a local request across clusters does.
    pub local_reach: LocalReach,
    /// A write to IPI_SR takes effect at the CPU's next context synchronisation (ISB, exception entry, exception return), not at
    /// once: what arrives before then is acknowledged with the first (third party: an ISB is needed after the write).
    pub ack_needs_isb: bool,
    /// IPI_CR as found: countdown of deferred IPIs, in 24 MHz ticks.
    pub countdown: u16,
    /// Source mark.
    pub source: Source,
}

impl Default for IpiModel {
    fn default() -> Self {
        Self {
            local: true,
            delivery_ns: 200,
            sender_in_sr: false,
            local_reach: LocalReach::OwnCluster,
            ack_needs_isb: false,
            countdown: 0x1800,
            source: model_only(),
        }
    }
}

/// Implementation-defined registers beside SIQ_CFG and the IPI registers, by generic name (`S3_5_C15_C5_0`). All others are UNDEFINED.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SysRegModel {
    /// Read as 0, ignore writes.
    pub zero: Vec<String>,
    /// Keep what is written, per CPU.
    pub storage: Vec<String>,
    /// Trap with EC 0x18.
    pub trap: Vec<String>,
    /// Read as 0; writes are UNDEFINED.
    pub write_undefined: Vec<String>,
    /// Source mark.
    pub source: Source,
}

impl Default for SysRegModel {
    fn default() -> Self {
        Self {
            zero: Vec::new(),
            storage: Vec::new(),
            trap: Vec::new(),
            write_undefined: Vec::new(),
            source: model_only(),
        }
    }
}

const fn three() -> u64 {
    3
}
