//! What a report is made from: saved results and evidence, read and looked through before anything is shown.

use std::path::Path;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Number, Value};

use crate::behaviour;
use crate::compare::CompareResult;
use crate::evidence::{
    self, CheckResult, Counted, EvidenceError, RegistersFile, Run, Stored, check, name, sha256,
};
use crate::fields::FieldsReport;
use crate::files::{ReadError, read_limited};
use crate::handoff::HandoffReport;
use crate::latency::LatencyResult;
use crate::output::Form;
use crate::result::RouteResult;
use crate::soak::SoakResult;
use crate::sound;
use crate::storm::StormReport;
use crate::verify::{Verdict, VerifyResult};

/// Largest input, in bytes; of evidence, all files together.
pub const MOST: u64 = 64 << 20;
/// What a Zstandard file begins with (RFC 8878).
const ZSTANDARD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Schemas of results that a report can be made from.
pub const READABLE: [&str; 9] = [
    VerifyResult::SCHEMA,
    RouteResult::SCHEMA,
    FieldsReport::SCHEMA,
    LatencyResult::SCHEMA,
    HandoffReport::SCHEMA,
    StormReport::SCHEMA,
    SoakResult::SCHEMA,
    behaviour::Report::SCHEMA,
    CompareResult::SCHEMA,
];

/// Why no report can be made from something.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no evidence, or damaged.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// Its result can neither be read nor made again.
    #[error("it has no result.json, and its result cannot be made again: {0}")]
    Again(String),
    /// It is no JSON.
    #[error(
        "it is neither evidence (a directory or .tar.zst) nor one JSON value (save results with --format json): {0}"
    )]
    Json(serde_json::Error),
    /// It is JSON of something else.
    #[error("it has no text field \"schema\", so it is no result of aicprobe; allowed are {}", READABLE.join(", "))]
    NoSchema,
    /// It is a result of something else, or of another version.
    #[error("it holds {found:?}; allowed are {}", READABLE.join(", "))]
    Schema {
        /// What it says that it is.
        found: String,
    },
    /// Something is missing, of another kind, or falls where it has to rise.
    #[error("it is damaged at {place}: {why}")]
    Damaged {
        /// Path of the field; "." is the whole.
        place: String,
        /// What is wrong there.
        why: serde_json::Error,
    },
    /// It holds what cannot be.
    #[error("it holds what cannot be: {0}")]
    Impossible(String),
}

/// A saved result.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names of the commands")]
pub enum Saved {
    Verify(Box<VerifyResult>),
    Route(Box<RouteResult>),
    Fields(Box<FieldsReport>),
    Latency(Box<LatencyResult>),
    Handoff(Box<HandoffReport>),
    Storm(Box<StormReport>),
    Soak(Box<SoakResult>),
    Observe(Box<behaviour::Report>),
    Compare(Box<CompareResult>),
}

/// What evidence has beside its result.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Whether its files are as they were written.
    pub checked: CheckResult,
    /// The run; `None` where run.json is missing.
    pub run: Option<Run>,
    /// Registers before and after.
    pub registers: Option<RegistersFile>,
    /// Counts of every cell.
    pub counted: Option<Counted>,
    /// The result was not there and was made again of the counts.
    pub made_again: bool,
    /// Of a verdict: the first places where the result is not what its counts say.
    pub unequal: Vec<String>,
}

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name of its file, without folders.
    pub name: String,
    /// Bytes read.
    pub bytes: usize,
    /// What stands for all of its bytes: which file, and its SHA-256.
    pub sha256: (&'static str, String),
    /// Its result.
    pub saved: Saved,
    /// What this version makes of the record of a verdict, where that is not what the result says.
    pub otherwise: Option<Verdict>,
    /// Of evidence: what else it has.
    pub kept: Option<Kept>,
}

/// Reads `path`.
///
/// # Errors
/// [`ReportError`].
pub fn read(path: &Path) -> Result<Input, ReportError> {
    let file = path.canonicalize().ok();
    let file = file.as_deref().unwrap_or(path).file_name();
    let name = file.map_or_else(
        || path.display().to_string(),
        |f| f.to_string_lossy().into_owned(),
    );
    if path.is_dir() {
        return from_evidence(name, &Stored::read(path)?, None);
    }
    let bytes = read_limited(path, MOST)?;
    if bytes.starts_with(&ZSTANDARD) {
        let stored = Stored::read(path)?;
        return from_evidence(name, &stored, Some(sha256(&bytes)));
    }
    let saved = parse(&bytes)?;
    Ok(Input {
        name,
        bytes: bytes.len(),
        sha256: ("file", sha256(&bytes)),
        otherwise: otherwise(&saved),
        saved,
        kept: None,
    })
}

fn from_evidence(
    name: String,
    stored: &Stored,
    archive: Option<String>,
) -> Result<Input, ReportError> {
    let bytes: usize = stored.files.values().map(Vec::len).sum();
    if bytes as u64 > MOST {
        return Err(ReadError::Size { most: MOST }.into());
    }
    let said = stored.files.get(name::RESULT);
    let saved = match said {
        Some(bytes) => parse(bytes)?,
        None => {
            let again = evidence::again(stored, Form::Json);
            let again = again.map_err(|why| ReportError::Again(why.to_string()))?;
            parse(again.text.as_bytes())?
        }
    };
    let mut unequal = Vec::new();
    if let (Saved::Verify(_), true) = (&saved, said.is_some()) {
        match evidence::again(stored, Form::Json) {
            Ok(again) => unequal.extend(again.differences.into_iter().flatten().take(3)),
            Err(why) => unequal.push(why.to_string()),
        }
    }
    let checked = check(stored);
    let sha256 = match (archive, &checked.manifest_sha256) {
        (Some(hash), _) => ("archive", hash),
        (None, Some(hash)) => ("manifest.sha256", hash.clone()),
        (None, None) => (
            "cells.jsonl",
            sha256(stored.files.get(name::CELLS).map_or(&[], Vec::as_slice)),
        ),
    };
    let whole = stored.files.contains_key(name::RUN);
    let counts = stored.files.contains_key(name::PLAN) && stored.files.contains_key(name::CELLS);
    Ok(Input {
        name,
        bytes,
        sha256,
        otherwise: otherwise(&saved),
        saved,
        kept: Some(Kept {
            run: whole.then(|| stored.run()).transpose()?,
            registers: stored.some(name::REGISTERS)?,
            counted: counts.then(|| stored.cells()).transpose()?,
            made_again: said.is_none(),
            unequal,
            checked,
        }),
    })
}

fn otherwise(saved: &Saved) -> Option<Verdict> {
    match saved {
        Saved::Verify(verify) => verify.otherwise(),
        _ => None,
    }
}

fn parse(bytes: &[u8]) -> Result<Saved, ReportError> {
    // A first reading without memory: what is nested too deeply ends here.
    let _: IgnoredAny = serde_json::from_slice(bytes).map_err(ReportError::Json)?;
    let mut value: Value = serde_json::from_slice(bytes).map_err(ReportError::Json)?;
    let schema = value.get("schema").and_then(Value::as_str);
    let schema = schema.ok_or(ReportError::NoSchema)?.to_owned();
    let schema = schema.as_str();
    if !READABLE.contains(&schema) {
        return Err(ReportError::Schema {
            // As much as a message can take.
            found: schema.chars().take(80).collect(),
        });
    }
    sound::look(&value).map_err(ReportError::Impossible)?;
    as_numbers(&mut value);
    let saved = match schema {
        VerifyResult::SCHEMA => Saved::Verify(of(value)?),
        RouteResult::SCHEMA => Saved::Route(of(value)?),
        FieldsReport::SCHEMA => Saved::Fields(of(value)?),
        LatencyResult::SCHEMA => Saved::Latency(of(value)?),
        HandoffReport::SCHEMA => Saved::Handoff(of(value)?),
        StormReport::SCHEMA => Saved::Storm(of(value)?),
        SoakResult::SCHEMA => Saved::Soak(of(value)?),
        behaviour::Report::SCHEMA => Saved::Observe(of(value)?),
        _ => Saved::Compare(of(value)?),
    };
    if let Saved::Storm(storm) = &saved {
        let rows = storm.rows.len();
        if let Some(v) = storm.violations.iter().find(|v| v.row >= rows) {
            let what = format!("a violation in row {} of {rows}", v.row);
            return Err(ReportError::Impossible(what));
        }
    }
    if let Saved::Verify(verify) = &saved {
        verify.record.check().map_err(ReportError::Impossible)?;
    }
    Ok(saved)
}

fn of<T: DeserializeOwned>(value: Value) -> Result<Box<T>, ReportError> {
    serde_path_to_error::deserialize(value)
        .map(Box::new)
        .map_err(|e| ReportError::Damaged {
            place: e.path().to_string(),
            why: e.into_inner(),
        })
}

/// Numbers with a fraction as this program writes them. A dependency has serde_json keep the digits of the file, and within flattened
/// structures digits in any other form ("1e-07") are then no number.
fn as_numbers(value: &mut Value) {
    match value {
        Value::Number(n) if n.as_u64().is_none() && n.as_i64().is_none() => {
            if let Some(plain) = n.as_f64().and_then(Number::from_f64) {
                *n = plain;
            }
        }
        Value::Array(all) => all.iter_mut().for_each(as_numbers),
        Value::Object(map) => map.values_mut().for_each(as_numbers),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_result_is_told_apart() {
        assert!(said("").starts_with("it is neither evidence"));
        for other in ["{}", "[]", "7", "{\"schema\":5}", "null"] {
            assert!(said(other).contains("no text field \"schema\""), "{other}");
        }
        let other = said("{\"schema\":\"aicprobe.lines/1\"}");
        assert!(
            other.starts_with("it holds \"aicprobe.lines/1\"; allowed are aicprobe.verify/1"),
            "{other}"
        );
        for schema in READABLE {
            let other = said(&format!("{{\"schema\":\"{schema}\"}}"));
            assert!(other.starts_with("it is damaged at .: missing"), "{other}");
        }
        // Deep nesting is an error, not an overflow.
        assert!(said(&"[".repeat(100_000)).starts_with("it is neither evidence"));
    }
}
