// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a register is, and what a back-end offers.

use super::Encoding;
use crate::facts::{AccessKind, Described, Source, Variant};
use crate::guard::Trap;

/// A system register. Each is an uninhabited name; values are of [`SystemRegister::Value`].
pub trait SystemRegister {
    /// Name in the architecture manual, or as third parties use it.
    const NAME: &'static str;
    /// Other names that third parties use for it.
    const ALIASES: &'static [&'static str];
    /// Its place.
    const ENCODING: Encoding;
    /// What it is.
    const ABOUT: &'static str;
    /// Who says that it is there.
    const SOURCE: Source;
    /// What may be done with it.
    const ACCESS: AccessKind;
    /// The fields of SoCs whose register differs from [`SystemRegister::Value`].
    const VARIANTS: &'static [Variant];
    /// Its value.
    type Value: From<u64> + Into<u64> + Copy + Described;
}

/// A register that MRS can read.
pub trait Readable: SystemRegister {
    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    #[doc(hidden)]
    fn raw_read() -> u64;

    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    #[doc(hidden)]
    fn raw_read_guarded() -> Result<u64, Trap>;
}

/// A register that MSR can write.
pub trait Writable: SystemRegister {
    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    #[doc(hidden)]
    /// # Safety
    ///
    /// As [`SysRegs::write`].
    unsafe fn raw_write(value: u64);
}

/// A register that has a guarded write stub.
pub trait GuardedWritable: Writable {
    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    #[doc(hidden)]
    /// # Safety
    ///
    /// As [`SysRegs::write_guarded`].
    unsafe fn raw_write_guarded(value: u64) -> Result<(), Trap>;
}

/// The system registers of one CPU: of the executing one for the real back-end.
pub trait SysRegs {
    /// Reads `R`. A read that traps is a crash: use [`SysRegs::read_guarded`] for what may not exist.
    fn read<R: Readable>(&self) -> R::Value;

    /// Writes `R`. Effects are certain only after [`SysRegs::isb`].
    ///
    /// # Safety
    ///
    /// The new value must leave the CPU in a state in which the running program is still sound: registers that move
    /// translation, vectors or masks can break any assumption.
    unsafe fn write<R: Writable>(&self, value: R::Value);

    /// Reads `R`; a trap is the answer. The vectors must follow the contract of [`crate::guard`].
    fn read_guarded<R: Readable>(&self) -> Result<R::Value, Trap>;

    /// Writes `R` with DSB SY and ISB after it; a trap is the answer.
    ///
    /// # Safety
    ///
    /// As [`SysRegs::write`], and the vectors must follow the contract of [`crate::guard`].
    unsafe fn write_guarded<R: GuardedWritable>(&self, value: R::Value) -> Result<(), Trap>;

    /// Reads the register at `encoding` if it is one of this crate's: the fixed list of what may be asked for.
    fn read_guarded_by_encoding(&self, encoding: Encoding) -> Option<Result<u64, Trap>>;

    /// Instruction synchronisation barrier.
    fn isb(&self);

    /// Data synchronisation barrier, full system.
    fn dsb(&self);
}
