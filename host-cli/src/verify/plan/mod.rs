//! The cells of a verdict, each with its purpose.

mod open;
mod windows;

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::Special;

use crate::plan::{GRACE_US, Group, Plan, PlannedCell, Routing};
use crate::target::Target;

use super::budget::share;
use super::questions::questions;
use super::{Purpose, Size, TIMEOUT_US, Table};

/// Most triggers of a cell: of a long one nobody sees the counts before its end.
const MOST: u64 = 25_000;

/// What a plan is made from.
pub struct Ground<'g> {
    /// The target.
    pub target: &'g Target,
    /// CPUs that run, by logical id; the boot CPU first.
    pub running: Vec<u8>,
    /// The spare line that is fired.
    pub line: LineId,
    /// Other spare lines, of any die; the last lines of dies apart.
    pub others: Vec<LineId>,
    /// Last lines of dies, where they are spare.
    pub last: Vec<LineId>,
    /// What is assumed of the SoC.
    pub table: Table,
    /// How much.
    pub size: Size,
    /// Seed of the cells with any values.
    pub seed: u64,
}

/// A plan, and what its cells are there for.
pub struct Made {
    /// The plan.
    pub plan: Plan,
    /// By id of the cell.
    pub purposes: Vec<Purpose>,
}

/// Makes the plan.
#[must_use]
pub fn plan(ground: &Ground<'_>) -> Made {
    let mut maker = Maker {
        ground,
        cells: Vec::new(),
    };
    let windows = maker.windows();
    maker.without_masks();
    maker.masks(windows);
    maker.as_found(Purpose::Again, 6);
    maker.written_last();
    maker.finish()
}

/// A cell before its triggers are known.
struct Draft {
    cell: PlannedCell,
    purpose: Purpose,
    /// Its share of the triggers without a mask; 0 for a cell with windows, whose triggers are set.
    weight: u64,
}

struct Maker<'m, 'g> {
    ground: &'m Ground<'g>,
    cells: Vec<Draft>,
}

impl Maker<'_, '_> {
    fn is_v1(&self) -> bool {
        self.ground.target.aic.geometry.generation == Generation::V1
    }

    /// As found; on AICv1, whose lines are found without a target, targeted at every CPU.
    fn cell(&self, fire_cpu: u8) -> PlannedCell {
        PlannedCell {
            id: 0,
            group: Group::Custom,
            line: self.ground.line,
            fire_cpu,
            fields: vec![None; self.ground.target.cpus.len()],
            masked: Vec::new(),
            triggers: 1,
            timeout_us: TIMEOUT_US,
            grace_us: GRACE_US,
            routing: if self.is_v1() {
                Routing::Cpus(self.ground.running.clone())
            } else {
                Routing::AsFound
            },
            raw: false,
            special: Special::default(),
        }
    }

    /// With these fields, every other running CPU accepting nothing. `None` where no value is for that.
    fn with(&self, fire_cpu: u8, fields: &[(u8, u8)]) -> Option<PlannedCell> {
        let mut cell = self.cell(fire_cpu);
        if self.is_v1() {
            cell.routing = Routing::Cpus(fields.iter().map(|(cpu, _)| *cpu).collect());
            return Some(cell);
        }
        let never = self.ground.table.never()?;
        for cpu in &self.ground.running {
            let own = fields.iter().find(|(c, _)| c == cpu);
            cell.fields[usize::from(*cpu)] = Some(own.map_or(never, |(_, field)| *field));
        }
        Some(cell)
    }

    /// Values with which a CPU accepts; on AICv1 one that stands for the target mask.
    fn accepting(&self) -> Vec<u8> {
        if self.is_v1() {
            vec![0]
        } else {
            self.ground.table.accepting()
        }
    }

    fn add(&mut self, cell: Option<PlannedCell>, purpose: Purpose, weight: u64) {
        if let Some(cell) = cell {
            self.cells.push(Draft {
                cell,
                purpose,
                weight,
            });
        }
    }

    /// Somebody beside `cpu`, another one for every `n`.
    fn other(&self, cpu: u8, n: usize) -> u8 {
        let others: Vec<u8> = self
            .ground
            .running
            .iter()
            .copied()
            .filter(|c| *c != cpu)
            .collect();
        others.get(n % others.len().max(1)).copied().unwrap_or(cpu)
    }

    fn pairs(&self) -> Vec<(u8, u8)> {
        let cpus = &self.ground.running;
        let (Some(boot), true) = (cpus.first(), cpus.len() > 1) else {
            return Vec::new();
        };
        let with_boot = cpus[1..].iter().map(|c| (*boot, *c));
        let neighbours = cpus[1..].windows(2).map(|w| (w[0], w[1]));
        with_boot.chain(neighbours).collect()
    }

    fn finish(self) -> Made {
        let weights: Vec<u64> = self.cells.iter().map(|d| d.weight).collect();
        let open: Vec<u64> = weights.iter().copied().filter(|w| *w > 0).collect();
        let mut shares = share(self.ground.size.triggers, &open, 4).into_iter();
        let (mut cells, mut purposes) = (Vec::new(), Vec::new());
        for draft in self.cells {
            let mut left = match draft.weight {
                0 => draft.cell.triggers.into(),
                _ => shares.next().unwrap_or(0),
            };
            while left > 0 {
                let now = left.min(MOST);
                cells.push(PlannedCell {
                    id: cells.len() as u32,
                    triggers: now as u32,
                    ..draft.cell.clone()
                });
                purposes.push(draft.purpose);
                left -= now;
            }
        }
        Made {
            plan: Plan {
                questions: questions(self.ground),
                ..Plan::of(cells)
            },
            purposes,
        }
    }
}
