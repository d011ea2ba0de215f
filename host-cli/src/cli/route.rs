//! `aicprobe route`.

use std::path::Path;

use protocol::message::Refusal;

use crate::diagnose::{told, with_code};
use crate::error::{Error, exit};
use crate::evidence::Evidence;
use crate::firmware::Firmware;
use crate::live::About;
use crate::output::{DryRun, Form, render_routes, to_json};
use crate::plan::{Estimate, Plan};
use crate::raw::{self, Opening, RawFile, Trailer};
use crate::result::{Context, Restore, RouteResult, aic, head_before};
use crate::route::{Planned, Setting, make_plan_forced, measure};
use crate::session::{self, Both, Event, Observer, Outcome, Restoring, SessionError, Silent};
use crate::target::{AdtFile, LineMap, Overrides, Target};
use crate::tree::TreeFile;

use super::all;
use super::args::{Cli, RouteArgs};
use super::evidence::finish_with;
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::raw::dropped;
use super::replay::RouteExtra;
use super::tell::tell;
use super::write::Sink;

/// Runs the command; the exit code if it came to a result.
///
/// # Errors
/// [`Error`] if it did not.
pub fn run(cli: &Cli, args: &RouteArgs) -> Result<u8, Error> {
    // Everything that can be wrong with the request is found before the target is touched.
    if args.dry_run && !matches!(args.format, Form::Table | Form::Json) {
        return Err(no_rows());
    }
    let firmware = if args.dry_run && args.on.firmware.is_none() {
        None
    } else {
        Some(Firmware::load(args.on.firmware.as_deref())?)
    };
    if args.on.live && args.on.target == all::NAME {
        let why = "--live shows one target, vm:all is many".to_owned();
        return Err(Error::Usage(why));
    }
    let overrides = overrides(args)?;
    for (given, what) in [
        (args.raw.raw.is_some(), "--raw keeps the events"),
        (args.evidence.evidence.is_some(), "--evidence keeps all"),
    ] {
        if given && (args.dry_run || args.on.target == all::NAME) {
            let text = format!("{what} of one run: not with --dry-run and --target vm:all");
            return Err(Error::Usage(text));
        }
    }
    let sink = Sink::open(args.output.as_deref())?;
    let files = [args.output.as_deref(), args.raw.raw.as_deref()];
    let kept = Kept {
        raw: args.raw.open(args.output.as_deref())?,
        evidence: args.evidence.open("route", &files)?,
    };
    interrupt::install_telling(cli.quiet);
    if args.on.target == all::NAME {
        return all::run(cli, args, firmware.as_ref(), &overrides, sink);
    }
    let made = one(
        cli,
        args,
        &args.on.target,
        firmware.as_ref(),
        &overrides,
        kept,
    )?;
    match &made {
        Made::Plan(dry) => sink.write(&planned(dry, args.format)?)?,
        Made::Result(Some(result), ..) => sink.write(&render_routes(&[result], args.format)?)?,
        Made::Result(None, ..) => {}
    }
    let mut verdict = made.verdict();
    if let Made::Result(Some(result), _, evidence) = made {
        let json = || render_routes(&[&result], Form::Json);
        finish_with(*evidence, json, &mut verdict);
    }
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}

/// A plan in the form asked for.
fn planned(dry: &DryRun, format: Form) -> Result<String, Error> {
    match format {
        Form::Table => Ok(dry.to_text()),
        Form::Json => to_json(dry),
        Form::Jsonl | Form::Csv | Form::Markdown => Err(no_rows()),
    }
}

fn no_rows() -> Error {
    Error::Usage("--dry-run: a plan has no rows of results; allowed are table and json".to_owned())
}

/// What `route` makes of one target.
pub(super) enum Made {
    /// With `--dry-run`.
    Plan(Box<DryRun>),
    /// The result, if anything was measured, how the run counts, and the evidence that is to be ended.
    Result(Option<Box<RouteResult>>, Verdict, Box<Option<Evidence>>),
}

/// What is to be kept of a run.
#[derive(Default)]
pub(super) struct Kept {
    raw: Option<RawFile>,
    evidence: Option<Evidence>,
}

impl Made {
    /// How it counts.
    pub(super) fn verdict(&self) -> Verdict {
        match self {
            Self::Plan(_) => Verdict {
                code: exit::OK,
                messages: Vec::new(),
            },
            Self::Result(_, verdict, _) => verdict.clone(),
        }
    }
}

/// Measures `name`, or plans it.
///
/// # Errors
/// [`Error`].
pub(super) fn one(
    cli: &Cli,
    args: &RouteArgs,
    name: &str,
    firmware: Option<&Firmware>,
    overrides: &Overrides,
    kept: Kept,
) -> Result<Made, Error> {
    let Kept { raw, mut evidence } = kept;
    let made = measured(cli, args, name, firmware, overrides, raw, &mut evidence);
    match made {
        Ok(Made::Result(result, verdict, _)) => {
            Ok(Made::Result(result, verdict, Box::new(evidence)))
        }
        Ok(plan) => Ok(plan),
        Err(why) => {
            if let Some(evidence) = &mut evidence {
                evidence.ended_by(&why);
            }
            Err(why)
        }
    }
}

fn measured(
    cli: &Cli,
    args: &RouteArgs,
    name: &str,
    firmware: Option<&Firmware>,
    overrides: &Overrides,
    raw: Option<RawFile>,
    evidence: &mut Option<Evidence>,
) -> Result<Made, Error> {
    let mut opened = open_with(name, args.on.seed, &args.on.link, args.on.loader.as_deref())?;
    let (marks, slice_ns, hardware) = (opened.marks.clone(), opened.slice_ns, opened.hardware);
    let machine = opened.machine.clone();
    let mut proxy = opened.connect()?;
    let target = Target::discover_with(&mut proxy, overrides)
        .map_err(|e| e.at_step("reading the device tree"))?;
    if let (Some(evidence), Some(firmware)) = (&mut *evidence, firmware) {
        let context = Context {
            target_name: name,
            seed: args.on.seed,
            target: &target,
            firmware,
            marks: marks.clone(),
            slice_ns,
        };
        let looked = evidence.look(&mut proxy, context, &machine);
        looked.map_err(|e| e.at_step("looking at loader and controller"))?;
    }
    let request = args.request();
    let Planned {
        mut plan,
        marks: forced,
        looked,
    } = make_plan_forced(&mut proxy, &target, &request, args.force_line)
        .map_err(|e| e.at_step("looking for a line"))?;
    args.raw.ask(&mut plan);
    let estimate = Estimate::of(&plan);
    let (Some(firmware), false) = (firmware, args.dry_run) else {
        let dry = DryRun::new(name, args.on.seed, &target, &plan);
        return Ok(Made::Plan(Box::new(dry)));
    };
    if hardware && estimate.needs_consent() && !args.on.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    // Several targets at once would talk across each other.
    let quiet = cli.quiet || args.on.target == all::NAME;
    let mut progress = Progress::new(cli.verbose > 0, quiet, &plan);
    if args.on.live {
        progress.live(About::new(name, &target, &marks, &plan))?;
    }
    progress.on(Event::Step(&format!(
        "{} cells on {name}, {estimate}",
        plan.cells.len(),
    )));
    let setting = Setting {
        target_name: name.to_owned(),
        seed: args.on.seed,
        marks: marks.into_iter().chain(forced).collect(),
        slice_ns,
        looked,
    };
    if cli.verbose > 0 {
        for note in proxy.line_notes() {
            progress.on(Event::Step(note));
        }
    }
    let context = Context {
        target_name: &setting.target_name,
        seed: setting.seed,
        target: &target,
        firmware,
        marks: setting.marks.clone(),
        slice_ns: setting.slice_ns,
    };
    if let Some(evidence) = evidence {
        let begun = evidence.begin(&mut proxy, context.clone(), &plan, json(&request)?);
        begun.map_err(|e| e.at_step("looking at the lines"))?;
    }
    let recorder = raw.map(|file| file.start(opening(args, context, &plan)?));
    let mut recorder = recorder.transpose()?;
    let measured = {
        let (mut no_events, mut no_evidence) = (Silent, Silent);
        let events: &mut dyn Observer = match &mut recorder {
            Some(recorder) => recorder,
            None => &mut no_events,
        };
        let files: &mut dyn Observer = match evidence {
            Some(evidence) => evidence,
            None => &mut no_evidence,
        };
        let mut kept = Both(events, files);
        let mut both = Both(&mut progress, &mut kept);
        let measured = measure(&mut proxy, &target, firmware, &plan, &setting, &mut both);
        let console = proxy.take_console();
        both.on(Event::Console(&String::from_utf8_lossy(&console)));
        measured
    };
    let failed = !matches!(&measured, Ok((outcome, _)) if outcome.failure.is_none());
    progress.finish(failed);
    let (outcome, result) = measured?;
    let mut verdict = exit_code(&outcome);
    match (evidence, &result) {
        (Some(evidence), Some(result)) => {
            evidence.after(&mut proxy, &target, &outcome, &result.head());
        }
        (Some(evidence), None) => verdict.messages.iter().for_each(|m| evidence.note(m)),
        (None, _) => {}
    }
    verdict.messages.extend(storming(&outcome, &target.lines));
    if let Some(recorder) = recorder {
        // Without a result nothing was measured: the file stays cut.
        let ended = result.as_ref().map(|result| {
            let (aic, restore) = (result.aic.clone(), result.restore.clone());
            recorder.end(result.head(), json(&RouteExtra { aic, restore })?)
        });
        if let Some(ended) = ended {
            verdict.kept(ended);
        }
    }
    Ok(Made::Result(result.map(Box::new), verdict, Box::default()))
}

/// What is known of a run before it.
fn opening(args: &RouteArgs, context: Context<'_>, plan: &Plan) -> Result<Opening, Error> {
    let extra = RouteExtra {
        aic: aic(context.target, None),
        restore: Restore::default(),
    };
    Ok(Opening {
        schema: raw::SCHEMA.to_owned(),
        run: raw::Run {
            command: "route".to_owned(),
            options: json(&args.request())?,
            extra: json(&extra)?,
        },
        head: head_before(context),
        cells: plan.cells.clone(),
    })
}

fn json<T: serde::Serialize>(value: &T) -> Result<serde_json::Value, Error> {
    serde_json::to_value(value).map_err(|e| Error::Internal(e.to_string()))
}

/// What the user gives instead of what the target says.
fn overrides(args: &RouteArgs) -> Result<Overrides, Error> {
    Ok(Overrides {
        adt: args.adt.as_deref().map(read_adt).transpose()?,
        aic_base: args.aic_base,
        max_irq: args.max_irq,
    })
}

/// A device tree that stands in for the target's.
pub fn read_adt(path: &Path) -> Result<AdtFile, Error> {
    let origin = path.display().to_string();
    let file = TreeFile::read(path).map_err(|why| Error::DamagedAdt {
        path: path.to_owned(),
        why,
    })?;
    let blob = file.into_blob();
    Ok(AdtFile { origin, blob })
}

/// How a run that came to an end counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The exit code.
    pub code: u8,
    /// What to tell on standard error.
    pub messages: Vec<String>,
}

impl Verdict {
    /// What ended a cell early that was to be ended so, as exactly as it is known; `cell`: its number, where there are several.
    pub(super) fn stopped_by(&mut self, cell: Option<u32>, reason: &str) {
        let stops = [Refusal::Spike, Refusal::Wrong].map(session::describe);
        for message in &mut self.messages {
            if stops.iter().any(|stop| message.ends_with(&**stop)) {
                let which = cell.map_or_else(String::new, |cell| format!("cell {cell} "));
                *message = format!("{which}stopped early: {reason}");
            }
        }
    }

    /// Something that was to be kept is not: what cannot be written has stopped the run.
    pub(super) fn not_kept(&mut self, why: &Error) {
        self.messages.push(told(why));
        if matches!(self.code, exit::OK | exit::INTERRUPTED) {
            self.code = why.exit_code();
        }
    }

    /// How the file of raw events ended.
    pub(super) fn kept(&mut self, ended: Result<Trailer, Error>) {
        match ended {
            Ok(totals) => self.messages.extend(dropped(&totals)),
            Err(e) => self.not_kept(&e),
        }
    }
}

/// The exit code of a run: the worst thing that happened.
#[must_use]
pub fn exit_code(outcome: &Outcome) -> Verdict {
    let mut messages = Vec::new();
    let mut codes = Vec::new();
    if let Restoring::Checked {
        different,
        differences,
        ..
    } = &outcome.restoring
        && *different > 0
    {
        messages.push(format!(
            "the target is not as it was found, {different} values differ: {}",
            differences.join("; ")
        ));
        codes.push(exit::NOT_RESTORED);
    }
    let lost = matches!(&outcome.failure, Some(e) if e.exit_code() == exit::LINK);
    if let Some(e) = &outcome.failure {
        messages.push(if lost {
            with_code(&format!("{e}; {}", saved(outcome)), e.code())
        } else {
            told(e)
        });
        codes.push(e.exit_code());
    }
    // One fault can bring another: an interrupt that a crashed CPU did not take moves on.
    for fault in &outcome.answers.faults {
        let text = told(&SessionError::Fault(*fault).into());
        if !messages.contains(&text) {
            messages.push(text);
            codes.push(exit::TARGET_FAULT);
        }
    }
    if outcome.restoring == Restoring::Unknown && !lost {
        messages.push("nobody could look whether the target is as it was found".to_owned());
        codes.push(exit::NOT_RESTORED);
    }
    if outcome.interrupted {
        messages.push(
            "interrupted; the result holds what was measured until then, if anything".to_owned(),
        );
        codes.push(exit::INTERRUPTED);
    }
    for (refusal, first, count) in refusals(outcome) {
        let more = match count {
            1 => String::new(),
            _ => format!(" (and {} more cells)", count - 1),
        };
        messages.push(format!(
            "cell {first} stopped early: {}{more}",
            session::describe(refusal)
        ));
        codes.push(refusal_code(refusal));
    }
    Verdict {
        code: codes.first().copied().unwrap_or(exit::OK),
        messages,
    }
}

/// Every reason for which cells stopped early, with the first cell and how many there are: a reason can hold for thousands.
fn refusals(outcome: &Outcome) -> Vec<(Refusal, u32, usize)> {
    let mut all: Vec<(Refusal, u32, usize)> = Vec::new();
    for (cell, m) in &outcome.cells {
        let Some(refusal) = m.refusal else { continue };
        match all.iter_mut().find(|(of, ..)| *of == refusal) {
            Some((.., count)) => *count += 1,
            None => all.push((refusal, cell.id, 1)),
        }
    }
    all
}

/// Who owns each line that fired without end.
fn storming(outcome: &Outcome, lines: &LineMap) -> Vec<String> {
    let storms = outcome
        .cells
        .iter()
        .filter(|(_, m)| m.refusal == Some(Refusal::Storm));
    let mut said: Vec<String> = Vec::new();
    for (cell, _) in storms {
        let owners = lines.owners(cell.line);
        let owners: Vec<String> = owners.iter().map(ToString::to_string).collect();
        let who = match owners.is_empty() {
            true => "nobody owns it by the device tree".to_owned(),
            false => owners.join("; "),
        };
        let text = format!(
            "line {}:{} fires without end: {who}",
            cell.line.die, cell.line.number
        );
        if !said.contains(&text) {
            said.push(text);
        }
    }
    said
}

/// What a lost link leaves, in words.
fn saved(outcome: &Outcome) -> String {
    let fired: u64 = outcome.cells.iter().map(|(_, m)| m.fired).sum();
    let complete = outcome.cells.iter().filter(|(_, m)| m.complete).count();
    let target = match outcome.restoring {
        Restoring::Unknown => "the target was not put back, restart it",
        Restoring::Checked { .. } => "the target was put back",
        Restoring::Untouched => "nothing had been changed on the target",
    };
    if fired == 0 {
        return format!("nothing had been measured; {target}");
    }
    let of = outcome.cells.len();
    format!("saved in the result: {fired} triggers, {complete} of {of} cells complete; {target}")
}

/// The exit code of a run that ends with a refusal.
pub const fn refusal_code(refusal: Refusal) -> u8 {
    match refusal {
        Refusal::LineBusy => exit::UNSAFE,
        Refusal::SiqCfg { esr: 0, .. } | Refusal::Storm | Refusal::NotEnabled => exit::INCONCLUSIVE,
        // Asked for.
        Refusal::Spike | Refusal::Wrong => exit::RULE,
        Refusal::SiqCfg { .. } => exit::TARGET,
        Refusal::WorkerSilent(_) | Refusal::WorkerFault(_) => exit::TARGET_FAULT,
        // The host has checked all of these before.
        Refusal::NotOpen
        | Refusal::Line
        | Refusal::Cpu(_)
        | Refusal::Field(_)
        | Refusal::MaskedTwice(_)
        | Refusal::Triggers
        | Refusal::Aborted => exit::INTERNAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Request, build};
    use crate::proxy::ProxyError;
    use crate::session::{Answers, Measured};
    use protocol::LineId;

    fn outcome(restoring: Restoring) -> Outcome {
        let plan = build(&Request::default(), 1, LineId { die: 0, number: 5 });
        let cells = plan.expect("a plan").cells;
        Outcome {
            cpus: Vec::new(),
            answers: Answers::default(),
            cells: cells
                .into_iter()
                .map(|c| (c, Measured::default()))
                .collect(),
            restoring,
            marks: Vec::new(),
            interrupted: false,
            failure: None,
        }
    }

    fn checked(different: u32) -> Restoring {
        Restoring::Checked {
            checked: 9,
            different,
            differences: vec!["AIC CONFIG: found 0x0, now 0x1".into()],
        }
    }

    fn timeout() -> Error {
        let what = "P_CALL".to_owned();
        let after = std::time::Duration::from_secs(1);
        ProxyError::Timeout { what, after }.into()
    }

    #[test]
    fn the_worst_that_happened_is_the_exit_code() {
        let code = |o: &Outcome| exit_code(o).code;
        let mut o = outcome(checked(0));
        assert_eq!(code(&o), exit::OK);
        o.cells[1].1.refusal = Some(Refusal::Storm);
        assert_eq!(code(&o), exit::INCONCLUSIVE);
        o.interrupted = true;
        assert_eq!(code(&o), exit::INTERRUPTED);
        o.failure = Some(timeout());
        assert_eq!(code(&o), exit::LINK);
        o.restoring = Restoring::Unknown;
        assert_eq!(code(&o), exit::LINK);
        o.failure = None;
        assert_eq!(code(&o), exit::NOT_RESTORED);
        o.restoring = checked(1);
        o.failure = Some(timeout());
        let verdict = exit_code(&o);
        assert_eq!(verdict.code, exit::NOT_RESTORED);
        assert_eq!(verdict.messages.len(), 4, "{:?}", verdict.messages);
        assert!(verdict.messages[0].contains("found 0x0, now 0x1"));
    }

    /// A reason can hold for every cell of a plan of thousands.
    #[test]
    fn a_reason_is_told_once_however_many_cells_have_it() {
        let mut o = outcome(checked(0));
        let cell = o.cells[0].clone();
        o.cells = (0..5000)
            .map(|id| {
                let mut cell = cell.clone();
                cell.0.id = id;
                cell.1.refusal = match id {
                    0 => None,
                    7 => Some(Refusal::Storm),
                    _ => Some(Refusal::SiqCfg { cpu: 1, esr: 0 }),
                };
                cell
            })
            .collect();
        let verdict = exit_code(&o);
        assert_eq!(verdict.code, exit::INCONCLUSIVE);
        let said = [
            "cell 1 stopped early: SIQ_CFG of CPU 1 does not keep what is written (and 4997 more cells)",
            "cell 7 stopped early: the line fires without end: it was left masked",
        ];
        assert_eq!(verdict.messages, said);
    }

    #[test]
    fn every_refusal_has_its_code() {
        for (refusal, code) in [
            (Refusal::LineBusy, exit::UNSAFE),
            (Refusal::SiqCfg { cpu: 1, esr: 0 }, exit::INCONCLUSIVE),
            (Refusal::SiqCfg { cpu: 1, esr: 5 }, exit::TARGET),
            (Refusal::WorkerSilent(2), exit::TARGET_FAULT),
            (Refusal::NotOpen, exit::INTERNAL),
        ] {
            let mut o = outcome(checked(0));
            o.cells[0].1.refusal = Some(refusal);
            assert_eq!(exit_code(&o).code, code, "{refusal:?}");
        }
    }
}
