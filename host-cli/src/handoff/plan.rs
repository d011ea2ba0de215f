//! Cells: one per landing CPU, way, serving CPU and load.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::{Handover, Load, Special};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{GRACE_US, Group, Plan, PlannedCell, Routing};
use crate::target::Target;

use super::{ALL_PAIRS_UP_TO, TIMEOUT_US, TRIGGERS};

/// The field of the only CPU that is to accept, and of all others (silicon, T8140: 1 is preferred, 3 never accepts).
const ACCEPT: u8 = 1;
const NEVER: u8 = 3;

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
    /// Time within which one has to be served, in microseconds.
    pub timeout_us: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            land_cpus: Vec::new(),
            serve_cpus: Vec::new(),
            loads: vec![Load::Idle, Load::Spin],
            triggers: TRIGGERS,
            timeout_us: TIMEOUT_US,
        }
    }
}

impl Options {
    fn landing(&self, target: &Target, running: &[u8]) -> Vec<u8> {
        if !self.land_cpus.is_empty() {
            return self.land_cpus.clone();
        }
        let cluster = |c: &u8| {
            let cpu = target.cpus.get(usize::from(*c));
            cpu.map(|c| c.mpidr >> 8 & 0xffff)
        };
        let first = |at: usize| {
            let before = running[..at].iter();
            before
                .into_iter()
                .all(|c| cluster(c) != cluster(&running[at]))
        };
        let all = running.len() <= ALL_PAIRS_UP_TO;
        let at = (0..running.len()).filter(|at| all || first(*at));
        at.map(|at| running[at]).collect()
    }

    /// CPUs that are asked for by name.
    pub fn named(&self) -> impl Iterator<Item = u8> + '_ {
        self.land_cpus.iter().chain(&self.serve_cpus).copied()
    }
}

/// The plan for a target of whose CPUs those in `running` run. CPU 0 fires in every cell; interrupts are steered by SIQ_CFG, on
/// AICv1 by TARGET_CPU.
#[must_use]
pub fn plan(target: &Target, running: &[u8], line: LineId, options: &Options) -> Plan {
    let workers = running.iter().filter(|c| **c != 0);
    let workers = workers.fold(0u32, |set, cpu| set | 1 << cpu);
    let serving = match options.serve_cpus.is_empty() {
        true => running.to_vec(),
        false => options.serve_cpus.clone(),
    };
    let mut cells = Vec::new();
    for load in &options.loads {
        if *load != Load::Idle && workers == 0 {
            // There is nobody to load.
            continue;
        }
        for land in options.landing(target, running) {
            let mut add = |handover| {
                let id = cells.len() as u32;
                let mut cell = cell(target, running, line, land, handover);
                cell.id = id;
                cell.triggers = options.triggers;
                cell.timeout_us = options.timeout_us;
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

fn cell(
    target: &Target,
    running: &[u8],
    line: LineId,
    land: u8,
    handover: Handover,
) -> PlannedCell {
    let cpus = target.cpus.len() as u8;
    let is_v1 = target.aic.geometry.generation == Generation::V1;
    let field = |cpu| {
        let value = if cpu == land { ACCEPT } else { NEVER };
        running.contains(&cpu).then_some(value)
    };
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
