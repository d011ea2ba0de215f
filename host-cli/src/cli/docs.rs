//! `aicprobe docs`.

use std::path::PathBuf;

use clap::Args;

use crate::docs::{Report, pages};
use crate::error::{Error, exit};

use super::args::exit_codes;
use super::write::Sink;

/// Writes the register reference and the list of errors as Markdown; with saved results of `observe` and `fields` also the
/// catalogue of observed behaviour, one part for each.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct DocsArgs {
    /// Results of `observe` and `fields`, saved with --format json.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write registers.md, errors.md and observed.md to DIR, instead of all of them to standard output.
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Observed`] for a file that is no such result; [`Error::OutputFile`], [`Error::Output`].
pub fn run(args: &DocsArgs) -> Result<u8, Error> {
    let mut reports = Vec::new();
    for path in &args.files {
        let report = Report::read(path).map_err(|why| Error::Observed {
            path: path.clone(),
            why,
        })?;
        reports.push(report);
    }
    let pages = pages(&reports);
    let Some(folder) = &args.dir else {
        let texts: Vec<String> = pages.into_iter().map(|page| page.text).collect();
        Sink::Stdout.write(&texts.join("\n"))?;
        return Ok(exit::OK);
    };
    let failed = |path: &std::path::Path, why| Error::OutputFile {
        what: format!("--dir {}", path.display()),
        why,
    };
    std::fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
    for page in pages {
        let path = folder.join(page.file);
        std::fs::write(&path, page.text).map_err(|why| failed(&path, why))?;
    }
    Ok(exit::OK)
}
