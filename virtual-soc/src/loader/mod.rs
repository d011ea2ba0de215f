//! The loader stand-in: a host-side model of what answers on a Mac's USB port, and the machine it runs on.
//!
//! Behaviour is stated from public descriptions of the loader (third party): frames, opcodes, exception guard, page permissions, calls
//! that never return. What it does not model answers as an unknown opcode. Only called functions run on guest CPUs; the loader itself
//! runs on the host.

mod access;
mod boot;
pub(crate) mod bootargs;
mod calls;
pub(crate) mod devicetree;
mod frame;
mod heap;
mod layout;
mod pages;
mod proxy;
mod regs;
mod smp;
mod snapshot;
mod state;
mod stats;
mod target;

pub(crate) use layout::Layout;
pub use snapshot::{CpuSnapshot, DieSnapshot, Difference, StateSnapshot};
pub use stats::RunStats;
pub use target::VirtualTarget;
