//! What `regs list`, `regs show` and `regs export` give as JSON.

use aic_regs::aic::Generation;
use aic_regs::facts::{CONTROLLERS, Controller};
use schemars::JsonSchema;
use serde::Serialize;

use super::decode::Decoded;
use super::hwirq::Hwirq;
use super::model::{Register, registers_on};
use super::{GENERATIONS, generation_name, usual};
use crate::result::hex;

/// The registers of `regs list`, without their fields.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegsList<'r> {
    /// "aicprobe.regs.list/1".
    pub schema: &'static str,
    /// The registers.
    pub registers: &'r [Register],
}

/// The registers of `regs show`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegsShow<'r> {
    /// "aicprobe.regs.show/1".
    pub schema: &'static str,
    /// What was asked for.
    pub name: &'r str,
    /// The registers called so.
    pub registers: &'r [Register],
}

/// The result of `regs decode`: one of the two.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DecodeResult {
    /// "aicprobe.regs.decode/1".
    pub schema: &'static str,
    /// Readings of a register's value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Decoded>,
    /// The reading of an interrupt number of Linux.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hwirq: Option<Hwirq>,
}

impl RegsList<'_> {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.regs.list/1";
}

impl RegsShow<'_> {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.regs.show/1";
}

impl DecodeResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.regs.decode/1";
}

/// Everything that the tables hold.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RegsExport {
    /// "aicprobe.regs/1".
    pub schema: &'static str,
    /// Version of this program.
    pub version: &'static str,
    /// What the words under `source` mean.
    pub sources: Vec<SourceWord>,
    /// The controllers of SoCs.
    pub controllers: Vec<Controllers>,
    /// The registers.
    pub registers: Vec<Register>,
}

/// A word under `source` and what it means.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SourceWord {
    /// The word.
    pub source: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// The controller of a SoC.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Controllers {
    /// The SoC.
    pub soc: &'static str,
    /// SoCs whose controller is the same.
    pub also: &'static [&'static str],
    /// "AICv1", "AICv2" or "AICv3".
    pub generation: &'static str,
    /// Physical address.
    pub base: String,
    /// Bytes that drivers map.
    pub window: u32,
    /// Byte offset of EVENT.
    pub event: String,
    /// Lines per die, if known.
    pub nr_irq: Option<u32>,
    /// Dies.
    pub dies: u32,
    /// Who says so.
    pub source: &'static str,
}

impl From<&Controller> for Controllers {
    fn from(controller: &Controller) -> Self {
        Self {
            soc: controller.soc,
            also: controller.also,
            generation: generation_name(controller.generation),
            base: hex(controller.base),
            window: controller.window,
            event: hex(controller.event.into()),
            nr_irq: controller.nr_irq,
            dies: controller.dies,
            source: controller.source.label(),
        }
    }
}

impl RegsExport {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.regs/1";

    /// The tables, with the controllers of `soc` or `generation` only if one is named. System registers are always in it.
    #[must_use]
    pub fn new(soc: Option<&'static Controller>, generation: Option<Generation>) -> Self {
        use aic_regs::facts::Source;
        let generation = soc.map(|soc| soc.generation).or(generation);
        let wanted = |c: &&Controller| {
            soc.is_none_or(|soc| soc == *c) && generation.is_none_or(|g| g == c.generation)
        };
        let sources = [
            (Source::Architecture, "Arm's architecture manual defines it"),
            (
                Source::Silicon,
                "measured on silicon and published by others",
            ),
            (
                Source::Driver,
                "a driver that works on the silicon relies on it",
            ),
            (
                Source::Notes,
                "reverse-engineering notes without a quoted measurement",
            ),
            (
                Source::Claim,
                "one party says so and nobody else, or another contradicts it",
            ),
            (Source::Inference, "inferred, to be tested"),
            (Source::Model, "only a model has it"),
        ];
        let layouts = match (soc, generation) {
            (Some(soc), _) => vec![soc],
            (None, Some(generation)) => vec![usual(generation)],
            (None, None) => GENERATIONS.map(usual).to_vec(),
        };
        Self {
            schema: Self::SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            sources: sources
                .map(|(source, meaning)| SourceWord {
                    source: source.label(),
                    meaning,
                })
                .to_vec(),
            controllers: CONTROLLERS
                .iter()
                .filter(wanted)
                .map(Controllers::from)
                .collect(),
            registers: registers_on(&layouts),
        }
    }
}
