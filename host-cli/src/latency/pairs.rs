//! The plan: a cell for every firing CPU, landing CPU and setting.

use protocol::LineId;
use protocol::command::{Special, Stop};

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan::{GRACE_US, Group, Plan, PlanError, PlannedCell, Routing, Until};
use crate::result::Mark;
use crate::session::SessionError;

use super::{Calibration, Setting, Steering, TIMEOUT_US, TRIGGERS};

/// What is asked for; CPUs by logical id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ask {
    /// Firing CPUs; empty = every one.
    pub fire_cpus: Vec<u32>,
    /// Landing CPUs; empty = every one.
    pub land_cpus: Vec<u32>,
    /// What the others do.
    pub settings: Vec<Setting>,
    /// Triggers of a cell.
    pub triggers: u32,
    /// Pause before every trigger, in microseconds.
    pub gap_us: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// Largest latency to the handler's entry, in nanoseconds; 0 = any.
    pub stop_entry_ns: u32,
    /// Largest latency to the handler's end, in nanoseconds; 0 = any.
    pub stop_total_ns: u32,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            fire_cpus: Vec::new(),
            land_cpus: Vec::new(),
            settings: Setting::ALL.to_vec(),
            triggers: TRIGGERS,
            gap_us: 0,
            timeout_us: TIMEOUT_US,
            stop_entry_ns: 0,
            stop_total_ns: 0,
        }
    }
}

/// The plan, and what each of its cells stands for.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The cells.
    pub plan: Plan,
    /// Setting and landing CPU of each cell, by its number.
    pub of: Vec<(Setting, u8)>,
    /// What has to be said about it.
    pub marks: Vec<Mark>,
}

/// What a file of raw events keeps for the result of `latency`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// What was asked for.
    pub ask: Ask,
    /// [`Pairs::of`].
    pub of: Vec<(Setting, u8)>,
    /// [`Pairs::marks`].
    pub marks: Vec<Mark>,
    /// The line.
    pub line: LineId,
}

/// Makes the plan for a target of so many `cpus`, of which a first look found out what is in `known`.
///
/// # Errors
/// [`PlanError`] for CPUs that do not exist or are named twice; [`SessionError::CpuMissing`] for a named one that does not run;
/// [`Error::Usage`] for a named landing CPU and [`Error::Inconclusive`] otherwise, where nothing makes a CPU take interrupts.
pub fn pairs(ask: &Ask, known: &Calibration, line: LineId) -> Result<Pairs, Error> {
    let running: Vec<u8> = known.running().collect();
    let fire = chosen("--fire-cpu", &ask.fire_cpus, known)?;
    let named = chosen("--land-cpu", &ask.land_cpus, known)?;
    let mut marks = Vec::new();
    let land = landing(ask, known, named, &mut marks)?;
    let mut settings = ask.settings.clone();
    settings.sort_unstable();
    settings.dedup();
    let (mut cells, mut of, mut alone) = (Vec::new(), Vec::new(), Vec::new());
    for setting in &settings {
        for land_cpu in &land {
            for fire_cpu in &fire {
                let others = running.iter().filter(|c| **c != 0 && *c != fire_cpu);
                let loaded = others
                    .filter(|c| *c != land_cpu)
                    .fold(0, |set, c| set | 1 << c);
                if *setting != Setting::Idle && loaded == 0 {
                    alone.push(format!("{fire_cpu} to {land_cpu}"));
                    continue;
                }
                let mut cell = cell(ask, *setting, loaded, line);
                // At most 24 x 24 x 3.
                cell.id = cells.len() as u32;
                cell.fire_cpu = *fire_cpu;
                steer(&mut cell, known, *land_cpu);
                cells.push(cell);
                of.push((*setting, *land_cpu));
            }
        }
    }
    if !alone.is_empty() {
        alone.sort_unstable();
        alone.dedup();
        let text = format!(
            "no other CPU can be loaded: not measured under load for CPUs {}",
            alone.join(", ")
        );
        marks.push(Mark::partial("pairs", text));
    }
    if settings.iter().any(|s| *s != Setting::Idle) {
        let text = "the boot CPU runs the measurement and is never loaded";
        marks.push(Mark::note("pairs.loaded", text));
    }
    if cells.is_empty() {
        let what = "latency: no pair of CPUs can be measured in the settings asked for: --load idle needs no other CPU";
        return Err(Error::Usage(what.to_owned()));
    }
    let plan = Plan {
        custom: false,
        until: Until {
            duration_us: None,
            stop: true,
        },
        ..Plan::of(cells)
    };
    Ok(Pairs { plan, of, marks })
}

/// Landing CPUs that can be had.
fn landing(
    ask: &Ask,
    known: &Calibration,
    named: Vec<u8>,
    marks: &mut Vec<Mark>,
) -> Result<Vec<u8>, Error> {
    if known.steering != Steering::Nothing {
        return Ok(named);
    }
    let Some(lands) = known.landed().first().copied() else {
        let why = known.why_nothing();
        return Err(Error::Inconclusive(format!("latency: {why}")));
    };
    let why = known.why_not_steered();
    if ask.land_cpus.iter().any(|c| *c != u32::from(lands)) {
        return Err(Error::Usage(format!(
            "--land-cpu: {why}; with the state as found they land on CPU {lands}"
        )));
    }
    let text = format!("{why}: measured with the state as found, where they land on CPU {lands}");
    marks.push(Mark::partial("pairs", text));
    Ok(vec![lands])
}

/// The CPUs named, or all that run.
fn chosen(option: &'static str, named: &[u32], known: &Calibration) -> Result<Vec<u8>, Error> {
    if named.is_empty() {
        return Ok(known.running().collect());
    }
    let mut cpus = Vec::new();
    for &cpu in named {
        let last = known.states.len().saturating_sub(1);
        let id = u8::try_from(cpu).ok().filter(|c| usize::from(*c) <= last);
        let id = id.ok_or(PlanError::NoSuchCpu { option, cpu, last })?;
        if cpus.contains(&id) {
            return Err(PlanError::CpuTwice { option, cpu }.into());
        }
        if !known.running().any(|c| c == id) {
            let state = known.states[usize::from(id)].name();
            return Err(SessionError::CpuMissing { cpu: id, state }.into());
        }
        cpus.push(id);
    }
    Ok(cpus)
}

fn cell(ask: &Ask, setting: Setting, loaded: u32, line: LineId) -> PlannedCell {
    PlannedCell {
        id: 0,
        group: Group::Custom,
        line,
        fire_cpu: 0,
        fields: Vec::new(),
        masked: Vec::new(),
        triggers: ask.triggers,
        timeout_us: ask.timeout_us,
        grace_us: GRACE_US,
        routing: Routing::AsFound,
        raw: false,
        special: Special {
            load: setting.load(),
            loaded: if setting == Setting::Idle { 0 } else { loaded },
            timed: true,
            gap_us: ask.gap_us,
            stop: Stop {
                first_ns: ask.stop_entry_ns,
                both_ns: ask.stop_total_ns,
                ..Stop::default()
            },
            ..Special::default()
        },
    }
}

/// Makes `cpu` the only one that takes the cell's interrupts.
fn steer(cell: &mut PlannedCell, known: &Calibration, cpu: u8) {
    cell.fields = vec![None; known.states.len()];
    match known.steering {
        Steering::Target => cell.routing = Routing::Cpus(vec![cpu]),
        Steering::Field { accepting, others } => {
            for c in known.running() {
                let value = if c == cpu { accepting } else { others };
                cell.fields[usize::from(c)] = Some(value);
            }
        }
        Steering::Nothing => {}
    }
}
