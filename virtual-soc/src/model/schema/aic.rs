//! The interrupt controller.

use serde::Deserialize;

use super::{one_u32, yes};
use crate::model::Source;

/// Who may take a pending interrupt by reading EVENT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventClaim {
    /// Only the CPU it is offered to; others read 0.
    Offered,
    /// Any CPU that reads EVENT.
    Anybody,
}

/// What writing 1 to RESET does. Nobody has published it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResetEffect {
    /// Nothing.
    Nothing,
    /// Masks every line.
    Masks,
    /// Masks every line, clears the software bits and the configuration (version 1: target) of every line.
    #[default]
    Clears,
}

/// What lines from NR_IRQ to MAX_IRQ - 1 are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// Bits without a line behind them: they keep what is written and nothing is delivered.
    #[default]
    Stored,
    /// Lines like all others.
    Delivered,
    /// No bits: they read 0 and ignore writes.
    Absent,
}

/// What only version 1 has. Its banks lie at fixed places: TARGET_CPU at 0x3000, SW_SET at 0x4000, EVENT at 0x2004, 1024 lines.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AicV1Model {
    /// CAP0 \[23:16\]; M1 reads 0xa (silicon), which may stand for eleven targets.
    pub cap0_high: u8,
    /// CAP1; M1 reads 0x00180018 (silicon).
    pub cap1: u32,
    /// Bits of CONFIG that exist (third party: 0xf8fffff1).
    pub config_writable: u32,
    /// Bits of TARGET_CPU that exist, 1 to 32 (inference from CAP0).
    pub targets: u32,
    /// TARGET_CPU of every line as found (model only: nobody published what firmware leaves there).
    pub target_as_found: u32,
    /// The window shows CNTPCT at 0x8020 and 0x8028 (third party).
    pub counter_mirror: bool,
}

impl Default for AicV1Model {
    fn default() -> Self {
        Self {
            cap0_high: 0xa,
            cap1: 0x0018_0018,
            config_writable: 0xf8ff_fff1,
            targets: 11,
            target_as_found: 0,
            counter_mirror: true,
        }
    }
}

/// Interrupt controller, version 1, 2 or 3.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AicModel {
    /// 1, 2 or 3.
    pub generation: u8,
    /// Physical address.
    pub base: u64,
    /// Bytes of the window; an access beyond is an external abort.
    pub size: u64,
    /// VERSION register, low byte (version 1: REV).
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
    /// Banks beyond `dies` are other names of die 0's.
    #[serde(default)]
    pub bank_alias: bool,
    /// Banks from this one on are other names of die 0's, those of dies in use too: 1 to the number of banks less 1.
    pub alias_from: Option<u32>,
    /// Offset of EVENT.
    pub event: u32,
    /// Offset of IRQ_CFG of die 0 (version 1: of TARGET_CPU).
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
    /// INFO3 reads 0.
    #[serde(default)]
    pub info3_zero: bool,
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
    /// Lines whose hardware level goes up and down by itself, as one that something drives and no device tree names.
    #[serde(default)]
    pub toggles: Vec<ToggleModel>,
    /// Lines a former stage left set by software, or unmasked.
    #[serde(default)]
    pub left_set: Vec<LineModel>,
    /// Lines found unmasked.
    #[serde(default)]
    pub left_unmasked: Vec<LineModel>,
    /// What RESET does.
    #[serde(default)]
    pub reset: ResetEffect,
    /// What lines from NR_IRQ on are.
    #[serde(default)]
    pub beyond: Beyond,
    /// What only version 1 has.
    #[serde(default)]
    pub v1: AicV1Model,
    /// Source mark of geometry.
    pub source: Source,
    /// Source mark of NR_IRQ, if not that of the geometry.
    pub nr_irq_source: Option<Source>,
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

/// A line whose input is low for half a period, then high for as long, from virtual time 0 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToggleModel {
    /// Die, from 0.
    #[serde(default)]
    pub die: u32,
    /// Number within the die.
    pub number: u32,
    /// Half a period in virtual nanoseconds, 1000 to 10^10.
    pub half_period_ns: u64,
}

const fn offered() -> EventClaim {
    EventClaim::Offered
}
