//! `aicprobe replay`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::error::{Error, exit};
use crate::fields;
use crate::handoff;
use crate::latency::{self, Around, Pairs};
use crate::output::{Form, render, render_routes};
use crate::plan::Plan;
use crate::raw::{RawError, ReplayResult, Replayed, read};
use crate::result::{Aic, Restore, RouteResult, route_result};
use crate::session::{Event, Observer, Silent};
use crate::soak;

use super::args::Cli;
use super::evidence::replay as evidence;
use super::write::{Sink, no_input};

/// Computes the result of a run again: from nothing but the raw events that --raw FILE has kept, or from the plan and the counts of
/// the evidence that --evidence PATH has kept, and then compares it with the run's own (exit code 5 if they differ). A
/// file of events that is cut is read as far as it goes (exit code 6); one that is damaged is refused, and told where. What events cannot tell
/// (fields read back, pending while masked, spurious exceptions) is taken from the counts beside them; where both tell something
/// they are compared (exit code 5 if they differ).
#[derive(Debug, Args)]
#[command(after_help = super::args::exit_codes())]
pub struct ReplayArgs {
    /// The file of events; or evidence, a directory or .tar.zst.
    pub file: PathBuf,
    /// Show what the events alone say, cell by cell, schema "aicprobe.replay/1", instead of the command's own result.
    #[arg(long)]
    pub counts: bool,
    /// Form of the result: that of the command that ran.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// What the result of `route` has beside the head and the cells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RouteExtra {
    /// The controller.
    pub aic: Aic,
    /// How the restoring was checked.
    pub restore: Restore,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a result.
pub fn run(cli: &Cli, args: &ReplayArgs) -> Result<u8, Error> {
    no_input(args.output.as_deref(), &[&args.file])?;
    if evidence::is_evidence(&args.file) {
        return evidence::run(args);
    }
    let wrong = |why: RawError| Error::Raw {
        path: args.file.clone(),
        why,
    };
    let sink = Sink::open(args.output.as_deref())?;
    let file = File::open(&args.file).map_err(|e| wrong(e.into()))?;
    let replayed = read(BufReader::new(file), &mut Silent).map_err(wrong)?;
    let text = if args.counts {
        render(&ReplayResult::of(&replayed)?, args.format)?
    } else {
        result_of(args, &replayed, &wrong)?
    };
    sink.write(&text)?;
    if !cli.quiet {
        // Not in the result: that is the run's, to the byte.
        let events = replayed.totals.events;
        say!("aicprobe: computed again from {events} raw events");
    }
    Ok(verdict(&replayed))
}

/// The result of the command that ran. A command that keeps events adds its own here.
fn result_of(
    args: &ReplayArgs,
    replayed: &Replayed,
    wrong: &dyn Fn(RawError) -> Error,
) -> Result<String, Error> {
    let form = args.format;
    let (head, cells) = (replayed.head.clone(), &replayed.cells);
    match replayed.run.command.as_str() {
        "route" => render_routes(&[&route(replayed, wrong)?], form),
        "fields" => {
            let kept: fields::Kept = replayed.options().map_err(wrong)?;
            let mut report = fields::made(head, cells, &kept);
            // A file that is cut has none, nor has a run that did not come so far.
            if let Some(later) = replayed.extra::<Option<fields::Later>>().map_err(wrong)? {
                report.add(later);
            }
            render(&report, form)
        }
        "handoff" => render(&handoff::report(head, cells)?, form),
        "latency" => {
            let kept: latency::Kept = replayed.options().map_err(wrong)?;
            let mut around = Following::default();
            follow(args, &mut around).map_err(wrong)?;
            let planned = Pairs {
                plan: Plan::of(cells.iter().map(|(cell, _)| cell.clone()).collect()),
                of: kept.of,
                marks: kept.marks,
            };
            let around = &around.around;
            let made = latency::result(head, &kept.ask, &planned, kept.line, cells, around)?;
            render(&made, form)
        }
        "soak" => {
            let kept: soak::Kept = replayed.options().map_err(wrong)?;
            let (hz, cpus) = (head.counter.hz, head.cpus.len());
            let intervals = soak::Intervals::new(kept.ask.interval_ms, hz, cpus, kept.keep);
            let mut following = Following {
                intervals: Some(intervals),
                ..Following::default()
            };
            follow(args, &mut following).map_err(wrong)?;
            let Following { around, intervals } = following;
            let intervals = intervals.ok_or_else(|| Error::Internal("no intervals".into()))?;
            let found = (kept.line, kept.expected);
            let made = soak::result(head, &kept.ask, found, cells, intervals, &around)?;
            render(&made, form)
        }
        other => Err(wrong(RawError::Command(other.to_owned()))),
    }
}

/// What results are made of beside counts: the last events of a cell, and intervals.
#[derive(Default)]
struct Following {
    around: Around,
    intervals: Option<soak::Intervals>,
}

impl Observer for Following {
    fn on(&mut self, event: Event<'_>) {
        self.around.on(&event);
        if let Some(intervals) = &mut self.intervals {
            intervals.on(&event);
        }
    }
}

/// Reads the file once more, with everything told to `observer`: what it has to be asked for is only known after the first time.
fn follow(args: &ReplayArgs, observer: &mut dyn Observer) -> Result<(), RawError> {
    let file = File::open(&args.file)?;
    read(BufReader::new(file), observer).map(drop)
}

fn route(replayed: &Replayed, wrong: &dyn Fn(RawError) -> Error) -> Result<RouteResult, Error> {
    let RouteExtra { aic, restore } = replayed.extra().map_err(wrong)?;
    route_result(replayed.head.clone(), aic, restore, &replayed.cells)
}

fn verdict(replayed: &Replayed) -> u8 {
    for difference in &replayed.differences {
        say!("aicprobe: {difference}");
    }
    if let Some(at) = replayed.cut {
        say!("aicprobe: the file is cut after byte {at}: the result is of what comes before");
    }
    let dropped = replayed.totals.dropped;
    if dropped > 0 {
        say!("aicprobe: {dropped} events are missing: the target dropped them");
    }
    if !replayed.differences.is_empty() {
        exit::RULE
    } else if replayed.cut.is_some() || dropped > 0 {
        exit::INCONCLUSIVE
    } else {
        exit::OK
    }
}
