//! What is different between two runs: the JSON schema "aicprobe.evidence.diff/1".

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::session::Measured;

use super::check::check;
use super::name;
use super::read::{EvidenceError, Stored};

/// Most differences that are listed.
const LISTED: usize = 1000;
/// What is different between any two runs, or follows from what is compared elsewhere.
const LEFT_OUT: &[&str] = &[
    "run.started",
    "run.argv",
    "run.ended.at",
    "run.ended.messages",
    "target.head.target",
    "target.head.seed",
    "target.head.build",
    "target.head.soc",
    "target.head.marks",
    "target.aic.config",
    "loader.pages",
];
/// Parts of results that are made of cells, or are in the head.
const OF_RESULT: &[&str] = &[
    "target",
    "seed",
    "build",
    "soc",
    "aic",
    "cpus",
    "counter",
    "marks",
    "restore",
    "summary",
    "cells",
    "pairs",
    "rows",
    "sums",
    "intervals",
    "rules",
    "observations",
];

/// The result of `aicprobe evidence diff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffResult {
    /// "aicprobe.evidence.diff/1".
    pub schema: &'static str,
    /// One side.
    pub a: String,
    /// The other.
    pub b: String,
    /// All differences.
    pub count: usize,
    /// Differences by what they are about.
    pub about: BTreeMap<String, usize>,
    /// The differences; beyond the first thousand they are only counted.
    pub differences: Vec<Difference>,
    /// What cannot be compared, or not be trusted.
    pub notes: Vec<String>,
}

/// Something that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// "build", "target", "loader", "device tree", "plan", "registers", "counts", "verdicts" or "result".
    pub about: String,
    /// Where: the file without its ending, and the path of the field.
    pub place: String,
    /// There in A; `null` = nothing.
    pub a: Option<String>,
    /// There in B.
    pub b: Option<String>,
}

impl DiffResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.evidence.diff/1";
}

/// Compares two runs; when they were made, and what follows from other differences, is left out.
///
/// # Errors
/// [`EvidenceError::Damaged`] for files that cannot be understood.
pub fn diff(a: &Stored, b: &Stored) -> Result<DiffResult, EvidenceError> {
    let mut all = Vec::new();
    let mut notes = Vec::new();
    for (side, stored) in [("A", a), ("B", b)] {
        let checked = check(stored);
        if checked.cut {
            notes.push(format!(
                "{side} is cut: it has what came until its run ended"
            ));
        } else if !checked.good {
            notes.push(format!(
                "{side} is DAMAGED: `aicprobe evidence check` says where"
            ));
        }
    }
    for file in [
        name::RUN,
        name::LOADER,
        name::ADT,
        name::TARGET,
        name::PLAN,
        name::REGISTERS,
    ] {
        let (left, right): (Option<Value>, Option<Value>) = (a.some(file)?, b.some(file)?);
        let place = file.trim_end_matches(".json");
        compare(place, left.as_ref(), right.as_ref(), &mut all);
    }
    counts(a, b, &mut all)?;
    results(a, b, &mut all)?;
    let count = all.len();
    let mut about = BTreeMap::new();
    for d in &all {
        *about.entry(d.about.clone()).or_insert(0) += 1;
    }
    if count > LISTED {
        notes.push(format!(
            "{} differences more are not listed",
            count - LISTED
        ));
        all.truncate(LISTED);
    }
    Ok(DiffResult {
        schema: DiffResult::SCHEMA,
        a: a.path.display().to_string(),
        b: b.path.display().to_string(),
        count,
        about,
        differences: all,
        notes,
    })
}

/// Where a result is not the other one, each place in words.
pub(super) fn leaves(place: &str, a: &Value, b: &Value, all: &mut Vec<String>) {
    let mut differences = Vec::new();
    compare(place, Some(a), Some(b), &mut differences);
    let side = |side: Option<String>| side.unwrap_or_else(|| "nothing".to_owned());
    all.extend(differences.into_iter().map(|d| {
        let place = d.place.trim_start_matches('.');
        format!(
            "{place}: the run said {}, its counts say {}",
            side(d.a),
            side(d.b)
        )
    }));
}

/// Compares two values, leaf by leaf.
fn compare(place: &str, a: Option<&Value>, b: Option<&Value>, all: &mut Vec<Difference>) {
    if a == b || LEFT_OUT.contains(&place) {
        return;
    }
    match (a, b) {
        (Some(Value::Object(x)), Some(Value::Object(y))) => {
            let keys = x.keys().chain(y.keys().filter(|k| !x.contains_key(*k)));
            for key in keys {
                compare(&format!("{place}.{key}"), x.get(key), y.get(key), all);
            }
        }
        (Some(Value::Array(x)), Some(Value::Array(y))) if !is_short(x) || !is_short(y) => {
            for at in 0..x.len().max(y.len()) {
                let key = label(x.get(at).or_else(|| y.get(at)), at);
                compare(&format!("{place}[{key}]"), x.get(at), y.get(at), all);
            }
        }
        _ => all.push(Difference {
            about: about(place).to_owned(),
            place: place.to_owned(),
            a: a.map(shown),
            b: b.map(shown),
        }),
    }
}

/// Lists of numbers and the like are one value.
fn is_short(items: &[Value]) -> bool {
    items.len() <= 32 && items.iter().all(|v| !v.is_object() && !v.is_array())
}

/// How an element of a list is called: by its name, if it has one.
fn label(item: Option<&Value>, at: usize) -> String {
    let named = ["name", "path", "id"];
    let name = item.and_then(|v| named.iter().find_map(|key| v.get(key)));
    name.and_then(Value::as_str)
        .map_or_else(|| at.to_string(), str::to_owned)
}

fn shown(value: &Value) -> String {
    const LONGEST: usize = 200;
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn about(place: &str) -> &'static str {
    let file = place.split(['.', '[']).next().unwrap_or_default();
    match file {
        "run" if place.starts_with("run.tool") || place.starts_with("run.firmware") => "build",
        "run" | "target" => "target",
        "loader" => "loader",
        "adt" => "device tree",
        "plan" => "plan",
        "registers" => "registers",
        "cells" => "counts",
        "rules" => "verdicts",
        _ => "result",
    }
}

/// Counts, cell by cell. Latencies are compared by minimum and maximum: `aicprobe compare` does more with results.
fn counts(a: &Stored, b: &Stored, all: &mut Vec<Difference>) -> Result<(), EvidenceError> {
    let read = |stored: &Stored| match stored.cells() {
        Ok(counted) => {
            let cells = counted.cells.into_iter();
            Ok(cells
                .map(|(c, _, m)| (c.id, without_histograms(&m)))
                .collect())
        }
        Err(why) if why.is_absence() => Ok(BTreeMap::new()),
        Err(why) => Err(why),
    };
    let (a, b): (BTreeMap<u32, Value>, BTreeMap<u32, Value>) = (read(a)?, read(b)?);
    let ids = a.keys().chain(b.keys().filter(|id| !a.contains_key(*id)));
    for id in ids {
        compare(&format!("cells[{id}]"), a.get(id), b.get(id), all);
    }
    Ok(())
}

fn without_histograms(counts: &Measured) -> Value {
    let mut value = serde_json::to_value(counts).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("histogram");
        fields.remove("second");
    }
    value
}

/// What the results say beside what is made of cells.
fn results(a: &Stored, b: &Stored, all: &mut Vec<Difference>) -> Result<(), EvidenceError> {
    let (mut a, mut b): (Option<Value>, Option<Value>) =
        (a.some(name::RESULT)?, b.some(name::RESULT)?);
    let verdicts = |result: &Option<Value>| -> Value {
        let rules = result.as_ref().map(super::show::rules).unwrap_or_default();
        rules.into_iter().map(|r| (r.id, r.verdict)).collect()
    };
    compare("rules", Some(&verdicts(&a)), Some(&verdicts(&b)), all);
    for side in [&mut a, &mut b] {
        if let Some(fields) = side.as_mut().and_then(Value::as_object_mut) {
            OF_RESULT.iter().for_each(|key| drop(fields.remove(*key)));
        }
    }
    compare("result", a.as_ref(), b.as_ref(), all);
    Ok(())
}
