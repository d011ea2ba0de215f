//! `aicprobe report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::error::{Error, exit};
use crate::report::{Input, ReportError, markdown, page, read};

use super::args::exit_codes;
use super::write::{Sink, no_input};

/// Form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// One page that needs nothing beside itself.
    Html,
    /// The short form, for the body of a pull request.
    Markdown,
}

/// Makes one page of results that were saved with --format json and of evidence: verdict, rules with counts and bounds, who takes
/// interrupts, truth tables, latencies, storms, soaks, registers before and after, and where each claim comes from. The page loads nothing
/// and runs no script; the same inputs make the same bytes. Verdicts are those of the inputs: the exit code does not tell them.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct ReportArgs {
    /// Evidence (a directory or .tar.zst that --evidence made) or the saved JSON result of verify, route, fields, latency, handoff, storm,
    /// soak, observe or compare; up to 64 MiB each.
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Form of the report.
    #[arg(long, value_enum, default_value_t = ReportForm::Html)]
    pub format: ReportForm,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Report`] for an input that is none; errors of the output.
pub fn run(args: &ReportArgs) -> Result<u8, Error> {
    let named: Vec<&Path> = args.inputs.iter().map(PathBuf::as_path).collect();
    no_input(args.output.as_deref(), &named)?;
    let inputs = args.inputs.iter().map(|path| {
        let path = path.clone();
        read(&path).map_err(|why| match why {
            // The same words and exit codes as of other commands that read evidence.
            ReportError::Evidence(why) => Error::Evidence { path, why },
            why => Error::Report {
                path,
                why: Box::new(why),
            },
        })
    });
    let inputs = inputs.collect::<Result<Vec<Input>, Error>>()?;
    let text = match args.format {
        ReportForm::Html => page(&inputs),
        ReportForm::Markdown => markdown(&inputs),
    };
    Sink::open(args.output.as_deref())?.write(&text)?;
    Ok(exit::OK)
}
