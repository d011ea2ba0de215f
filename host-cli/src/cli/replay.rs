//! `aicprobe replay`.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::error::{Error, exit};
use crate::output::{Form, render, render_routes};
use crate::raw::{RawError, ReplayResult, Replayed, read};
use crate::result::{Aic, Restore, RouteResult, route_result};
use crate::session::Silent;

use super::write::Sink;

/// Computes the result of a run again from nothing but the raw events that --raw FILE has kept: the same counts and percentiles. A
/// file that is cut is read as far as it goes (exit code 6); one that is damaged is refused, and told where. What events cannot tell
/// (fields read back, pending while masked, spurious exceptions) is taken from the counts beside them; where both tell something
/// they are compared (exit code 5 if they differ).
#[derive(Debug, Args)]
#[command(after_help = super::args::exit_codes())]
pub struct ReplayArgs {
    /// The file.
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
pub fn run(args: &ReplayArgs) -> Result<u8, Error> {
    let wrong = |why: RawError| Error::Raw {
        path: args.file.clone(),
        why,
    };
    let about = std::fs::metadata(&args.file).map_err(|e| wrong(e.into()))?;
    if about.is_dir() {
        return Err(wrong(
            std::io::Error::from(std::io::ErrorKind::IsADirectory).into(),
        ));
    }
    let sink = Sink::open(args.output.as_deref())?;
    let file = File::open(&args.file).map_err(|e| wrong(e.into()))?;
    let replayed = read(BufReader::new(file), &mut Silent).map_err(wrong)?;
    let text = if args.counts {
        render(&ReplayResult::of(&replayed)?, args.format)?
    } else {
        result_of(&replayed, args.format, &wrong)?
    };
    sink.write(&text)?;
    Ok(verdict(&replayed))
}

/// The result of the command that ran. A command that keeps events adds its own here.
fn result_of(
    replayed: &Replayed,
    form: Form,
    wrong: &dyn Fn(RawError) -> Error,
) -> Result<String, Error> {
    match replayed.run.command.as_str() {
        "route" => render_routes(&[&route(replayed, wrong)?], form),
        other => Err(wrong(RawError::Command(other.to_owned()))),
    }
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
