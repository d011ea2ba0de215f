//! The page of observed behaviour: what was claimed, and how often it held on each target.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::behaviour::Answer;
use crate::fields::{FieldsReport, Rule};
use crate::files::{ReadError, read_limited};
use crate::output::escape;
use crate::plan::MaskedCpu;
use crate::result::{Build, Mark, MarkKind};
use crate::target::SocFacts;

use super::markdown::table;

/// Most bytes of a file that are read.
const MOST: u64 = 64 << 20;

/// What a saved result of `observe` or `fields` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Report {
    schema: String,
    target: String,
    seed: u64,
    build: Build,
    soc: SocFacts,
    marks: Vec<Mark>,
    restored: bool,
    observations: Vec<Line>,
    #[serde(default)]
    rule: Option<Rule>,
    #[serde(default)]
    mask: Option<MaskedCpu>,
}

/// One observation.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Line {
    id: String,
    answer: Answer,
    #[serde(rename = "for")]
    held: u64,
    against: u64,
    #[serde(default)]
    row: Option<u8>,
    #[serde(default)]
    claim: Option<String>,
    #[serde(default)]
    note: Option<String>,
}

/// Why a file is no such result.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is no JSON.
    #[error("it is not one JSON value (save results with --format json): {0}")]
    Json(serde_json::Error),
    /// It is a result of something else.
    #[error("it holds {found}; allowed are aicprobe.observe/1 and aicprobe.fields/1")]
    Schema {
        /// What it says that it is.
        found: String,
    },
    /// Something in it is missing or of another kind.
    #[error("it is damaged: {0}")]
    Damaged(serde_json::Error),
}

impl Report {
    /// Reads a saved result.
    ///
    /// # Errors
    /// [`ReportError`].
    pub fn read(path: &Path) -> Result<Self, ReportError> {
        Self::parse(&read_limited(path, MOST)?)
    }

    fn parse(bytes: &[u8]) -> Result<Self, ReportError> {
        let value: Value = serde_json::from_slice(bytes).map_err(ReportError::Json)?;
        let known = [crate::behaviour::Report::SCHEMA, FieldsReport::SCHEMA];
        let schema = value.get("schema").and_then(Value::as_str);
        if !schema.is_some_and(|schema| known.contains(&schema)) {
            let found = schema.map_or_else(
                || "no text field \"schema\"".to_owned(),
                |schema| format!("\"{}\"", schema.escape_debug()),
            );
            return Err(ReportError::Schema { found });
        }
        serde_json::from_value(value).map_err(ReportError::Damaged)
    }

    fn is_model(&self) -> bool {
        self.marks.iter().any(|m| m.kind == MarkKind::ModelOnly)
    }
}

/// Every claim of the reports, then each report.
#[must_use]
pub fn observed(reports: &[Report]) -> String {
    let mut out = "# Observed behaviour\n\nMade by `aicprobe docs FILE…` from saved results of `aicprobe observe` and `aicprobe fields`; do not \
        edit. What each row is about, and which models show it: [behaviours.md](behaviours.md). A count says how often a claim held; \
        nothing here is a verdict.\n\n"
        .to_owned();
    let mut claims: BTreeMap<(u8, &str), &str> = BTreeMap::new();
    for line in reports.iter().flat_map(|r| &r.observations) {
        if let (Some(row), Some(claim)) = (line.row, &line.claim) {
            claims.insert((row, &line.id), claim);
        }
    }
    if !claims.is_empty() {
        out += "## Claims\n\n";
        let rows: Vec<_> = claims
            .iter()
            .map(|((row, id), claim)| [row.to_string(), (*id).to_owned(), (*claim).to_owned()])
            .collect();
        table(&mut out, ["row", "observation", "claim"], &rows);
    }
    for report in reports {
        one(&mut out, report);
    }
    out.trim_end().to_owned() + "\n"
}

fn one(out: &mut String, r: &Report) {
    let what = r.schema.split(['.', '/']).nth(1).unwrap_or_default();
    let kind = if r.is_model() {
        "model only"
    } else {
        "silicon"
    };
    let board = if r.soc.board.is_empty() {
        String::new()
    } else {
        format!(" board {}", r.soc.board)
    };
    let title = format!("{}{board}, `{what}` ({kind})", r.soc.title());
    let _ = writeln!(out, "## {}\n", title.replace('\n', " "));
    // A model's answers are those of its file, whatever firmware asked; on silicon the build is part of the source.
    let build = if r.is_model() {
        String::new()
    } else {
        format!(", aicprobe {}, firmware {}", r.build.tool, r.build.firmware)
    };
    let source = format!("Source: target {}, seed {}{build}.", r.target, r.seed);
    let _ = writeln!(out, "{}\n", escape(&source));
    if let (Some(rule), Some(mask)) = (&r.rule, r.mask) {
        let _ = writeln!(out, "Rule: {}\n", escape(&rule.text(mask.us)));
    }
    out.push_str("```text\n");
    for o in r
        .observations
        .iter()
        .filter(|o| o.answer != Answer::NotApplicable)
    {
        let (answer, held, against) = (o.answer.name(), o.held, o.against);
        let _ = writeln!(out, "Observation {} {answer} {held} {against}", word(&o.id));
    }
    out.push_str("```\n\n");
    let mut said = false;
    if !r.restored {
        said = true;
        let _ = writeln!(out, "* the target was NOT left as found");
    }
    for o in &r.observations {
        let untried = o.answer == Answer::NotApplicable;
        let Some(note) = o.note.as_ref().filter(|note| !note.is_empty()) else {
            continue;
        };
        said = true;
        let not = if untried { "not tried: " } else { "" };
        let _ = writeln!(out, "* {}: {not}{}", escape(&o.id), escape(note));
    }
    for m in r.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        said = true;
        let text = format!("{}: {}: {}", m.kind.name(), m.about, m.text);
        let _ = writeln!(out, "* {}", escape(&text));
    }
    if said {
        out.push('\n');
    }
}

/// What cannot end the block that it stands in.
fn word(id: &str) -> String {
    id.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json() -> Value {
        serde_json::json!({
            "schema": "aicprobe.observe/1", "target": "/dev/ttyACM0", "seed": 1,
            "build": {"tool": "0.1.0", "firmware": "00ff", "protocol": 3},
            "soc": {"name": "T6020", "chip_id": 0x6020, "board": "J474s", "model": "Mac14,12", "firmware": ""},
            "aic_generation": 2, "restored": true, "marks": [],
            "observations": [
                {"id": "a-claim", "row": 6, "claim": "a | b", "answer": "Always", "for": 16, "against": 0, "note": null},
                {"id": "other", "row": 3, "claim": "c", "answer": "not-applicable", "for": 0, "against": 0, "note": "no *CPU*"},
            ],
        })
    }

    fn parse(value: &Value) -> Result<Report, ReportError> {
        Report::parse(value.to_string().as_bytes())
    }

    #[test]
    fn a_report_has_its_source_and_its_lines() {
        let report = parse(&json()).unwrap();
        let page = observed(std::slice::from_ref(&report));
        for part in [
            "| 3 | other | c |\n| 6 | a-claim | a \\| b |",
            "## T6020 board J474s, `observe` (silicon)",
            "Source: target /dev/ttyACM0, seed 1, aicprobe 0.1.0, firmware 00ff.",
            "```text\nObservation a-claim Always 16 0\n```",
            "* other: not tried: no \\*CPU\\*",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        let mut model = json();
        model["marks"] = serde_json::json!([{"kind": "model only", "about": "all", "text": "x"}]);
        let page = observed(&[parse(&model).unwrap()]);
        assert!(
            page.contains("(model only)") && !page.contains("00ff"),
            "{page}"
        );
    }

    #[test]
    fn what_is_no_such_result() {
        let said = |value: &Value| parse(value).unwrap_err().to_string();
        let mut other = json();
        other["schema"] = "aicprobe.route/1".into();
        assert!(said(&other).contains("\"aicprobe.route/1\"; allowed are"));
        let mut damaged = json();
        damaged["observations"][0]["for"] = "x".into();
        assert!(said(&damaged).starts_with("it is damaged"));
        assert!(said(&serde_json::json!([])).contains("no text field"));
        assert!(matches!(Report::parse(b"{"), Err(ReportError::Json(_))));
    }
}
