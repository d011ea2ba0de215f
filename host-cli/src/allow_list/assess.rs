//! Every reason why evidence does not suffice.

use crate::evidence::{
    self, AdtFile, EvidenceError, Loader, LoaderKind, Machine, Run, Stored, TargetFile, check, name,
};
use crate::output::Form;
use crate::result::CpuState;
use crate::socs::Soc;
use crate::verify::{RULES, Totals, Verdict, VerifyResult};

use super::table::differences;
use super::{Assessment, NEEDED, Reason, ReasonKind};

/// Rules that may make no sense on a SoC: one die, and no file yet.
const MAY_NOT_APPLY: &[&str] = &["ROUTE-07", "REG-04"];

/// Options by which a run no longer stands for what a target is and says.
const STAND_INS: &[&str] = &[
    "--adt",
    "--aic-base",
    "--max-irq",
    "--link-faults",
    "--force-line",
    "--loader",
    "--firmware",
];

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

/// Whether hardware answered; else the model, where one is named.
fn machine(run: &Run, found: &mut Reasons) -> Option<String> {
    match &run.machine {
        Machine::Hardware if run.target.starts_with("vm:") => {
            let text = format!("the target is called {}", run.target);
            found.add(ReasonKind::NotHardware, name::RUN, &text);
            None
        }
        Machine::Hardware => None,
        Machine::Program => {
            found.add(
                ReasonKind::NotHardware,
                name::RUN,
                "a program answered on a pseudo-terminal: no hardware",
            );
            None
        }
        Machine::Virtual { model, .. } => {
            let text =
                format!("the virtual SoC {model} answered: a model says nothing about hardware");
            found.add(ReasonKind::NotHardware, name::RUN, &text);
            Some(model.clone())
        }
    }
}

/// Which run it was, and how it ended.
fn how(run: &Run, found: &mut Reasons) {
    if run.command != "verify" {
        let text = format!("it is evidence of {}: needed is verify", run.command);
        found.add(ReasonKind::OtherRun, name::RUN, &text);
    }
    for option in STAND_INS {
        let given = |word: &String| {
            word == option
                || word
                    .strip_prefix(option)
                    .is_some_and(|rest| rest.starts_with('='))
        };
        if run.argv.iter().any(given) {
            let text = format!("{option} stood in for what the target is or says");
            found.add(ReasonKind::OtherRun, option, &text);
        }
    }
    match &run.ended {
        None => found.add(
            ReasonKind::Interrupted,
            name::RUN,
            "the run did not come to its end",
        ),
        Some(ended) if ended.exit_code == crate::error::exit::INTERRUPTED => {
            found.add(ReasonKind::Interrupted, name::RUN, "the user stopped it");
        }
        Some(ended) if ended.exit_code != crate::error::exit::OK => {
            let text = format!("the run ended with exit code {}", ended.exit_code);
            found.add(ReasonKind::Interrupted, name::RUN, &text);
        }
        Some(_) => {}
    }
    let date = run.started.split('T').next().unwrap_or_default();
    if !crate::socs::is_date(date) {
        let text = format!("it began at {:?}, which is no time", run.started);
        found.add(ReasonKind::Changed, name::RUN, &text);
    }
}

/// The verdicts, made again from what was measured.
fn judged(result: &VerifyResult, found: &mut Reasons) {
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

fn amounts(result: &VerifyResult, found: &mut Reasons) {
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

/// How the target was left, and who took part.
fn state(result: &VerifyResult, found: &mut Reasons) {
    let head = &result.record.head;
    if !head.complete {
        let text = "not everything that was planned ran to its end";
        found.add(ReasonKind::Interrupted, name::RESULT, text);
    }
    if !head.restored {
        let text = "the target was not left as it was found";
        found.add(ReasonKind::NotRestored, name::RESULT, text);
    }
    for cpu in head.cpus.iter().filter(|c| c.state != CpuState::Running) {
        let about = format!("CPU {} (MPIDR {})", cpu.id, cpu.mpidr);
        let text = format!("it did not take part: {}", cpu.state.name());
        found.add(ReasonKind::CpuLeftOut, &about, &text);
    }
}

/// Whether every file is about the same machine and the same program.
fn device(
    result: &VerifyResult,
    target: Option<&TargetFile>,
    run: Option<&Run>,
    found: &mut Reasons,
) {
    let soc = &result.record.head.soc;
    if soc.chip_id.is_none() || soc.board.is_empty() {
        let text = "chip id and board are needed, and the device tree did not give both";
        found.add(ReasonKind::Device, name::RESULT, text);
    }
    let mut same = |what: &str, file: &str, a: &str, b: &str| {
        if a != b {
            let text = format!("{what}: {a:?} in {file}, {b:?} in {}", name::RESULT);
            found.add(ReasonKind::Device, file, &text);
        }
    };
    let chip = |id: Option<u32>| id.map_or_else(String::new, |id| format!("{id:#x}"));
    if let Some(target) = target {
        let theirs = &target.soc;
        same(
            "chip",
            name::TARGET,
            &chip(theirs.chip_id),
            &chip(soc.chip_id),
        );
        same("board", name::TARGET, &theirs.board, &soc.board);
        same("model", name::TARGET, &target.device.model, &soc.model);
    }
    if let Some(run) = run {
        let build = &result.record.head.build;
        same(
            "firmware",
            name::RUN,
            &run.firmware.build_id,
            &build.firmware,
        );
        same("aicprobe", name::RUN, &run.tool.version, &build.tool);
        same("target", name::RUN, &run.target, &result.record.head.target);
    }
}

/// CPUs that the SoC has and the machine has not: nobody has measured them.
fn cpus_missing(result: &VerifyResult, soc: &Soc, found: &mut Reasons) {
    for cpu in &soc.cpu {
        let text = cpu.mpidr.to_string();
        if result.record.head.cpus.iter().any(|c| c.mpidr == text) {
            continue;
        }
        let about = format!("MPIDR {text}");
        let text = format!(
            "{} has this CPU and the machine has not: needed is one that has all",
            soc.soc
        );
        found.add(ReasonKind::CpuLeftOut, &about, &text);
    }
}
