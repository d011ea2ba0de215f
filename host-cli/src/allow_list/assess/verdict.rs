//! What the rules say, and on how much it rests.

use crate::evidence::name;
use crate::verify::{RULES, Totals, Verdict, VerifyResult};

use super::super::{NEEDED, ReasonKind};
use super::Reasons;

/// Rules that may make no sense on a SoC: one die, and no file yet.
const MAY_NOT_APPLY: &[&str] = &["ROUTE-07", "REG-04"];

/// The verdicts, made again from what was measured.
pub(super) fn judged(result: &VerifyResult, found: &mut Reasons) {
    if result.schema != VerifyResult::SCHEMA {
        let text = format!(
            "its schema is {:?}; allowed is {}",
            result.schema,
            VerifyResult::SCHEMA
        );
        found.add(ReasonKind::Changed, name::RESULT, &text);
    }
    if result.record.aic.generation == 1 {
        found.add(
            ReasonKind::Generation,
            &result.record.head.soc.name,
            "AICv1 goes by the target word of each line: there is no routing by SIQ_CFG to list",
        );
    }
    let again = result.judged();
    for rule in RULES {
        let id = rule.id;
        let Some(said) = again.iter().find(|r| r.id == id) else {
            if !rule.required {
                continue;
            }
            let text = format!("it was left out: {}", rule.title);
            found.add(ReasonKind::RuleOpen, id, &text);
            continue;
        };
        let told = result.rule(id).map(|r| r.verdict);
        if told != Some(said.verdict) {
            let text = format!(
                "what was measured gives {}, and the result says {}",
                said.verdict.name(),
                told.map_or("nothing", Verdict::name)
            );
            found.add(ReasonKind::Changed, id, &text);
        }
        let kind = match said.verdict {
            Verdict::Pass => continue,
            Verdict::NotApplicable if MAY_NOT_APPLY.contains(&id) => continue,
            Verdict::NotApplicable | Verdict::Inconclusive if !rule.required => continue,
            Verdict::NotApplicable | Verdict::Inconclusive => ReasonKind::RuleOpen,
            Verdict::Fail => ReasonKind::RuleFailed,
        };
        let text = format!("{}: {}: {}", said.verdict.name(), rule.title, said.why);
        found.add(kind, id, &text);
    }
}

pub(super) fn amounts(result: &VerifyResult, found: &mut Reasons) {
    let size = result.record.size;
    let fired = Totals::of(&result.record).triggers;
    if size.triggers < NEEDED.triggers || fired < NEEDED.triggers {
        let text = format!(
            "{fired} triggers fired of {} planned: needed are {}",
            size.triggers, NEEDED.triggers
        );
        found.add(ReasonKind::TooFew, "triggers", &text);
    }
    if size.windows < NEEDED.windows {
        let text = format!(
            "{} windows at most: needed are {}",
            size.windows, NEEDED.windows
        );
        found.add(ReasonKind::TooFew, "windows", &text);
    }
}
