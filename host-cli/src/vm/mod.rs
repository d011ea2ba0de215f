//! A virtual SoC for other programs: its loader, or any raw image, behind a pseudo-terminal or standard input and output.
//!
//! [`Vm`] is the machine, [`Port`] the way to its clients, [`serve`] the loop between them. [`RawLink`] is the other use of a raw
//! image: a real loader as the far end of this program's own link.

mod image;
mod loader;
mod machine;
mod pace;
mod port;
#[cfg(unix)]
mod pty;
mod serve;
#[cfg(unix)]
mod stdio;
mod trace;

pub use image::{Image, ImageFileError};
pub use loader::{BOOT_LIMIT, BootError, RawLink, boot_loader};
pub use machine::{RawVm, Vm};
pub use port::{Port, Received};
#[cfg(unix)]
pub use pty::{Pty, PtyError};
pub use serve::{End, Note, serve};
#[cfg(unix)]
pub use stdio::Stdio;
pub use trace::Trace;
