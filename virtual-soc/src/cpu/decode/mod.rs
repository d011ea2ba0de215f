//! Decoding of A64 instruction words (DDI 0487, chapter C4).
//!
//! Unallocated encodings, and those of features that the ID registers deny, are UNDEFINED. Encodings whose effect is
//! CONSTRAINED UNPREDICTABLE because registers overlap (write-back into a transferred register, a load pair into
//! one register, an exclusive store whose status register is its base or data) are UNDEFINED too: the architecture
//! allows it, and no compiler emits them. "Should be one" fields are ignored.

mod branch;
mod dp_imm;
mod dp_reg;
mod ldst;

use super::insn::{Insn, Op, SINK, SP, ZR};

/// Decodes one word for a core with or without LSE atomics.
pub(crate) fn decode(w: u32, lse: bool) -> Insn {
    let insn = match bits(w, 25, 4) {
        0b1000 | 0b1001 => dp_imm::decode(w),
        0b1010 | 0b1011 => branch::decode(w),
        0b0100 | 0b0110 | 0b1100 | 0b1110 => ldst::decode(w, lse),
        0b0101 | 0b1101 => dp_reg::decode(w),
        // Reserved, SME, SVE, and all of Advanced SIMD and floating point.
        _ => None,
    };
    insn.unwrap_or(Insn::undefined())
}

/// `n` bits of `w` from bit `lo`.
const fn bits(w: u32, lo: u32, n: u32) -> u32 {
    (w >> lo) & ((1 << n) - 1)
}

/// One bit of `w`.
const fn bit(w: u32, n: u32) -> bool {
    w >> n & 1 != 0
}

/// `n` bits of `w` from bit `lo`, sign-extended.
const fn sbits(w: u32, lo: u32, n: u32) -> i64 {
    ((bits(w, lo, n) as i64) << (64 - n)) >> (64 - n)
}

/// A source register where 31 is the zero register.
const fn src(w: u32, lo: u32) -> u8 {
    let r = bits(w, lo, 5) as u8;
    if r == 31 { ZR } else { r }
}

/// A destination register where 31 is the zero register.
const fn dst(w: u32, lo: u32) -> u8 {
    let r = bits(w, lo, 5) as u8;
    if r == 31 { SINK } else { r }
}

/// A register where 31 is the stack pointer.
const fn reg_sp(w: u32, lo: u32) -> u8 {
    bits(w, lo, 5) as u8
}

/// Picks by operand width.
const fn sf(w: u32, op64: Op, op32: Op) -> Op {
    if bit(w, 31) { op64 } else { op32 }
}

/// [`Insn::am`] of a base register.
const fn sp_mask(rn: u8) -> u8 {
    if rn == SP { 15 } else { 0 }
}
