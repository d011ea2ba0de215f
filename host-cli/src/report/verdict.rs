//! The verdict, in plain words and rule by rule.

use crate::output::{Grid, word};
use crate::verify::{FULL, RuleResult, Verdict, VerifyResult};

use super::input::{Input, Saved};
use super::table::many;

/// What an input says, in a line or a few.
#[derive(Clone, Debug)]
pub struct Said {
    /// "PASS", "FAIL", "INCONCLUSIVE"; empty for results that are no verdicts.
    pub word: &'static str,
    /// In words.
    pub text: String,
    /// Something is wrong with the target.
    pub bad: bool,
}

impl Said {
    fn plain(text: String, bad: bool) -> Self {
        Self {
            word: "",
            text,
            bad,
        }
    }
}

/// Whether what an input says of rules is not what was counted.
fn changed(input: &Input) -> bool {
    let of_evidence = input
        .kept
        .as_ref()
        .is_some_and(|kept| !kept.unequal.is_empty() || (!kept.checked.good && !kept.checked.cut));
    of_evidence || input.otherwise.is_some()
}

/// What an input says.
pub fn said(input: &Input) -> Said {
    match &input.saved {
        Saved::Verify(_) if changed(input) => Said {
            word: "DAMAGED",
            text: "the result is not what its own counts say, or files of the evidence were changed: it holds no verdict".to_owned(),
            bad: true,
        },
        Saved::Verify(v) => of_verify(v),
        Saved::Route(r) => {
            let s = &r.summary;
            let bound = s.miss_rate.upper_95;
            let bound = bound.map_or_else(String::new, |b| {
                format!("; miss rate where some CPU accepts: at most {b:.3e} (95 %)")
            });
            let text = format!(
                "{} triggers in {}: {} lost, {} duplicate, {} spurious{bound}",
                s.fired,
                many(r.cells.len(), "cell"),
                s.lost,
                s.duplicate,
                s.spurious
            );
            Said::plain(text, s.duplicate + s.spurious > 0)
        }
        Saved::Fields(f) => {
            let (text, bad) = match (&f.rule, &f.fit) {
                (Some(rule), _) => (
                    format!(
                        "one rule explains all {} cells: {}",
                        f.cells,
                        rule.text(f.mask.us)
                    ),
                    false,
                ),
                (None, Some(fit)) if fit.is_complete() => (
                    "no rule: what was measured cannot tell one".to_owned(),
                    true,
                ),
                (None, Some(fit)) => (
                    format!(
                        "no rule explains this: the best one leaves {} of {} cells unexplained ({})",
                        fit.contradicted,
                        f.cells,
                        fit.rule.text(f.mask.us)
                    ),
                    true,
                ),
                (None, None) => ("no cell was measured".to_owned(), true),
            };
            Said::plain(text, bad)
        }
        Saved::Latency(l) => match &l.spike {
            Some(spike) => Said::plain(format!("stopped at a spike: {}", spike.moment.text), true),
            None => {
                let slowest = l
                    .pairs
                    .iter()
                    .filter_map(|p| p.entry_ns)
                    .map(|p| p.max)
                    .max();
                let slowest = slowest.map_or_else(
                    || "nothing landed".to_owned(),
                    |ns| format!("the slowest trigger took {ns} ns to its handler"),
                );
                let lost: u64 = l.pairs.iter().map(|p| p.lost).sum();
                let text = format!(
                    "{} measured, {lost} triggers lost; {slowest}",
                    many(l.pairs.len(), "pair")
                );
                Said::plain(text, lost > 0)
            }
        },
        Saved::Handoff(h) => {
            let lost: u64 = h.rows.iter().map(|r| r.lost).sum();
            let text = format!(
                "{}, {lost} triggers not served",
                many(h.rows.len(), "hand-over")
            );
            Said::plain(text, lost > 0)
        }
        Saved::Storm(s) => {
            let n = s.violations.len();
            let text = match n {
                0 => "no rule of the books is broken".to_owned(),
                n => many(n, "violation"),
            };
            Said::plain(text, n > 0)
        }
        Saved::Soak(s) => {
            let t = &s.totals;
            let (text, bad) = match &s.violation {
                Some(v) => (format!("stopped by a violation: {}", v.moment.text), true),
                None => (format!("{} triggers without a violation", t.fired), false),
            };
            Said::plain(text, bad)
        }
        Saved::Observe(o) => {
            let tried = o.observations.iter().filter(|o| o.held + o.against > 0);
            let text = format!(
                "{} of {} claims were tried (observations, no verdict)",
                tried.count(),
                o.observations.len()
            );
            Said::plain(text, false)
        }
        Saved::Compare(c) => {
            let s = &c.summary;
            let text = format!(
                "{} cells on both sides: {} differences stand, {} states of one side beyond chance, {} numbers of which nothing can be said",
                s.cells, s.standing, s.states_beyond_chance, s.cannot_tell
            );
            // That two sides differ is nothing against either.
            Said::plain(text, false)
        }
    }
}

fn of_verify(v: &VerifyResult) -> Said {
    let of = |verdict: Verdict| v.rules.iter().filter(move |r| r.verdict == verdict);
    let names = |verdict: Verdict| {
        let names: Vec<&str> = of(verdict).map(|r| r.id.as_str()).collect();
        names.join(", ")
    };
    let mut text = match v.verdict {
        Verdict::Fail => format!(
            "{} did not hold: {}",
            many(of(Verdict::Fail).count(), "rule"),
            names(Verdict::Fail)
        ),
        Verdict::Inconclusive => format!(
            "too little was measured to say anything for this machine: {}",
            names(Verdict::Inconclusive)
        ),
        Verdict::Pass | Verdict::NotApplicable => {
            let passed = of(Verdict::Pass).count();
            format!("every required rule that applies held ({passed} passed)")
        }
    };
    let t = &v.totals;
    text += &format!(
        ". {} triggers without a mask and {} with a window: {} lost, {} duplicate, {} spurious.",
        t.triggers, t.windows, t.lost, t.duplicate, t.spurious
    );
    let size = v.record.size;
    if size.triggers < FULL.triggers || size.windows < FULL.windows {
        text += " A short run: it shows gross faults only, and is not enough for an allow-list.";
    }
    if !v.left_out.is_empty() {
        text += &format!(" Not looked at: {}.", v.left_out.join(", "));
    }
    Said {
        word: v.verdict.name(),
        text,
        bad: v.verdict != Verdict::Pass,
    }
}

/// The rules.
pub fn rules(v: &VerifyResult) -> Grid {
    let columns = [
        "rule",
        "verdict",
        // What a narrow window shows without scrolling.
        "what is to hold",
        "why",
        "held",
        "against",
        "of",
        "unit",
        "at most (95 %)",
        "required",
    ];
    let mut grid = Grid::new("Rules", columns);
    for r in &v.rules {
        let bound = r.upper_95.map(|b| format!("{b:.3e}"));
        grid.row([
            r.id.clone(),
            r.verdict.name().to_owned(),
            r.title.clone(),
            r.why.clone(),
            r.held.to_string(),
            r.against.to_string(),
            r.trials.to_string(),
            r.kind.clone(),
            bound.unwrap_or_else(|| "-".to_owned()),
            if r.required { "yes" } else { "no" }.to_owned(),
        ]);
    }
    grid
}

/// Class of a rule's word; the word itself says the same.
pub const fn class(r: &RuleResult) -> &'static str {
    match r.verdict {
        Verdict::Pass => "good",
        Verdict::Fail => "bad",
        Verdict::Inconclusive => "open",
        Verdict::NotApplicable => "dim",
    }
}

/// The table that a verdict was held against, in words.
pub fn table_used(v: &VerifyResult) -> String {
    let t = &v.record.table;
    let classes: Vec<String> = (0..)
        .zip(t.classes.iter())
        .map(|(value, class)| format!("{value} = {}", word(class)))
        .collect();
    let classes = classes.join(", ");
    if t.is_own() {
        format!(
            "Held against the table of {} (source: {}): {classes}",
            t.soc, t.state
        )
    } else {
        format!(
            "Held against no table, since none knows this SoC; values are assumed to mean what they mean on T8140 (source: silicon, PR #228): {classes}"
        )
    }
}
