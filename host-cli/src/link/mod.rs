//! The byte stream between host and target, with a clock of its own.
//!
//! Every deadline above this layer is measured on [`Link::now`]: real time on a cable, virtual time in process. So a run
//! on a virtual target gives the same bytes on a slow host as on a fast one.

mod discover;
mod faults;
mod holders;
mod open_error;
mod serial;
#[cfg(target_os = "linux")]
mod sysfs;
mod udev;
mod virtual_soc;

use std::time::Duration;

pub use self::discover::{PRODUCT, Port, PortList, Role, VENDOR, only_proxy, ports};
pub use self::faults::{FaultCounts, FaultSpec, FaultyLink, SpecError};
pub use self::holders::{Holder, holders, holders_in};
pub use self::open_error::OpenError;
pub use self::serial::{BOOT_BAUD, SerialLink, is_pseudo_terminal};
#[cfg(target_os = "linux")]
pub use self::sysfs::ports_in;
pub use self::udev::{Access, RULES_FILE, udev_rules};
pub use self::virtual_soc::VirtualLink;

/// Why a link cannot carry bytes any more.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The far end is gone.
    #[error("the link is closed: {0}")]
    Closed(String),
    /// The far end takes nothing any more; it may be there and busy, or it may be gone.
    #[error("the link is stuck: {0}")]
    Stalled(String),
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

    /// Whether [`Link::now`] is the clock of a virtual machine.
    fn is_virtual(&self) -> bool {
        false
    }

    /// Throughput in bytes per second where it is known and slow: deadlines and blocks follow it.
    fn bytes_per_second(&self) -> Option<u64> {
        None
    }

    /// Speed of the serial line in baud; `None` where there is no line with a speed (USB, in process).
    fn baud(&self) -> Option<u32> {
        None
    }

    /// Sends what is still to be sent at the old speed, sets the new one and drops what came meanwhile.
    ///
    /// # Errors
    /// [`LinkError`] if the line does not take that speed.
    fn set_baud(&mut self, _baud: u32) -> Result<(), LinkError> {
        Ok(())
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

    fn is_virtual(&self) -> bool {
        (**self).is_virtual()
    }

    fn bytes_per_second(&self) -> Option<u64> {
        (**self).bytes_per_second()
    }

    fn baud(&self) -> Option<u32> {
        (**self).baud()
    }

    fn set_baud(&mut self, baud: u32) -> Result<(), LinkError> {
        (**self).set_baud(baud)
    }
}

impl<L: Link + ?Sized> Link for Box<L> {
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

    fn is_virtual(&self) -> bool {
        (**self).is_virtual()
    }

    fn bytes_per_second(&self) -> Option<u64> {
        (**self).bytes_per_second()
    }

    fn baud(&self) -> Option<u32> {
        (**self).baud()
    }

    fn set_baud(&mut self, baud: u32) -> Result<(), LinkError> {
        (**self).set_baud(baud)
    }
}
