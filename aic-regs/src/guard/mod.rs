// SPDX-License-Identifier: MIT OR Apache-2.0
//! Accesses whose fault is an answer.
//!
//! Each guarded access is an assembly stub in the section `.text.guarded`, which the linker script keeps in one piece
//! between the symbols `__guarded_start` and `__guarded_end`. The contract with the exception vectors:
//!
//! * a synchronous exception or an SError whose ELR lies in the range (`contains`) is not a crash: the vectors set
//!   the saved x1 to `1 << 63 | ESR`, add 4 to ELR and return;
//! * a stub clears x1, does its one access, then DSB SY and ISB so that an asynchronous abort arrives inside the range,
//!   and returns the value in x0 and the fault in x1. It ends with two RETs: an SError that is taken with ELR at the
//!   first one skips to the second.
//!
//! An instruction that is skipped leaves its destination unchanged, so the value beside a fault means nothing.

#[cfg(all(target_arch = "aarch64", target_os = "none"))]
mod stubs;

#[cfg(all(target_arch = "aarch64", target_os = "none"))]
pub(crate) use stubs::{Answer, guarded_stub};
#[cfg(all(target_arch = "aarch64", target_os = "none"))]
pub use stubs::{contains, mmio_read32, mmio_write32};

use crate::sysreg::Esr;
use core::fmt;

/// The answer of a guarded access that took an exception.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Trap {
    /// ESR of the exception.
    pub esr: u64,
}

impl Trap {
    /// Bit that the vectors set beside ESR in the saved x1, so that a fault is never 0. ESR itself ends at bit 55.
    pub const FAULT: u64 = 1 << 63;

    /// The exception's syndrome with its fields.
    pub const fn syndrome(self) -> Esr {
        Esr(self.esr)
    }

    /// What the vectors put into the saved x1 for an exception with this ESR.
    #[inline]
    pub const fn fault_word(esr: u64) -> u64 {
        Self::FAULT | esr
    }

    /// The answer in a stub's x1: 0 is no fault.
    #[inline]
    pub const fn from_fault_word(fault: u64) -> Option<Self> {
        if fault == 0 {
            None
        } else {
            Some(Self {
                esr: fault & !Self::FAULT,
            })
        }
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let syndrome = self.syndrome();
        write!(
            f,
            "trapped, ESR {:#x} (EC {:#04x}: {})",
            self.esr,
            syndrome.ec(),
            syndrome.class_name()
        )
    }
}

impl fmt::Debug for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trap({self})")
    }
}

impl core::error::Error for Trap {}
