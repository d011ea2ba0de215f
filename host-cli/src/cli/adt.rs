//! `aicprobe adt`.

use std::path::Path;

use adt::Adt;

use crate::error::{Error, exit};
use crate::output::to_json;
use crate::tree::{Listing, TreeFile, Wanted, listing_table};

use super::args::{AdtArgs, Format};
use super::write::Sink;

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
        Format::Json => to_json(&listing)?,
        Format::Table => listing_table(&listing, args.property.is_some()),
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
