//! Link to a virtual SoC in this process.

use std::time::Duration;

use virtual_soc::VirtualTarget;

use super::{Link, LinkError};

/// A virtual target behind the interface of a cable.
pub struct VirtualLink {
    target: VirtualTarget,
}

impl VirtualLink {
    /// A link to `target`.
    #[must_use]
    pub const fn new(target: VirtualTarget) -> Self {
        Self { target }
    }

    /// The target back.
    #[must_use]
    pub fn into_target(self) -> VirtualTarget {
        self.target
    }

    /// The target, for looking at it from outside.
    #[must_use]
    pub const fn target(&self) -> &VirtualTarget {
        &self.target
    }

    /// The target, for changing it from outside.
    pub const fn target_mut(&mut self) -> &mut VirtualTarget {
        &mut self.target
    }
}

impl Link for VirtualLink {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.target.send(bytes);
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        Ok(self.target.recv(buf, timeout))
    }

    fn now(&self) -> Duration {
        self.target.now()
    }

    fn is_virtual(&self) -> bool {
        true
    }
}
