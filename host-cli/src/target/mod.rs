//! What a target is, found out without changing anything on it: boot arguments, device tree, CPUs, controller, lines.

mod aic;
mod boot_args;
mod cpus;
mod error;
mod lines;
mod soc;
mod spare;
#[cfg(test)]
mod tests;

use adt::Adt;

use crate::proxy::Proxy;

pub use aic::AicFacts;
pub use boot_args::BootArgs;
pub use cpus::{Core, CpuFacts};
pub use error::{LineError, TargetError};
pub use lines::{LineMap, Owner};
pub use soc::SocFacts;
pub use spare::{check_line, find_spare};

use crate::error::Error;
use crate::result::Mark;

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
}

impl Target {
    /// Reads a target through its loader.
    ///
    /// # Errors
    /// [`TargetError`] where boot arguments, device tree or controller are not usable; errors of the link.
    pub fn discover(proxy: &mut Proxy<'_>) -> Result<Self, Error> {
        let args = BootArgs::read(proxy)?;
        let mut blob = vec![0; args.devtree_size as usize];
        proxy.read_memory(args.devtree, &mut blob)?;
        let tree = Adt::new(&blob).map_err(TargetError::DeviceTree)?;
        let mut marks = Vec::new();
        let soc = SocFacts::from_tree(&tree);
        let cpus = cpus::from_tree(&tree, &mut marks)?;
        let place = aic::Place::from_tree(&tree, &mut marks)?;
        let aic = place.read(proxy, &mut marks)?;
        let lines = LineMap::from_tree(&tree, &aic.geometry);
        Ok(Self {
            soc,
            cpus,
            aic,
            lines,
            marks,
        })
    }
}
