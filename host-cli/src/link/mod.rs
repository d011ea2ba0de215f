//! The byte stream between host and target, with a clock of its own.
//!
//! Every deadline above this layer is measured on [`Link::now`]: real time on a cable, virtual time in process. So a run
//! on a virtual target gives the same bytes on a slow host as on a fast one.

mod virtual_soc;

use std::time::Duration;

pub use self::virtual_soc::VirtualLink;

/// Why a link cannot carry bytes any more.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The far end is gone.
    #[error("the link is closed: {0}")]
    Closed(String),
}

/// A byte stream to a target.
pub trait Link {
    /// Hands all of `bytes` to the link.
    ///
    /// # Errors
    /// [`LinkError`] if the link is gone; then nothing more can be sent.
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError>;

    /// Takes what is there, at least one byte unless nothing comes within `timeout` (then `Ok(0)`).
    ///
    /// # Errors
    /// [`LinkError`] if the link is gone.
    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError>;

    /// Time on the link's clock, from any fixed start.
    fn now(&self) -> Duration;

    /// A number that differs from run to run on a real link, and is the same on a virtual one.
    fn salt(&self) -> u64 {
        0
    }
}

impl<L: Link + ?Sized> Link for &mut L {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        (**self).send(bytes)
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        (**self).recv(buf, timeout)
    }

    fn now(&self) -> Duration {
        (**self).now()
    }

    fn salt(&self) -> u64 {
        (**self).salt()
    }
}
