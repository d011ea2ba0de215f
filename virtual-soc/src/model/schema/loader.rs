//! The loader stand-in, its link, and deliberate misbehaviour.

use serde::Deserialize;

use super::model_only;
use crate::model::Source;

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
    /// CPUs (device-tree ids) whose "active" bit it does not write.
    pub leaves_inactive: Vec<u32>,
    /// CPUs (device-tree ids) that do not come up, beside those that say so themselves.
    pub leaves_down: Vec<u32>,
    /// CPUs (device-tree ids) whose MMU MMU_INIT_SECONDARY leaves off, beside those that say so themselves.
    pub leaves_mmu_off: Vec<u32>,
    /// A MEMREAD or MEMWRITE leaves the exception guard and the count as they are (loaders seen reset both).
    pub keeps_guard: bool,
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
    /// A BOOT frame is sent at start (on a UART; USB never has one).
    pub boot_message: bool,
    /// Revision in the boot arguments; loaders know 1 to 3.
    pub boot_args_revision: u16,
    /// The boot arguments are overwritten with this byte.
    pub boot_args_overwritten: Option<u8>,
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
            leaves_inactive: Vec::new(),
            leaves_down: Vec::new(),
            leaves_mmu_off: Vec::new(),
            keeps_guard: false,
            reads_event: true,
            link: LinkKind::Usb,
            request_ns: 100_000,
            bytes_per_second: 30_000_000,
            call_wake: CallWake::WfeMode,
            boot_message: true,
            boot_args_revision: 3,
            boot_args_overwritten: None,
            banner: String::new(),
            source: model_only(),
        }
    }
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
    /// The first requests are not heard.
    pub deaf_requests: u64,
    /// The link is silent after that many requests.
    pub link_dies_after: u64,
    /// What an access outside every device gives.
    pub outside: Outside,
}
