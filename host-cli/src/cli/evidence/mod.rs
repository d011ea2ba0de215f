//! `aicprobe evidence`.

mod args;
pub mod replay;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::error::{Error, exit};
use crate::evidence::{CheckResult, ShowResult, Stored, diff};
use crate::output::{Document, Form, render};

use super::args::exit_codes;
use super::write::{Sink, no_input};

pub use args::{EvidenceArgs, finish, finish_with};

/// What to do with evidence.
#[derive(Debug, Subcommand)]
pub enum EvidenceCommand {
    /// Show what it holds, also where it is cut.
    Show(ShowArgs),
    /// Compare every file with the manifest; exit code 5 if anything was changed, is missing or does not belong there.
    Check(ShowArgs),
    /// Show what is different between two runs: builds, loader, device tree, registers, counts, verdicts.
    Diff(DiffArgs),
}

/// Which evidence, and how it is shown.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct ShowArgs {
    /// A directory or .tar.zst that --evidence made.
    pub path: PathBuf,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write it to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Which two.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct DiffArgs {
    /// One.
    pub a: PathBuf,
    /// The other.
    pub b: PathBuf,
    /// Exit code 5 if anything is different.
    #[arg(long)]
    pub fail_on_difference: bool,
    /// Form of the output.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write it to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Evidence`]; errors of the output.
pub fn run(command: &EvidenceCommand) -> Result<u8, Error> {
    match command {
        EvidenceCommand::Show(args) | EvidenceCommand::Check(args) => {
            no_input(args.output.as_deref(), &[&args.path])?;
        }
        EvidenceCommand::Diff(args) => no_input(args.output.as_deref(), &[&args.a, &args.b])?,
    }
    match command {
        EvidenceCommand::Show(args) => {
            let stored = read(&args.path)?;
            let shown = ShowResult::of(&stored).map_err(|why| wrong(&args.path, why))?;
            write(&shown, args.format, args.output.as_deref())?;
            Ok(exit::OK)
        }
        EvidenceCommand::Check(args) => {
            let checked = CheckResult::of(&args.path).map_err(|why| wrong(&args.path, why))?;
            write(&checked, args.format, args.output.as_deref())?;
            for p in &checked.problems {
                say!("aicprobe: {}: {}", p.file.escape_debug(), p.problem);
            }
            Ok(if checked.good { exit::OK } else { exit::RULE })
        }
        EvidenceCommand::Diff(args) => {
            let (a, b) = (read(&args.a)?, read(&args.b)?);
            // Which of the two cannot be read is known here.
            for (path, side) in [(&args.a, &a), (&args.b, &b)] {
                side.run().map_err(|why| wrong(path, why))?;
            }
            let made = diff(&a, &b).map_err(|why| wrong(&args.a, why))?;
            write(&made, args.format, args.output.as_deref())?;
            for note in &made.notes {
                say!("aicprobe: {note}");
            }
            Ok(if args.fail_on_difference && made.count > 0 {
                exit::RULE
            } else {
                exit::OK
            })
        }
    }
}

fn read(path: &Path) -> Result<Stored, Error> {
    Stored::read(path).map_err(|why| wrong(path, why))
}

fn wrong(path: &Path, why: crate::evidence::EvidenceError) -> Error {
    Error::Evidence {
        path: path.to_owned(),
        why,
    }
}

fn write<D: Document>(made: &D, format: Form, output: Option<&Path>) -> Result<(), Error> {
    Sink::open(output)?.write(&render(made, format)?)
}
