//! The keys of a model file. Ranges are checked in `validate`.

use serde::Deserialize;

use super::source::Source;

/// A whole machine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocModel {
    /// Short name, as in `vm:NAME`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// Apple chip id, e.g. 0x8140.
    pub chip_id: u32,
    /// Where name, title and chip id come from.
    pub source: Source,
    /// System counter.
    pub counter: CounterModel,
    /// How fast guest code runs in virtual time.
    #[serde(default)]
    pub timing: TimingModel,
    /// Main memory.
    pub ram: RamModel,
    /// Traits shared by all CPUs.
    #[serde(default)]
    pub cpus: CpusModel,
    /// CPUs in the order of the device tree.
    pub cpu: Vec<CpuModel>,
    /// Interrupt controller.
    pub aic: AicModel,
    /// Routing register and routing policy.
    pub siq: SiqModel,
    /// Fast IPIs.
    #[serde(default)]
    pub ipi: IpiModel,
    /// Other implementation-defined registers that do not trap.
    #[serde(default)]
    pub sysregs: SysRegModel,
    /// Serial port; none if absent.
    pub uart: Option<UartModel>,
    /// CPU-start block and reset vectors; none if absent.
    pub pmgr: Option<PmgrModel>,
    /// Device tree beyond what follows from the other tables.
    #[serde(default)]
    pub adt: AdtModel,
    /// The loader's behaviour and its link.
    #[serde(default)]
    pub loader: LoaderModel,
    /// Deliberate misbehaviour, all off by default.
    #[serde(default)]
    pub faults: FaultModel,
}

/// System counter (CNTPCT_EL0).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterModel {
    /// CNTFRQ_EL0 in Hz, 1..=10^9.
    pub hz: u64,
    /// The counter advances by this many ticks at a time (1 = every tick is seen).
    #[serde(default = "one")]
    pub step: u64,
    /// Source mark.
    pub source: Source,
}

/// Guest speed. Model only: says nothing about real cores.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TimingModel {
    /// Instructions a CPU runs before the next one gets its turn, 1..=100000.
    pub slice: u32,
    /// Virtual picoseconds an instruction takes, 1..=10^6.
    pub ps_per_insn: u32,
    /// Source mark.
    pub source: Source,
}

impl Default for TimingModel {
    fn default() -> Self {
        Self {
            slice: 100,
            ps_per_insn: 1000,
            source: model_only(),
        }
    }
}

/// Main memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RamModel {
    /// First physical address, 32 MiB aligned.
    pub base: u64,
    /// Bytes, a multiple of 32 MiB, at least 128 MiB.
    pub size: u64,
    /// Source mark.
    pub source: Source,
}

/// Traits shared by all CPUs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CpusModel {
    /// FEAT_LSE present.
    pub lse: bool,
    /// WFE is woken by the timer's event stream.
    pub event_stream: bool,
    /// A CPU that waits in WFI comes back with its general registers zeroed.
    pub wfi_loses_gprs: bool,
    /// Source mark.
    pub source: Source,
}

impl Default for CpusModel {
    fn default() -> Self {
        Self {
            lse: true,
            event_stream: true,
            wfi_loses_gprs: false,
            source: model_only(),
        }
    }
}

/// Kind of core, as `cluster-type` in the device tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum ClusterType {
    /// Efficiency core.
    E,
    /// Performance core.
    P,
    /// The third kind of M5 Pro and later.
    M,
}

impl ClusterType {
    /// The letter of the device tree.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::E => "E",
            Self::P => "P",
            Self::M => "M",
        }
    }
}

/// One CPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuModel {
    /// `cpu-id` of the device tree; also the loader's index of this CPU. 0..=23.
    pub adt_id: u32,
    /// `reg` of the device tree: core in \[7:0\], cluster in \[10:8\], die in \[14:11\].
    pub reg: u32,
    /// MPIDR_EL1.
    pub mpidr: u64,
    /// MIDR_EL1.
    pub midr: u64,
    /// `cluster-type`.
    pub cluster_type: ClusterType,
    /// The CPU the machine boots on; exactly one has it.
    #[serde(default)]
    pub boot: bool,
    /// Named in the device tree (false = fused off).
    #[serde(default = "yes")]
    pub present: bool,
    /// Comes up when the loader starts it (false = "Failed!", dead from then on).
    #[serde(default = "yes")]
    pub starts: bool,
    /// MMU_INIT_SECONDARY works on it (false = SCTLR.M stays 0).
    #[serde(default = "yes")]
    pub mmu: bool,
    /// Register SIQ_CFG as found, 64 bits.
    pub siq_cfg: u64,
    /// Physical address of the CPU's implementation registers (reset vector at +0); 0 = no such block.
    #[serde(default)]
    pub impl_reg: u64,
    /// Source mark.
    pub source: Source,
}

/// Who may take a pending interrupt by reading EVENT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventClaim {
    /// Only the CPU it is offered to; others read 0.
    Offered,
    /// Any CPU that reads EVENT.
    Anybody,
}

/// What an access outside every device and RAM gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// Synchronous external abort.
    #[default]
    Abort,
    /// Asynchronous SError.
    SError,
}

/// Interrupt controller, version 2 or 3.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AicModel {
    /// 2 or 3.
    pub generation: u8,
    /// Physical address.
    pub base: u64,
    /// Bytes of the window; an access beyond is an external abort.
    pub size: u64,
    /// VERSION register, low byte.
    #[serde(default)]
    pub version: u8,
    /// Lines that exist per die (INFO1 \[15:0\]).
    pub nr_irq: u32,
    /// Lines the banks have room for per die (INFO3 \[15:0\]); multiple of 32, at most 0x1000.
    pub max_irq: u32,
    /// Dies in use (INFO1 LAST_DIE + 1).
    pub dies: u32,
    /// MAX_DIE field of INFO3.
    #[serde(default = "one_u32")]
    pub max_dies: u32,
    /// Die banks that answer; 0 = as many as `dies`.
    #[serde(default)]
    pub banks: u32,
    /// Offset of EVENT.
    pub event: u32,
    /// Offset of IRQ_CFG of die 0.
    pub irq_cfg: u32,
    /// Bytes from one die's IRQ_CFG to the next; 0 = arrays follow each other.
    #[serde(default)]
    pub cfg_stride: u32,
    /// Same for SW_SET and MASK_SET.
    #[serde(default)]
    pub set_stride: u32,
    /// Same for SW_CLR and MASK_CLR.
    #[serde(default)]
    pub clear_stride: u32,
    /// Same for HW_STATE.
    #[serde(default)]
    pub hw_state_stride: u32,
    /// CONFIG as found.
    pub config: u32,
    /// Interrupts are delivered although CONFIG.ENABLE is 0.
    #[serde(default)]
    pub delivers_without_enable: bool,
    /// Every line is masked as found.
    #[serde(default = "yes")]
    pub masked: bool,
    /// Who may take an interrupt.
    #[serde(default = "offered")]
    pub event_claim: EventClaim,
    /// Lines whose hardware level is high from the start.
    #[serde(default)]
    pub high: Vec<LineModel>,
    /// Lines a former stage left set by software, or unmasked.
    #[serde(default)]
    pub left_set: Vec<LineModel>,
    /// Lines found unmasked.
    #[serde(default)]
    pub left_unmasked: Vec<LineModel>,
    /// Source mark of geometry.
    pub source: Source,
    /// Source mark of CONFIG as found.
    pub config_source: Source,
}

/// A line: die and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineModel {
    /// Die, from 0.
    #[serde(default)]
    pub die: u32,
    /// Number within the die.
    pub number: u32,
}

/// What an access to a system register does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterAccess {
    /// Reads and writes work.
    ReadWrite,
    /// Writes are ignored.
    ReadOnly,
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
    /// Source mark.
    pub source: Source,
}

impl Default for SysRegModel {
    fn default() -> Self {
        Self {
            zero: Vec::new(),
            storage: Vec::new(),
            trap: Vec::new(),
            source: model_only(),
        }
    }
}

/// S5L UART.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UartModel {
    /// Physical address.
    pub base: u64,
    /// Line it raises; none on T8140.
    pub line: Option<u32>,
    /// Source mark.
    pub source: Source,
}

/// CPU-start block of the power manager.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PmgrModel {
    /// Physical address of the power manager's first block.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Offset of the CPU-start registers.
    pub cpu_start: u32,
    /// Source mark.
    pub source: Source,
}

/// Route of a line to a coprocessor (`aic-ext-intr-cfg`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtRoute {
    /// Die.
    #[serde(default)]
    pub die: u32,
    /// Line.
    pub number: u32,
    /// TARGET nibble.
    pub target: u8,
}

/// Device tree beyond the rest of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdtModel {
    /// Root `model`.
    pub model: String,
    /// Root `target-type`.
    pub target_type: String,
    /// Root `compatible`.
    pub compatible: Vec<String>,
    /// Root `serial-number`.
    pub serial: String,
    /// `firmware-version` of `/chosen`.
    pub firmware_version: String,
    /// Leave out the stride properties of `/arm-io/aic`, or give them as 0: "present", "zero", "absent".
    pub strides: StrideProperties,
    /// Routes of `aic-ext-intr-cfg`.
    pub ext_routes: Vec<ExtRoute>,
    /// Devices under `/arm-io`.
    pub device: Vec<DeviceModel>,
    /// Source mark.
    pub source: Source,
}

/// How the device tree gives the die strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrideProperties {
    /// With their values.
    #[default]
    Present,
    /// With value 0.
    Zero,
    /// Not at all.
    Absent,
}

impl Default for AdtModel {
    fn default() -> Self {
        Self {
            model: "Virtual1,1".into(),
            target_type: "V1".into(),
            compatible: Vec::new(),
            serial: "VIRTUAL".into(),
            firmware_version: "iBoot-13822.1.2".into(),
            strides: StrideProperties::Present,
            ext_routes: Vec::new(),
            device: Vec::new(),
            source: model_only(),
        }
    }
}

/// A device of `/arm-io`: it owns lines, nothing else of it is modelled.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceModel {
    /// Node name.
    pub name: String,
    /// `compatible`.
    #[serde(default)]
    pub compatible: Vec<String>,
    /// `reg` as physical \[address, size\] pairs.
    #[serde(default)]
    pub reg: Vec<[u64; 2]>,
    /// `interrupts`, one cell each.
    #[serde(default)]
    pub interrupts: Vec<u32>,
    /// Parent of specifier i: "aic", "self" or another device's name; the last repeats. Empty = "aic".
    #[serde(default)]
    pub interrupt_parents: Vec<String>,
    /// `msi-vector-offset`.
    pub msi_vector_offset: Option<u32>,
    /// `#msi-vectors`.
    pub msi_vectors: Option<u32>,
}

/// How a parked CPU can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallWake {
    /// Always.
    Any,
    /// Only after `P_SMP_SET_WFE_MODE(1)`; otherwise the call never returns.
    WfeMode,
}

/// The loader stand-in and its link.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LoaderModel {
    /// Plain RAM is not executable (SPRR on: M1-M3).
    pub sprr: bool,
    /// SIQ_CFG value the loader writes on every CPU it brings up; none on M4 and later.
    pub writes_siq_cfg: Option<u64>,
    /// Reads EVENT on every IRQ exception of its own vectors.
    pub reads_event: bool,
    /// Can be reached over: "usb" or "uart".
    pub link: LinkKind,
    /// Time of one request and its reply on the link, beside their bytes, in ns.
    pub request_ns: u64,
    /// Throughput of the link in bytes per second.
    pub bytes_per_second: u64,
    /// How a parked CPU can be called.
    pub call_wake: CallWake,
    /// Console text in the stream before the first reply.
    pub banner: String,
    /// Source mark.
    pub source: Source,
}

/// The loader's I/O device that carries the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// USB: data checksums may be switched off.
    Usb,
    /// UART: they may not.
    Uart,
}

impl Default for LoaderModel {
    fn default() -> Self {
        Self {
            sprr: false,
            writes_siq_cfg: None,
            reads_event: true,
            link: LinkKind::Usb,
            request_ns: 100_000,
            bytes_per_second: 30_000_000,
            call_wake: CallWake::WfeMode,
            banner: String::new(),
            source: model_only(),
        }
    }
}

/// Deliberate misbehaviour; 0 = never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaultModel {
    /// Every n-th software trigger is swallowed.
    pub lose_trigger_every: u64,
    /// After every n-th EVENT of a line the line is offered once more although it was taken.
    pub duplicate_every: u64,
    /// Every n-th EVENT that takes a line is preceded by an interrupt whose EVENT reads 0.
    pub spurious_every: u64,
    /// CONFIG ignores writes.
    pub config_stuck: bool,
    /// SIQ_CFG of this CPU (device-tree id) ignores writes after the n-th (both given together).
    pub siq_stuck_cpu: Option<u32>,
    /// See `siq_stuck_cpu`.
    pub siq_stuck_after: u64,
    /// Every n-th reply has a wrong checksum.
    pub corrupt_reply_every: u64,
    /// The link is silent after that many requests.
    pub link_dies_after: u64,
    /// What an access outside every device gives.
    pub outside: Outside,
}

pub(super) fn model_only() -> Source {
    Source {
        kind: super::SourceKind::ModelOnly,
        note: "default of this program".into(),
    }
}

const fn yes() -> bool {
    true
}

const fn one() -> u64 {
    1
}

const fn one_u32() -> u32 {
    1
}

const fn three() -> u64 {
    3
}

const fn offered() -> EventClaim {
    EventClaim::Offered
}
