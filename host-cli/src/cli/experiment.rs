//! What commands that measure have in common: from their options to the outcome of a plan.

use protocol::LineId;

use crate::error::Error;
use crate::evidence::Evidence;
use crate::firmware::Firmware;
use crate::live::About;
use crate::plan::{Estimate, Plan};
use crate::proxy::{Proxy, ProxyError};
use crate::raw::{self, Opening, RawFile, Recorder};
use crate::result::{Context, Head, Mark, head, head_before};
use crate::session::{self, Event, Observer, Outcome, Silent};
use crate::target::{Looked, Target, find_spare, verify_layout};

use super::args::{Cli, TargetArgs};
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::route::{Verdict, exit_code};

/// A plan that ran.
pub struct Ran {
    /// What was found out about the target.
    pub target: Target,
    /// What was to be done.
    pub plan: Plan,
    /// What came of it.
    pub outcome: Outcome,
    /// What the result begins with.
    pub head: Head,
    /// How the run counts.
    pub verdict: Verdict,
    /// The file of raw events, where it is the command that ends it.
    pub recorder: Option<Recorder>,
}

/// Makes a plan for a target, with a spare line of it.
pub type Planner<'p> = &'p mut dyn FnMut(&mut Proxy<'_>, &Target, LineId) -> Result<Plan, Error>;

/// What is to be kept of a run, and for which result.
pub struct Keep<'k> {
    /// Its raw events ([`super::raw::RawArgs::open`]).
    pub raw: Option<RawFile>,
    /// Its evidence ([`super::evidence::EvidenceArgs::open`]), which is to be ended with the result ([`super::evidence::finish`]).
    pub evidence: &'k mut Option<Evidence>,
    /// The command, by which `replay` knows what to make of them.
    pub command: &'static str,
    /// What its result needs beside head and cells; asked once the plan is made.
    pub options: &'k dyn Fn() -> serde_json::Value,
}

/// Opens the target, makes the plan and runs it, and keeps what is to be kept: for raw events every cell sends its own. `with` is told
/// everything beside the progress that the user sees, and may stop it; with `lines` the progress has a line for every cell.
///
/// # Errors
/// What goes wrong before any CPU runs the firmware; [`Error::NeedsConsent`]; [`Error::OutputFile`]; later failures are in the outcome.
pub fn run(
    cli: &Cli,
    args: &TargetArgs,
    keep: Keep<'_>,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
) -> Result<Ran, Error> {
    run_telling(cli, args, keep, planner, with, lines, &mut Vec::new())
}

/// The same; `told` becomes what has to be said about every result of the target, as soon as it is known: also where the run fails.
///
/// # Errors
/// Those of [`run`].
pub fn run_telling(
    cli: &Cli,
    args: &TargetArgs,
    keep: Keep<'_>,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
    told: &mut Vec<Mark>,
) -> Result<Ran, Error> {
    let mut ran = run_and_keep_open(cli, args, keep, planner, with, lines, told)?;
    ran.end(serde_json::Value::Null);
    Ok(ran)
}

/// The same for a command whose result has more parts: it ends the file of raw events ([`Ran::end`]).
///
/// # Errors
/// Those of [`run`].
pub fn run_and_keep_open(
    cli: &Cli,
    args: &TargetArgs,
    mut keep: Keep<'_>,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
    told: &mut Vec<Mark>,
) -> Result<Ran, Error> {
    let ran = keeping(cli, args, &mut keep, planner, with, lines, told);
    if let (Err(why), Some(evidence)) = (&ran, keep.evidence) {
        evidence.ended_by(why);
    }
    ran
}

fn keeping(
    cli: &Cli,
    args: &TargetArgs,
    keep: &mut Keep<'_>,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
    told: &mut Vec<Mark>,
) -> Result<Ran, Error> {
    let firmware = Firmware::load(args.firmware.as_deref())?;
    interrupt::install_telling(cli.quiet);
    let mut opened = open_with(&args.target, args.seed, &args.link, args.loader.as_deref())?;
    let (marks, slice_ns, hardware) = (opened.marks.clone(), opened.slice_ns, opened.hardware);
    told.clone_from(&marks);
    let machine = opened.machine.clone();
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy).map_err(|e| e.at_step("reading the device tree"))?;
    let context = Context {
        target_name: &args.target,
        seed: args.seed,
        target: &target,
        firmware: &firmware,
        marks: marks.clone(),
        slice_ns,
    };
    if let Some(evidence) = &mut keep.evidence {
        let looked = evidence.look(&mut proxy, context.clone(), &machine);
        looked.map_err(|e| e.at_step("looking at loader and controller"))?;
    }
    let line = find_spare(&mut proxy, &target).map_err(|e| e.at_step("looking for a line"))?;
    let mut plan = planner(&mut proxy, &target, line)?;
    if keep.raw.is_some() {
        plan.cells.iter_mut().for_each(|cell| cell.raw = true);
    }
    let plan = plan;
    let estimate = Estimate::of(&plan);
    if hardware && estimate.needs_consent() && !args.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &plan);
    if !lines {
        progress = progress.without_cells();
    }
    if args.live {
        progress.live(About::new(&args.target, &target, &marks, &plan))?;
    }
    let cells = plan.cells.len() + plan.questions.len();
    progress.on(Event::Step(&format!(
        "{cells} cells on {}, {estimate}",
        args.target
    )));
    if let Some(evidence) = &mut keep.evidence {
        let begun = evidence.begin(&mut proxy, context.clone(), &plan, (keep.options)());
        begun.map_err(|e| e.at_step("looking at the lines"))?;
    }
    let looked = Looked {
        spare: Some(line),
        pairs: false,
    };
    verify_layout(&mut proxy, &target, looked)
        .map_err(|e| e.at_step("verifying the controller's layout"))?;
    let mut both = session::Both(&mut progress, with);
    let recorder = start(keep, context.clone(), &plan);
    let mut recorder = recorder.transpose()?;
    let (mut no_events, mut no_evidence) = (Silent, Silent);
    let events: &mut dyn Observer = match &mut recorder {
        Some(recorder) => recorder,
        None => &mut no_events,
    };
    let files: &mut dyn Observer = match &mut keep.evidence {
        Some(evidence) => evidence,
        None => &mut no_evidence,
    };
    let mut kept = session::Both(events, files);
    let mut all = session::Both(&mut both, &mut kept);
    let ran = session::run(&mut proxy, &target, &firmware, &plan, args.seed, &mut all);
    let console = proxy.take_console();
    let console = String::from_utf8_lossy(&console);
    all.on(Event::Console(&console));
    progress.finish(!matches!(&ran, Ok(outcome) if outcome.failure.is_none()));
    let mut outcome = ran?;
    if outcome.answers.hello.is_none() {
        // Nothing was measured, and there is nothing to say about it but why.
        let what = "starting".to_owned();
        let stopped = || Error::Proxy(ProxyError::Interrupted { what });
        return Err(outcome.failure.take().unwrap_or_else(stopped));
    }
    let head = head(context, &outcome)?;
    let verdict = exit_code(&outcome);
    if let Some(evidence) = &mut keep.evidence {
        evidence.after(&mut proxy, &target, &outcome, &head);
    }
    Ok(Ran {
        target,
        plan,
        outcome,
        head,
        verdict,
        recorder,
    })
}

fn start(
    keep: &mut Keep<'_>,
    context: Context<'_>,
    plan: &Plan,
) -> Option<Result<Recorder, Error>> {
    let opening = Opening {
        schema: raw::SCHEMA.to_owned(),
        run: raw::Run {
            command: keep.command.to_owned(),
            options: (keep.options)(),
            extra: serde_json::Value::Null,
        },
        head: head_before(context),
        cells: plan.cells.clone(),
    };
    keep.raw.take().map(|file| file.start(opening))
}

impl Ran {
    /// Adds something to be said about the result.
    pub fn mark(&mut self, mark: Mark) {
        self.head.marks.push(mark);
    }

    /// Ends the file of raw events, if there is one, with the head as it is; `extra`: further parts of the result.
    pub fn end(&mut self, extra: serde_json::Value) {
        if let Some(recorder) = self.recorder.take() {
            self.verdict.kept(recorder.end(self.head.clone(), extra));
        }
    }
}
