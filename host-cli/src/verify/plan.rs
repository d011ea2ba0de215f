//! The cells of a verdict, each with its purpose.

use std::collections::BTreeSet;

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::{Action, Special, Step};

use crate::plan::{GRACE_US, Group, MaskedCpu, Plan, PlannedCell, Routing};
use crate::random::SplitMix64;
use crate::target::Target;

use super::budget::{share, thin};
use super::questions::questions;
use super::{Class, Purpose, Size, TIMEOUT_US, Table};

/// Most triggers of a cell: of a long one nobody sees the counts before its end.
const MOST: u64 = 25_000;
/// Windows in microseconds: short ones of every CPU, and that of PR #228 (35 ms) of the first and the last.
const SHORT_US: [u32; 2] = [200, 1_000];
const LONG_US: u32 = 35_000;
/// When a step lets an interrupt through, in microseconds: what takes longer without one fails ROUTE-09.
const STEP_US: u32 = 1_000;

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

    fn as_found(&mut self, purpose: Purpose, weight: u64) {
        for cpu in self.ground.running.clone() {
            let cell = self.cell(cpu);
            self.add(Some(cell), purpose, weight * 10);
        }
    }

    /// SIQ_CFG is read after the last cell. One that changes the fields of a state as found, once, shows what an even number of writes
    /// would hide.
    fn written_last(&mut self) {
        let best = self.accepting().first().copied();
        if let Some((best, cpu)) = best.zip(self.ground.running.last().copied()) {
            let cell = self.with(cpu, &[(cpu, best)]);
            self.add(cell, Purpose::Sole { cpu }, 20);
        }
    }

    fn without_masks(&mut self) {
        self.as_found(Purpose::AsFound, 40);
        self.sole();
        self.order();
        self.mixed();
        self.lines();
    }

    /// Every CPU alone with every value that accepts, fired by itself and by another.
    fn sole(&mut self) {
        for cpu in self.ground.running.clone() {
            for (n, value) in self.accepting().into_iter().enumerate() {
                for fire in BTreeSet::from([cpu, self.other(cpu, usize::from(cpu) + n)]) {
                    let cell = self.with(fire, &[(cpu, value)]);
                    self.add(cell, Purpose::Sole { cpu }, 20);
                }
            }
        }
    }

    /// Pairs of CPUs with every pair of values: the boot CPU and each other one, and neighbours, either way round.
    fn order(&mut self) {
        if self.is_v1() {
            return;
        }
        let values = self.accepting();
        for (n, (a, b)) in self.pairs().into_iter().enumerate() {
            for x in &values {
                for y in &values {
                    let fire = self.ground.running[n % self.ground.running.len()];
                    let cell = self.with(fire, &[(a, *x), (b, *y)]);
                    self.add(cell, Purpose::Order, 12);
                }
            }
        }
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

    /// Any values of all CPUs, with somebody who accepts.
    fn mixed(&mut self) {
        if self.is_v1() {
            return;
        }
        let mut random = SplitMix64(self.ground.seed ^ 0x7665_7269_6679);
        let count = (self.ground.size.triggers / 500).clamp(8, 200);
        for _ in 0..count {
            let running = self.ground.running.clone();
            let fire = running[random.next() as usize % running.len()];
            let mut cell = self.cell(fire);
            let mut accepted = false;
            for cpu in running {
                let value = (random.next() & 3) as u8;
                accepted |= self.ground.table.class(value) != Class::Never;
                cell.fields[usize::from(cpu)] = Some(value);
            }
            if accepted {
                self.add(Some(cell), Purpose::Mixed, 10);
            }
        }
    }

    /// Other lines, of this die and others, in a state in which only one CPU can take them; the last line of each die.
    fn lines(&mut self) {
        let best = self.accepting().first().copied();
        let Some((best, boot)) = best.zip(self.ground.running.first().copied()) else {
            return;
        };
        let far = *self.ground.running.last().unwrap_or(&boot);
        for line in self.ground.others.clone() {
            for cpu in BTreeSet::from([boot, far]) {
                // Fired by itself, as one of the cells of the usual line is.
                let cell = self.with(cpu, &[(cpu, best)]);
                let cell = cell.map(|cell| PlannedCell { line, ..cell });
                self.add(cell, Purpose::Line { cpu }, 120);
            }
            let cell = PlannedCell {
                line,
                ..self.cell(far)
            };
            self.add(Some(cell), Purpose::AsFound, 120);
        }
        for line in self.ground.last.clone() {
            let cell = self.with(boot, &[(boot, best)]);
            let cell = cell.map(|cell| PlannedCell { line, ..cell });
            self.add(cell, Purpose::LastLine, 5);
        }
    }

    /// Cells with windows or steps. Of those of every CPU or pair, as many as the windows are enough for.
    fn windows(&self) -> Vec<(PlannedCell, Purpose)> {
        let Some(best) = self.accepting().first().copied() else {
            return Vec::new();
        };
        let mut all = self.few_windows(best);
        // Four windows a cell at least.
        let most = usize::try_from(self.ground.size.windows / 4).unwrap_or(usize::MAX);
        let left = most.saturating_sub(all.len());
        all.extend(thin(self.sole_masked(), left * 3 / 10));
        all.extend(thin(self.giving_way(), left * 4 / 10));
        all.extend(thin(self.waiting(), left * 3 / 10));
        all
    }

    /// The state as found, long windows, and a line masked at the controller.
    fn few_windows(&self, best: u8) -> Vec<(PlannedCell, Purpose)> {
        let mut all = Vec::new();
        for us in [SHORT_US[1], LONG_US] {
            let cell = masked(Some(self.cell(self.other(0, 0))), 0, us);
            all.extend(cell.map(|cell| (cell, Purpose::AsFoundMasked)));
        }
        for cpu in self.ends() {
            let alone = |n| self.with(self.other(cpu, n), &[(cpu, best)]);
            let cell = masked(alone(1), cpu, LONG_US);
            all.extend(cell.map(|cell| (cell, Purpose::SoleMasked { cpu })));
            let cell = alone(0).map(|mut cell| {
                cell.special.line_masked = true;
                stepped(cell, 0, Action::UnmaskLine)
            });
            all.extend(cell.map(|cell| (cell, Purpose::LineMasked { cpu })));
        }
        all
    }

    /// Every CPU alone, and it masks.
    fn sole_masked(&self) -> Vec<(PlannedCell, Purpose)> {
        let values = self.accepting();
        let mut all = Vec::new();
        for (n, cpu) in self.ground.running.iter().copied().enumerate() {
            for (k, us) in SHORT_US.into_iter().enumerate() {
                let value = values[(n + k) % values.len()];
                let cell = masked(self.with(self.other(cpu, n), &[(cpu, value)]), cpu, us);
                all.extend(cell.map(|cell| (cell, Purpose::SoleMasked { cpu })));
            }
        }
        all
    }

    /// Two CPUs accept, and the one that would be asked first masks.
    fn giving_way(&self) -> Vec<(PlannedCell, Purpose)> {
        let mut all = Vec::new();
        for (n, (a, b)) in self.pairs().into_iter().enumerate() {
            for (first, next) in [(a, b), (b, a)] {
                let (x, y) = self.better_and_worse(n);
                let cell = self.with(self.other(first, n), &[(first, x), (next, y)]);
                let purpose = Purpose::GivesWay {
                    masked: first,
                    next,
                };
                let cell = masked(cell, first, SHORT_US[1]);
                all.extend(cell.map(|cell| (cell, purpose)));
            }
        }
        all
    }

    /// Nobody accepts until a CPU does.
    fn waiting(&self) -> Vec<(PlannedCell, Purpose)> {
        if self.is_v1() {
            return Vec::new();
        }
        let values = self.accepting();
        let mut all = Vec::new();
        for (n, cpu) in self.ground.running.iter().copied().enumerate() {
            let action = Action::SetField(values[n % values.len()]);
            let cell = self.with(self.other(cpu, n), &[]);
            let cell = cell.map(|cell| stepped(cell, cpu, action));
            all.extend(cell.map(|cell| (cell, Purpose::Waits { cpu })));
        }
        all
    }

    fn ends(&self) -> Vec<u8> {
        let cpus = &self.ground.running;
        let mut ends: Vec<u8> = cpus
            .first()
            .into_iter()
            .chain(cpus.last())
            .copied()
            .collect();
        ends.dedup();
        ends
    }

    /// A pair of values of which the first is asked before the second, another one for every `n`.
    fn better_and_worse(&self, n: usize) -> (u8, u8) {
        if self.is_v1() {
            return (0, 0);
        }
        let (values, table) = (self.accepting(), &self.ground.table);
        let pairs: Vec<(u8, u8)> = values
            .iter()
            .flat_map(|x| values.iter().map(move |y| (*x, *y)))
            .filter(|(x, y)| table.class(*x) < table.class(*y))
            .collect();
        match pairs.get(n % pairs.len().max(1)) {
            Some(pair) => *pair,
            None => (values[0], values[0]),
        }
    }

    fn masks(&mut self, windows: Vec<(PlannedCell, Purpose)>) {
        let shares = share(self.ground.size.windows, &vec![1; windows.len()], 1);
        for ((mut cell, purpose), triggers) in windows.into_iter().zip(shares) {
            cell.triggers = u32::try_from(triggers).unwrap_or(u32::MAX);
            let after = PlannedCell {
                masked: Vec::new(),
                ..cell.clone()
            };
            self.add(Some(cell), purpose, 0);
            if let Purpose::GivesWay { masked, .. } = purpose {
                self.add(Some(after), Purpose::AfterMask { cpu: masked }, 3);
            }
        }
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

fn masked(cell: Option<PlannedCell>, cpu: u8, us: u32) -> Option<PlannedCell> {
    cell.map(|mut cell| {
        cell.masked.push(MaskedCpu { cpu, us });
        cell
    })
}

fn stepped(mut cell: PlannedCell, cpu: u8, action: Action) -> PlannedCell {
    // The only step of the cell: there is room.
    let _ = cell.special.steps.push(Step {
        at_us: STEP_US,
        cpu,
        action,
    });
    cell
}
