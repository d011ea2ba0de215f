// SPDX-License-Identifier: MIT OR Apache-2.0
//! 32-bit accesses to a memory-mapped block: a trait, the real back-end and its fake.

#[cfg(feature = "fakes")]
mod fake;
mod real;

#[cfg(feature = "fakes")]
pub use fake::{Access, FakeMmio};
pub use real::RealMmio;

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
