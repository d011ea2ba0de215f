//! CPUs: what they share, and one table each.

use serde::Deserialize;

use super::siq::RegisterAccess;
use super::{model_only, yes};
use crate::model::Source;

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
    /// WFET and WFIT exist.
    pub wfxt: bool,
    /// The same for a CPU that waits in WFIT.
    pub wfit_loses_gprs: bool,
    /// Source mark.
    pub source: Source,
}

impl Default for CpusModel {
    fn default() -> Self {
        Self {
            lse: true,
            event_stream: true,
            wfi_loses_gprs: false,
            wfxt: false,
            wfit_loses_gprs: false,
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
    /// Its timers reach its FIQ input (false = a CPU that firmware left cold: its timers fire and nobody hears).
    #[serde(default = "yes")]
    pub timer_fiq: bool,
    /// MMU_INIT_SECONDARY works on it (false = SCTLR.M stays 0).
    #[serde(default = "yes")]
    pub mmu: bool,
    /// What an access to SIQ_CFG does on this CPU, if not what `siq.access` says.
    pub siq_access: Option<RegisterAccess>,
    /// Register SIQ_CFG as found, 64 bits.
    pub siq_cfg: u64,
    /// Physical address of the CPU's implementation registers (reset vector at +0); 0 = no such block.
    #[serde(default)]
    pub impl_reg: u64,
    /// AIC 1: the CPU's WHOAMI and its bit in TARGET_CPU, 0..=31; `adt_id` if absent.
    pub aic_number: Option<u32>,
    /// Source mark.
    pub source: Source,
}
