//! Whether evidence is as it was written: the JSON schema "aicprobe.evidence.check/1".

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::read::{EvidenceError, Stored};
use super::{manifest, name, sha256};

/// The result of `aicprobe evidence check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckResult {
    /// "aicprobe.evidence.check/1".
    pub schema: &'static str,
    /// The evidence.
    pub path: String,
    /// Nothing is wrong with it.
    pub good: bool,
    /// The manifest is missing: the run, or the writing of its evidence, did not come to its end.
    pub cut: bool,
    /// Files whose hash is that of the manifest.
    pub files: usize,
    /// SHA-256 of the manifest, which stands for all of the evidence; `null` if it is missing.
    pub manifest_sha256: Option<String>,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The file; "." is the whole.
    pub file: String,
    /// What is wrong with it.
    pub problem: String,
}

impl CheckResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.evidence.check/1";
}

/// Compares every file with the manifest.
#[must_use]
pub fn check(stored: &Stored) -> CheckResult {
    let mut problems = Vec::new();
    let mut wrong = |file: &str, problem: String| {
        problems.push(Problem {
            file: file.to_owned(),
            problem,
        });
    };
    if let Some(cut) = &stored.cut {
        wrong(".", cut.clone());
    }
    for (file, what) in &stored.strange {
        wrong(file, format!("it is {what}: no evidence has that"));
    }
    let mut good = 0;
    let text = stored.files.get(name::MANIFEST);
    match text.map(|bytes| manifest::parse(&String::from_utf8_lossy(bytes))) {
        None => wrong(
            name::MANIFEST,
            "it is missing: the run was cut, and nobody can say whether the other files are whole"
                .to_owned(),
        ),
        Some(Err(why)) => wrong(name::MANIFEST, why),
        Some(Ok(hashes)) => {
            for file in name::ALL.iter().filter(|f| !hashes.contains_key(**f)) {
                wrong(file, "the manifest does not name it".to_owned());
            }
            good = compare(&stored.files, &hashes, &mut wrong);
        }
    }
    CheckResult {
        schema: CheckResult::SCHEMA,
        path: stored.path.display().to_string(),
        good: problems.is_empty(),
        cut: stored.is_cut(),
        files: good,
        manifest_sha256: text.map(|bytes| sha256(bytes)),
        problems,
    }
}

/// How many files are as the manifest says.
fn compare(
    files: &BTreeMap<String, Vec<u8>>,
    hashes: &BTreeMap<String, String>,
    wrong: &mut dyn FnMut(&str, String),
) -> usize {
    let mut good = 0;
    for (file, hash) in hashes {
        match files.get(file) {
            None => wrong(file, "it is missing".to_owned()),
            Some(bytes) => match sha256(bytes) {
                is if is == *hash => good += 1,
                is => wrong(
                    file,
                    format!("it was changed: its SHA-256 is {is}, the manifest has {hash}"),
                ),
            },
        }
    }
    let extra = |file: &&String| !hashes.contains_key(*file) && *file != name::MANIFEST;
    for file in files.keys().filter(extra) {
        wrong(file, "the manifest does not name it".to_owned());
    }
    good
}

impl CheckResult {
    /// Of a place that may hold evidence.
    ///
    /// # Errors
    /// [`EvidenceError`] if it holds none.
    pub fn of(path: &Path) -> Result<Self, EvidenceError> {
        Ok(check(&Stored::read(path)?))
    }
}
