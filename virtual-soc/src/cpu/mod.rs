//! The A64 processor core: integer and system instructions, EL2 (VHE) / EL1 / EL0, stage-1 MMU, generic timers.
//!
//! Encodings, exception syndromes and translation rules are those of the Arm Architecture Reference Manual
//! (DDI 0487); where the architecture leaves a choice, the item says which one this model made.

mod bus;
mod core;

pub use bus::{Bus, BusFault, CpuView, SysReg, SysRegFault, Time};
pub use core::{Core, CoreConfig, CoreState};
