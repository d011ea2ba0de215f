//! What a target is, found out without changing anything on it: boot arguments, device tree, CPUs, controller, lines.

mod aic;
pub(crate) mod block;
mod boot_args;
mod cpus;
mod error;
mod given_base;
mod levels;
mod lines;
#[cfg(test)]
mod look_tests;
mod overlap;
mod registers;
mod soc;
mod spare;
#[cfg(test)]
mod tests;
mod text;
mod uart;
mod verify;

use std::sync::Arc;

use adt::Adt;

use crate::proxy::Proxy;

pub use aic::{AicFacts, Place, STRIDES, generation_number};
pub use boot_args::BootArgs;
pub use cpus::{Core, CpuFacts};
pub use error::{LineError, TargetError};
pub use levels::{Level, Levels, Watch};
pub use lines::{Claim, LineMap, LineSpace, MsiRange, Owner, Route};
pub use registers::Registers;
pub use soc::SocFacts;
pub use spare::{
    Candidate, Objection, candidates, check_lines, find_spare, is_spare, objections,
    registers_objections,
};
pub use text::{node_path, printable, without_controls};
pub use uart::{Raised, Uart, UartError};
pub use verify::{Looked, verify_layout, verify_pairs};

use crate::error::Error;
use crate::result::Mark;

/// What stands in for what cannot be read on a target.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The device tree.
    pub adt: Option<AdtFile>,
    /// Physical address of the interrupt controller.
    pub aic_base: Option<u64>,
    /// Lines per die that the controller's layout has room for: a multiple of 32 up to 0x1000.
    pub max_irq: Option<u32>,
}

/// A device tree that does not come from the target.
#[derive(Clone, Debug)]
pub struct AdtFile {
    /// Where it comes from.
    pub origin: String,
    /// Its bytes.
    pub blob: Vec<u8>,
}

/// Everything known about a target before anything runs on it.
#[derive(Clone, Debug)]
pub struct Target {
    /// Chip and board.
    pub soc: SocFacts,
    /// CPUs by logical id: the boot CPU first, then device-tree order.
    pub cpus: Vec<CpuFacts>,
    /// The interrupt controller.
    pub aic: AicFacts,
    /// Lines that somebody owns.
    pub lines: LineMap,
    /// What was inferred instead of read.
    pub marks: Vec<Mark>,
    /// The device tree that all this is from.
    pub tree: Arc<[u8]>,
}

impl Target {
    /// Reads a target through its loader.
    ///
    /// # Errors
    /// [`TargetError`] where boot arguments, device tree or controller are not usable; errors of the link.
    pub fn discover(proxy: &mut Proxy<'_>) -> Result<Self, Error> {
        Self::discover_with(proxy, &Overrides::default())
    }

    /// The same, with what the user knows better than the target says it. Each use of that is marked.
    ///
    /// # Errors
    /// Those of [`Target::discover`].
    pub fn discover_with(proxy: &mut Proxy<'_>, given: &Overrides) -> Result<Self, Error> {
        let mut marks = Vec::new();
        let read: Vec<u8>;
        let (tree, bytes) = if let Some(file) = &given.adt {
            let origin = &file.origin;
            let text = format!("from the device tree in {origin} (--adt), not the target's");
            marks.push(Mark::inferred("soc, aic, cpus", text));
            let tree = Adt::new(&file.blob).map_err(|why| TargetError::AdtFile {
                origin: origin.clone(),
                why,
            })?;
            (tree, &file.blob)
        } else {
            read = read_tree(proxy, &mut marks)?;
            let tree = Adt::new(&read).map_err(TargetError::DeviceTree)?;
            (tree, &read)
        };
        let soc = SocFacts::from_tree(&tree);
        let cpus = cpus::from_tree(&tree, &mut marks)?;
        if let Some(base) = given.aic_base {
            given_base::check(proxy, &tree, base)?;
        }
        let place = aic::Place::from_tree(&tree, given, &mut marks)?;
        let aic = place.read(proxy, &mut marks)?;
        let lines = LineMap::from_tree(&tree, &aic.geometry);
        Ok(Self {
            soc,
            cpus,
            aic,
            lines,
            marks,
            tree: bytes.as_slice().into(),
        })
    }
}

/// The target's own device tree.
fn read_tree(proxy: &mut Proxy<'_>, marks: &mut Vec<Mark>) -> Result<Vec<u8>, Error> {
    let args = BootArgs::read(proxy)?;
    if !args.is_known() {
        let text = format!(
            "boot arguments of revision {}: read as those of revision 3",
            args.revision
        );
        marks.push(Mark::inferred("soc, aic, cpus", text));
    }
    let mut blob = vec![0; args.devtree_size as usize];
    proxy.read_memory(args.devtree, &mut blob)?;
    Ok(blob)
}
