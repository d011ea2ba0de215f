//! What is to be measured: cells, in order.

mod build;
mod estimate;
mod shape;
#[cfg(test)]
mod tests;

use protocol::command::{FIELD_AS_FOUND, FiqCell, Handover, IpiCell, Load, Special, StormCell};
use protocol::{Cell, Command, LineId, Mask, Register};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use build::{PlanError, Request, build, build_for};
pub use estimate::{CONFIRM_ABOVE, Estimate, cell_us};

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

/// The first and the last of `cpus`, once where they are the same.
#[must_use]
pub fn ends(cpus: &[u8]) -> Vec<u8> {
    let mut ends: Vec<u8> = cpus
        .first()
        .into_iter()
        .chain(cpus.last())
        .copied()
        .collect();
    ends.dedup();
    ends
}

/// Part of a plan that a cell belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// AICv1: the line targeted at one CPU or at several.
    Target,
    /// The same with CPU 0 masked.
    TargetMasked,
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
            Self::Target => "line targeted",
            Self::TargetMasked => "line targeted, CPU 0 masked",
            Self::Custom => "as asked",
        }
    }
}

/// One cell of a plan; CPUs by logical id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedCell {
    /// Its number, from 0.
    pub id: u32,
    /// Part of the plan.
    pub group: Group,
    /// The line that is fired.
    #[schemars(schema_with = "shape::line")]
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
    /// Where the line is sent by its own word.
    #[serde(default, skip_serializing_if = "Routing::is_as_found")]
    pub routing: Routing,
    /// Every event is sent ([`crate::session::Event::Raw`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raw: bool,
    /// What few cells have; its `routing` comes from [`PlannedCell::routing`].
    #[serde(default, skip_serializing_if = "is_ordinary")]
    #[schemars(schema_with = "shape::special")]
    pub special: Special,
}

/// A line's word at the controller during a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// As found.
    #[default]
    AsFound,
    /// AICv1's TARGET_CPU: these logical CPUs.
    Cpus(Vec<u8>),
    /// The whole word: IRQ_CFG of AICv2 and AICv3.
    Word(u32),
}

impl Routing {
    const fn is_as_found(&self) -> bool {
        matches!(self, Self::AsFound)
    }
}

fn is_ordinary(special: &Special) -> bool {
    *special == Special::default()
}

/// A CPU that is masked in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaskedCpu {
    /// Logical id.
    pub cpu: u8,
    /// Window per trigger, in microseconds.
    pub us: u32,
}

impl PlannedCell {
    /// Length of a trigger's mask window, or until its last step, in microseconds.
    #[must_use]
    pub fn window_us(&self) -> u32 {
        let windows = self.masked.iter().map(|m| m.us);
        let steps = self.special.steps.iter().map(|s| s.at_us);
        windows.chain(steps).max().unwrap_or(0)
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
        let targets: &[u8] = match &self.routing {
            Routing::Cpus(cpus) => cpus,
            _ => &[],
        };
        let floating = match self.special.handover {
            Some(Handover::Floating(set)) => set,
            _ => 0,
        };
        let sets = self.special.at_el1 | self.special.loaded | floating;
        let named = (0..32u8).filter(move |cpu| sets >> cpu & 1 != 0);
        let server = match self.special.handover {
            Some(Handover::Store(cpu) | Handover::Event(cpu) | Handover::Ipi(cpu)) => Some(cpu),
            _ => None,
        };
        std::iter::once(self.fire_cpu)
            .chain(set)
            .chain(self.masked.iter().map(|m| m.cpu))
            .chain(targets.iter().copied())
            .chain(self.special.steps.iter().map(|s| s.cpu))
            .chain(named)
            .chain(server)
    }

    /// The cell as the firmware takes it. `whoami`: the numbers by which AICv1 knows the CPUs, by logical id; a CPU without
    /// one is not targeted.
    #[must_use]
    pub fn to_command(&self, whoami: &[Option<u32>]) -> Cell {
        let bit = |cpu: &u8| {
            let number = whoami.get(usize::from(*cpu)).copied().flatten();
            number.and_then(|n| 1u32.checked_shl(n)).unwrap_or(0)
        };
        let routing = match &self.routing {
            Routing::AsFound => None,
            Routing::Cpus(cpus) => Some(cpus.iter().map(bit).fold(0, std::ops::BitOr::bitor)),
            Routing::Word(word) => Some(*word),
        };
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
            raw: self.raw,
            special: Special {
                routing,
                ..self.special.clone()
            },
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
    /// Asked after the cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Question>,
    /// When it is over before its last trigger.
    #[serde(default, skip_serializing_if = "Until::is_its_end")]
    pub until: Until,
}

/// When a plan is over before its last trigger. The default: not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Until {
    /// Its cells have taken this long together on the target's clock, in microseconds.
    pub duration_us: Option<u64>,
    /// A cell was ended by its [`protocol::command::Stop`].
    pub stop: bool,
}

impl Until {
    const fn is_its_end(&self) -> bool {
        self.duration_us.is_none() && !self.stop
    }
}

/// Something asked of the firmware that is no cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// Fast IPIs.
    Ipi(IpiCell),
    /// A stay in WFI: CPU and microseconds.
    Wfi(u8, u32),
    /// A register of a CPU.
    Read(u8, Register),
    /// Write to VM_TMR_FIQ_ENA of a CPU what it reads.
    WriteBack(u8),
    /// Many CPUs send IPIs to each other.
    Storm(StormCell),
    /// Whether FIQs reach a CPU.
    Fiq(FiqCell),
}

impl Question {
    /// The command that asks it.
    #[must_use]
    pub const fn to_command(&self) -> Command {
        match self {
            Self::Ipi(cell) => Command::Ipi(*cell),
            Self::Wfi(cpu, us) => Command::Wfi { cpu: *cpu, us: *us },
            Self::Read(cpu, register) => Command::Read {
                cpu: *cpu,
                register: *register,
            },
            Self::WriteBack(cpu) => Command::WriteBack { cpu: *cpu },
            Self::Storm(cell) => Command::Storm(*cell),
            Self::Fiq(cell) => Command::Fiq(*cell),
        }
    }
}

impl Plan {
    /// Of cells that the program chose for a purpose of its own.
    #[must_use]
    pub const fn of(cells: Vec<PlannedCell>) -> Self {
        Self {
            cells,
            custom: true,
            fire_named: false,
            questions: Vec::new(),
            until: Until {
                duration_us: None,
                stop: false,
            },
        }
    }

    /// Whether some cell loads memory.
    #[must_use]
    pub fn hammers(&self) -> bool {
        let hammers = |c: &PlannedCell| c.special.load == Load::Memory && c.special.loaded != 0;
        self.cells.iter().any(hammers)
    }

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
