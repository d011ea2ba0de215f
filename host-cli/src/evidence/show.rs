//! What evidence holds, in short: the JSON schema "aicprobe.evidence.show/1".

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::check::{Problem, check};
use super::format::{Run, TargetFile};
use super::loader::Loader;
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
