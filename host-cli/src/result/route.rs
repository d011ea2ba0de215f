//! Result of `route`; serialised it is the JSON schema "aicprobe.route/1".
//!
//! Arrays "by CPU" are indexed by logical id and have an entry for every CPU of `cpus`, whatever its state. 64-bit
//! registers are strings like "0x80010100"; counts and times are numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

use crate::firmware::Firmware;
use crate::plan::Group;
use crate::stats::Latency;
use crate::target::{Core, SocFacts};

use super::{Head, Mark};

/// Everything a run of `route` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RouteResult {
    /// "aicprobe.route/1".
    pub schema: String,
    /// The target as named on the command line.
    pub target: String,
    /// Seed of every choice made at random (by a virtual SoC).
    pub seed: u64,
    /// What ran.
    pub build: Build,
    /// Chip and board.
    pub soc: SocFacts,
    /// The interrupt controller.
    pub aic: Aic,
    /// CPUs by logical id.
    pub cpus: Vec<Cpu>,
    /// The clock behind the latencies.
    pub counter: Counter,
    /// Cells in the order in which they ran.
    pub cells: Vec<Cell>,
    /// All cells together.
    pub summary: Summary,
    /// Every cell of the plan ran to its end.
    pub complete: bool,
    /// The state of the target is as found.
    pub restored: bool,
    /// How that was checked.
    pub restore: Restore,
    /// Facts that are inferred, missing, or a model's.
    pub marks: Vec<Mark>,
}

impl RouteResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.route/1";

    /// What it begins with, as other results do.
    #[must_use]
    pub fn head(&self) -> Head {
        Head {
            target: self.target.clone(),
            seed: self.seed,
            build: self.build.clone(),
            soc: self.soc.clone(),
            cpus: self.cpus.clone(),
            counter: self.counter,
            complete: self.complete,
            restored: self.restored,
            marks: self.marks.clone(),
        }
    }
}

/// What ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// Version of this program.
    pub tool: String,
    /// Build id of the firmware image, 32 hexadecimal digits.
    pub firmware: String,
    /// Version of the protocol between them.
    pub protocol: u16,
}

impl Build {
    /// This program and `firmware`.
    #[must_use]
    pub fn of(firmware: &Firmware) -> Self {
        Self {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            firmware: firmware.build_id(),
            protocol: protocol::PROTOCOL_VERSION,
        }
    }
}

/// The interrupt controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Aic {
    /// 2 or 3.
    pub generation: u8,
    /// Physical address.
    pub base: String,
    /// Lines per die.
    pub nr_irq: u32,
    /// Lines per die that the layout has room for.
    pub max_irq: u32,
    /// Dies in use.
    pub dies: u32,
    /// CONFIG as found; `null` if it was not read.
    pub config: Option<String>,
}

/// What became of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CpuState {
    /// It ran the firmware.
    Running,
    /// The loader could not start it.
    Dead,
    /// Its MMU stays off: left out.
    NoMmu,
    /// Started, but it never entered the firmware.
    Absent,
}

impl CpuState {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Dead => "dead",
            Self::NoMmu => "no-mmu",
            Self::Absent => "absent",
        }
    }
}

/// One CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Logical id.
    pub id: u8,
    /// `cpu-id` of the device tree: the loader's index.
    pub adt_id: u32,
    /// MPIDR_EL1.
    pub mpidr: String,
    /// Cluster.
    pub cluster: u32,
    /// Kind of core.
    pub core: Core,
    /// Whether the machine booted on it.
    pub boot: bool,
    /// What became of it.
    pub state: CpuState,
    /// SIQ_CFG_EL1 as found; `null` unless it ran.
    pub siq_cfg: Option<String>,
    /// MIDR_EL1; `null` unless it ran.
    pub midr: Option<String>,
}

/// The clock behind the latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// CNTFRQ_EL0.
    pub hz: u64,
    /// Smallest step that the counter was seen to make, in ticks: a latency is no finer.
    pub step_ticks: u32,
    /// The same in nanoseconds.
    #[serde(deserialize_with = "real")]
    pub step_ns: f64,
    /// On a virtual SoC: CPUs take turns of this many nanoseconds, so that what one CPU does is seen by another only at
    /// the next turn. `null` on hardware.
    #[serde(deserialize_with = "real_if_any")]
    pub slice_ns: Option<f64>,
    /// Whether WFE is woken by the timer's event stream.
    pub event_stream: bool,
}

/// A fraction of a flattened part of a result. Where any dependency turns on `arbitrary_precision` of serde_json, a fraction comes out of
/// what was buffered for it as a map, which `f64` does not take.
fn real<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    as_real(&Number::deserialize(from)?)
}

/// The same, or `null`.
fn real_if_any<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let number = Option::<Number>::deserialize(from)?;
    number.as_ref().map(as_real).transpose()
}

fn as_real<E: serde::de::Error>(number: &Number) -> Result<f64, E> {
    let finite = number.as_f64().filter(|x| x.is_finite());
    finite.ok_or_else(|| E::custom(format!("{number} is out of range")))
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Die.
    pub die: u8,
    /// Number within the die.
    pub number: u16,
    /// die << 24 | 1 << 16 | number.
    pub hwirq: u32,
}

impl From<protocol::LineId> for Line {
    fn from(line: protocol::LineId) -> Self {
        let protocol::LineId { die, number } = line;
        Self {
            die,
            number,
            hwirq: aic_regs::aic::Line { die, number }.hwirq(),
        }
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Number in the plan.
    pub id: u32,
    /// Part of the plan.
    pub group: Group,
    /// The line fired.
    pub line: Line,
    /// Who fired.
    pub fire_cpu: u8,
    /// SIQ_CFG bits \[1:0\] read back, by CPU; `null` for a CPU that does not run.
    pub fields: Vec<Option<u8>>,
    /// What was asked for, by CPU; `null` = as found.
    pub fields_requested: Vec<Option<u8>>,
    /// AICv1: logical CPUs that the line was targeted at; `null` = its word was left as found.
    #[serde(default)]
    pub target_cpus: Option<Vec<u8>>,
    /// AICv2, AICv3: the line's IRQ_CFG word during the cell; `null` = as found.
    #[serde(default)]
    pub irq_cfg: Option<String>,
    /// CPUs that kept IRQs masked, one window per trigger.
    pub masked_cpus: Vec<u8>,
    /// The windows, parallel to `masked_cpus`, in microseconds.
    pub masked_us: Vec<u32>,
    /// Triggers asked for.
    pub triggers: u32,
    /// Timeout of a trigger in microseconds; from the unmask in a masked cell.
    pub timeout_us: u32,
    /// How long a second delivery was looked for, in microseconds.
    pub grace_us: u32,
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries within the timeout, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers for which the CPU saw an interrupt pending while it was masked, by CPU.
    pub offered: Vec<u64>,
    /// Triggers not taken within the timeout.
    pub lost: u64,
    /// Of the lost, taken before the cell ended.
    pub late: u64,
    /// Further deliveries of a trigger.
    pub duplicate: u64,
    /// IRQ exceptions whose EVENT was 0 or another line.
    pub spurious: u64,
    /// `null` if nothing landed.
    pub latency_ns: Option<Latency>,
    /// What latencies count from: "sw_set", "unmask" or "mixed".
    pub latency_from: String,
    /// Bound of the miss rate.
    pub miss_rate: MissBound,
    /// Why the cell stopped early; `null` if it did not.
    pub refused: Option<String>,
}

/// What counts say about a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissBound {
    /// Triggers lost.
    pub misses: u64,
    /// Triggers fired.
    pub triggers: u64,
    /// Upper 95 % bound of the rate (Clopper-Pearson, one-sided); `null` if nothing was fired.
    #[serde(deserialize_with = "real_if_any")]
    pub upper_95: Option<f64>,
}

impl MissBound {
    /// Of `misses` in `triggers`.
    #[must_use]
    pub fn of(misses: u64, triggers: u64) -> Self {
        let bound = crate::stats::upper_bound(misses, triggers);
        Self {
            misses,
            triggers,
            upper_95: (triggers != 0).then(|| significant(bound)),
        }
    }
}

/// Six significant digits: what a bound is good for, and the same on every platform's floating point.
fn significant(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// All cells together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries, by landing CPU.
    pub landed: Vec<u64>,
    /// Not taken within the timeout.
    pub lost: u64,
    /// See [`Cell::late`].
    pub late: u64,
    /// See [`Cell::duplicate`].
    pub duplicate: u64,
    /// See [`Cell::spurious`].
    pub spurious: u64,
    /// Bound of the miss rate over cells in which some CPU accepts interrupts (a field other than 3).
    pub miss_rate: MissBound,
}

/// How the restoring was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Restore {
    /// Values read back.
    pub checked: u32,
    /// How many differ from what was found.
    pub different: u32,
    /// The first of them in words.
    pub differences: Vec<String>,
}
