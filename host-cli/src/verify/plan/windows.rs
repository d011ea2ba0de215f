//! Cells with windows and steps.

use protocol::command::{Action, Step};

use crate::plan::{MaskedCpu, PlannedCell, ends};
use crate::verify::Purpose;
use crate::verify::budget::{share, thin};

use super::Maker;

/// Windows in microseconds: short ones of every CPU, and that of PR #228 (35 ms) of the first and the last.
const SHORT_US: [u32; 2] = [200, 1_000];
const LONG_US: u32 = 35_000;
/// When a step lets an interrupt through, in microseconds: what takes longer without one fails ROUTE-09.
const STEP_US: u32 = 1_000;

impl Maker<'_, '_> {
    /// Cells with windows or steps. Of those of every CPU or pair, as many as the windows are enough for.
    pub(super) fn windows(&self) -> Vec<(PlannedCell, Purpose)> {
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
        for cpu in ends(&self.ground.running) {
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

    pub(super) fn masks(&mut self, windows: Vec<(PlannedCell, Purpose)>) {
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
