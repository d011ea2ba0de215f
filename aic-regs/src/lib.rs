// SPDX-License-Identifier: MIT OR Apache-2.0
//! Typed registers of Apple's interrupt controller (AIC) and of the CPU system registers around it.
//!
//! * [`aic`]: the memory-mapped block of AICv2 and AICv3, its geometry and its words;
//! * [`sysreg`]: one file per system register, read and written through the [`sysreg::SysRegs`] back-end;
//! * [`guard`]: accesses whose fault is an answer ([`guard::Trap`]) instead of a crash;
//! * [`mmio`]: the 32-bit access trait that every block is generic over;
//! * [`facts`]: the same registers and fields as data, each with its [`facts::Source`];
//! * [`routing`]: which CPUs of each SoC take interrupts, and who says so.
//!
//! Real back-ends exist only for the bare-metal target (`target_arch = "aarch64"`, `target_os = "none"`); the feature
//! `fakes` gives their in-memory twins for tests on the host. Nothing here has a writable static.
//!
//! # Example
//!
//! ```
//! use aic_regs::aic::{Aic, Geometry, Line};
//! use aic_regs::mmio::FakeMmio;
//!
//! let geometry = Geometry::v3(1504, 4096, 1, 0x40000);
//! let aic = Aic::new(FakeMmio::new(geometry), geometry);
//! let line = aic.line(Line { die: 0, number: 996 }).unwrap();
//! aic.sw_set(&line);
//! assert!(aic.sw_state(&line));
//! ```
#![no_std]
#![deny(missing_docs)]

#[cfg(feature = "fakes")]
extern crate std;

#[macro_use]
mod fields;

pub mod aic;
pub mod facts;
pub mod guard;
pub mod mmio;
pub mod routing;
pub mod sysreg;
