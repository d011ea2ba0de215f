//! From what a session brought to the result.

use aic_regs::aic::Generation;
use protocol::message::{CpuInfo, Hello, Reading};

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{PlannedCell, Routing};
use crate::session::{Answers, Measured, Opened, Outcome, Restoring, describe};
use crate::target::{Core, Target};

use super::said;
use super::{
    Aic, Build, Cell, Counter, Cpu, CpuState, Head, Mark, MissBound, Restore, RouteResult, Summary,
};

/// What a result says beside the session's answers.
#[derive(Clone)]
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
/// [`Error::Histogram`] if counts cannot be; those of [`head`].
pub fn assemble(context: Context<'_>, outcome: &Outcome) -> Result<RouteResult, Error> {
    let aic = aic(context.target, outcome.answers.opened);
    let restore = Restore::of(&outcome.restoring);
    let marks = said::of_cells(outcome);
    let head = head_saying(context, outcome, marks)?;
    route_result(head, aic, restore, &outcome.cells)
}

/// The result of `route` from what it is made of; cells in which nothing was fired are left out.
///
/// # Errors
/// [`Error::Histogram`] if counts cannot be.
pub fn route_result(
    head: Head,
    aic: Aic,
    restore: Restore,
    measured: &[(PlannedCell, Measured)],
) -> Result<RouteResult, Error> {
    let cells = cells(&head, measured)?;
    let summary = summary(&cells, head.cpus.len(), aic.generation);
    Ok(RouteResult {
        schema: RouteResult::SCHEMA.to_owned(),
        target: head.target,
        seed: head.seed,
        build: head.build,
        soc: head.soc,
        aic,
        counter: head.counter,
        summary,
        cpus: head.cpus,
        cells,
        complete: head.complete,
        restored: head.restored,
        restore,
        marks: head.marks,
    })
}

/// Cells as results show them; those in which nothing was fired are left out.
///
/// # Errors
/// [`Error::Histogram`] if counts cannot be.
pub fn cells(head: &Head, measured: &[(PlannedCell, Measured)]) -> Result<Vec<Cell>, Error> {
    let shown = measured.iter();
    let shown = shown.filter(|(_, m)| m.fired > 0 || m.refusal.is_some());
    shown
        .map(|(planned, m)| cell(planned, m, &head.cpus, head.counter.hz))
        .collect()
}

/// What the results of other experiments than `route` begin with.
///
/// # Errors
/// [`Error::Internal`] if the firmware never greeted, or what ended the session before it did.
pub fn head(context: Context<'_>, outcome: &Outcome) -> Result<Head, Error> {
    head_saying(context, outcome, said::few(said::of_cells(outcome)))
}

fn head_saying(
    context: Context<'_>,
    outcome: &Outcome,
    of_cells: Vec<Mark>,
) -> Result<Head, Error> {
    let Some(hello) = &outcome.answers.hello else {
        return Err(Error::Internal("a result without a greeting".into()));
    };
    let mut marks = context.marks;
    marks.extend(context.target.marks.iter().cloned());
    marks.extend(said::of_session(context.target, outcome));
    marks.extend(of_cells);
    marks.extend(said::of_end(outcome));
    Ok(Head {
        target: context.target_name.to_owned(),
        seed: context.seed,
        build: Build::of(context.firmware),
        soc: context.target.soc.clone(),
        cpus: cpus(context.target, &outcome.cpus, &outcome.answers.cpus),
        counter: counter(hello, context.slice_ns),
        complete: outcome.failure.is_none()
            && !outcome.interrupted
            && outcome.cells.iter().all(|(_, m)| m.complete),
        restored: outcome.restoring.is_restored(),
        marks,
    })
}

/// What is known before any CPU runs the firmware: the CPUs are absent, the counter has 0 Hz, nothing is complete.
#[must_use]
pub fn head_before(context: Context<'_>) -> Head {
    let mut marks = context.marks;
    marks.extend(context.target.marks.iter().cloned());
    Head {
        target: context.target_name.to_owned(),
        seed: context.seed,
        build: Build::of(context.firmware),
        soc: context.target.soc.clone(),
        cpus: cpus(context.target, &[], &[]),
        counter: Counter {
            hz: 0,
            step_ticks: 0,
            step_ns: 0.0,
            slice_ns: context.slice_ns,
            event_stream: false,
        },
        complete: false,
        restored: false,
        marks,
    }
}

impl Head {
    /// Adds what firmware and CPUs have said of themselves; `states` by logical id.
    pub fn heard(&mut self, answers: &Answers, states: &[CpuState]) {
        if let Some(hello) = &answers.hello {
            self.counter = counter(hello, self.counter.slice_ns);
        }
        for ((cpu, state), info) in self.cpus.iter_mut().zip(states).zip(&answers.cpus) {
            cpu.heard(*state, info.as_ref());
        }
    }
}

fn cpus(target: &Target, states: &[CpuState], infos: &[Option<CpuInfo>]) -> Vec<Cpu> {
    let mut cpus: Vec<Cpu> = target
        .cpus
        .iter()
        .map(|facts| Cpu {
            id: facts.id,
            adt_id: facts.adt_id,
            mpidr: hex(facts.mpidr),
            cluster: facts.cluster,
            core: facts.core,
            boot: facts.boot,
            state: CpuState::Absent,
            siq_cfg: None,
            midr: None,
        })
        .collect();
    for ((cpu, state), info) in cpus.iter_mut().zip(states).zip(infos) {
        cpu.heard(*state, info.as_ref());
    }
    cpus
}

impl Cpu {
    /// Adds what it said of itself.
    fn heard(&mut self, state: CpuState, info: Option<&CpuInfo>) {
        self.state = state;
        let Some(info) = info else { return };
        self.mpidr = hex(info.mpidr);
        if self.core == Core::Unknown {
            self.core = Core::of_mpidr(info.mpidr);
        }
        self.siq_cfg = match info.siq_cfg {
            Reading::Value(value) => Some(hex(value)),
            Reading::Trapped(_) => None,
        };
        self.midr = Some(hex(info.midr));
    }
}

/// The controller; its CONFIG once it was opened.
#[must_use]
pub fn aic(target: &Target, opened: Option<Opened>) -> Aic {
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
        config: opened.map(|o| format!("{:#010x}", o.config)),
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

fn cell(planned: &PlannedCell, m: &Measured, of: &[Cpu], counter_hz: u64) -> Result<Cell, Error> {
    let cpus = of.len();
    let by_cpu = |counts: &[u64]| {
        let mut counts = counts.to_vec();
        counts.resize(cpus, 0);
        counts
    };
    let field = |i: usize| {
        let runs = of[i].state == CpuState::Running;
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
fn summary(cells: &[Cell], cpus: usize, generation: u8) -> Summary {
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
fn accepts(cell: &Cell, generation: u8) -> bool {
    if generation == 1 {
        return cell.target_cpus.as_ref().is_none_or(|set| !set.is_empty());
    }
    // What a nibble other than 0 does is what such a cell is to find out.
    let routed = cell.irq_cfg.as_ref().is_none_or(|word| word.ends_with('0'));
    routed && cell.fields.iter().flatten().any(|f| *f != 3)
}

impl Restore {
    /// As a session ended.
    #[must_use]
    pub fn of(restoring: &Restoring) -> Self {
        match restoring {
            Restoring::Checked {
                checked,
                different,
                differences,
            } => Self {
                checked: *checked,
                different: *different,
                differences: differences.clone(),
            },
            Restoring::Untouched | Restoring::Unknown => Self::default(),
        }
    }
}

/// A 64-bit register as the result shows it.
#[must_use]
pub fn hex(value: u64) -> String {
    format!("{value:#x}")
}
