//! From what a session brought to the result.

use aic_regs::aic::Generation;
use protocol::message::{Hello, Reading};

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{PlannedCell, Routing};
use crate::session::{Measured, Outcome, Restoring, describe};
use crate::target::{Core, Target};

use super::said;
use super::{Aic, Build, Cell, Counter, Cpu, Head, Mark, MissBound, Restore, RouteResult, Summary};

/// What a result says beside the session's answers.
pub struct Context<'c> {
    /// The target as named on the command line.
    pub target_name: &'c str,
    /// The seed.
    pub seed: u64,
    /// What was found out about the target.
    pub target: &'c Target,
    /// What ran.
    pub firmware: &'c Firmware,
    /// Marks about the target as a whole.
    pub marks: Vec<Mark>,
    /// On a virtual SoC: length of a CPU's turn.
    pub slice_ns: Option<f64>,
}

/// Makes the result.
///
/// # Errors
/// [`Error::Histogram`] if counts cannot be; [`Error::Internal`] if the firmware never greeted.
pub fn assemble(context: Context<'_>, outcome: &Outcome) -> Result<RouteResult, Error> {
    let hello = outcome
        .answers
        .hello
        .as_ref()
        .ok_or_else(|| Error::Internal("a result without a greeting".into()))?;
    let cpus = cpus(context.target, outcome);
    let mut cells = Vec::new();
    for (planned, measured) in &outcome.cells {
        if measured.fired > 0 || measured.refusal.is_some() {
            cells.push(cell(planned, measured, outcome, hello.counter_hz)?);
        }
    }
    let complete = outcome.failure.is_none()
        && !outcome.interrupted
        && outcome.cells.iter().all(|(_, m)| m.complete);
    let mut marks = context.marks;
    marks.extend(context.target.marks.iter().cloned());
    marks.extend(said::of_session(context.target, outcome));
    marks.extend(said::of_cells(outcome));
    marks.extend(said::of_end(outcome));
    Ok(RouteResult {
        schema: RouteResult::SCHEMA.to_owned(),
        target: context.target_name.to_owned(),
        seed: context.seed,
        build: Build::of(context.firmware),
        soc: context.target.soc.clone(),
        aic: aic(context.target, outcome),
        counter: counter(hello, context.slice_ns),
        summary: summary(&cells, cpus.len(), context.target.aic.geometry.generation),
        cpus,
        cells,
        complete,
        restored: outcome.restoring.is_restored(),
        restore: restore(&outcome.restoring),
        marks,
    })
}

/// What the results of other experiments than `route` begin with.
///
/// # Errors
/// [`Error::Internal`] if the firmware never greeted, or what ended the session before it did.
pub fn head(context: Context<'_>, outcome: &Outcome) -> Result<Head, Error> {
    let Some(hello) = &outcome.answers.hello else {
        return Err(Error::Internal("a result without a greeting".into()));
    };
    let mut marks = context.marks;
    marks.extend(context.target.marks.iter().cloned());
    marks.extend(said::of_session(context.target, outcome));
    marks.extend(said::few(said::of_cells(outcome)));
    marks.extend(said::of_end(outcome));
    Ok(Head {
        target: context.target_name.to_owned(),
        seed: context.seed,
        build: Build::of(context.firmware),
        soc: context.target.soc.clone(),
        cpus: cpus(context.target, outcome),
        counter: counter(hello, context.slice_ns),
        complete: outcome.failure.is_none()
            && !outcome.interrupted
            && outcome.cells.iter().all(|(_, m)| m.complete),
        restored: outcome.restoring.is_restored(),
        marks,
    })
}

fn cpus(target: &Target, outcome: &Outcome) -> Vec<Cpu> {
    let states = outcome.cpus.iter().zip(&outcome.answers.cpus);
    target
        .cpus
        .iter()
        .zip(states)
        .map(|(facts, (state, info))| {
            let mpidr = info.map_or(facts.mpidr, |i| i.mpidr);
            let core = match facts.core {
                Core::Unknown if info.is_some() => Core::of_mpidr(mpidr),
                core => core,
            };
            Cpu {
                id: facts.id,
                adt_id: facts.adt_id,
                mpidr: hex(mpidr),
                cluster: facts.cluster,
                core,
                boot: facts.boot,
                state: *state,
                siq_cfg: info.and_then(|i| match i.siq_cfg {
                    Reading::Value(value) => Some(hex(value)),
                    Reading::Trapped(_) => None,
                }),
                midr: info.map(|i| hex(i.midr)),
            }
        })
        .collect()
}

fn aic(target: &Target, outcome: &Outcome) -> Aic {
    let g = &target.aic.geometry;
    Aic {
        generation: match g.generation {
            Generation::V1 => 1,
            Generation::V2 => 2,
            Generation::V3 => 3,
        },
        base: hex(target.aic.base),
        nr_irq: g.nr_irq,
        max_irq: g.max_irq,
        dies: g.dies,
        config: outcome
            .answers
            .opened
            .map(|o| format!("{:#010x}", o.config)),
    }
}

fn counter(hello: &Hello, slice_ns: Option<f64>) -> Counter {
    let step = f64::from(hello.counter_step) * 1e9 / hello.counter_hz as f64;
    Counter {
        hz: hello.counter_hz,
        step_ticks: hello.counter_step,
        step_ns: (step * 1e3).round() / 1e3,
        slice_ns,
        event_stream: hello.event_stream,
    }
}

fn cell(
    planned: &PlannedCell,
    m: &Measured,
    outcome: &Outcome,
    counter_hz: u64,
) -> Result<Cell, Error> {
    let cpus = outcome.cpus.len();
    let by_cpu = |counts: &[u64]| {
        let mut counts = counts.to_vec();
        counts.resize(cpus, 0);
        counts
    };
    let field = |i: usize| {
        let runs = outcome.cpus[i] == super::CpuState::Running;
        m.fields.get(i).copied().filter(|f| runs && *f <= 3)
    };
    let latency = m
        .histogram
        .latency(m.latencies, m.min_ticks, m.max_ticks)?
        .map(|l| l.to_ns(counter_hz).checked())
        .transpose()?;
    let latency_from = match m.from_unmask {
        0 if m.latencies == 0 && !planned.masked.is_empty() => "unmask",
        0 => "sw_set",
        n if n == m.latencies => "unmask",
        _ => "mixed",
    };
    Ok(Cell {
        id: planned.id,
        group: planned.group,
        line: planned.line.into(),
        fire_cpu: planned.fire_cpu,
        fields: (0..cpus).map(field).collect(),
        fields_requested: planned.fields.clone(),
        target_cpus: match &planned.routing {
            Routing::Cpus(cpus) => Some(cpus.clone()),
            _ => None,
        },
        irq_cfg: match planned.routing {
            Routing::Word(word) => Some(format!("{word:#x}")),
            _ => None,
        },
        masked_cpus: planned.masked.iter().map(|x| x.cpu).collect(),
        masked_us: planned.masked.iter().map(|x| x.us).collect(),
        triggers: planned.triggers,
        timeout_us: planned.timeout_us,
        grace_us: planned.grace_us,
        fired: m.fired,
        landed: by_cpu(&m.landed),
        offered: by_cpu(&m.offered),
        lost: m.lost,
        late: m.late,
        duplicate: m.duplicate,
        spurious: m.spurious,
        latency_ns: latency,
        latency_from: latency_from.to_owned(),
        miss_rate: MissBound::of(m.lost, m.fired),
        refused: m.refusal.map(describe),
    })
}

/// Sums over all cells; the bound only over cells in which some CPU accepts interrupts.
fn summary(cells: &[Cell], cpus: usize, generation: Generation) -> Summary {
    let mut s = Summary {
        fired: 0,
        landed: vec![0; cpus],
        lost: 0,
        late: 0,
        duplicate: 0,
        spurious: 0,
        miss_rate: MissBound::of(0, 0),
    };
    let (mut misses, mut triggers) = (0, 0);
    for cell in cells {
        s.fired += cell.fired;
        s.lost += cell.lost;
        s.late += cell.late;
        s.duplicate += cell.duplicate;
        s.spurious += cell.spurious;
        for (sum, n) in s.landed.iter_mut().zip(&cell.landed) {
            *sum += n;
        }
        if accepts(cell, generation) {
            misses += cell.lost;
            triggers += cell.fired;
        }
    }
    s.miss_rate = MissBound::of(misses, triggers);
    s
}

/// Whether some CPU was to take the interrupts of a cell.
fn accepts(cell: &Cell, generation: Generation) -> bool {
    if generation == Generation::V1 {
        return cell.target_cpus.as_ref().is_none_or(|set| !set.is_empty());
    }
    // What a nibble other than 0 does is what such a cell is to find out.
    let routed = cell.irq_cfg.as_ref().is_none_or(|word| word.ends_with('0'));
    routed && cell.fields.iter().flatten().any(|f| *f != 3)
}

fn restore(restoring: &Restoring) -> Restore {
    match restoring {
        Restoring::Checked {
            checked,
            different,
            differences,
        } => Restore {
            checked: *checked,
            different: *different,
            differences: differences.clone(),
        },
        Restoring::Untouched | Restoring::Unknown => Restore::default(),
    }
}

/// A 64-bit register as the result shows it.
#[must_use]
pub fn hex(value: u64) -> String {
    format!("{value:#x}")
}
