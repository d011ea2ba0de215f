//! Runs from saved results.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::fields::FieldsReport;
use crate::files::{ReadError, read_limited};
use crate::handoff::HandoffReport;
use crate::latency::LatencyResult;
use crate::result::RouteResult;
use crate::soak::SoakResult;
use crate::storm::StormReport;

use super::run::{Comparable, Run};

/// Largest file that is read, in bytes: some 100,000 cells.
const MOST: u64 = 256 << 20;

/// Schemas of results that can be compared.
pub const READABLE: &[&str] = &[
    RouteResult::SCHEMA,
    LatencyResult::SCHEMA,
    HandoffReport::SCHEMA,
    StormReport::SCHEMA,
    SoakResult::SCHEMA,
    FieldsReport::SCHEMA,
];

/// Why a file is no run.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no JSON.
    #[error("it is not one JSON value (save results with --format json): {0}")]
    Json(serde_json::Error),
    /// It is JSON of something else.
    #[error(
        "it has no text field \"schema\", so it is no result of aicprobe; allowed are {}",
        READABLE.join(", ")
    )]
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

/// Reads the run that `path` holds.
///
/// # Errors
/// [`SavedError`].
pub fn read(path: &Path) -> Result<Run, SavedError> {
    let bytes = read_limited(path, MOST)?;
    parse(&bytes, &path.display().to_string())
}

/// Of a result, only what it is.
#[derive(Deserialize)]
struct Named {
    schema: String,
}

fn parse(bytes: &[u8], origin: &str) -> Result<Run, SavedError> {
    let _: IgnoredAny = serde_json::from_slice(bytes).map_err(SavedError::Json)?;
    let named: Named = serde_json::from_slice(bytes).map_err(|_| SavedError::NoSchema)?;
    match named.schema.as_str() {
        RouteResult::SCHEMA => as_run::<RouteResult>(bytes, origin),
        LatencyResult::SCHEMA => as_run::<LatencyResult>(bytes, origin),
        HandoffReport::SCHEMA => as_run::<HandoffReport>(bytes, origin),
        StormReport::SCHEMA => as_run::<StormReport>(bytes, origin),
        SoakResult::SCHEMA => as_run::<SoakResult>(bytes, origin),
        FieldsReport::SCHEMA => as_run::<FieldsReport>(bytes, origin),
        _ => Err(SavedError::Schema {
            // As much as a message can take.
            found: named.schema.chars().take(80).collect(),
        }),
    }
}

fn as_run<C: Comparable>(bytes: &[u8], origin: &str) -> Result<Run, SavedError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let result: C =
        serde_path_to_error::deserialize(&mut reader).map_err(|e| SavedError::Damaged {
            place: e.path().to_string(),
            why: e.into_inner(),
        })?;
    result.to_run(origin).map_err(SavedError::Impossible)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        parse(text.as_bytes(), "x").unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_result_is_told_apart() {
        assert!(said("").starts_with("it is not one JSON value"));
        assert!(said("{\"run\":1}\n{\"cell\":2}").starts_with("it is not one JSON value"));
        for other in ["{}", "[]", "7", "{\"schema\":5}", "null"] {
            assert!(said(other).contains("no text field \"schema\""), "{other}");
        }
        let other = said("{\"schema\":\"aicprobe.lines/1\"}");
        assert!(
            other.contains("\"aicprobe.lines/1\"; allowed are aicprobe.route/1"),
            "{other}"
        );
        // Every schema that is said to be allowed is one that is read.
        for schema in READABLE {
            let empty = said(&format!("{{\"schema\":\"{schema}\"}}"));
            assert!(empty.starts_with("it is damaged at .: missing"), "{empty}");
        }
        // Deep nesting is an error, not an overflow.
        assert!(said(&"[".repeat(100_000)).starts_with("it is not one JSON value"));
    }
}
