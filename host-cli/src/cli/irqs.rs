//! `aicprobe irqs`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::{Error, exit};
use crate::irqs::{IrqsReport, Listing};
use crate::output::{Form, render};
use crate::result::Mark;
use crate::target::{LineMap, Overrides, Place};

use super::adt::{parsed, read};
use super::args::exit_codes;
use super::lines::MOST_DIES;
use super::write::Sink;

/// Decodes every row of the interrupt controller in a copy of /proc/interrupts to die and line, and says which CPUs take interrupts.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct IrqsArgs {
    /// The listing.
    pub file: PathBuf,
    /// Name the owner of every line by the device tree in FILE.
    #[arg(long, value_name = "FILE")]
    pub adt: Option<PathBuf>,
    /// Form of the result: schema "aicprobe.irqs/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if the file is no listing, or the device tree has no controller.
pub fn run(args: &IrqsArgs) -> Result<u8, Error> {
    let wrong = |why| Error::Listing {
        path: args.file.clone(),
        why,
    };
    let listing = Listing::read(&args.file).map_err(wrong)?;
    let mut marks = Vec::new();
    let map = args.adt.as_deref().map(|path| owners(path, &mut marks));
    let map = map.transpose()?;
    let name = args.file.display().to_string();
    let report = IrqsReport::new(name, &listing, map.as_ref(), marks).map_err(wrong)?;
    let text = render(&report, args.format)?;
    Sink::open(args.output.as_deref())?.write(&text)?;
    Ok(exit::OK)
}

/// Owners of every line that the device tree in `path` names.
fn owners(path: &Path, marks: &mut Vec<Mark>) -> Result<LineMap, Error> {
    let origin = format!("--adt {}", path.display());
    let file = read(&origin, path)?;
    let tree = parsed(&origin, &file)?;
    let place = Place::from_tree(&tree, &Overrides::default(), marks)?;
    let text = format!(
        "owners are those of {}: nothing shows that the listing is of that machine",
        path.display()
    );
    marks.push(Mark::inferred("rows.owners", text));
    Ok(LineMap::from_tree(
        &tree,
        place.offline(u32::MAX, MOST_DIES),
    ))
}
