//! From what is asked for to cells.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::{Special, Stop};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::latency::{Calibration, Trial};
use crate::plan::{GRACE_US, Group, Plan, PlanError, PlannedCell, Routing, Until};
use crate::result::CpuState;
use crate::session::SessionError;
use crate::target::{Target, generation_number};

use super::FIRST_LOOK;

/// Most triggers of one cell: its number of triggers is a word.
const CELL: u64 = 4_000_000_000;
/// More than can be fired in a microsecond.
const TRIGGERS_PER_US: u64 = 4;

/// How long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Amount {
    /// So many triggers.
    Triggers(u64),
    /// So many microseconds of the target's clock.
    Duration(u64),
}

/// What is asked for; CPUs by logical id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Who fires.
    pub fire_cpu: u32,
    /// Fields set meanwhile: CPU and value.
    pub set_fields: Vec<(u32, u8)>,
    /// AICv1: CPUs that the line is targeted at; empty = the boot CPU.
    pub targets: Vec<u32>,
    /// CPUs that may take it; empty = those that did in a first look.
    pub expect: Vec<u32>,
    /// How long.
    pub amount: Amount,
    /// Length of an interval, in milliseconds.
    pub interval_ms: u32,
    /// Pause before every trigger, in microseconds.
    pub gap_us: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Largest latency that is no violation, in nanoseconds; 0 = any.
    pub max_latency_ns: u32,
}

/// What a file of raw events keeps for the result of `soak`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// What was asked for.
    pub ask: Ask,
    /// The line.
    pub line: LineId,
    /// CPUs that may take it.
    pub expected: Vec<u8>,
    /// Most intervals that the result holds.
    pub keep: usize,
}

/// The cell of the first look: the state in which the line will be fired.
///
/// # Errors
/// [`PlanError`] for CPUs that do not exist or are named twice, and for targets on another controller than AICv1;
/// [`Error::Usage`] for a pause longer than a tenth of an interval.
pub fn trial(ask: &Ask, target: &Target) -> Result<Trial, Error> {
    let cpus = target.cpus.len();
    if u64::from(ask.gap_us) * 10 > u64::from(ask.interval_ms) * 1000 {
        let most = u64::from(ask.interval_ms) * 100;
        return Err(Error::Usage(format!(
            "--gap-us {}: with intervals of {} ms at most {most} is allowed",
            ask.gap_us, ask.interval_ms
        )));
    }
    let fire_cpu = ids("--fire-cpu", &[ask.fire_cpu], cpus)?[0];
    ids("--expect", &ask.expect, cpus)?;
    let set: Vec<u32> = ask.set_fields.iter().map(|f| f.0).collect();
    let mut fields = vec![None; cpus];
    for (cpu, (_, value)) in ids("--set-field", &set, cpus)?.iter().zip(&ask.set_fields) {
        fields[usize::from(*cpu)] = Some(*value);
    }
    let targets = ids("--target-mask", &ask.targets, cpus)?;
    let generation = target.aic.geometry.generation;
    let routing = match (generation, targets.is_empty()) {
        // TARGET_CPU as found is often 0, nobody.
        (Generation::V1, true) => Routing::Cpus(vec![0]),
        (Generation::V1, false) => Routing::Cpus(targets),
        (_, true) => Routing::AsFound,
        (_, false) => {
            return Err(PlanError::NotThisController {
                option: "--target-mask",
                for_what: "AICv1",
                generation: generation_number(generation),
            }
            .into());
        }
    };
    Ok(Trial {
        fire_cpu,
        fields,
        routing,
        triggers: FIRST_LOOK,
        timeout_us: ask.timeout_us,
        tried_us: ask.timeout_us,
        longest_us: ask.timeout_us,
        steer: false,
    })
}

/// CPUs that may take the interrupts: those named, or those that did in the first look.
///
/// # Errors
/// [`SessionError::CpuMissing`] for a CPU that is named and does not run, [`Error::Inconclusive`] if nothing landed.
pub fn expected(ask: &Ask, trial: &Trial, known: &Calibration) -> Result<Vec<u8>, Error> {
    let set = (0u8..).zip(&trial.fields).filter(|(_, f)| f.is_some());
    let targets: &[u8] = match &trial.routing {
        Routing::Cpus(cpus) => cpus,
        _ => &[],
    };
    let named = std::iter::once(trial.fire_cpu)
        .chain(set.map(|(cpu, _)| cpu))
        .chain(targets.iter().copied());
    for cpu in named {
        let state = known.states[usize::from(cpu)];
        if state != CpuState::Running {
            let state = state.name();
            return Err(SessionError::CpuMissing { cpu, state }.into());
        }
    }
    let mut landed = known.landed();
    landed.sort_unstable();
    if landed.is_empty() {
        let why = known.why_nothing();
        return Err(Error::Inconclusive(format!("soak: {why}")));
    }
    if ask.expect.is_empty() {
        return Ok(landed);
    }
    Ok(ids("--expect", &ask.expect, known.states.len())?)
}

/// The plan: one cell after the other, each until its time or its triggers are over.
#[must_use]
pub fn plan(ask: &Ask, trial: &Trial, expected: &[u8], line: LineId) -> Plan {
    let (total, duration_us) = match ask.amount {
        Amount::Triggers(n) => (n, None),
        Amount::Duration(us) => (us.saturating_mul(TRIGGERS_PER_US), Some(us)),
    };
    let cell = PlannedCell {
        id: 0,
        group: Group::Custom,
        line,
        fire_cpu: trial.fire_cpu,
        fields: trial.fields.clone(),
        masked: Vec::new(),
        triggers: 0,
        timeout_us: ask.timeout_us,
        grace_us: GRACE_US,
        routing: trial.routing.clone(),
        raw: false,
        special: Special {
            timed: true,
            gap_us: ask.gap_us,
            limit_us: ask.interval_ms * 1000,
            stop: Stop {
                first_ns: ask.max_latency_ns,
                both_ns: 0,
                wrong: true,
                expected: expected.iter().fold(0, |set, cpu| set | 1 << cpu),
            },
            ..Special::default()
        },
    };
    let cells = (0..total.div_ceil(CELL)).map(|i| PlannedCell {
        // A plan has at most a few thousand cells.
        id: i as u32,
        triggers: match duration_us {
            Some(_) => CELL as u32,
            None => (total - i * CELL).min(CELL) as u32,
        },
        ..cell.clone()
    });
    Plan {
        until: Until {
            duration_us,
            stop: true,
        },
        ..Plan::of(cells.collect())
    }
}

/// Checked logical ids.
fn ids(option: &'static str, named: &[u32], count: usize) -> Result<Vec<u8>, PlanError> {
    let mut ids = Vec::new();
    for &cpu in named {
        let last = count.saturating_sub(1);
        let id = u8::try_from(cpu).ok().filter(|c| usize::from(*c) <= last);
        let id = id.ok_or(PlanError::NoSuchCpu { option, cpu, last })?;
        if ids.contains(&id) {
            return Err(PlanError::CpuTwice { option, cpu });
        }
        ids.push(id);
    }
    Ok(ids)
}
