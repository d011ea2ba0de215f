//! Sides that are measured, in turns.

use std::collections::BTreeSet;
use std::path::Path;

use crate::compare::{Comparable as _, Run, WhichSide};
use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::live::About;
use crate::output::to_json;
use crate::plan::{Estimate, Request};
use crate::result::RouteResult;
use crate::route::{Planned, Setting, make_plan_forced, measure};
use crate::session::{Event, Observer as _, Outcome};
use crate::target::Target;

use super::super::args::Cli;
use super::super::open::open_with;
use super::super::progress::Progress;
use super::super::route::exit_code;
use super::super::write::Sink;
use super::args::{CompareArgs, SideArgs};

/// A target of one side.
pub struct Live<'a> {
    which: WhichSide,
    name: &'a str,
    settings: &'a SideArgs,
    request: Request,
    firmware: Firmware,
    first_seed: u64,
    /// The other side names cells, so that this one fires from every CPU instead of running the default plan.
    custom: bool,
}

/// What came of all runs.
pub struct Measured {
    /// By side; `None` for one that was not to be measured.
    pub runs: [Option<Vec<Run>>; 2],
    /// The worst thing that happened.
    pub code: u8,
    /// The run in which the user stopped it, in words: it is not among the runs.
    pub interrupted: Option<String>,
    /// What to tell on standard error.
    pub messages: Vec<String>,
}

impl<'a> Live<'a> {
    /// Reads what the settings name; `seed` is that of the first run where they do not say.
    ///
    /// # Errors
    /// [`Error::Side`].
    pub fn new(
        which: WhichSide,
        name: &'a str,
        settings: &'a SideArgs,
        seed: u64,
        custom: bool,
    ) -> Result<Self, Error> {
        let firmware = Firmware::load(settings.firmware.as_deref()).map_err(|e| of(which, e))?;
        Ok(Self {
            which,
            name,
            settings,
            request: settings.request(),
            firmware,
            first_seed: settings.seed.unwrap_or(seed),
            custom,
        })
    }
}

fn of(which: WhichSide, why: Error) -> Error {
    Error::Side {
        side: which.name(),
        why: Box::new(why),
    }
}

/// Measures the sides in turns: A, B, A, B, … A run that does not come to its end is the last.
///
/// # Errors
/// [`Error::Side`] for what goes wrong before anything is measured in a run; [`Error::OutputFile`].
pub fn alternate(
    cli: &Cli,
    args: &CompareArgs,
    sides: &[Option<Live<'_>>; 2],
) -> Result<Measured, Error> {
    if let Some(folder) = &args.keep {
        std::fs::create_dir_all(folder).map_err(|why| Error::OutputFile {
            what: format!("--keep {}", folder.display()),
            why,
        })?;
    }
    let mut measured = Measured {
        runs: [0, 1].map(|i| sides[i].as_ref().map(|_| Vec::new())),
        code: exit::OK,
        interrupted: None,
        messages: Vec::new(),
    };
    let each = sides.iter().flatten().count() as u32;
    let mut made = 0;
    // Said once: where there can be no dashboard there will be none for the next run either.
    let mut live = args.live;
    for round in 0..args.alternate {
        for (side, runs) in sides.iter().zip(&mut measured.runs) {
            let (Some(side), Some(runs)) = (side, runs) else {
                continue;
            };
            made += 1;
            let name = format!("side {}, run {}", side.which.name(), round + 1);
            let shown = format!(
                "side {}, run {made} of {}",
                side.which.name(),
                each * args.alternate
            );
            let (outcome, result) = match once(cli, args, side, round, (&shown, &mut live)) {
                Err(e) if e.exit_code() == exit::INTERRUPTED => {
                    measured.stop(&name);
                    return Ok(measured);
                }
                done => done.map_err(|e| of(side.which, e))?,
            };
            let verdict = exit_code(&outcome);
            if verdict.code == exit::INTERRUPTED {
                measured.stop(&name);
                return Ok(measured);
            }
            let messages = verdict.messages.iter().map(|m| format!("{name}: {m}"));
            measured.messages.extend(messages);
            if measured.code == exit::OK {
                measured.code = verdict.code;
            }
            if let Some(result) = result {
                if let Some(folder) = &args.keep {
                    keep(folder, side.which, round, &result)?;
                }
                let origin = format!("run {} (seed {})", round + 1, result.seed);
                let run = result.to_run(&origin).map_err(Error::Internal)?;
                runs.push(run);
            }
            let ended = outcome.failure.is_some() || outcome.interrupted;
            if ended || !outcome.restoring.is_restored() {
                return Ok(measured);
            }
        }
    }
    Ok(measured)
}

fn keep(folder: &Path, which: WhichSide, round: u32, result: &RouteResult) -> Result<(), Error> {
    let name = format!("{}-{}.json", which.name().to_lowercase(), round + 1);
    Sink::open(Some(&folder.join(name)))?.write(&to_json(result)?)
}

impl Measured {
    /// The user stopped it in the run of this name.
    fn stop(&mut self, name: &str) {
        self.interrupted = Some(name.to_owned());
        if self.code == exit::OK {
            self.code = exit::INTERRUPTED;
        }
    }
}

/// One run of one side. `shown`: which one it is, and whether there is to be a dashboard.
fn once(
    cli: &Cli,
    args: &CompareArgs,
    side: &Live<'_>,
    round: u32,
    (shown, live): (&str, &mut bool),
) -> Result<(Outcome, Option<RouteResult>), Error> {
    let seed = side.first_seed.wrapping_add(round.into());
    let loader = side.settings.loader.as_deref();
    let mut opened = open_with(side.name, seed, &args.link, loader)?;
    let (marks, slice_ns, hardware) = (opened.marks.clone(), opened.slice_ns, opened.hardware);
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy).map_err(|e| e.at_step("reading the device tree"))?;
    let mut request = side.request.clone();
    let everybody = side.custom && !request.is_custom();
    if everybody {
        request.fire_cpus = target.cpus.iter().map(|c| c.id.into()).collect();
    }
    let Planned {
        mut plan,
        marks: notes,
        looked,
    } = make_plan_forced(&mut proxy, &target, &request, false)
        .map_err(|e| e.at_step("looking for a line"))?;
    // Nobody named them, so one that is not there is left out.
    plan.fire_named &= !everybody;
    let estimate = Estimate::of(&plan);
    let all = Estimate {
        expected_ms: estimate.expected_ms.saturating_mul(args.alternate.into()),
        worst_ms: estimate.worst_ms.saturating_mul(args.alternate.into()),
    };
    if hardware && all.needs_consent() && !args.yes {
        let minutes = all.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &plan);
    if *live {
        let about = About::new(side.name, &target, &marks, &plan);
        progress.live(about.of_run(shown.to_owned()))?;
        *live = progress.is_live();
    }
    progress.on(Event::Step(&format!(
        "side {}, run {} of {}: {} cells on {}, {estimate}",
        side.which.name(),
        round + 1,
        args.alternate,
        plan.cells.len(),
        side.name
    )));
    let setting = Setting {
        target_name: side.name.to_owned(),
        seed,
        marks: marks.into_iter().chain(notes).collect(),
        slice_ns,
        looked,
    };
    let measured = measure(
        &mut proxy,
        &target,
        &side.firmware,
        &plan,
        &setting,
        &mut progress,
    );
    let failed = !matches!(&measured, Ok((outcome, _)) if outcome.failure.is_none());
    let console = proxy.take_console();
    progress.on(Event::Console(&String::from_utf8_lossy(&console)));
    progress.finish(failed);
    measured
}

/// Whether the two sides fired different lines.
pub fn lines_differ(runs: &[Vec<Run>; 2]) -> bool {
    let lines = |runs: &[Run]| -> BTreeSet<String> {
        let samples = runs.iter().flat_map(|r| &r.samples);
        samples
            .filter_map(|s| s.key.0.get("line").cloned())
            .collect()
    };
    lines(&runs[0]) != lines(&runs[1])
}
