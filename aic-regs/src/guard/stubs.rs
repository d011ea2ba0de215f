// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stubs themselves. See the parent module for the contract with the vectors.

use super::Trap;

/// What a stub returns in x0 and x1 (a 16-byte structure, so in registers under AAPCS64).
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Answer {
    value: u64,
    fault: u64,
}

impl Answer {
    #[inline]
    pub(crate) const fn into_result(self) -> Result<u64, Trap> {
        match Trap::from_fault_word(self.fault) {
            None => Ok(self.value),
            Some(trap) => Err(trap),
        }
    }
}

/// A stub named `$symbol` whose one access is `$access`.
macro_rules! guarded_stub {
    ($symbol:expr, $access:expr) => {
        core::arch::global_asm!(
            ".pushsection .text.guarded, \"ax\", %progbits",
            concat!(".global ", $symbol),
            concat!(".type ", $symbol, ", %function"),
            ".p2align 2",
            concat!($symbol, ":"),
            "mov x1, xzr",
            $access,
            "dsb sy",
            "isb",
            "ret",
            "ret",
            concat!(".size ", $symbol, ", . - ", $symbol),
            ".popsection",
        );
    };
}

pub(crate) use guarded_stub;

// Value and address arrive in x2 and x0 so that nothing but the access stands between `mov` and the barriers.
guarded_stub!("__guarded_mmio_read32", "ldr w0, [x0]");
guarded_stub!("__guarded_mmio_write32", "str w2, [x0]");

unsafe extern "C" {
    static __guarded_start: u8;
    static __guarded_end: u8;
    fn __guarded_mmio_read32(address: u64) -> Answer;
    fn __guarded_mmio_write32(address: u64, unused: u64, value: u64) -> Answer;
}

/// Whether `elr`, a run address, lies in the guarded range.
#[inline]
pub fn contains(elr: u64) -> bool {
    let (start, end) = (
        &raw const __guarded_start as u64,
        &raw const __guarded_end as u64,
    );
    elr.wrapping_sub(start) < end.wrapping_sub(start)
}

/// Reads 32 bits at `address`; a fault is the answer.
///
/// # Safety
///
/// The vectors must follow the module's contract. `address` must be a register: reading it may have side effects,
/// which the caller answers for, but it must not be memory that Rust code owns.
#[inline]
pub unsafe fn mmio_read32(address: u64) -> Result<u32, Trap> {
    // SAFETY: the stub touches only x0 and x1 and reads the address that the caller answers for.
    unsafe { __guarded_mmio_read32(address) }
        .into_result()
        .map(|value| value as u32)
}

/// Writes 32 bits at `address`; a fault is the answer.
///
/// # Safety
///
/// As [`mmio_read32`]; the effects of the write are the caller's to answer for.
#[inline]
pub unsafe fn mmio_write32(address: u64, value: u32) -> Result<(), Trap> {
    // SAFETY: the stub touches only x1 and writes the address that the caller answers for.
    unsafe { __guarded_mmio_write32(address, 0, u64::from(value)) }
        .into_result()
        .map(|_| ())
}
