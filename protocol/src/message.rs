//! What the firmware answers.

use heapless::Vec;
use serde::{Deserialize, Serialize};

use crate::command::STEPS;
use crate::{LineId, MAX_CPUS, Register};

/// Most bytes of log data in one [`Message::Log`].
pub const LOG_BYTES: usize = 128;
/// Most bucket counts in one [`Message::Latency`].
pub const CHUNK: usize = 32;
/// Most differences spelled out in one [`Message::Restored`].
pub const DIFFERENCES: usize = 8;

/// What a ring carries: a message with the place it has in its stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet {
    /// Counts the packets of this ring from 0; a gap is a lost packet.
    pub seq: u32,
    /// Packets that this ring had no room for so far.
    pub dropped: u32,
    /// The message.
    pub message: Message,
}

/// A register read that may have trapped instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// What it read.
    Value(u64),
    /// It took an exception with this ESR.
    Trapped(u64),
}

/// The firmware's side of the greeting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`crate::PROTOCOL_VERSION`] of the firmware.
    pub protocol: u16,
    /// [`crate::SCHEMA_HASH`] of the firmware.
    pub schema: u64,
    /// Build id out of the image's header.
    pub build_id: [u8; 16],
    /// The nonce of the request.
    pub nonce: u64,
    /// CNTFRQ_EL0, in Hz.
    pub counter_hz: u64,
    /// Smallest step that CNTPCT_EL0 was seen to make, in ticks.
    pub counter_step: u32,
    /// Whether WFE was woken by the timer's event stream when tried.
    pub event_stream: bool,
}

/// What a CPU says of itself when it enters the firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuInfo {
    /// Logical id.
    pub cpu: u8,
    /// MPIDR_EL1.
    pub mpidr: u64,
    /// MIDR_EL1.
    pub midr: u64,
    /// Exception level the firmware runs at.
    pub el: u8,
    /// SCTLR of that level, as found: bit 0 says whether the MMU is on.
    pub sctlr: u64,
    /// SIQ_CFG_EL1, as found.
    pub siq_cfg: Reading,
    /// WHOAMI of an AICv1: the CPU's bit in TARGET_CPU.
    pub whoami: Option<u32>,
}

/// Why a cell did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// No `Open` came before it.
    NotOpen,
    /// Line or die outside the controller.
    Line,
    /// A CPU that is not in the firmware.
    Cpu(u8),
    /// A field above 3.
    Field(u8),
    /// A CPU is masked twice.
    MaskedTwice(u8),
    /// Zero triggers, or steps and windows that do not go together.
    Triggers,
    /// The line is already high or pending without us.
    LineBusy,
    /// SIQ_CFG of this CPU trapped or did not take the value.
    SiqCfg {
        /// Logical CPU.
        cpu: u8,
        /// ESR of the trap; 0 = the value read back differs.
        esr: u64,
    },
    /// A worker did not answer its mailbox in time.
    WorkerSilent(u8),
    /// A worker has stopped with a fault; its report is in its own stream.
    WorkerFault(u8),
    /// The line fired so often for one trigger that it was left masked.
    Storm,
    /// CONFIG.ENABLE does not take: what is not delivered then says nothing about routing.
    NotEnabled,
    /// The host wanted no more of it ([`crate::context::Control::abort`]).
    Aborted,
    /// A latency above a threshold of [`crate::command::Stop`].
    Spike,
    /// Something that [`crate::command::Stop`] calls wrong.
    Wrong,
}

/// Result of a cell; arrays are by logical CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellResult {
    /// The cell's id.
    pub id: u32,
    /// Set if the cell stopped early; the counts are of what was measured until then.
    pub refusal: Option<Refusal>,
    /// SIQ_CFG bits \[1:0\] read back after setting.
    pub fields: Vec<u8, MAX_CPUS>,
    /// Triggers fired.
    pub fired: u32,
    /// First deliveries of a trigger within its timeout, by landing CPU.
    pub landed: Vec<u32, MAX_CPUS>,
    /// Triggers for which ISR_EL1.I was seen while masked.
    pub offered: Vec<u32, MAX_CPUS>,
    /// Triggers not taken within the timeout.
    pub lost: u32,
    /// Triggers taken after the timeout but before the cell ended (in `lost` too).
    pub late: u32,
    /// Further deliveries of a trigger.
    pub duplicate: u32,
    /// IRQ exceptions whose EVENT was 0 or another line.
    pub spurious: u32,
    /// Latencies measured (in the buckets), all told.
    pub latencies: u32,
    /// How many of them count from an unmask instead of the SW_SET store.
    pub from_unmask: u32,
    /// Smallest latency in ticks (0 if none).
    pub min_ticks: u64,
    /// Largest latency in ticks (0 if none).
    pub max_ticks: u64,
    /// Triggers for which each step's answer was yes.
    pub hits: Vec<u32, STEPS>,
    /// Triggers after which a line stayed masked that had been ended; only looked at in cells with another
    /// [`crate::command::Ending`] than the normal one.
    pub left_masked: u32,
    /// Ticks from the first trigger to the end of the last.
    pub elapsed: u64,
    /// Second latencies measured: how long handlers took, or from a handler's entry to the service.
    pub seconds: u32,
    /// Smallest of them in ticks (0 if none).
    pub min_second: u64,
    /// Largest of them in ticks (0 if none).
    pub max_second: u64,
    /// Ticks that handlers of the line took, by CPU; empty unless timed.
    pub busy: Vec<u32, MAX_CPUS>,
    /// Triggers served, by serving CPU; empty without a hand-over.
    pub served: Vec<u32, MAX_CPUS>,
}

/// Result of a [`crate::command::StormCell`]; arrays by logical CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StormResult {
    /// The cell's id.
    pub id: u32,
    /// Set if it stopped early.
    pub refusal: Option<Refusal>,
    /// ESR if a write that sends trapped.
    pub trapped: Option<u64>,
    /// Ticks that it took.
    pub elapsed: u64,
    /// IPIs that each CPU sent.
    pub sent: Vec<u32, MAX_CPUS>,
    /// IPIs sent to each CPU.
    pub sent_to: Vec<u32, MAX_CPUS>,
    /// IPIs that each CPU took. What was sent to it and not taken was merged with one that was pending.
    pub received: Vec<u32, MAX_CPUS>,
    /// Count in the shared word; 0 without one.
    pub counted: u32,
    /// Paced: waits that ran out.
    pub missed: u32,
}

/// Result of a [`crate::command::FiqCell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiqResult {
    /// The cell's id.
    pub id: u32,
    /// Set if it stopped early.
    pub refusal: Option<Refusal>,
    /// The field read back.
    pub field: u8,
    /// Fast IPIs sent.
    pub sent: u32,
    /// Of these, taken in time.
    pub ipis: u32,
    /// Timers armed.
    pub armed: u32,
    /// Of these, taken in time.
    pub timers: u32,
}

/// Result of an [`crate::command::IpiCell`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpiResult {
    /// The cell's id.
    pub id: u32,
    /// Set if it stopped early.
    pub refusal: Option<Refusal>,
    /// ESR if the write that sends trapped.
    pub trapped: Option<u64>,
    /// IPIs sent.
    pub sent: u32,
    /// Of these, not counted by the addressed CPU in time.
    pub missed: u32,
    /// IPIs taken meanwhile, by logical CPU.
    pub received: Vec<u32, MAX_CPUS>,
}

/// What a CPU held before and after a WFI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WfiResult {
    /// Logical CPU.
    pub cpu: u8,
    /// General registers that came back changed, one bit each; `None` if the CPU was not there or did not come back.
    pub changed: Option<u32>,
    /// SIQ_CFG, DAIF and IPI_SR changed: bits 0, 1, 2.
    pub system: u8,
    /// Ticks that it lay there.
    pub ticks: u64,
}

/// Part of a cell's latency histogram; sent before its [`CellResult`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyChunk {
    /// The cell's id.
    pub id: u32,
    /// Whether it is of the second latencies.
    pub second: bool,
    /// Bucket (see [`crate::latency`]) and count, ascending.
    pub counts: Vec<(u16, u32), CHUNK>,
}

/// Where a long cell is, at the end of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The cell's id.
    pub id: u32,
    /// Triggers fired so far.
    pub fired: u32,
    /// Deliveries so far, by landing CPU.
    pub landed: Vec<u32, MAX_CPUS>,
    /// Lost so far.
    pub lost: u32,
}

/// Most bytes of packed events in one [`Batch`].
pub const BATCH_BYTES: usize = 400;

/// What became of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum EventKind {
    /// Taken in time; latency from SW_SET.
    Landed = 0,
    /// Taken in time after its window; latency from the unmask.
    Unmasked = 1,
    /// Not taken in time.
    Lost = 2,
    /// Taken after its timeout.
    Late = 3,
    /// Taken again.
    Duplicate = 4,
}

/// One event. Every trigger makes one of the first three kinds, in order; the others belong to the trigger before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Which trigger of the cell (of the part that the firmware was given), from 0.
    pub trigger: u32,
    /// What became of it.
    pub kind: EventKind,
    /// Landing CPU; 0 for [`EventKind::Lost`].
    pub cpu: u8,
    /// CPU that served it, in cells with a hand-over; else the landing CPU.
    pub served: u8,
    /// CNTPCT_EL0 from which the latency counts; for late and duplicate ones when they were taken.
    pub time: u64,
    /// From there to the handler's entry, with a hand-over to the start of the service, in ticks; 0 for what is lost, late or duplicate.
    pub first: u64,
    /// Timed cells: from the handler's entry to its end; with a hand-over to the start of the service. Else 0.
    pub second: u64,
}

/// Events, packed by [`crate::event`]; sent before the result of their cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Batch {
    /// The cell's id.
    pub id: u32,
    /// Trigger of the first event.
    pub trigger: u32,
    /// [`Event::time`] that the first difference counts from.
    pub time: u64,
    /// Whether events carry a second latency ([`crate::event::SECOND`]) and a serving CPU ([`crate::event::SERVED`]).
    pub shape: u8,
    /// Number of events.
    pub count: u16,
    /// The events.
    pub data: Vec<u8, BATCH_BYTES>,
}

/// A stopped CPU's last words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Logical CPU.
    pub cpu: u8,
    /// What happened.
    pub kind: FaultKind,
    /// MPIDR_EL1.
    pub mpidr: u64,
    /// ESR of the exception (0 for a panic).
    pub esr: u64,
    /// Address of the instruction, relative to the image where it lies inside.
    pub elr: u64,
    /// FAR of the exception.
    pub far: u64,
    /// SPSR of the exception.
    pub spsr: u64,
    /// Line of the source file, for a panic.
    pub line: u32,
}

/// Kinds of [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// Synchronous exception.
    Sync,
    /// SError.
    SError,
    /// Rust panic.
    Panic,
    /// An exception with a frame of a mode that the firmware never runs in.
    Unexpected,
}

/// What was put back, for [`Difference`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// SIQ_CFG of CPU `index`.
    SiqCfg,
    /// AIC CONFIG.
    AicConfig,
    /// Mask word `index` (die * words + word).
    MaskWord,
    /// Software-pending word `index`.
    SoftwareWord,
    /// IRQ_CFG of line `index` (die << 16 | number).
    IrqConfig,
    /// VBAR of CPU `index`.
    Vbar,
    /// DAIF of CPU `index`.
    Daif,
    /// TPIDR_EL0 of CPU `index`.
    Tpidr,
    /// CNTHCTL of CPU `index`.
    Cnthctl,
}

/// One value that is not as found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// What it is.
    pub item: Item,
    /// Which of them.
    pub index: u32,
    /// As found.
    pub found: u64,
    /// As read back after restoring.
    pub now: u64,
}

/// Answer to `Close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// How many values were compared.
    pub checked: u32,
    /// How many differ.
    pub different: u32,
    /// The first of them.
    pub differences: Vec<Difference, DIFFERENCES>,
}

/// Everything the firmware can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Greeting of the firmware (boot CPU's stream).
    Hello(Hello),
    /// Greeting of a CPU, in its own stream.
    Cpu(CpuInfo),
    /// Answer to `Open`: software-pending and mask state were saved.
    Opened {
        /// Software-pending bits found set anywhere.
        software_pending: u32,
        /// Lines found unmasked.
        unmasked: u32,
        /// CONFIG as found.
        config: u32,
    },
    /// Part of a histogram.
    Latency(LatencyChunk),
    /// A cell is over.
    Cell(CellResult),
    /// A cell goes on.
    Progress(Progress),
    /// Events of a cell.
    Events(Batch),
    /// Answer to `Read`.
    Register {
        /// Logical CPU that read.
        cpu: u8,
        /// What was read.
        register: Register,
        /// The answer; `None` if that CPU is not in the firmware.
        reading: Option<Reading>,
    },
    /// Answer to `Close`.
    Restored(Restored),
    /// A CPU stopped.
    Fault(Fault),
    /// A defmt frame, raw encoding, of the firmware's own log.
    Log(Vec<u8, LOG_BYTES>),
    /// A command that could not be decoded or makes no sense now.
    BadCommand {
        /// Bytes of commands consumed before it.
        at: u64,
    },
    /// The last message of a stream.
    End {
        /// Packets that this ring carried, this one included.
        packets: u32,
        /// Packets that it had no room for.
        dropped: u32,
    },
    /// The line that a cell uses, as it is (the answer where a cell is refused for it).
    Line {
        /// The line.
        line: LineId,
        /// Software-pending.
        software: bool,
        /// Hardware level.
        high: bool,
        /// IRQ_CFG word.
        config: u32,
    },
    /// Answer to `Ipi`.
    Ipi(IpiResult),
    /// Answer to `Wfi`.
    Wfi(WfiResult),
    /// Answer to `Storm`.
    Storm(StormResult),
    /// Answer to `Fiq`.
    Fiq(FiqResult),
}
