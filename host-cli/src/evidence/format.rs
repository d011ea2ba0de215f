//! What is in the files.

use aic_regs::aic::{Generation, Geometry as Layout};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::Plan;
use crate::result::{Aic, Head, hex};
use crate::session::{Measured, Reply};
use crate::target::{AicFacts, SocFacts};

/// Value of [`Run::schema`].
pub const SCHEMA: &str = "aicprobe.evidence/1";

/// `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// "aicprobe.evidence/1".
    pub schema: String,
    /// The command, like "route".
    pub command: String,
    /// Every argument of the program, the command among them.
    pub argv: Vec<String>,
    /// What the command's result needs beside head and cells, as the command writes and reads it.
    pub options: Value,
    /// The target as named by the user.
    pub target: String,
    /// Seed of every choice made at random.
    pub seed: u64,
    /// This program.
    pub tool: Tool,
    /// The firmware image.
    pub firmware: Firmware,
    /// When it began: UTC, RFC 3339, whole seconds.
    pub started: String,
    /// Where this program ran.
    pub host: Host,
    /// What was measured: hardware, or a model and which.
    pub machine: Machine,
    /// How it ended; `null` until it has.
    pub ended: Option<Ended>,
}

/// The program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// SHA-256 of its file: the exact build; `null` if it could not be read.
    pub executable_sha256: Option<String>,
}

/// The firmware image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Firmware {
    /// Its build id.
    pub build_id: String,
    /// SHA-256 of the image, before its relocations are applied.
    pub image_sha256: String,
    /// Version of the protocol that it speaks.
    pub protocol: u16,
}

/// The machine that the program ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Operating system, like "linux".
    pub os: String,
    /// Architecture, like "x86_64".
    pub arch: String,
}

/// What answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Machine {
    /// A port of this host, behind which there may be a machine: nothing tells a model from one there.
    Hardware,
    /// A pseudo-terminal: a program, no hardware.
    Program,
    /// A virtual SoC of this program.
    Virtual {
        /// Name of the model.
        model: String,
        /// SHA-256 of its TOML.
        toml_sha256: String,
        /// The loader image that ran on it; `null` = the stand-in.
        loader: Option<LoaderImage>,
    },
}

/// A loader's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoaderImage {
    /// Its name, without folders.
    pub file: String,
    /// Its size.
    pub bytes: usize,
    /// Its SHA-256.
    pub sha256: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// When: UTC, RFC 3339, whole seconds.
    pub at: String,
    /// Exit code of the program.
    pub exit_code: u8,
    /// What it said beside the result.
    pub messages: Vec<String>,
}

/// `target.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFile {
    /// Chip and board.
    pub soc: SocFacts,
    /// What kind of machine it is; never which one.
    pub device: DeviceId,
    /// The controller, as in results of `route`.
    pub aic: Aic,
    /// Where its registers are.
    pub geometry: Geometry,
    /// What results begin with: CPUs, clock, marks. Until the run has ended nothing counts as complete or restored.
    pub head: Head,
}

/// A machine's model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceId {
    /// `/chosen` `board-id`; `null` if the tree does not say.
    pub board_id: Option<u32>,
    /// Model, like "Mac17,0".
    pub model: String,
}

/// Offsets from the controller's base, and strides from die to die, as hexadecimal text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names of the registers")]
pub struct Geometry {
    /// 1 to 3.
    pub generation: u8,
    pub nr_irq: u32,
    pub max_irq: u32,
    pub dies: u32,
    pub window: String,
    pub version: String,
    pub info1: String,
    pub info3: String,
    pub config: String,
    pub irq_cfg: String,
    pub sw_set: String,
    pub sw_clr: String,
    pub mask_set: String,
    pub mask_clr: String,
    pub hw_state: String,
    pub event: String,
    pub cfg_stride: String,
    pub set_stride: String,
    pub clr_stride: String,
    pub hw_stride: String,
}

impl Geometry {
    /// Of a controller.
    #[must_use]
    pub fn of(aic: &AicFacts) -> Self {
        let g: &Layout = &aic.geometry;
        let at = |offset: u32| hex(offset.into());
        Self {
            generation: match g.generation {
                Generation::V1 => 1,
                Generation::V2 => 2,
                Generation::V3 => 3,
            },
            nr_irq: g.nr_irq,
            max_irq: g.max_irq,
            dies: g.dies,
            window: hex(aic.size),
            version: at(g.version),
            info1: at(g.info1),
            info3: at(g.info3),
            config: at(g.config),
            irq_cfg: at(g.irq_cfg),
            sw_set: at(g.sw_set),
            sw_clr: at(g.sw_clr),
            mask_set: at(g.mask_set),
            mask_clr: at(g.mask_clr),
            hw_state: at(g.hw_state),
            event: at(g.event),
            cfg_stride: at(g.cfg_stride),
            set_stride: at(g.set_stride),
            clr_stride: at(g.clr_stride),
            hw_stride: at(g.hw_stride),
        }
    }
}

/// `plan.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanFile {
    /// Cells and questions, in their order.
    #[serde(flatten)]
    pub plan: Plan,
}

/// A line of `cells.jsonl`. Of several about the same cell or question the last counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// Counts of a cell.
    Cell(Cell),
    /// Answer to a question of the plan.
    Reply {
        /// Its index in the plan.
        question: usize,
        /// The answer.
        reply: Reply,
    },
}

/// Counts of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// Its `id` in the plan.
    pub cell: u32,
    /// `false` in a line that says how far a long cell has come.
    pub over: bool,
    /// Everything that was counted.
    pub counts: Measured,
}
