//! The A64 processor core: integer and system instructions, EL2 (VHE) / EL1 / EL0, stage-1 MMU, generic timers.
//!
//! Encodings, exception syndromes and translation rules are those of the Arm Architecture Reference Manual
//! (DDI 0487); where the architecture leaves a choice, the item says which one this model made.
//!
//! **Not there**, and the identification registers say so: floating point, Advanced SIMD, SVE, AArch32, EL3, pointer
//! authentication (its hint forms do nothing), RAS, performance monitors. Not modelled although the architecture has no
//! way to deny them: stage 2, breakpoints, watchpoints and software step.

mod alu;
mod bus;
pub(crate) mod code;
mod core;
mod decode;
mod exception;
mod fast;
mod insn;
mod mmu;
pub(crate) mod monitor;
pub(crate) mod slow;
pub(crate) mod sysreg;
pub(crate) mod timer;
mod tlb;

pub use self::core::{Core, CoreConfig, CoreState};
pub use bus::{Bus, BusFault, CpuView, SysReg, SysRegFault, Time};
