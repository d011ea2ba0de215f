//! Cells in which nobody masks.

use std::collections::BTreeSet;

use crate::plan::PlannedCell;
use crate::random::SplitMix64;
use crate::verify::{Class, Purpose};

use super::Maker;

impl Maker<'_, '_> {
    pub(super) fn as_found(&mut self, purpose: Purpose, weight: u64) {
        for cpu in self.ground.running.clone() {
            let cell = self.cell(cpu);
            self.add(Some(cell), purpose, weight * 10);
        }
    }

    /// SIQ_CFG is read after the last cell. One that changes the fields of a state as found, once, shows what an even number of writes
    /// would hide.
    pub(super) fn written_last(&mut self) {
        let best = self.accepting().first().copied();
        if let Some((best, cpu)) = best.zip(self.ground.running.last().copied()) {
            let cell = self.with(cpu, &[(cpu, best)]);
            self.add(cell, Purpose::Sole { cpu }, 20);
        }
    }

    pub(super) fn without_masks(&mut self) {
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
}
