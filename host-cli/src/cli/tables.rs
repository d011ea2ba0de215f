//! `aicprobe tables`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::{Error, exit};
use crate::output::to_json;
use crate::socs::{self, Soc};
use crate::tables::{Tables, c, dts, every_file, markdown, rust};

use super::args::exit_codes;
use super::write::Sink;

/// Form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A header for C: an array of structures for a driver of the controller.
    C,
    /// The table of the crate aic-regs.
    Rust,
    /// A fragment of a device tree, of one SoC (needs --soc).
    Dts,
    /// JSON with schema "aicprobe.tables/1".
    Json,
    /// Markdown.
    Md,
}

/// Writes what is known of each SoC's interrupt routing: which CPUs take interrupts, what SIQ_CFG's values mean, who says so.
///
/// The same sources give the same bytes. Only what is listed was measured on hardware and is fit to be relied on; SoCs of which only a
/// model says anything are in no table for C, Rust or device trees.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct TablesArgs {
    /// Form of the tables.
    #[arg(long, value_enum, default_value_t = TableFormat::Md)]
    pub format: TableFormat,
    /// Only this SoC, like T8140, in any case.
    #[arg(long, value_name = "SOC")]
    pub soc: Option<String>,
    /// The SoCs of the files DIR/*.toml instead of those that are built in.
    #[arg(long, value_name = "DIR")]
    pub socs: Option<PathBuf>,
    /// Write the table to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write every form to its place in aicprobe's own source tree, whose root is DIR (`cargo xtask tables` does).
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "soc", "output"])]
    pub write: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Socs`] for files that make no sense; [`Error::Usage`] for a SoC that is not among them; errors of the output.
pub fn run(args: &TablesArgs) -> Result<u8, Error> {
    let loaded;
    let known: &[Soc] = match &args.socs {
        Some(folder) => {
            loaded = socs::load(folder)?;
            &loaded
        }
        None => socs::all().map_err(|e| Error::Internal(e.to_string()))?,
    };
    let chosen: Vec<&Soc> = match &args.soc {
        Some(name) => vec![find(known, name)?],
        None => known.iter().collect(),
    };
    if let Some(root) = &args.write {
        if !root.is_dir() {
            return Err(Error::Usage(format!(
                "--write {}: there is no such folder; allowed is the root of aicprobe's source tree",
                root.display()
            )));
        }
        for file in every_file(&chosen)? {
            let path = root.join(&file.path);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder).map_err(|why| Error::OutputFile {
                    what: format!("--write {}", folder.display()),
                    why,
                })?;
            }
            Sink::open(Some(&path))?.write(&file.text)?;
        }
        return Ok(exit::OK);
    }
    let text = match args.format {
        TableFormat::C => c(&chosen),
        TableFormat::Rust => rust(&chosen),
        TableFormat::Json => to_json(&Tables::new(&chosen))?,
        TableFormat::Md => markdown(&chosen),
        TableFormat::Dts => match (&args.soc, chosen.as_slice()) {
            (Some(_), [soc]) => dts(soc),
            _ => {
                return Err(Error::Usage(format!(
                    "--format dts: a device tree is that of one SoC: give --soc; allowed are {}",
                    names(known)
                )));
            }
        },
    };
    Sink::open(args.output.as_deref())?.write(&text)?;
    Ok(exit::OK)
}

fn names(known: &[Soc]) -> String {
    let names: Vec<&str> = known.iter().map(|soc| soc.soc.as_str()).collect();
    names.join(", ")
}

fn find<'a>(known: &'a [Soc], name: &str) -> Result<&'a Soc, Error> {
    let found = known.iter().find(|s| s.soc.eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        Error::Usage(format!(
            "--soc {name}: nothing is known of it; allowed are {}",
            names(known)
        ))
    })
}
