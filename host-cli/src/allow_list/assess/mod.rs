//! Every reason why evidence does not suffice.

mod device;
mod run;
mod verdict;

use crate::evidence::{
    self, AdtFile, EvidenceError, Loader, LoaderKind, Run, Stored, TargetFile, check, name,
};
use crate::output::Form;
use crate::socs::Soc;
use crate::verify::VerifyResult;

use super::table::differences;
use super::{Assessment, Reason, ReasonKind};
use device::{cpus_missing, device, state};
use run::{how, machine};
use verdict::{amounts, judged};

/// Differences of a result from its counts that are told.
const TOLD: usize = 3;

/// What a run left, as far as it can be read.
pub(super) struct Kept {
    /// How it ran.
    pub run: Run,
    /// Its result.
    pub result: VerifyResult,
}

/// Says whether `stored` puts its SoC on the list; `soc` finds the file of a chip.
#[must_use]
pub fn assess<'a>(stored: &Stored, soc: impl Fn(u32) -> Option<&'a Soc>) -> Assessment {
    assess_kept(stored, soc).0
}

/// The same, with what was read.
pub(super) fn assess_kept<'a>(
    stored: &Stored,
    soc: impl Fn(u32) -> Option<&'a Soc>,
) -> (Assessment, Option<Kept>) {
    let mut found = Reasons::default();
    let checked = check(stored);
    if checked.cut {
        found.add(
            ReasonKind::Cut,
            name::MANIFEST,
            "it is missing: the run was cut, and nobody can say whether the other files are whole",
        );
    } else {
        for p in &checked.problems {
            found.add(ReasonKind::Changed, &p.file, &p.problem);
        }
    }
    let mut made = Assessment {
        schema: Assessment::SCHEMA,
        path: stored.path.display().to_string(),
        suffices: false,
        soc: String::new(),
        device: String::new(),
        virtual_soc: None,
        known: false,
        listed: false,
        manifest_sha256: checked.manifest_sha256,
        reasons: Vec::new(),
    };
    let run = found.read(name::RUN, stored.run());
    let target: Option<TargetFile> = found.read(name::TARGET, stored.json(name::TARGET));
    if let Some(run) = &run {
        made.virtual_soc = machine(run, &mut found);
        how(run, &mut found);
    }
    found.read(name::ADT, stored.json::<AdtFile>(name::ADT));
    let loader = found.read(name::LOADER, stored.json::<Loader>(name::LOADER));
    if loader.is_some_and(|l| l.kind == LoaderKind::StandIn) {
        let text = "a stand-in for the loader answered: no hardware has that";
        found.add(ReasonKind::NotHardware, name::LOADER, text);
    }
    let is_verify = run.as_ref().is_some_and(|run| run.command == "verify");
    let result: Option<VerifyResult> = match is_verify {
        true => {
            let result = result_of(stored, &mut found);
            found.read(name::RESULT, result)
        }
        false => None,
    };
    // Runs of other commands, and such as were cut, have no result of a verdict.
    let of_result = result.as_ref().map(|r| &r.record.head.soc);
    let facts = of_result.or_else(|| target.as_ref().map(|t| &t.soc));
    if let Some(facts) = facts {
        made.soc = facts.name.clone();
        made.device = format!("{} {}", facts.board, facts.model).trim().to_owned();
    }
    let known = facts.and_then(|f| f.chip_id).and_then(soc);
    made.known = known.is_some();
    made.listed = known.is_some_and(|s| s.allow_list.listed);
    if let Some(result) = &result {
        judged(result, &mut found);
        amounts(result, &mut found);
        state(result, &mut found);
        device(result, target.as_ref(), run.as_ref(), &mut found);
        if let Some(known) = known {
            cpus_missing(result, known, &mut found);
            for (about, text) in differences(&result.record, known) {
                found.add(ReasonKind::TableDiffers, &about, &text);
            }
        }
        if result.record.head.is_model() && made.virtual_soc.is_none() {
            found.add(
                ReasonKind::NotHardware,
                name::RESULT,
                "it is marked as a model's answer",
            );
        }
    }
    made.reasons = found.0;
    made.suffices = made.reasons.is_empty();
    let kept = run.zip(result).map(|(run, result)| Kept { run, result });
    (made, kept)
}

/// The result. By way of a value: read from text, numbers of a flattened structure come as maps (serde_json's arbitrary precision, which
/// a dependency turns on).
fn result_of(stored: &Stored, found: &mut Reasons) -> Result<VerifyResult, EvidenceError> {
    // What plan and counts give, whatever the result says of them.
    match evidence::again(stored, Form::Json) {
        Ok(again) => {
            for difference in again.differences.iter().flatten().take(TOLD) {
                found.add(ReasonKind::Changed, name::RESULT, difference);
            }
        }
        Err(why) => found.add(ReasonKind::Changed, name::CELLS, &why.to_string()),
    }
    let value: serde_json::Value = stored.json(name::RESULT)?;
    VerifyResult::from_json(value).map_err(|why| EvidenceError::Damaged {
        file: name::RESULT.to_owned(),
        why,
    })
}

#[derive(Default)]
struct Reasons(Vec<Reason>);

impl Reasons {
    fn add(&mut self, kind: ReasonKind, about: &str, text: &str) {
        self.0.push(Reason {
            kind,
            about: about.to_owned(),
            text: text.to_owned(),
        });
    }

    /// A file, or the reason why it is none.
    fn read<T>(&mut self, file: &str, read: Result<T, EvidenceError>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(why) => {
                let kind = if why.is_damage() {
                    ReasonKind::Changed
                } else {
                    ReasonKind::Cut
                };
                let text = why.to_string();
                let text = text.strip_prefix(&format!("{file}: ")).unwrap_or(&text);
                self.add(kind, file, text);
                None
            }
        }
    }
}
