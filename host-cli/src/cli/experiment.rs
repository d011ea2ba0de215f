//! What commands that measure have in common: from their options to the outcome of a plan.

use protocol::LineId;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::plan::{Estimate, Plan};
use crate::proxy::{Proxy, ProxyError};
use crate::result::{Context, Head, Mark, head};
use crate::session::{self, Event, Observer, Outcome};
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
    let firmware = Firmware::load(args.firmware.as_deref())?;
    interrupt::install_telling(cli.quiet);
    let mut opened = open_with(&args.target, args.seed, &args.link, args.loader.as_deref())?;
    let (marks, slice_ns, hardware) = (opened.marks.clone(), opened.slice_ns, opened.hardware);
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy).map_err(|e| e.at_step("reading the device tree"))?;
    let line = find_spare(&mut proxy, &target).map_err(|e| e.at_step("looking for a line"))?;
    let plan = planner(&mut proxy, &target, line)?;
    let estimate = Estimate::of(&plan);
    if hardware && estimate.needs_consent() && !args.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    let nothing = Plan::of(Vec::new());
    let shown = if lines { &plan } else { &nothing };
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, shown);
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
    let mut both = Both {
        shown: &mut progress,
        with,
        lines,
    };
    let ran = session::run(&mut proxy, &target, &firmware, &plan, args.seed, &mut both);
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
    let context = Context {
        target_name: &args.target,
        seed: args.seed,
        target: &target,
        firmware: &firmware,
        marks,
        slice_ns,
    };
    let head = head(context, &outcome)?;
    let verdict = exit_code(&outcome);
    Ok(Ran {
        target,
        plan,
        outcome,
        head,
        verdict,
    })
}

impl Ran {
    /// Adds something to be said about the result.
    pub fn mark(&mut self, mark: Mark) {
        self.head.marks.push(mark);
    }
}

/// Two observers.
struct Both<'o> {
    shown: &'o mut Progress,
    with: &'o mut dyn Observer,
    lines: bool,
}

impl Observer for Both<'_> {
    fn on(&mut self, event: Event<'_>) {
        match &event {
            // A line for each of thousands of cells would tell nobody anything.
            Event::Progress { .. } | Event::Done { .. } if !self.lines => {}
            _ => self.shown.on(event),
        }
        self.with.on(event);
    }

    fn stop(&self) -> bool {
        self.shown.stop() || self.with.stop()
    }
}
