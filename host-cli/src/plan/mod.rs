//! What is to be measured: cells, in order.

mod build;
mod estimate;
#[cfg(test)]
mod tests;

use protocol::command::{FIELD_AS_FOUND, Special};
use protocol::{Cell, LineId, Mask};
use serde::{Deserialize, Serialize};

pub use build::{PlanError, Request, build};
pub use estimate::{CONFIRM_ABOVE, Estimate};

/// Triggers of a cell unless told otherwise.
pub const DEFAULT_TRIGGERS: u32 = 32;
/// Timeout of a trigger unless told otherwise, in microseconds.
pub const DEFAULT_TIMEOUT_US: u32 = 10_000;
/// How long a second delivery is looked for after the first, in microseconds.
pub const GRACE_US: u32 = 2;
/// Mask windows of the default plan, in microseconds: CPU 0 masked in every state, and while fields are tried.
pub const DEFAULT_MASKS_US: [u32; 2] = [35_000, 1_000];
/// Most different lines of a plan: the firmware keeps the state of each to put it back.
pub const MAX_LINES: usize = 32;
/// Longest mask window, in microseconds. The loader is not served while it lasts.
pub const MAX_MASK_US: u32 = 1_000_000;
/// Longest timeout, in microseconds.
pub const MAX_TIMEOUT_US: u32 = 10_000_000;

/// Part of a plan that a cell belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// State as found, every CPU fires.
    AsFound,
    /// The same with CPU 0 masked.
    Masked,
    /// One secondary's field tried.
    Field,
    /// One secondary's field tried with CPU 0 masked.
    FieldMasked,
    /// Named by the user.
    Custom,
}

impl Group {
    /// Heading in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::AsFound => "state as found",
            Self::Masked => "CPU 0 masked",
            Self::Field => "one secondary's field set",
            Self::FieldMasked => "one secondary's field set, CPU 0 masked",
            Self::Custom => "as asked",
        }
    }
}

/// One cell of a plan; CPUs by logical id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedCell {
    /// Its number, from 0.
    pub id: u32,
    /// Part of the plan.
    pub group: Group,
    /// The line that is fired.
    pub line: LineId,
    /// Who fires.
    pub fire_cpu: u8,
    /// SIQ_CFG field asked for, per CPU; `None` = as found.
    pub fields: Vec<Option<u8>>,
    /// Masked CPUs and their windows.
    pub masked: Vec<MaskedCpu>,
    /// How often the line is fired.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Grace time, in microseconds.
    pub grace_us: u32,
}

/// A CPU that is masked in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskedCpu {
    /// Logical id.
    pub cpu: u8,
    /// Window per trigger, in microseconds.
    pub us: u32,
}

impl PlannedCell {
    /// Length of a trigger's mask window, in microseconds.
    #[must_use]
    pub fn window_us(&self) -> u32 {
        self.masked.iter().map(|m| m.us).max().unwrap_or(0)
    }

    /// How long a trigger is watched that nobody takes, in microseconds: the firmware looks an eighth of the timeout longer,
    /// to tell late from lost.
    #[must_use]
    pub const fn watched_us(&self) -> u64 {
        self.timeout_us as u64 * 9 / 8
    }

    /// CPUs that the cell cannot do without.
    pub fn cpus(&self) -> impl Iterator<Item = u8> + '_ {
        let set = (0u8..)
            .zip(&self.fields)
            .filter(|(_, f)| f.is_some())
            .map(|(cpu, _)| cpu);
        std::iter::once(self.fire_cpu)
            .chain(set)
            .chain(self.masked.iter().map(|m| m.cpu))
    }

    /// The cell as the firmware takes it.
    #[must_use]
    pub fn to_command(&self) -> Cell {
        // A plan never holds more CPUs than the firmware has room for: the CPU table is cut there.
        Cell {
            id: self.id,
            line: self.line,
            fire_cpu: self.fire_cpu,
            fields: self
                .fields
                .iter()
                .map(|f| f.unwrap_or(FIELD_AS_FOUND))
                .collect(),
            masked: self
                .masked
                .iter()
                .map(|m| Mask {
                    cpu: m.cpu,
                    us: m.us,
                })
                .collect(),
            triggers: self.triggers,
            timeout_us: self.timeout_us,
            grace_us: self.grace_us,
            raw: false,
            special: Special::default(),
        }
    }
}

/// Cells in the order in which they run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The cells; `id` is the index.
    pub cells: Vec<PlannedCell>,
    /// Whether the user named the cells (else it is the default plan).
    pub custom: bool,
    /// Whether the user named the firing CPUs: then each of them has to be there.
    pub fire_named: bool,
}

impl Plan {
    /// Every line that is fired, once each.
    #[must_use]
    pub fn lines(&self) -> Vec<LineId> {
        let mut lines: Vec<LineId> = Vec::new();
        for cell in &self.cells {
            if !lines.contains(&cell.line) {
                lines.push(cell.line);
            }
        }
        lines
    }
}
