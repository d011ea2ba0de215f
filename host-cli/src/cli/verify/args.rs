//! Options of `aicprobe verify`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::verify::{self, FULL, QUICK, RULES, Size};

use super::super::args::{TargetArgs, exit_codes};
use super::super::evidence::EvidenceArgs;

/// Form of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerdictForm {
    /// Tables for people.
    Table,
    /// JSON, schema "aicprobe.verify/1".
    Json,
    /// JSON Lines: the run, then a line for each rule and each cell.
    Jsonl,
    /// CSV: a row for each rule.
    Csv,
    /// Tables in Markdown, for the body of a pull request.
    Markdown,
    /// JUnit XML.
    Junit,
    /// Test Anything Protocol, version 13.
    Tap,
}

/// Runs a suite of rules about interrupt routing, and says of each whether it holds: PASS, FAIL, INCONCLUSIVE or NOT-APPLICABLE, with
/// counts and 95 % bounds. What the values of SIQ_CFG's field are assumed to mean comes from the table of the SoC; for a SoC that has
/// none it is what they mean on T8140.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct VerifyArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// 10^4 triggers and 100 windows instead of 10^6 and 2000: shows gross faults only, and is not enough for an allow-list.
    #[arg(long)]
    pub quick: bool,
    /// So many triggers while nobody masks interrupts, over all rules.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000))]
    pub triggers: Option<u64>,
    /// At most so many triggers with a mask window each, over all rules.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(40..=1_000_000))]
    pub windows: Option<u64>,
    /// Look only at this rule; may be repeated, or several with commas between.
    #[arg(long = "rule", value_name = "ID", value_delimiter = ',', value_parser = rule)]
    pub rules: Vec<String>,
    /// Leave this rule out; may be repeated, or several with commas between.
    #[arg(long = "skip", value_name = "ID", value_delimiter = ',', value_parser = rule)]
    pub skip: Vec<String>,
    /// Print the rules and end; nothing is run.
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t = VerdictForm::Table)]
    pub format: VerdictForm,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn after_help() -> String {
    format!(
        "Exit code 0 if every required rule that applies passed, 5 if any rule failed (one that is not required too, and SIQ_CFG that traps), 6 if a required rule is inconclusive.\n\n{}",
        exit_codes()
    )
}

fn rule(text: &str) -> Result<String, String> {
    verify::find(text).map(|r| r.id.to_owned()).ok_or_else(|| {
        let all: Vec<&str> = RULES.iter().map(|r| r.id).collect();
        format!("there is no such rule; allowed are {}", all.join(", "))
    })
}

impl VerifyArgs {
    /// How much is to be measured.
    pub(super) fn size(&self) -> Size {
        let usual = if self.quick { QUICK } else { FULL };
        Size {
            triggers: self.triggers.unwrap_or(usual.triggers),
            windows: self.windows.unwrap_or(usual.windows),
        }
    }

    /// Whether the rule called `id` is looked at.
    pub(super) fn wants(&self, id: &str) -> bool {
        let named = self.rules.is_empty() || self.rules.iter().any(|r| r == id);
        named && !self.skip.iter().any(|r| r == id)
    }
}
