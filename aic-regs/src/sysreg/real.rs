// SPDX-License-Identifier: MIT OR Apache-2.0
//! The real back-end: the registers of the executing CPU.

use super::{Encoding, GuardedWritable, Readable, SysRegs, SystemRegister, Writable};
use crate::guard::Trap;

/// The registers of whichever CPU executes the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealSysRegs;

/// Reads `R` on the executing CPU.
#[inline(always)]
pub fn read<R: Readable>() -> R::Value {
    R::Value::from(R::raw_read())
}

/// Writes `R` on the executing CPU.
///
/// # Safety
///
/// As [`SysRegs::write`].
#[inline(always)]
pub unsafe fn write<R: Writable>(value: R::Value) {
    // SAFETY: the caller answers for the value.
    unsafe { R::raw_write(value.into()) }
}

/// Reads `R` on the executing CPU; a trap is the answer.
#[inline]
pub fn read_guarded<R: Readable>() -> Result<R::Value, Trap> {
    R::raw_read_guarded().map(R::Value::from)
}

/// Writes `R` on the executing CPU; a trap is the answer.
///
/// # Safety
///
/// As [`SysRegs::write_guarded`].
#[inline]
pub unsafe fn write_guarded<R: GuardedWritable>(value: R::Value) -> Result<(), Trap> {
    // SAFETY: the caller answers for the value.
    unsafe { R::raw_write_guarded(value.into()) }
}

macro_rules! by_encoding {
    ($($name:ident),* $(,)?) => {
        /// Reads the register at `encoding` if it is one of this crate's readable ones; a trap is the answer.
        pub fn read_guarded_by_encoding(encoding: Encoding) -> Option<Result<u64, Trap>> {
            $(
                if encoding == <super::$name as SystemRegister>::ENCODING {
                    return Some(super::$name::raw_read_guarded());
                }
            )*
            None
        }
    };
}
super::readable_registers!(by_encoding);

impl SysRegs for RealSysRegs {
    #[inline(always)]
    fn read<R: Readable>(&self) -> R::Value {
        read::<R>()
    }

    #[inline(always)]
    unsafe fn write<R: Writable>(&self, value: R::Value) {
        // SAFETY: the caller answers for the value.
        unsafe { write::<R>(value) }
    }

    #[inline]
    fn read_guarded<R: Readable>(&self) -> Result<R::Value, Trap> {
        read_guarded::<R>()
    }

    #[inline]
    unsafe fn write_guarded<R: GuardedWritable>(&self, value: R::Value) -> Result<(), Trap> {
        // SAFETY: the caller answers for the value.
        unsafe { write_guarded::<R>(value) }
    }

    fn read_guarded_by_encoding(&self, encoding: Encoding) -> Option<Result<u64, Trap>> {
        read_guarded_by_encoding(encoding)
    }

    #[inline(always)]
    fn isb(&self) {
        // SAFETY: a barrier changes no state.
        unsafe { core::arch::asm!("isb", options(nostack, preserves_flags)) }
    }

    #[inline(always)]
    fn dsb(&self) {
        // SAFETY: a barrier changes no state.
        unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) }
    }
}
