//! The result of `aicprobe doctor`.

use schemars::JsonSchema;
use serde::Serialize;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// As it should be.
    Ok,
    /// Works, or may work; something is to be known.
    Warning,
    /// Stands in the way.
    Problem,
    /// Says nothing here.
    NotApplicable,
}

impl State {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "PROBLEM",
            Self::NotApplicable => "-",
        }
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Its name; stays the same.
    pub id: &'static str,
    /// How it came out.
    pub state: State,
    /// What was seen.
    pub seen: String,
    /// What to do, in the order in which it is to be done; empty where there is nothing to do.
    pub next: Vec<String>,
}

impl Check {
    /// As it should be.
    #[must_use]
    pub fn ok(id: &'static str, seen: impl Into<String>) -> Self {
        Self::new(id, State::Ok, seen, &[])
    }

    /// To be known.
    #[must_use]
    pub fn warning(id: &'static str, seen: impl Into<String>, next: &[&str]) -> Self {
        Self::new(id, State::Warning, seen, next)
    }

    /// In the way.
    #[must_use]
    pub fn problem(id: &'static str, seen: impl Into<String>, next: &[&str]) -> Self {
        Self::new(id, State::Problem, seen, next)
    }

    /// Says nothing here, and why.
    #[must_use]
    pub fn not_applicable(id: &'static str, why: impl Into<String>) -> Self {
        Self::new(id, State::NotApplicable, why, &[])
    }

    fn new(id: &'static str, state: State, seen: impl Into<String>, next: &[&str]) -> Self {
        Self {
            id,
            state,
            seen: seen.into(),
            next: next.iter().map(|&step| step.to_owned()).collect(),
        }
    }
}

/// Every check, and what they come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorReport {
    /// "aicprobe.doctor/1".
    pub schema: &'static str,
    /// The target asked about; none: any.
    pub target: Option<String>,
    /// The system that this program runs on: "linux", "macos", "windows", "other".
    pub system: &'static str,
    /// No check is a problem.
    pub usable: bool,
    /// The checks, in the order in which they matter.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.doctor/1";

    /// Of checks that were made.
    #[must_use]
    pub fn new(target: Option<String>, system: &'static str, checks: Vec<Check>) -> Self {
        Self {
            schema: Self::SCHEMA,
            target,
            system,
            usable: checks.iter().all(|c| c.state != State::Problem),
            checks,
        }
    }
}
