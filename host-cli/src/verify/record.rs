//! Everything that a run of `verify` measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fields::Fiqs;
use crate::result::{Aic, Cell, Head, Restore};

use super::{Size, Table};

/// Largest count: a cell of so many triggers would take years.
const MOST: u64 = 1 << 43;

/// What a cell is there for; CPUs by logical id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Purpose {
    /// The state as found.
    AsFound,
    /// The same again at the end of the run.
    Again,
    /// One CPU accepts.
    Sole {
        /// It.
        cpu: u8,
    },
    /// One CPU accepts, another line than the usual one is fired.
    Line {
        /// The CPU.
        cpu: u8,
    },
    /// The last line of a die.
    LastLine,
    /// Two CPUs accept with different values, or with the same.
    Order,
    /// Any values, from the seed.
    Mixed,
    /// The only CPU that accepts masks its interrupts.
    SoleMasked {
        /// It.
        cpu: u8,
    },
    /// The state as found, and the boot CPU masks its interrupts.
    AsFoundMasked,
    /// The CPU that would take the interrupt masks it, another one accepts too.
    GivesWay {
        /// The one that masks.
        masked: u8,
        /// The other.
        next: u8,
    },
    /// Directly behind such a cell, with the same fields: nobody masks.
    AfterMask {
        /// The one that masked.
        cpu: u8,
    },
    /// Nobody accepts until this CPU does.
    Waits {
        /// It.
        cpu: u8,
    },
    /// The line is masked at the controller until a step unmasks it.
    LineMasked {
        /// The only CPU that accepts.
        cpu: u8,
    },
}

impl Purpose {
    /// Whether every trigger has a window or a step of its own.
    #[must_use]
    pub const fn has_windows(self) -> bool {
        matches!(
            self,
            Self::SoleMasked { .. }
                | Self::AsFoundMasked
                | Self::GivesWay { .. }
                | Self::Waits { .. }
                | Self::LineMasked { .. }
        )
    }
}

/// A cell and what it is there for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Observed {
    /// What for.
    pub purpose: Purpose,
    /// Microseconds after the trigger of the step that lets the interrupt through; `null` where there is none.
    pub step_us: Option<u32>,
    /// Triggers of which that step was seen to work.
    pub stepped: u64,
    /// Triggers that were taken before that step.
    pub early: u64,
    /// Triggers without a mask that took longer than a millisecond.
    pub slow: u64,
    /// Counts.
    pub cell: Cell,
}

/// A register of a CPU, read at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// Logical id.
    pub cpu: u8,
    /// Name.
    pub register: String,
    /// Its value; `null` where it trapped or the CPU did not answer.
    pub value: Option<String>,
    /// ESR of the trap.
    pub esr: Option<String>,
}

/// Fast IPIs from one CPU to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ipis {
    /// Logical id of the sender.
    pub from: u8,
    /// Of the CPU that was addressed.
    pub to: u8,
    /// Sent.
    pub sent: u32,
    /// Of these, not taken by that CPU in time.
    pub missed: u32,
    /// Taken by others meanwhile.
    pub elsewhere: u32,
}

/// Why a run ended before anything was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "text")]
pub enum Setup {
    /// It did not.
    Fine,
    /// The controller is not laid out as the device tree says.
    Layout(String),
    /// SIQ_CFG of a CPU cannot be read.
    SiqCfg(String),
    /// A first short session could not put everything back.
    NotRestored(String),
}

/// Everything that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Who was measured by what.
    #[serde(flatten)]
    pub head: Head,
    /// The controller.
    pub aic: Aic,
    /// What is assumed.
    pub table: Table,
    /// What was to be measured.
    pub size: Size,
    /// Why nothing was measured, if nothing was.
    pub setup: Setup,
    /// Lines that the controller has at least by what the device tree names, counted flat over the dies.
    pub least_nr_irq: u32,
    /// Cells in the order in which they ran.
    pub cells: Vec<Observed>,
    /// Registers at the end.
    pub registers: Vec<Reading>,
    /// FIQs.
    pub fiqs: Vec<Fiqs>,
    /// Fast IPIs.
    pub ipis: Vec<Ipis>,
    /// How the state was put back.
    pub restore: Restore,
}

impl Record {
    /// Whether its counts can be: a trigger lands or is lost, and only what is lost comes late. Verdicts are made of counts that can.
    ///
    /// # Errors
    /// The cell whose counts cannot be.
    pub fn check(&self) -> Result<(), String> {
        for (at, of) in self.cells.iter().enumerate() {
            let c = &of.cell;
            let landed: u64 = c.landed.iter().fold(0, |sum, n| sum.saturating_add(*n));
            let counts = [
                c.fired,
                c.lost,
                c.duplicate,
                c.spurious,
                of.slow,
                of.early,
                of.stepped,
            ];
            let many = counts.iter().chain(&c.offered).any(|n| *n > MOST);
            if many || landed.saturating_add(c.lost) > c.fired || c.late > c.lost {
                return Err(format!("cells[{at}] counts more than can be"));
            }
        }
        Ok(())
    }
}
