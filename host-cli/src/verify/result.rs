//! The result of `verify`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sound;

use super::{Record, judge};

/// What is said of a rule.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Verdict {
    /// It held each time.
    #[serde(rename = "PASS")]
    Pass,
    /// It makes no sense here.
    #[serde(rename = "NOT-APPLICABLE")]
    NotApplicable,
    /// Too little was measured.
    #[serde(rename = "INCONCLUSIVE")]
    Inconclusive,
    /// It did not hold.
    #[serde(rename = "FAIL")]
    Fail,
}

impl Verdict {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::NotApplicable => "NOT-APPLICABLE",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Fail => "FAIL",
        }
    }
}

/// A rule and what is said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleResult {
    /// Name of the rule.
    pub id: String,
    /// What is to hold.
    pub title: String,
    /// Whether a SoC must pass it to be relied on.
    pub required: bool,
    /// What is said.
    pub verdict: Verdict,
    /// Trials: how many it used.
    pub trials: u64,
    /// Of what: "triggers" without a mask, "windows" with one each, or "checks" of values.
    pub kind: String,
    /// Times that it held.
    pub held: u64,
    /// Times that it did not.
    pub against: u64,
    /// Upper 95 % bound of the rate at which it does not hold (Clopper-Pearson, one-sided); `null` for checks.
    pub upper_95: Option<f64>,
    /// Why.
    pub why: String,
}

/// What was used in total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Triggers fired while nobody masked interrupts.
    pub triggers: u64,
    /// Triggers fired with a window or a step each.
    pub windows: u64,
    /// Not taken in time.
    pub lost: u64,
    /// Taken again.
    pub duplicate: u64,
    /// IRQ exceptions without an event of the line.
    pub spurious: u64,
}

impl Totals {
    /// Of a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let mut totals = Self::default();
        for of in &record.cells {
            let c = &of.cell;
            if of.purpose.has_windows() {
                totals.windows += c.fired;
            } else {
                totals.triggers += c.fired;
            }
            totals.lost += c.lost;
            totals.duplicate += c.duplicate;
            totals.spurious += c.spurious;
        }
        totals
    }
}

/// Result of `verify`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyResult {
    /// "aicprobe.verify/1".
    pub schema: String,
    /// The worst that is said of any rule that was looked at: "PASS", "INCONCLUSIVE" or "FAIL".
    pub verdict: Verdict,
    /// Rules that were not looked at, by --rule or --skip.
    pub left_out: Vec<String>,
    /// What was used.
    pub totals: Totals,
    /// The rules.
    pub rules: Vec<RuleResult>,
    /// What was measured.
    #[serde(flatten)]
    pub record: Record,
}

impl VerifyResult {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.verify/1";

    /// Of a record; `wanted` says which rules are looked at.
    #[must_use]
    pub fn of(record: Record, wanted: impl Fn(&str) -> bool) -> Self {
        let (rules, left): (Vec<_>, Vec<_>) =
            judge(&record).into_iter().partition(|r| wanted(&r.id));
        Self {
            schema: Self::SCHEMA.to_owned(),
            verdict: verdict(&rules),
            left_out: left.into_iter().map(|r| r.id).collect(),
            totals: Totals::of(&record),
            rules,
            record,
        }
    }

    /// The rule called `id`.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&RuleResult> {
        self.rules.iter().find(|r| r.id == id)
    }

    /// From saved JSON, whoever wrote it: counts can be, and verdicts may be made of them.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn from_json(value: Value) -> Result<Self, String> {
        sound::look(&value)?;
        let result: Self = serde_path_to_error::deserialize(value)
            .map_err(|e| format!("at {}: {}", e.path(), e.inner()))?;
        result.record.check()?;
        Ok(result)
    }

    /// The rules once more from its record alone: what kept evidence is judged by.
    #[must_use]
    pub fn judged(&self) -> Vec<RuleResult> {
        let mut rules = judge(&self.record);
        rules.retain(|r| !self.left_out.contains(&r.id));
        rules
    }

    /// What its record gives, where that is not what it says.
    #[must_use]
    pub fn otherwise(&self) -> Option<Verdict> {
        let rules = self.judged();
        let again = verdict(&rules);
        (again != self.verdict || rules != self.rules).then_some(again)
    }

    /// The same result with everything that follows from its record made again.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::of(self.record.clone(), |id| {
            !self.left_out.iter().any(|l| l == id)
        })
    }
}

/// All of them together. One that makes no sense here is no reason against the target, and nor is one that is inconclusive and not
/// required.
#[must_use]
pub fn verdict(rules: &[RuleResult]) -> Verdict {
    let counted = rules.iter().filter(|r| match r.verdict {
        Verdict::Pass | Verdict::NotApplicable => false,
        Verdict::Inconclusive => r.required,
        Verdict::Fail => true,
    });
    let worst = counted.map(|r| r.verdict).max();
    worst.unwrap_or_else(|| {
        let passed = rules.iter().any(|r| r.verdict == Verdict::Pass);
        if passed {
            Verdict::Pass
        } else {
            Verdict::Inconclusive
        }
    })
}
