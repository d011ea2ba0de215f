//! The virtual machine with its loader and link.

use core::time::Duration;

use crate::machine::Machine;
use crate::model::{ModelError, SocModel};
use crate::soc::SocBus;

use super::{RunStats, StateSnapshot};

/// A virtual SoC whose loader answers on an in-process link.
///
/// The link's clock is the machine's: [`VirtualTarget::recv`] is the only call that lets time pass.
pub struct VirtualTarget {
    machine: Machine<SocBus>,
}

impl VirtualTarget {
    /// Build the machine and bring it to where the loader waits for requests.
    ///
    /// `seed` feeds every random choice of the model: same model, same seed, same requests, same bytes.
    ///
    /// # Errors
    /// A model that [`SocModel::validate`] refuses.
    pub fn from_model(model: &SocModel, seed: u64) -> Result<Self, ModelError> {
        todo!("{} {seed}", model.name)
    }

    /// Host to target: hand over bytes. No time passes.
    pub fn send(&mut self, bytes: &[u8]) {
        todo!("{}", bytes.len())
    }

    /// Target to host: wait at most `timeout` of virtual time for bytes; returns how many were put into `buf`.
    ///
    /// 0 means that nothing came within the timeout (or `buf` is empty). The machine runs meanwhile.
    pub fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize {
        todo!("{} {timeout:?}", buf.len())
    }

    /// Virtual time since power-on.
    #[must_use]
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.machine.now().as_picos() / 1000)
    }

    /// The machine, for tests that look at state from outside.
    #[must_use]
    pub fn machine(&self) -> &Machine<SocBus> {
        &self.machine
    }

    /// The machine, for tests that change state from outside.
    pub fn machine_mut(&mut self) -> &mut Machine<SocBus> {
        &mut self.machine
    }

    /// Counts since power-on.
    #[must_use]
    pub fn stats(&self) -> RunStats {
        todo!()
    }

    /// The state that a run must leave as it found it.
    #[must_use]
    pub fn snapshot(&self) -> StateSnapshot {
        todo!()
    }
}
