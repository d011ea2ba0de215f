//! The keys of a model file. Ranges are checked in `validate`.

mod adt;
mod aic;
mod cpu;
mod defect;
mod loader;
mod siq;

use serde::Deserialize;

use super::source::Source;

pub use adt::{AdtModel, DeviceModel, ExtRoute, StrideProperties};
pub use aic::{AicModel, AicV1Model, Beyond, EventClaim, LineModel, ResetEffect, ToggleModel};
pub use cpu::{ClusterType, CpuModel, CpusModel};
pub use defect::{DefectModel, FirerTakes, StrayLines};
pub use loader::{CallWake, FaultModel, LinkKind, LoaderModel, Outside};
pub use siq::{
    Choice, Class, IpiModel, LocalReach, Offered, OnMasked, RegisterAccess, SiqModel, SysRegModel,
    TakesEffect,
};

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
    /// Watchdog that restarts the machine; none if absent.
    pub wdt: Option<WdtModel>,
    /// Device memory that somebody touches and nobody modelled.
    #[serde(default)]
    pub mmio: Vec<MmioModel>,
    /// Device tree beyond what follows from the other tables.
    #[serde(default)]
    pub adt: AdtModel,
    /// The loader's behaviour and its link.
    #[serde(default)]
    pub loader: LoaderModel,
    /// Deliberate misbehaviour, all off by default.
    #[serde(default)]
    pub faults: FaultModel,
    /// Departures of the interrupt controller from its rules, all off by default.
    #[serde(default)]
    pub defect: DefectModel,
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

/// S5L UART.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UartModel {
    /// Physical address.
    pub base: u64,
    /// Line that it raises, on die 0; none where none is known.
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
    /// From one die's block to the next one's.
    #[serde(default = "die_stride")]
    pub die_stride: u64,
    /// A CPU whose "active" bit is not set gets no AIC interrupt (third party: loader sources, M1); its FIQs work.
    #[serde(default = "yes")]
    pub gates_irqs: bool,
    /// The reset vectors are locked (M4 and later), so that writing one is an SError.
    #[serde(default = "yes")]
    pub rvbar_locked: bool,
    /// Source mark.
    pub source: Source,
}

/// Watchdog.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WdtModel {
    /// Physical address.
    pub base: u64,
    /// Source mark.
    pub source: Source,
}

/// Device memory that keeps what is written, from 0 on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MmioModel {
    /// Who lives there.
    pub name: String,
    /// Physical address.
    pub base: u64,
    /// Bytes.
    pub size: u64,
    /// Source mark.
    pub source: Source,
}

fn model_only() -> Source {
    Source {
        kind: super::SourceKind::ModelOnly,
        note: "default of this program".into(),
    }
}

const fn yes() -> bool {
    true
}

/// Third party: loader sources.
const fn die_stride() -> u64 {
    0x20_0000_0000
}

const fn one() -> u64 {
    1
}

const fn one_u32() -> u32 {
    1
}
