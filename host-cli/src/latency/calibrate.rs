//! A first short session: which CPUs run, where interrupts land, and what makes a single CPU take them.
//!
//! Values of SIQ_CFG's field mean different things on different machines, and for most it is not published which of them accept:
//! so every pair of values is tried, one for the CPU that is to take interrupts and one for all others.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::Special;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{GRACE_US, Group, Plan, PlannedCell, Routing};
use crate::proxy::{Proxy, ProxyError};
use crate::result::CpuState;
use crate::session::{self, Event, Measured, Observer, Outcome, Restoring, SessionError};
use crate::target::{Looked, Target, verify_layout};

/// Values for the CPU that is to take interrupts, best first: 1 is preferred on T8140 and 0 accepts there (silicon), 2 is what a
/// loader writes on M1 to M3 (third party).
const ACCEPTING: [u8; 4] = [1, 0, 2, 3];
/// Values for the others: 3 accepts nothing on T8140 (silicon).
const OTHERS: [u8; 4] = [3, 0, 1, 2];
/// Triggers and timeout of a cell that tries values: most of them lose all of theirs.
const TRIED: u32 = 4;
const TRIED_TIMEOUT_US: u32 = 500;

/// The cell whose landing CPUs are wanted.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Who fires.
    pub fire_cpu: u8,
    /// Fields set meanwhile, by CPU; `None` = as found.
    pub fields: Vec<Option<u8>>,
    /// Where the line is sent.
    pub routing: Routing,
    /// How often it is fired.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Whether it is looked for what makes a single CPU take interrupts.
    pub steer: bool,
}

impl Trial {
    /// The state as found; CPU 0 fires, and is targeted on AICv1, whose TARGET_CPU as found is often nobody.
    #[must_use]
    pub fn as_found(target: &Target) -> Self {
        Self {
            fire_cpu: 0,
            fields: vec![None; target.cpus.len()],
            routing: if is_v1(target) {
                Routing::Cpus(vec![0])
            } else {
                Routing::AsFound
            },
            triggers: TRIED,
            timeout_us: TRIED_TIMEOUT_US,
            steer: false,
        }
    }
}

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

/// What the session found out.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Which CPUs run the firmware, by logical id.
    pub states: Vec<CpuState>,
    /// What makes a single CPU take interrupts.
    pub steering: Steering,
    /// Counts of the [`Trial`].
    pub trial: Measured,
    /// CNTFRQ_EL0, in Hz.
    pub counter_hz: u64,
}

impl Calibration {
    /// CPUs that run.
    pub fn running(&self) -> impl Iterator<Item = u8> + '_ {
        let all = (0u8..).zip(&self.states);
        all.filter(|(_, s)| **s == CpuState::Running)
            .map(|(cpu, _)| cpu)
    }

    /// CPUs on which the trial's interrupts landed, most first.
    #[must_use]
    pub fn landed(&self) -> Vec<u8> {
        let all = (0u8..).zip(&self.trial.landed);
        let mut cpus: Vec<(u8, u64)> = all.map(|(c, n)| (c, *n)).filter(|(_, n)| *n > 0).collect();
        cpus.sort_by_key(|(cpu, n)| (u64::MAX - n, *cpu));
        cpus.into_iter().map(|(cpu, _)| cpu).collect()
    }
}

fn is_v1(target: &Target) -> bool {
    target.aic.geometry.generation == Generation::V1
}

/// Runs the session. Nothing is left changed.
///
/// # Errors
/// What ended the session early; [`Error::NotRestored`].
pub fn calibrate(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    line: LineId,
    seed: u64,
    trial: &Trial,
    observer: &mut dyn Observer,
) -> Result<Calibration, Error> {
    observer.on(Event::Step("a first look: which CPUs take interrupts"));
    // It fires.
    let looked = Looked {
        spare: Some(line),
        pairs: false,
    };
    verify_layout(proxy, target, looked)
        .map_err(|e| e.at_step("verifying the controller's layout"))?;
    let mut cpus: Vec<u8> = (0u8..).take(target.cpus.len()).collect();
    loop {
        let tried = cells(target, line, trial, &cpus);
        let plan = Plan {
            // A cell whose CPUs do not run is left out.
            custom: false,
            ..Plan::of(tried)
        };
        let outcome = session::run(proxy, target, firmware, &plan, seed, &mut Quiet(observer))?;
        let outcome = settled(outcome)?;
        let running: Vec<u8> = cpus
            .iter()
            .copied()
            .filter(|c| outcome.cpus[usize::from(*c)] == CpuState::Running)
            .collect();
        // A cell that sets the field of a CPU that does not run has not been measured.
        if trial.steer && !is_v1(target) && running != cpus && !running.is_empty() {
            cpus = running;
            continue;
        }
        return Ok(Calibration {
            steering: steering(target, trial, &cpus, &outcome),
            trial: measured(&outcome, 0).cloned().unwrap_or_default(),
            counter_hz: outcome.answers.hello.map_or(1, |h| h.counter_hz),
            states: outcome.cpus,
        });
    }
}

/// The trial, then every pair of values on the first and the last CPU.
fn cells(target: &Target, line: LineId, trial: &Trial, cpus: &[u8]) -> Vec<PlannedCell> {
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
            timeout_us: TRIED_TIMEOUT_US,
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
    let mut ends: Vec<u8> = cpus
        .first()
        .into_iter()
        .chain(cpus.last())
        .copied()
        .collect();
    ends.dedup();
    let values = OTHERS.into_iter().flat_map(|others| {
        let accepting = ACCEPTING.into_iter().filter(move |a| *a != others);
        accepting.map(move |accepting| (accepting, others))
    });
    let all = values.flat_map(|v| ends.clone().into_iter().map(move |cpu| (v, cpu)));
    (1..).zip(all).collect()
}

/// The first pair of values with which everything that was taken was taken by the right CPU.
fn steering(target: &Target, trial: &Trial, cpus: &[u8], outcome: &Outcome) -> Steering {
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

fn measured(outcome: &Outcome, id: u32) -> Option<&Measured> {
    let found = outcome.cells.iter().find(|(cell, _)| cell.id == id);
    found.map(|(_, m)| m).filter(|m| m.fired > 0)
}

/// The outcome, if it came to its end and left the target as found. Refused cells are an answer.
fn settled(mut outcome: Outcome) -> Result<Outcome, Error> {
    if let Some(failure) = outcome.failure.take() {
        return Err(failure);
    }
    if outcome.interrupted {
        let what = "a first look".to_owned();
        return Err(Error::Proxy(ProxyError::Interrupted { what }));
    }
    if let Some(fault) = outcome.answers.fault {
        return Err(SessionError::Fault(fault).into());
    }
    match &outcome.restoring {
        r if r.is_restored() => Ok(outcome),
        Restoring::Checked { differences, .. } => Err(Error::NotRestored(format!(
            "the target is not as it was found: {}",
            differences.join("; ")
        ))),
        _ => Err(Error::NotRestored(
            "nobody could look whether the target is as it was found".to_owned(),
        )),
    }
}

/// Hears and stops as the other, but is not told of the cells: they are no part of the plan that the user sees.
struct Quiet<'o>(&'o mut dyn Observer);

impl Observer for Quiet<'_> {
    fn on(&mut self, event: Event<'_>) {
        if matches!(
            event,
            Event::Step(_) | Event::Console(_) | Event::Log { .. }
        ) {
            self.0.on(event);
        }
    }

    fn stop(&self) -> bool {
        self.0.stop()
    }
}
