// SPDX-License-Identifier: MIT OR Apache-2.0
//! 32-bit accesses to a memory-mapped block: a trait, the real back-end and its fake.

#[cfg(feature = "fakes")]
mod fake;
mod real;

#[cfg(feature = "fakes")]
pub use fake::{Access, FakeMmio};
pub use real::RealMmio;

use crate::guard::Trap;

/// Aligned 32-bit accesses at byte offsets from the base of a block.
///
/// Every access happens exactly once and in program order with the other accesses of the same CPU to the same block
/// (Device memory); nothing is promised about the order with normal memory: use barriers.
pub trait Mmio {
    /// Reads the register at `off` bytes, a multiple of 4, from the base. Some registers change by being read.
    fn read32(&self, off: u32) -> u32;
    /// Writes the register at `off` bytes, a multiple of 4, from the base.
    fn write32(&self, off: u32, value: u32);
}

/// Accesses whose fault is an answer, for registers that may not be there. The vectors must follow the contract of
/// [`crate::guard`]; under others a fault is what it is for [`Mmio`].
pub trait GuardedMmio: Mmio {
    /// As [`Mmio::read32`]; a fault is the answer.
    fn read32_guarded(&self, off: u32) -> Result<u32, Trap>;
    /// As [`Mmio::write32`]; a fault is the answer, and the write has arrived before this returns.
    fn write32_guarded(&self, off: u32, value: u32) -> Result<(), Trap>;
}

impl<M: Mmio + ?Sized> Mmio for &M {
    #[inline]
    fn read32(&self, off: u32) -> u32 {
        (**self).read32(off)
    }

    #[inline]
    fn write32(&self, off: u32, value: u32) {
        (**self).write32(off, value);
    }
}
