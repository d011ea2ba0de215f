//! What commands that measure have in common: from their options to the outcome of a plan.

use protocol::LineId;

use crate::error::Error;
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
}

/// Makes a plan for a target, with a spare line of it.
pub type Planner<'p> = &'p mut dyn FnMut(&mut Proxy<'_>, &Target, LineId) -> Result<Plan, Error>;

/// Opens the target, makes the plan and runs it. `with` is told everything beside the progress that the user sees, and may stop
/// it; with `lines` the progress has a line for every cell.
///
/// # Errors
/// What goes wrong before any CPU runs the firmware; [`Error::NeedsConsent`]; later failures are in the outcome.
pub fn run(
    cli: &Cli,
    args: &TargetArgs,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
) -> Result<Ran, Error> {
    run_keeping(cli, args, None, planner, with, lines)
}

/// Raw events that are to be kept ([`super::raw::RawArgs::open`]), and for which result.
pub struct Keep<'k> {
    /// Where.
    pub file: RawFile,
    /// The command, by which `replay` knows what to make of them.
    pub command: &'static str,
    /// What its result needs beside head and cells; asked once the plan is made.
    pub options: &'k dyn Fn() -> serde_json::Value,
}

/// The same; with `keep` every cell sends its events.
///
/// # Errors
/// Those of [`run`], and [`Error::OutputFile`].
pub fn run_keeping(
    cli: &Cli,
    args: &TargetArgs,
    keep: Option<Keep<'_>>,
    planner: Planner<'_>,
    with: &mut dyn Observer,
    lines: bool,
) -> Result<Ran, Error> {
    run_telling(cli, args, keep, planner, with, lines, &mut Vec::new())
}

/// The same; `told` becomes what has to be said about every result of the target, as soon as it is known: also where the run fails.
///
/// # Errors
/// Those of [`run_keeping`].
pub fn run_telling(
    cli: &Cli,
    args: &TargetArgs,
    keep: Option<Keep<'_>>,
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
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy).map_err(|e| e.at_step("reading the device tree"))?;
    let line = find_spare(&mut proxy, &target).map_err(|e| e.at_step("looking for a line"))?;
    let mut plan = planner(&mut proxy, &target, line)?;
    if keep.is_some() {
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
    let looked = Looked {
        spare: Some(line),
        pairs: false,
    };
    verify_layout(&mut proxy, &target, looked)
        .map_err(|e| e.at_step("verifying the controller's layout"))?;
    let mut both = session::Both(&mut progress, with);
    let context = Context {
        target_name: &args.target,
        seed: args.seed,
        target: &target,
        firmware: &firmware,
        marks,
        slice_ns,
    };
    let recorder = keep.map(|keep| start(keep, context.clone(), &plan));
    let mut recorder = recorder.transpose()?;
    let mut silent = Silent;
    let kept: &mut dyn Observer = match &mut recorder {
        Some(recorder) => recorder,
        None => &mut silent,
    };
    let mut all = session::Both(&mut both, kept);
    let ran = session::run(&mut proxy, &target, &firmware, &plan, args.seed, &mut all);
    let console = proxy.take_console();
    progress.on(Event::Console(&String::from_utf8_lossy(&console)));
    progress.finish(!matches!(&ran, Ok(outcome) if outcome.failure.is_none()));
    let mut outcome = ran?;
    if outcome.answers.hello.is_none() {
        // Nothing was measured, and there is nothing to say about it but why.
        let what = "starting".to_owned();
        let stopped = || Error::Proxy(ProxyError::Interrupted { what });
        return Err(outcome.failure.take().unwrap_or_else(stopped));
    }
    let head = head(context, &outcome)?;
    let mut verdict = exit_code(&outcome);
    if let Some(recorder) = recorder {
        verdict.kept(recorder.end(head.clone(), serde_json::Value::Null));
    }
    Ok(Ran {
        target,
        plan,
        outcome,
        head,
        verdict,
    })
}

fn start(keep: Keep<'_>, context: Context<'_>, plan: &Plan) -> Result<Recorder, Error> {
    keep.file.start(Opening {
        schema: raw::SCHEMA.to_owned(),
        run: raw::Run {
            command: keep.command.to_owned(),
            options: (keep.options)(),
            extra: serde_json::Value::Null,
        },
        head: head_before(context),
        cells: plan.cells.clone(),
    })
}

impl Ran {
    /// Adds something to be said about the result.
    pub fn mark(&mut self, mark: Mark) {
        self.head.marks.push(mark);
    }
}
