//! A deterministic virtual Apple SoC: A64 cores, interrupt controller, UART and a loader stand-in.
//!
//! Time is counted instructions, never the host's clock: the same input gives the same output, byte for byte.
//!
//! ```
//! use core::time::Duration;
//! use virtual_soc::{SocModel, VirtualTarget};
//!
//! let model = SocModel::builtin("t8140").expect("built in");
//! let mut target = VirtualTarget::from_model(&model, 1)?;
//! target.send(&[0u8; 4]); // noise: the loader waits for a frame
//! assert_eq!(target.recv(&mut [0u8; 64], Duration::from_millis(1)), 0);
//! # Ok::<(), virtual_soc::ModelError>(())
//! ```

pub mod cpu;
mod loader;
pub mod machine;
pub mod mem;
pub mod model;
mod raw;
pub mod soc;

pub use loader::{CpuSnapshot, DieSnapshot, Difference, RunStats, StateSnapshot, VirtualTarget};
pub use model::{ModelError, SocModel};
pub use raw::{RawError, RawOptions, RawStop, RawTarget};
