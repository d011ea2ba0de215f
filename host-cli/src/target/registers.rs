//! What looking at a controller needs: words, and time between two looks.

use std::time::Duration;

use crate::error::Error;
use crate::proxy::Proxy;

/// Registers of a target that are read and never written.
pub trait Registers {
    /// Loads a word.
    ///
    /// # Errors
    /// Errors of the link; a load that faults.
    fn read32(&mut self, addr: u64) -> Result<u32, Error>;

    /// Lets time pass on the target.
    ///
    /// # Errors
    /// Errors of the link.
    fn pause(&mut self, time: Duration) -> Result<(), Error>;
}

impl Registers for Proxy<'_> {
    fn read32(&mut self, addr: u64) -> Result<u32, Error> {
        Ok(Proxy::read32(self, addr)?)
    }

    fn pause(&mut self, time: Duration) -> Result<(), Error> {
        Ok(Proxy::pause(self, time)?)
    }
}
