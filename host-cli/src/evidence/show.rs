//! What evidence holds, in short: the JSON schema "aicprobe.evidence.show/1".

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::output::{Document, Grid};

use super::check::{Problem, check};
use super::format::{Machine, Run, TargetFile};
use super::loader::{Loader, LoaderKind};
use super::name;
use super::read::{EvidenceError, Stored};
use super::registers::RegistersFile;
use super::tree::AdtFile;

/// The result of `aicprobe evidence show`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShowResult {
    /// "aicprobe.evidence.show/1".
    pub schema: &'static str,
    /// The evidence.
    pub path: String,
    /// How far it goes.
    pub state: State,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
    /// SHA-256 of the manifest.
    pub manifest_sha256: Option<String>,
    /// The run; `null` if it ended before it began.
    pub run: Option<Run>,
    /// The loader.
    pub loader: Option<Loader>,
    /// SHA-256 of the device tree.
    pub adt_sha256: Option<String>,
    /// Its length in bytes.
    pub adt_bytes: Option<usize>,
    /// SoC, board and model.
    pub soc: Option<String>,
    /// `/chosen` `board-id`.
    pub board_id: Option<u32>,
    /// Cells that were planned.
    pub planned: usize,
    /// Questions of the plan that were answered.
    pub answered: usize,
    /// Registers.
    pub registers: Option<RegistersShown>,
    /// What the result is: its schema.
    pub result: Option<String>,
    /// The rules of a result that has rules, by id.
    pub rules: Vec<RuleShown>,
    /// Cells of which something was counted, in the order of the plan.
    pub cells: Vec<CellShown>,
}

/// How far evidence goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it was written.
    Whole,
    /// The run, or the writing, did not come to its end.
    Cut,
    /// It has a manifest, and is not as that says.
    Damaged,
}

/// Registers, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RegistersShown {
    /// Words of the controller that the host read before and after.
    pub compared: usize,
    /// Those that differ, in words.
    pub changed: Vec<String>,
    /// Values that the firmware compared on the target.
    pub checked: u32,
    /// How many of these differ.
    pub different: u32,
    /// What there is to say.
    pub notes: Vec<String>,
}

/// A rule of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleShown {
    /// Its id.
    pub id: String,
    /// Its verdict.
    pub verdict: String,
}

/// Counts of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CellShown {
    /// Number in the plan.
    pub cell: u32,
    /// The line, as `--line` takes it.
    pub line: String,
    /// Who fired.
    pub fire_cpu: u8,
    /// SIQ_CFG bits \[1:0\] read back, by CPU.
    pub fields: Vec<u8>,
    /// Masked CPUs.
    pub masked_cpus: Vec<u8>,
    /// Triggers planned.
    pub triggers: u32,
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers not taken in time.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries.
    pub duplicate: u64,
    /// IRQ exceptions without an event of the line.
    pub spurious: u64,
    /// Every trigger was fired.
    pub complete: bool,
}

impl ShowResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.evidence.show/1";

    /// Of evidence, whole or cut.
    ///
    /// # Errors
    /// [`EvidenceError::Damaged`] for a file that cannot be understood.
    pub fn of(stored: &Stored) -> Result<Self, EvidenceError> {
        let checked = check(stored);
        let state = match (checked.good, checked.cut) {
            (true, _) => State::Whole,
            (false, true) => State::Cut,
            (false, false) => State::Damaged,
        };
        let run = match stored.files.contains_key(name::RUN) {
            true => Some(stored.run()?),
            false => None,
        };
        let adt: Option<AdtFile> = stored.some(name::ADT)?;
        let target: Option<TargetFile> = stored.some(name::TARGET)?;
        let registers: Option<RegistersFile> = stored.some(name::REGISTERS)?;
        let result: Option<Value> = stored.some(name::RESULT)?;
        let counted = match stored.cells() {
            Ok(counted) => Some(counted),
            Err(why) if why.is_absence() => None,
            Err(why) => return Err(why),
        };
        let soc = target.as_ref().map(|t| {
            let soc = &t.soc;
            format!("{}, board {}, model {}", soc.title(), soc.board, soc.model)
        });
        Ok(Self {
            schema: Self::SCHEMA,
            path: checked.path,
            state,
            problems: checked.problems,
            manifest_sha256: checked.manifest_sha256,
            run,
            loader: stored.some(name::LOADER)?,
            adt_sha256: adt.as_ref().map(|a| a.sha256.clone()),
            adt_bytes: adt.as_ref().map(|a| a.length),
            soc,
            board_id: target.and_then(|t| t.device.board_id),
            planned: counted.as_ref().map_or(0, |c| c.plan.plan.cells.len()),
            answered: counted.as_ref().map_or(0, |c| c.replies.len()),
            registers: registers.as_ref().map(RegistersShown::of),
            result: result.as_ref().and_then(|r| text(r, "schema")),
            rules: result.as_ref().map(rules).unwrap_or_default(),
            cells: counted.map(|c| cells(&c)).unwrap_or_default(),
        })
    }
}

impl RegistersShown {
    fn of(file: &RegistersFile) -> Self {
        let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "a fault".to_owned());
        let changed = file.changed().map(|w| {
            let (before, after) = (value(&w.before), value(&w.after));
            format!("{} was {before}, is {after}", w.name)
        });
        Self {
            compared: file.aic.iter().filter(|w| w.after.is_some()).count(),
            changed: changed.collect(),
            checked: file.restore.checked,
            different: file.restore.different,
            notes: file.notes.clone(),
        }
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The verdicts of a result, by rule.
pub(super) fn rules(result: &Value) -> Vec<RuleShown> {
    let rules = result.get("rules").and_then(Value::as_array);
    let rules = rules.into_iter().flatten();
    rules
        .filter_map(|rule| {
            Some(RuleShown {
                id: text(rule, "id")?,
                verdict: text(rule, "verdict")?,
            })
        })
        .collect()
}

fn cells(counted: &super::read::Counted) -> Vec<CellShown> {
    let any = counted.cells.iter().filter(|(_, _, m)| m.fired > 0);
    any.map(|(planned, _, m)| CellShown {
        cell: planned.id,
        line: format!("{}:{}", planned.line.die, planned.line.number),
        fire_cpu: planned.fire_cpu,
        fields: m.fields.clone(),
        masked_cpus: planned.masked.iter().map(|x| x.cpu).collect(),
        triggers: planned.triggers,
        fired: m.fired,
        landed: m.landed.clone(),
        lost: m.lost,
        late: m.late,
        duplicate: m.duplicate,
        spurious: m.spurious,
        complete: m.complete,
    })
    .collect()
}

/// "CPU:count" of every CPU that has any.
fn by_cpu(counts: &[u64]) -> String {
    let any = counts.iter().enumerate().filter(|(_, n)| **n > 0);
    let words: Vec<String> = any.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
    match words.is_empty() {
        true => "-".to_owned(),
        false => words.join(" "),
    }
}

fn loader_line(loader: &Loader) -> String {
    let mut line = format!("loader: {}", loader.kind.name());
    if let (LoaderKind::Image, Some(version), Some(hash)) =
        (loader.kind, &loader.version, &loader.sha256)
    {
        line += &format!(
            " {version}, SHA-256 {hash} of its first {} bytes",
            loader.bytes
        );
    }
    if let Some(note) = &loader.note {
        line += &format!(" ({note})");
    }
    line
}

fn run_lines(run: &Run) -> Vec<String> {
    let mut lines = vec![format!(
        "aicprobe {} of {}, target {}, seed {}",
        run.command, run.started, run.target, run.seed
    )];
    lines.push(match &run.machine {
        Machine::Hardware => "what answered: a port of the host".to_owned(),
        Machine::Program => "MODEL ONLY: a program answered on a pseudo-terminal".to_owned(),
        Machine::Virtual {
            model, toml_sha256, ..
        } => format!("MODEL ONLY: virtual SoC {model}, SHA-256 {toml_sha256} of its TOML"),
    });
    let tool = run.tool.executable_sha256.as_deref().unwrap_or("unknown");
    lines.push(format!("aicprobe {}, SHA-256 {tool}", run.tool.version));
    lines.push(format!(
        "firmware {}, SHA-256 {}",
        run.firmware.build_id, run.firmware.image_sha256
    ));
    if let Some(ended) = &run.ended {
        lines.push(format!(
            "ended {} with exit code {}",
            ended.at, ended.exit_code
        ));
        lines.extend(ended.messages.iter().map(|m| format!("  {m}")));
    }
    lines
}

impl Document for ShowResult {
    const ROWS: &'static [&'static str] = &["cells"];

    fn heading(&self) -> Vec<String> {
        let state = match self.state {
            State::Whole => "whole, as it was written",
            State::Cut => "CUT: it holds what came until its run ended",
            State::Damaged => "DAMAGED",
        };
        let mut lines = vec![format!("{}: {state}", self.path)];
        lines.extend(self.run.iter().flat_map(run_lines));
        let board = self
            .board_id
            .map_or_else(String::new, |id| format!(", board id {id:#x}"));
        lines.extend(self.soc.iter().map(|soc| format!("{soc}{board}")));
        if let (Some(hash), Some(bytes)) = (&self.adt_sha256, self.adt_bytes) {
            lines.push(format!("device tree: {bytes} bytes, SHA-256 {hash}"));
        }
        lines.extend(self.loader.iter().map(loader_line));
        if let Some(r) = &self.registers {
            lines.push(format!(
                "registers: {} of {} values on the target differ from before; {} of {} words of the controller that the host read",
                r.different,
                r.checked,
                r.changed.len(),
                r.compared
            ));
            lines.extend(r.changed.iter().map(|c| format!("  {c}")));
        }
        let with = self.cells.len();
        lines.push(format!(
            "{with} of {} cells with counts, {} answers",
            self.planned, self.answered
        ));
        if let Some(hash) = &self.manifest_sha256 {
            lines.push(format!("manifest {hash}"));
        }
        lines
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grids = Vec::new();
        if !self.rules.is_empty() {
            let mut rules = Grid::new("rules", ["rule", "verdict"]);
            for rule in &self.rules {
                rules.row([&rule.id, &rule.verdict]);
            }
            grids.push(rules);
        }
        if !self.cells.is_empty() {
            grids.push(self.rows());
        }
        grids
    }

    fn notes(&self) -> Vec<String> {
        let problems = self.problems.iter();
        let mut notes: Vec<String> = problems
            .map(|p| format!("{}: {}", p.file, p.problem))
            .collect();
        notes.extend(self.registers.iter().flat_map(|r| r.notes.clone()));
        notes
    }

    fn rows(&self) -> Grid {
        let columns = [
            "cell", "line", "fire", "fields", "masked", "landed", "fired", "lost", "late", "dup",
            "spur",
        ];
        let mut grid = Grid::new("", columns);
        for c in &self.cells {
            let digits: String = c.fields.iter().map(|f| f.to_string()).collect();
            let masked: Vec<String> = c.masked_cpus.iter().map(u8::to_string).collect();
            grid.row([
                c.cell.to_string(),
                c.line.clone(),
                c.fire_cpu.to_string(),
                digits,
                masked.join(" "),
                by_cpu(&c.landed),
                c.fired.to_string(),
                c.lost.to_string(),
                c.late.to_string(),
                c.duplicate.to_string(),
                c.spurious.to_string(),
            ]);
        }
        grid
    }
}
