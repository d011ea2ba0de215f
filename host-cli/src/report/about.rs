//! What all results have in common, and what has to be said above everything else.

use crate::compare::CompareResult;
use crate::evidence::Machine;
use crate::result::{Aic, Build, Counter, Cpu, Head, Mark, MarkKind, Restore};
use crate::target::SocFacts;

use super::input::{Input, Saved};

/// The common part of a result.
#[derive(Clone, Debug, Default)]
pub struct About<'r> {
    /// The target as named by the user.
    pub target: &'r str,
    /// The seed.
    pub seed: Option<u64>,
    /// What ran.
    pub build: Option<&'r Build>,
    /// Chip and board.
    pub soc: Option<&'r SocFacts>,
    /// CPUs by logical id.
    pub cpus: &'r [Cpu],
    /// The clock.
    pub counter: Option<Counter>,
    /// Everything that was planned ran to its end.
    pub complete: Option<bool>,
    /// The target is as found.
    pub restored: Option<bool>,
    /// Values that were compared for that.
    pub restore: Option<&'r Restore>,
    /// What has to be said about facts.
    pub marks: &'r [Mark],
    /// The controller.
    pub aic: Option<&'r Aic>,
}

impl<'r> About<'r> {
    fn of_head(head: &'r Head) -> Self {
        Self {
            target: &head.target,
            seed: Some(head.seed),
            build: Some(&head.build),
            soc: Some(&head.soc),
            cpus: &head.cpus,
            counter: Some(head.counter),
            complete: Some(head.complete),
            restored: Some(head.restored),
            marks: &head.marks,
            ..Self::default()
        }
    }
}

impl Saved {
    /// The command that made it.
    #[must_use]
    pub const fn command(&self) -> &'static str {
        match self {
            Self::Verify(_) => "verify",
            Self::Route(_) => "route",
            Self::Fields(_) => "fields",
            Self::Latency(_) => "latency",
            Self::Handoff(_) => "handoff",
            Self::Storm(_) => "storm",
            Self::Soak(_) => "soak",
            Self::Observe(_) => "observe",
            Self::Compare(_) => "compare",
        }
    }

    /// Its schema.
    #[must_use]
    pub fn schema(&self) -> &str {
        match self {
            Self::Verify(r) => &r.schema,
            Self::Route(r) => &r.schema,
            Self::Fields(r) => &r.schema,
            Self::Latency(r) => &r.schema,
            Self::Handoff(r) => &r.schema,
            Self::Storm(r) => &r.schema,
            Self::Soak(r) => &r.schema,
            Self::Observe(r) => &r.schema,
            Self::Compare(r) => &r.schema,
        }
    }

    /// The common part.
    #[must_use]
    pub fn about(&self) -> About<'_> {
        match self {
            Self::Verify(r) => About {
                aic: Some(&r.record.aic),
                restore: Some(&r.record.restore),
                ..About::of_head(&r.record.head)
            },
            Self::Route(r) => About {
                target: &r.target,
                seed: Some(r.seed),
                build: Some(&r.build),
                soc: Some(&r.soc),
                cpus: &r.cpus,
                counter: Some(r.counter),
                complete: Some(r.complete),
                restored: Some(r.restored),
                restore: Some(&r.restore),
                marks: &r.marks,
                aic: Some(&r.aic),
            },
            Self::Fields(r) => About::of_head(&r.head),
            Self::Latency(r) => About::of_head(&r.head),
            Self::Handoff(r) => About::of_head(&r.head),
            Self::Storm(r) => About::of_head(&r.head),
            Self::Soak(r) => About::of_head(&r.head),
            Self::Observe(r) => About {
                target: &r.target,
                seed: Some(r.seed),
                build: Some(&r.build),
                soc: Some(&r.soc),
                restored: Some(r.restored),
                marks: &r.marks,
                ..About::default()
            },
            Self::Compare(_) => About::default(),
        }
    }
}

impl Input {
    /// Why this is no hardware's: the words of the banner, without repetition.
    #[must_use]
    pub fn model(&self) -> Vec<String> {
        let marks = self.saved.about().marks;
        let marks = marks.iter().filter(|m| m.kind == MarkKind::ModelOnly);
        let mut why: Vec<String> = marks.map(|m| m.text.clone()).collect();
        if let Saved::Compare(c) = &self.saved {
            let CompareResult { a, b, .. } = &**c;
            for (name, side) in [("A", a), ("B", b)] {
                let words = side.model.as_ref();
                why.extend(words.map(|words| format!("side {name}: {words}")));
            }
        }
        let machine = self.kept.as_ref().and_then(|k| k.run.as_ref());
        match machine.map(|run| &run.machine) {
            Some(Machine::Virtual { model, .. }) if why.is_empty() => {
                why.push(format!("the virtual SoC \"{model}\" answered"));
            }
            Some(Machine::Program) if why.is_empty() => {
                why.push("a program on a pseudo-terminal answered, no hardware".to_owned());
            }
            _ => {}
        }
        why
    }

    /// What makes this input less than whole.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let about = self.saved.about();
        let mut faults = Vec::new();
        if about.restored == Some(false) {
            let what = "the target is NOT known to be as it was found".to_owned();
            faults.push(what);
        }
        if let Some(restore) = about.restore.filter(|r| r.different > 0) {
            faults.push(format!(
                "{} of {} values read back differ from what was found: {}",
                restore.different,
                restore.checked,
                restore.differences.join("; ")
            ));
        }
        if about.complete == Some(false) {
            faults.push("not everything that was planned ran to its end".to_owned());
        }
        if let Saved::Compare(c) = &self.saved {
            for run in c.a.runs.iter().chain(&c.b.runs) {
                if !run.restored {
                    let what = format!("{}: the target is NOT known to be as found", run.origin);
                    faults.push(what);
                }
                if !run.complete {
                    let what = format!("{}: not everything that was planned ran", run.origin);
                    faults.push(what);
                }
            }
        }
        if let (Saved::Verify(v), Some(again)) = (&self.saved, self.otherwise) {
            faults.push(format!(
                "its verdicts are not those that this version makes of its own record (saved {}, made again {}): it was changed, or another version wrote it",
                v.verdict.name(),
                again.name()
            ));
        }
        if let Some(kept) = &self.kept {
            for problem in &kept.checked.problems {
                faults.push(format!("evidence: {}: {}", problem.file, problem.problem));
            }
            for difference in &kept.unequal {
                faults.push(format!(
                    "its result is not what its counts say: {difference}"
                ));
            }
            if kept.made_again {
                let what = "the run left no result: what is shown was made again of its counts";
                faults.push(what.to_owned());
            }
        }
        faults
    }

    /// What this input is, in a line.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.saved {
            Saved::Compare(c) => {
                format!("compare of {} and {} ({})", c.a.name, c.b.name, self.name)
            }
            saved => format!(
                "{} of {} ({})",
                saved.command(),
                saved.about().target,
                self.name
            ),
        }
    }

    /// Chip, board and model, as far as known.
    #[must_use]
    pub fn chip(&self) -> String {
        if let Saved::Compare(c) = &self.saved {
            return match c.a.chip == c.b.chip {
                true => c.a.chip.clone(),
                false => format!("{}, {}", c.a.chip, c.b.chip),
            };
        }
        let about = self.saved.about();
        let Some(soc) = about.soc else {
            return "unknown SoC".to_owned();
        };
        let mut chip = soc.title().to_owned();
        if let Some(id) = soc.chip_id {
            chip += &format!(" (chip {id:#x})");
        }
        for (name, text) in [("board", &soc.board), ("model", &soc.model)] {
            if !text.is_empty() {
                chip += &format!(", {name} {text}");
            }
        }
        chip
    }
}
