//! `aicprobe adt`.

use std::path::{Path, PathBuf};

use adt::Adt;
use clap::Args;

use crate::error::{Error, exit};
use crate::output::{Form, render};
use crate::tree::{Listing, TreeFile, Wanted, listing_table};

use super::args::exit_codes;
use super::write::Sink;

/// Prints an Apple device tree: its binary form, zeros before it and anything behind it allowed.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct AdtArgs {
    /// The file.
    pub file: PathBuf,
    /// Only the nodes at this path, like /arm-io/aic. A name without @ means nodes with a unit address too.
    pub path: Option<String>,
    /// Only this property, at full length.
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// The controller of every interrupt of the nodes at the path and below.
    #[arg(long)]
    pub interrupts: bool,
    /// The windows of the nodes at the path and below: bus address as the tree states it, and physical address.
    #[arg(long)]
    pub reg: bool,
    /// Form of the result: schema "aicprobe.adt/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if the file is no device tree, or what is asked for is not in it.
pub fn run(args: &AdtArgs) -> Result<u8, Error> {
    let name = args.file.display().to_string();
    let file = read(&name, &args.file)?;
    let tree = parsed(&name, &file)?;
    let wanted = Wanted {
        path: args.path.clone(),
        property: args.property.clone(),
        interrupts: args.interrupts,
        reg: args.reg,
    };
    let sink = Sink::open(args.output.as_deref())?;
    let listing = Listing::new(name, &file, &tree, &wanted).map_err(|why| Error::TreeQuery {
        path: args.file.clone(),
        why,
    })?;
    sink.write(&match args.format {
        // A property that was asked for is shown to its end.
        Form::Table => listing_table(&listing, args.property.is_some()),
        form => render(&listing, form)?,
    })?;
    Ok(exit::OK)
}

/// Reads the device tree in `path`; errors name it as `origin`.
///
/// # Errors
/// [`Error::Tree`].
pub fn read(origin: &str, path: &Path) -> Result<TreeFile, Error> {
    TreeFile::read(path).map_err(|why| Error::Tree {
        origin: origin.to_owned(),
        why,
    })
}

/// The tree that was read.
///
/// # Errors
/// [`Error::Tree`].
pub fn parsed<'f>(origin: &str, file: &'f TreeFile) -> Result<Adt<'f>, Error> {
    file.tree().map_err(|why| Error::Tree {
        origin: origin.to_owned(),
        why,
    })
}
