//! Any raw image on the machine, booted as firmware would boot it: no stand-in, every byte goes through the emulated serial port.
//!
//! The boot CPU enters the image at its base plus an offset (0x800 by default), at EL2 with the MMU off, D, A, I and F masked and the
//! physical address of the boot arguments in x0. Boot arguments and device tree are built from the model. The other CPUs are off until
//! the image starts them through the CPU-start block; they begin at the address in their reset-vector register, which is locked to the
//! image's base on M4-class cores.

mod boot;
mod target;

pub use boot::{RawError, RawOptions};
pub use target::{RawStop, RawTarget};
