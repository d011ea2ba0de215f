//! From what the user asks for to cells.

use protocol::LineId;

use super::{
    DEFAULT_MASKS_US, DEFAULT_TIMEOUT_US, DEFAULT_TRIGGERS, GRACE_US, Group, MAX_LINES, MaskedCpu,
    Plan, PlannedCell,
};

/// What the command line asks for. Values are checked against the target by [`build`].
#[derive(Clone, Debug, PartialEq, Eq)]
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
            && self.masks.is_empty())
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
    /// A line named twice.
    #[error("--line names line {}:{} twice: once is allowed", line.die, line.number)]
    LineTwice {
        /// The line.
        line: LineId,
    },
}

/// Makes the plan for a target with CPUs 0 to `cpus - 1`; `spare` is fired where no line is named.
///
/// # Errors
/// [`PlanError`].
pub fn build(request: &Request, cpus: usize, spare: LineId) -> Result<Plan, PlanError> {
    let fire = named("--fire-cpu", request.fire_cpus.iter().copied(), cpus)?;
    named("--set-field", request.set_fields.iter().map(|f| f.0), cpus)?;
    let masked = named("--mask", request.masks.iter().map(|m| m.0), cpus)?;
    let mut builder = Builder {
        request,
        cpus,
        cells: Vec::new(),
    };
    if !request.is_custom() {
        builder.default_plan(spare);
        return Ok(Plan {
            cells: builder.cells,
            custom: false,
            fire_named: false,
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
            builder.cell(Group::Custom, line, *cpu, fields.clone(), masks.clone());
        }
    }
    Ok(Plan {
        cells: builder.cells,
        custom: true,
        fire_named: !request.fire_cpus.is_empty(),
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
        });
    }
}
