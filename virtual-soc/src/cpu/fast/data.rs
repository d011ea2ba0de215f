//! Shapes of data-processing instructions: where the operands come from and where the result goes.
//!
//! Each is inlined into its arm of the execution loop's match, with the operation proper as a closure.

use crate::cpu::alu::{extend, shift32, shift64};
use crate::cpu::insn::Insn;

/// The register file; see [`crate::cpu::core::Core::regs`].
type Regs = [u64; 256];

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident, $flags:ident: $t:ty, |$i:ident, $r:ident| $a:expr, $b:expr;)*) => {
        $(
            $(#[$doc])*
            #[inline(always)]
            pub(super) fn $name($i: &Insn, $r: &mut Regs, f: impl Fn($t, $t) -> $t) {
                let v = f($a as $t, $b as $t);
                $r[$i.rd as usize] = v as u64;
            }

            $(#[$doc])*
            /// Sets the flags too.
            #[inline(always)]
            pub(super) fn $flags($i: &Insn, $r: &mut Regs, nzcv: &mut u32, f: impl Fn($t, $t) -> ($t, u32)) {
                let (v, flags) = f($a as $t, $b as $t);
                $r[$i.rd as usize] = v as u64;
                *nzcv = flags;
            }
        )*
    };
}

shapes! {
    /// Two registers.
    reg64, reg64_flags: u64, |i, r| r[i.rn as usize], r[i.rm as usize];
    /// Two 32-bit registers.
    reg32, reg32_flags: u32, |i, r| r[i.rn as usize], r[i.rm as usize];
    /// Register and immediate.
    imm64, imm64_flags: u64, |i, r| r[i.rn as usize], i.imm;
    /// 32-bit register and immediate.
    imm32, imm32_flags: u32, |i, r| r[i.rn as usize], i.imm;
    /// Register and shifted register.
    shifted64, shifted64_flags: u64, |i, r| r[i.rn as usize], shift64(r[i.rm as usize], i.sh);
    /// 32-bit register and shifted register.
    shifted32, shifted32_flags: u32, |i, r| r[i.rn as usize], shift32(r[i.rm as usize] as u32, i.sh);
    /// Register and shifted register, inverted on request.
    logic64, logic64_flags: u64, |i, r| r[i.rn as usize], shift64(r[i.rm as usize], i.sh) ^ i.imm as u64;
    /// 32-bit register and shifted register, inverted on request.
    logic32, logic32_flags: u32, |i, r| r[i.rn as usize], shift32(r[i.rm as usize] as u32, i.sh) ^ i.imm as u32;
    /// Register and extended register.
    extended64, extended64_flags: u64, |i, r| r[i.rn as usize], extend(r[i.rm as usize], i.sh);
    /// 32-bit register and extended register.
    extended32, extended32_flags: u32, |i, r| r[i.rn as usize], extend(r[i.rm as usize], i.sh);
    /// Register and register, inverted on request (ADC and SBC).
    carry64, carry64_flags: u64, |i, r| r[i.rn as usize], r[i.rm as usize] ^ i.imm as u64;
    /// 32-bit register and register, inverted on request.
    carry32, carry32_flags: u32, |i, r| r[i.rn as usize], r[i.rm as usize] ^ i.imm as u64;
}

/// One register.
#[inline(always)]
pub(super) fn one64(i: &Insn, r: &mut Regs, f: impl Fn(u64) -> u64) {
    r[i.rd as usize] = f(r[i.rn as usize]);
}

/// One 32-bit register.
#[inline(always)]
pub(super) fn one32(i: &Insn, r: &mut Regs, f: impl Fn(u32) -> u32) {
    r[i.rd as usize] = u64::from(f(r[i.rn as usize] as u32));
}

/// Multiply and accumulate: the third source and the other two.
#[inline(always)]
pub(super) fn three64(i: &Insn, r: &mut Regs, f: impl Fn(u64, u64, u64) -> u64) {
    r[i.rd as usize] = f(r[i.sh as usize], r[i.rn as usize], r[i.rm as usize]);
}

/// 32-bit multiply and accumulate.
#[inline(always)]
pub(super) fn three32(i: &Insn, r: &mut Regs, f: impl Fn(u32, u32, u32) -> u32) {
    let v = f(
        r[i.sh as usize] as u32,
        r[i.rn as usize] as u32,
        r[i.rm as usize] as u32,
    );
    r[i.rd as usize] = u64::from(v);
}

/// Move with part of the destination kept.
#[inline(always)]
pub(super) fn insert64(i: &Insn, r: &mut Regs, keep: u64, bits: u64) {
    r[i.rd as usize] = r[i.rd as usize] & keep | bits;
}

/// 32-bit move with part of the destination kept.
#[inline(always)]
pub(super) fn insert32(i: &Insn, r: &mut Regs, keep: u32, bits: u32) {
    r[i.rd as usize] = u64::from(r[i.rd as usize] as u32 & keep | bits);
}
