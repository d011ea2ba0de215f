//! What makes a single CPU take interrupts: cells that try it, and what they say.
//!
//! Values of SIQ_CFG's field mean different things on different machines, and for most it is not published which of them accept:
//! so every pair of values is tried, one for the CPU that is to take interrupts and one for all others.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::Special;

use crate::plan::{GRACE_US, Group, PlannedCell, Routing, ends};
use crate::session::{Measured, Outcome};
use crate::target::Target;

use super::Trial;

/// Values for the CPU that is to take interrupts, best first: 1 is preferred on T8140 and 0 accepts there (silicon), 2 is what a
/// loader writes on M1 to M3 (third party).
const ACCEPTING: [u8; 4] = [1, 0, 2, 3];
/// Values for the others: 3 accepts nothing on T8140 (silicon).
const OTHERS: [u8; 4] = [3, 0, 1, 2];
/// Triggers of a cell that tries values: most of them lose all of theirs.
pub(super) const TRIED: u32 = 4;

/// What makes a single CPU take interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// AICv1: the line's TARGET_CPU.
    Target,
    /// SIQ_CFG: this field for it, another for all others.
    Field {
        /// Its own.
        accepting: u8,
        /// That of all others.
        others: u8,
    },
    /// Nothing that was tried.
    Nothing,
}

pub(super) fn is_v1(target: &Target) -> bool {
    target.aic.geometry.generation == Generation::V1
}

/// The trial, then every pair of values on the first and the last CPU.
pub(super) fn cells(target: &Target, line: LineId, trial: &Trial, cpus: &[u8]) -> Vec<PlannedCell> {
    let first = PlannedCell {
        id: 0,
        group: Group::Custom,
        line,
        fire_cpu: trial.fire_cpu,
        fields: trial.fields.clone(),
        masked: Vec::new(),
        triggers: trial.triggers,
        timeout_us: trial.timeout_us,
        grace_us: GRACE_US,
        routing: trial.routing.clone(),
        raw: false,
        special: Special::default(),
    };
    let mut cells = vec![first];
    for (id, (values, cpu)) in tries(target, trial, cpus) {
        let (accepting, others) = values;
        let field = |c: u8| {
            let value = if c == cpu { accepting } else { others };
            cpus.contains(&c).then_some(value)
        };
        cells.push(PlannedCell {
            id,
            fire_cpu: 0,
            fields: (0u8..).take(target.cpus.len()).map(field).collect(),
            triggers: TRIED,
            timeout_us: trial.tried_us,
            routing: Routing::AsFound,
            ..cells[0].clone()
        });
    }
    cells
}

type Values = (u8, u8);

/// Numbers of the cells that try values, the values, and the CPU that is to take interrupts.
fn tries(target: &Target, trial: &Trial, cpus: &[u8]) -> Vec<(u32, (Values, u8))> {
    if !trial.steer || is_v1(target) {
        return Vec::new();
    }
    let ends = ends(cpus);
    let values = OTHERS.into_iter().flat_map(|others| {
        let accepting = ACCEPTING.into_iter().filter(move |a| *a != others);
        accepting.map(move |accepting| (accepting, others))
    });
    let all = values.flat_map(|v| ends.clone().into_iter().map(move |cpu| (v, cpu)));
    (1..).zip(all).collect()
}

/// The first pair of values with which everything that was taken was taken by the right CPU.
pub(super) fn steering(target: &Target, trial: &Trial, cpus: &[u8], outcome: &Outcome) -> Steering {
    if is_v1(target) {
        return Steering::Target;
    }
    let tries = tries(target, trial, cpus);
    let works = |values: Values| {
        let of = tries.iter().filter(|(_, (v, _))| *v == values);
        of.into_iter().all(|(id, (_, cpu))| {
            measured(outcome, *id).is_some_and(|m| {
                let there = m.landed.get(usize::from(*cpu)).copied().unwrap_or(0);
                there > 0 && there == m.landed.iter().sum::<u64>()
            })
        })
    };
    match tries.iter().map(|(_, (v, _))| *v).find(|v| works(*v)) {
        Some((accepting, others)) => Steering::Field { accepting, others },
        None => Steering::Nothing,
    }
}

/// Counts of a cell that was fired.
pub(super) fn measured(outcome: &Outcome, id: u32) -> Option<&Measured> {
    let found = outcome.cells.iter().find(|(cell, _)| cell.id == id);
    found.map(|(_, m)| m).filter(|m| m.fired > 0)
}
