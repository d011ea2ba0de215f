// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only module that knows the `volatile-register` crate.

use super::Mmio;
use volatile_register::RW;

/// A memory-mapped block at an address that this CPU's translation reaches.
#[derive(Clone, Copy, Debug)]
pub struct RealMmio {
    base: usize,
}

impl RealMmio {
    /// The block whose first register is at `base`.
    ///
    /// # Safety
    ///
    /// `base` must be 4-byte aligned and the start of a Device-mapped register window that stays mapped while the
    /// value or a copy of it is in use, and every offset passed to [`Mmio::read32`] and [`Mmio::write32`] must lie in
    /// that window. [`crate::aic::Aic`] keeps to offsets below [`crate::aic::Geometry::extent`] of a geometry that
    /// passes [`crate::aic::Geometry::check`].
    #[inline]
    pub const unsafe fn new(base: usize) -> Self {
        Self { base }
    }

    /// The address of the first register.
    #[inline]
    pub const fn base(self) -> usize {
        self.base
    }

    #[inline(always)]
    fn register(&self, off: u32) -> *const RW<u32> {
        debug_assert!(off.is_multiple_of(4));
        core::ptr::with_exposed_provenance(self.base.wrapping_add(off as usize))
    }
}

impl Mmio for RealMmio {
    #[inline(always)]
    fn read32(&self, off: u32) -> u32 {
        // SAFETY: `new` was promised an aligned, mapped window and offsets inside it; RW<u32> is an UnsafeCell, so
        // no other access is assumed away.
        unsafe { (*self.register(off)).read() }
    }

    #[inline(always)]
    fn write32(&self, off: u32, value: u32) {
        // SAFETY: as in `read32`; the effects of the write are what the caller of `Mmio` asks for.
        unsafe { (*self.register(off)).write(value) }
    }
}

#[cfg(all(target_arch = "aarch64", target_os = "none"))]
impl super::GuardedMmio for RealMmio {
    #[inline]
    fn read32_guarded(&self, off: u32) -> Result<u32, crate::guard::Trap> {
        // SAFETY: as in `read32`.
        unsafe { crate::guard::mmio_read32(self.register(off).addr() as u64) }
    }

    #[inline]
    fn write32_guarded(&self, off: u32, value: u32) -> Result<(), crate::guard::Trap> {
        // SAFETY: as in `write32`.
        unsafe { crate::guard::mmio_write32(self.register(off).addr() as u64, value) }
    }
}
