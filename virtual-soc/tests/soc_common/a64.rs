//! Hand-encoded A64 instructions (Arm ARM, DDI 0487), as few as the tests need.

#![allow(dead_code, reason = "each test file uses its own part")]

pub const RET: u32 = 0xd65f_03c0;
pub const ERET: u32 = 0xd69f_03e0;
pub const ISB: u32 = 0xd503_3fdf;
pub const DSB_SY: u32 = 0xd503_3f9f;
pub const WFE: u32 = 0xd503_205f;
pub const SEV: u32 = 0xd503_209f;
pub const NOP: u32 = 0xd503_201f;
/// MSR DAIFSet, #0b0011 (I and F).
pub const MASK_IF: u32 = 0xd503_43df;
/// MSR DAIFClr, #0b0011.
pub const OPEN_IF: u32 = 0xd503_43ff;

/// ADD Xd, Xn, #imm.
pub const fn add(d: u32, n: u32, imm: u32) -> u32 {
    0x9100_0000 | imm << 10 | n << 5 | d
}
/// SUB Xd, Xn, #imm.
pub const fn sub(d: u32, n: u32, imm: u32) -> u32 {
    0xd100_0000 | imm << 10 | n << 5 | d
}
/// ADD Xd, Xn, Xm.
pub const fn add_reg(d: u32, n: u32, m: u32) -> u32 {
    0x8b00_0000 | m << 16 | n << 5 | d
}
/// MOV Xd, Xm.
pub const fn mov(d: u32, m: u32) -> u32 {
    0xaa00_03e0 | m << 16 | d
}
/// MOVZ Xd, #imm, LSL #(16 * shift).
pub const fn movz(d: u32, imm: u32, shift: u32) -> u32 {
    0xd280_0000 | shift << 21 | imm << 5 | d
}
/// MOVK Xd, #imm, LSL #(16 * shift).
pub const fn movk(d: u32, imm: u32, shift: u32) -> u32 {
    0xf280_0000 | shift << 21 | imm << 5 | d
}
/// LDR Wt, [Xn].
pub const fn ldr_w(t: u32, n: u32) -> u32 {
    0xb940_0000 | n << 5 | t
}
/// STR Wt, [Xn].
pub const fn str_w(t: u32, n: u32) -> u32 {
    0xb900_0000 | n << 5 | t
}
/// LDR Xt, [Xn].
pub const fn ldr(t: u32, n: u32) -> u32 {
    0xf940_0000 | n << 5 | t
}
/// STR Xt, [Xn].
pub const fn str(t: u32, n: u32) -> u32 {
    0xf900_0000 | n << 5 | t
}
/// CBZ Xt, by words.
pub const fn cbz(t: u32, words: i32) -> u32 {
    0xb400_0000 | ((words as u32 & 0x7_ffff) << 5) | t
}
/// CBNZ Xt, by words.
pub const fn cbnz(t: u32, words: i32) -> u32 {
    0xb500_0000 | ((words as u32 & 0x7_ffff) << 5) | t
}
/// B, by words.
pub const fn b(words: i32) -> u32 {
    0x1400_0000 | (words as u32 & 0x3ff_ffff)
}
/// MRS Xt, S<op0>_<op1>_C<crn>_C<crm>_<op2>.
pub const fn mrs(t: u32, op0: u32, op1: u32, crn: u32, crm: u32, op2: u32) -> u32 {
    0xd520_0000 | op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5 | t
}
/// MSR.
pub const fn msr(t: u32, op0: u32, op1: u32, crn: u32, crm: u32, op2: u32) -> u32 {
    0xd500_0000 | op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5 | t
}
/// MRS Xt, ISR_EL1.
pub const fn mrs_isr(t: u32) -> u32 {
    mrs(t, 3, 0, 12, 1, 0)
}
/// MSR VBAR_EL1, Xt (VBAR_EL2 under VHE).
pub const fn msr_vbar(t: u32) -> u32 {
    msr(t, 3, 0, 12, 0, 0)
}
/// MRS Xt, VBAR_EL1.
pub const fn mrs_vbar(t: u32) -> u32 {
    mrs(t, 3, 0, 12, 0, 0)
}
/// MSR SIQ_CFG, Xt: the word given in public notes for x0 is 0xd51cfa80.
pub const fn msr_siq(t: u32) -> u32 {
    msr(t, 3, 4, 15, 10, 4)
}
/// MRS Xt, SIQ_CFG.
pub const fn mrs_siq(t: u32) -> u32 {
    mrs(t, 3, 4, 15, 10, 4)
}
