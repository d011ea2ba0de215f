//! Cells: one per landing CPU, way, serving CPU and load.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::{Handover, Load, Special};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{GRACE_US, Group, Plan, PlannedCell, Routing};
use crate::target::Target;

use super::{ALL_PAIRS_UP_TO, TRIGGERS};

/// The field of the only CPU that is to accept, and of all others (silicon, T8140: 1 is preferred, 3 never accepts).
const ACCEPT: u8 = 1;
const NEVER: u8 = 3;
/// Timeout of a trigger, in microseconds: a saturated CPU looks every few.
const TIMEOUT_US: u32 = 5_000;

/// How the serving CPU comes to know.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Served in the handler.
    Direct,
    /// A store to the word that the CPU waits on.
    Store,
    /// The same, and SEV.
    Sev,
    /// A fast IPI, served in its handler.
    Ipi,
    /// A store to the word that all workers wait on: the first of them serves.
    Floating,
}

impl Way {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Store => "store",
            Self::Sev => "sev",
            Self::Ipi => "ipi",
            Self::Floating => "floating",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Landing CPUs; empty = chosen by the number of CPUs.
    pub land_cpus: Vec<u8>,
    /// Serving CPUs; empty = all.
    pub serve_cpus: Vec<u8>,
    /// Loads of the workers, in turn.
    pub loads: Vec<Load>,
    /// Triggers of a cell.
    pub triggers: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            land_cpus: Vec::new(),
            serve_cpus: Vec::new(),
            loads: vec![Load::Idle, Load::Spin],
            triggers: TRIGGERS,
        }
    }
}

impl Options {
    fn landing(&self, target: &Target) -> Vec<u8> {
        if !self.land_cpus.is_empty() {
            return self.land_cpus.clone();
        }
        let cpus = &target.cpus;
        let first = |id: u8| {
            let cluster = |c: u8| cpus.get(usize::from(c)).map(|c| c.mpidr >> 8 & 0xffff);
            (0..id).all(|other| cluster(other) != cluster(id))
        };
        (0..cpus.len() as u8)
            .filter(|id| cpus.len() <= ALL_PAIRS_UP_TO || first(*id))
            .collect()
    }
}

/// The plan. CPU 0 fires in every cell; interrupts are steered by SIQ_CFG, on AICv1 by TARGET_CPU.
#[must_use]
pub fn plan(target: &Target, line: LineId, options: &Options) -> Plan {
    let cpus = target.cpus.len() as u8;
    let workers = (1..cpus).fold(0u32, |set, cpu| set | 1 << cpu);
    let serving = match options.serve_cpus.is_empty() {
        true => (0..cpus).collect(),
        false => options.serve_cpus.clone(),
    };
    let mut cells = Vec::new();
    for load in &options.loads {
        for land in options.landing(target) {
            let mut add = |handover| {
                let id = cells.len() as u32;
                let mut cell = cell(target, line, land, handover);
                cell.id = id;
                cell.triggers = options.triggers;
                cell.special.load = *load;
                cell.special.loaded = if *load == Load::Idle { 0 } else { workers };
                cells.push(cell);
            };
            add(Handover::Direct);
            for serve in &serving {
                add(Handover::Store(*serve));
                if *serve != land {
                    add(Handover::Event(*serve));
                    add(Handover::Ipi(*serve));
                }
            }
            if workers != 0 {
                add(Handover::Floating(workers));
            }
        }
    }
    Plan::of(cells)
}

fn cell(target: &Target, line: LineId, land: u8, handover: Handover) -> PlannedCell {
    let cpus = target.cpus.len() as u8;
    let is_v1 = target.aic.geometry.generation == Generation::V1;
    let field = |cpu| Some(if cpu == land { ACCEPT } else { NEVER });
    PlannedCell {
        id: 0,
        group: Group::Custom,
        line,
        fire_cpu: 0,
        fields: match is_v1 {
            true => vec![None; cpus.into()],
            false => (0..cpus).map(field).collect(),
        },
        masked: Vec::new(),
        triggers: 0,
        timeout_us: TIMEOUT_US,
        grace_us: GRACE_US,
        routing: match is_v1 {
            true => Routing::Cpus(vec![land]),
            false => Routing::AsFound,
        },
        raw: false,
        special: Special {
            handover: Some(handover),
            ..Special::default()
        },
    }
}
