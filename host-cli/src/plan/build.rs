//! From what the user asks for to cells.

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::command::Special;
use serde::Serialize;

use super::{
    DEFAULT_MASKS_US, DEFAULT_TIMEOUT_US, DEFAULT_TRIGGERS, GRACE_US, Group, MAX_LINES, MaskedCpu,
    Plan, PlannedCell, Routing, Until,
};

/// What the command line asks for. Values are checked against the target by [`build`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Lines named; empty = one spare line.
    pub lines: Vec<LineId>,
    /// Firing CPUs named.
    pub fire_cpus: Vec<u32>,
    /// Fields set: CPU and value.
    pub set_fields: Vec<(u32, u8)>,
    /// CPUs masked: CPU and microseconds.
    pub masks: Vec<(u32, u32)>,
    /// Triggers per cell.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// AICv1: sets of CPUs that the line is targeted at, one cell each; empty = the boot CPU.
    pub targets: Vec<Vec<u32>>,
    /// AICv2, AICv3: values of the line's TARGET nibble, one cell each.
    pub nibbles: Vec<u8>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            fire_cpus: Vec::new(),
            set_fields: Vec::new(),
            masks: Vec::new(),
            triggers: DEFAULT_TRIGGERS,
            timeout_us: DEFAULT_TIMEOUT_US,
            targets: Vec::new(),
            nibbles: Vec::new(),
        }
    }
}

impl Request {
    /// Whether the default plan is replaced.
    #[must_use]
    pub fn is_custom(&self) -> bool {
        !(self.lines.is_empty()
            && self.fire_cpus.is_empty()
            && self.set_fields.is_empty()
            && self.masks.is_empty()
            && self.targets.is_empty()
            && self.nibbles.is_empty())
    }
}

/// A request that does not fit the target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No CPU of that number.
    #[error("{option} {cpu}: this target has CPUs 0 to {last} (logical ids)")]
    NoSuchCpu {
        /// The option that names it.
        option: &'static str,
        /// The CPU named.
        cpu: u32,
        /// The last one there is.
        last: usize,
    },
    /// A CPU named twice by the same option.
    #[error("{option} names CPU {cpu} twice: once is allowed")]
    CpuTwice {
        /// The option.
        option: &'static str,
        /// The CPU.
        cpu: u32,
    },
    /// More lines than the firmware can keep the state of.
    #[error("{given} lines are named: at most {MAX_LINES} are allowed")]
    TooManyLines {
        /// How many.
        given: usize,
    },
    /// A way of routing that this controller does not have.
    #[error("{option} is for {for_what}, and this target has AICv{generation}")]
    NotThisController {
        /// The option.
        option: &'static str,
        /// Controllers that have it.
        for_what: &'static str,
        /// The generation that is there.
        generation: u8,
    },
    /// A line named twice.
    #[error("--line names line {}:{} twice: once is allowed", line.die, line.number)]
    LineTwice {
        /// The line.
        line: LineId,
    },
}

/// Makes the plan for a target with CPUs 0 to `cpus - 1` and AICv2 or AICv3; `spare` is fired where no line is named.
///
/// # Errors
/// [`PlanError`].
pub fn build(request: &Request, cpus: usize, spare: LineId) -> Result<Plan, PlanError> {
    build_for(request, cpus, Generation::V3, spare)
}

/// The same for any generation. A TARGET nibble stands alone in its cells' words: the caller adds the other bits of IRQ_CFG as
/// found.
///
/// # Errors
/// [`PlanError`].
pub fn build_for(
    request: &Request,
    cpus: usize,
    generation: Generation,
    spare: LineId,
) -> Result<Plan, PlanError> {
    let v1 = generation == Generation::V1;
    let refuse = |option, for_what, generation| PlanError::NotThisController {
        option,
        for_what,
        generation,
    };
    if !request.targets.is_empty() && !v1 {
        let generation = if generation == Generation::V2 { 2 } else { 3 };
        return Err(refuse("--target-mask", "AICv1", generation));
    }
    if !request.nibbles.is_empty() && v1 {
        return Err(refuse("--target-nibble", "AICv2 and AICv3", 1));
    }
    let fire = named("--fire-cpu", request.fire_cpus.iter().copied(), cpus)?;
    named("--set-field", request.set_fields.iter().map(|f| f.0), cpus)?;
    let masked = named("--mask", request.masks.iter().map(|m| m.0), cpus)?;
    let mut builder = Builder {
        request,
        cpus,
        cells: Vec::new(),
    };
    if !request.is_custom() {
        if v1 {
            builder.default_plan_v1(spare);
        } else {
            builder.default_plan(spare);
        }
        return Ok(Plan {
            cells: builder.cells,
            custom: false,
            fire_named: false,
            questions: Vec::new(),
            until: Until::default(),
        });
    }
    let mut routings: Vec<Routing> = Vec::new();
    for set in &request.targets {
        let set = named("--target-mask", set.iter().copied(), cpus)?;
        routings.push(Routing::Cpus(set));
    }
    routings.extend(request.nibbles.iter().map(|n| Routing::Word((*n).into())));
    if routings.is_empty() {
        // TARGET_CPU as found is often 0, nobody: such a cell would only say that interrupts are lost.
        routings.push(if v1 {
            Routing::Cpus(vec![0])
        } else {
            Routing::AsFound
        });
    }
    let lines = match &request.lines[..] {
        [] => vec![spare],
        named => named.to_vec(),
    };
    if lines.len() > MAX_LINES {
        let given = lines.len();
        return Err(PlanError::TooManyLines { given });
    }
    for (i, line) in lines.iter().enumerate() {
        if lines[..i].contains(line) {
            return Err(PlanError::LineTwice { line: *line });
        }
    }
    let fire = match &fire[..] {
        [] => ids(cpus).collect(),
        named => named.to_vec(),
    };
    let masks: Vec<MaskedCpu> = masked
        .iter()
        .zip(&request.masks)
        .map(|(cpu, (_, us))| MaskedCpu { cpu: *cpu, us: *us })
        .collect();
    let mut fields = vec![None; cpus];
    for (cpu, value) in &request.set_fields {
        fields[*cpu as usize] = Some(*value);
    }
    for line in lines {
        for cpu in &fire {
            for routing in &routings {
                builder.cell(Group::Custom, line, *cpu, fields.clone(), masks.clone());
                builder.routed(routing.clone());
            }
        }
    }
    Ok(Plan {
        cells: builder.cells,
        custom: true,
        fire_named: !request.fire_cpus.is_empty(),
        questions: Vec::new(),
        until: Until::default(),
    })
}

/// Checked logical ids.
fn named(
    option: &'static str,
    cpus: impl Iterator<Item = u32>,
    count: usize,
) -> Result<Vec<u8>, PlanError> {
    let mut ids = Vec::new();
    for cpu in cpus {
        let last = count.saturating_sub(1);
        let id = u8::try_from(cpu)
            .ok()
            .filter(|id| usize::from(*id) < count)
            .ok_or(PlanError::NoSuchCpu { option, cpu, last })?;
        if ids.contains(&id) {
            return Err(PlanError::CpuTwice { option, cpu });
        }
        ids.push(id);
    }
    Ok(ids)
}

fn ids(cpus: usize) -> impl Iterator<Item = u8> {
    (0u8..).take(cpus)
}

struct Builder<'r> {
    request: &'r Request,
    cpus: usize,
    cells: Vec<PlannedCell>,
}

impl Builder<'_> {
    /// The hand-made probe that started this (S1), done properly: who fires, who is masked, who is set to what.
    fn default_plan(&mut self, line: LineId) {
        let [long, short] = DEFAULT_MASKS_US;
        let as_found = vec![None; self.cpus];
        for cpu in ids(self.cpus) {
            self.cell(Group::AsFound, line, cpu, as_found.clone(), vec![]);
        }
        for cpu in ids(self.cpus) {
            let masked = vec![MaskedCpu { cpu: 0, us: long }];
            self.cell(Group::Masked, line, cpu, as_found.clone(), masked);
        }
        for secondary in ids(self.cpus).skip(1) {
            for value in 0..=3 {
                let mut fields = as_found.clone();
                fields[usize::from(secondary)] = Some(value);
                self.cell(Group::Field, line, 0, fields.clone(), vec![]);
                let masked = vec![MaskedCpu { cpu: 0, us: short }];
                self.cell(Group::FieldMasked, line, 0, fields, masked);
            }
        }
    }

    /// AICv1 sends a line where its own word says: who fires, who is targeted, who is masked, and that SIQ_CFG does not
    /// matter.
    fn default_plan_v1(&mut self, line: LineId) {
        let [long, short] = DEFAULT_MASKS_US;
        let as_found = vec![None; self.cpus];
        let everybody: Vec<u8> = ids(self.cpus).collect();
        let masked = |us| vec![MaskedCpu { cpu: 0, us }];
        for cpu in ids(self.cpus) {
            self.cell(Group::AsFound, line, cpu, as_found.clone(), vec![]);
            self.routed(Routing::Cpus(vec![0]));
        }
        for cpu in ids(self.cpus) {
            self.cell(Group::Masked, line, cpu, as_found.clone(), masked(long));
            self.routed(Routing::Cpus(vec![0]));
        }
        for secondary in ids(self.cpus).skip(1) {
            for target in [vec![secondary], vec![0, secondary]] {
                self.cell(Group::Target, line, 0, as_found.clone(), vec![]);
                self.routed(Routing::Cpus(target.clone()));
                self.cell(
                    Group::TargetMasked,
                    line,
                    0,
                    as_found.clone(),
                    masked(short),
                );
                self.routed(Routing::Cpus(target));
            }
            for value in 0..=3 {
                let mut fields = as_found.clone();
                fields[usize::from(secondary)] = Some(value);
                self.cell(Group::Field, line, 0, fields, vec![]);
                self.routed(Routing::Cpus(vec![secondary]));
            }
        }
        for masks in [vec![], masked(short)] {
            let group = if masks.is_empty() {
                Group::Target
            } else {
                Group::TargetMasked
            };
            self.cell(group, line, 0, as_found.clone(), masks);
            self.routed(Routing::Cpus(everybody.clone()));
        }
    }

    /// Routing of the cell just made.
    fn routed(&mut self, routing: Routing) {
        if let Some(cell) = self.cells.last_mut() {
            cell.routing = routing;
        }
    }

    fn cell(
        &mut self,
        group: Group,
        line: LineId,
        fire_cpu: u8,
        fields: Vec<Option<u8>>,
        masked: Vec<MaskedCpu>,
    ) {
        self.cells.push(PlannedCell {
            // A plan has at most lines x CPUs cells, far below 2^32.
            id: self.cells.len() as u32,
            group,
            line,
            fire_cpu,
            fields,
            masked,
            triggers: self.request.triggers,
            timeout_us: self.request.timeout_us,
            grace_us: GRACE_US,
            routing: Routing::AsFound,
            raw: false,
            special: Special::default(),
        });
    }
}
