//! Encodings, by the field diagrams of the Arm Architecture Reference Manual.

use virtual_soc::cpu::SysReg;

pub const NOP: u32 = 0xd503_201f;
pub const YIELD: u32 = 0xd503_203f;
pub const WFE: u32 = 0xd503_205f;
pub const WFI: u32 = 0xd503_207f;
pub const SEV: u32 = 0xd503_209f;
pub const SEVL: u32 = 0xd503_20bf;
pub const ISB: u32 = 0xd503_3fdf;
pub const DSB_SY: u32 = 0xd503_3f9f;
pub const CLREX: u32 = 0xd503_3f5f;
pub const ERET: u32 = 0xd69f_03e0;
pub const RET: u32 = 0xd65f_03c0;

pub fn movz(rd: u32, imm: u16, lsl: u32) -> u32 {
    0xd280_0000 | (lsl / 16) << 21 | u32::from(imm) << 5 | rd
}
pub fn movk(rd: u32, imm: u16, lsl: u32) -> u32 {
    0xf280_0000 | (lsl / 16) << 21 | u32::from(imm) << 5 | rd
}
/// Four instructions that load any value.
pub fn mov64(rd: u32, v: u64) -> [u32; 4] {
    [
        movz(rd, v as u16, 0),
        movk(rd, (v >> 16) as u16, 16),
        movk(rd, (v >> 32) as u16, 32),
        movk(rd, (v >> 48) as u16, 48),
    ]
}
pub fn add_imm(rd: u32, rn: u32, imm: u32) -> u32 {
    0x9100_0000 | imm << 10 | rn << 5 | rd
}
pub fn sub_imm(rd: u32, rn: u32, imm: u32) -> u32 {
    0xd100_0000 | imm << 10 | rn << 5 | rd
}
pub fn subs_imm(rd: u32, rn: u32, imm: u32) -> u32 {
    0xf100_0000 | imm << 10 | rn << 5 | rd
}
pub fn b(words: i32) -> u32 {
    0x1400_0000 | words as u32 & 0x3ff_ffff
}
pub fn cbz(rt: u32, words: i32) -> u32 {
    0xb400_0000 | (words as u32 & 0x7_ffff) << 5 | rt
}
pub fn cbnz(rt: u32, words: i32) -> u32 {
    0xb500_0000 | (words as u32 & 0x7_ffff) << 5 | rt
}
pub fn br(rn: u32) -> u32 {
    0xd61f_0000 | rn << 5
}
pub fn blr(rn: u32) -> u32 {
    0xd63f_0000 | rn << 5
}
/// LDR/STR Xt, [Xn, #imm], `imm` a multiple of 8.
pub fn ldr(rt: u32, rn: u32, imm: u32) -> u32 {
    0xf940_0000 | (imm / 8) << 10 | rn << 5 | rt
}
pub fn str(rt: u32, rn: u32, imm: u32) -> u32 {
    0xf900_0000 | (imm / 8) << 10 | rn << 5 | rt
}
pub fn ldr_w(rt: u32, rn: u32) -> u32 {
    0xb940_0000 | rn << 5 | rt
}
pub fn str_w(rt: u32, rn: u32) -> u32 {
    0xb900_0000 | rn << 5 | rt
}
pub fn strb(rt: u32, rn: u32) -> u32 {
    0x3900_0000 | rn << 5 | rt
}
pub fn ldp(rt: u32, rt2: u32, rn: u32) -> u32 {
    0xa940_0000 | rt2 << 10 | rn << 5 | rt
}
pub fn stp(rt: u32, rt2: u32, rn: u32) -> u32 {
    0xa900_0000 | rt2 << 10 | rn << 5 | rt
}
pub fn ldtr(rt: u32, rn: u32) -> u32 {
    0xf840_0800 | rn << 5 | rt
}
pub fn sttr(rt: u32, rn: u32) -> u32 {
    0xf800_0800 | rn << 5 | rt
}
pub fn ldxr(rt: u32, rn: u32) -> u32 {
    0xc85f_7c00 | rn << 5 | rt
}
pub fn ldaxr(rt: u32, rn: u32) -> u32 {
    0xc85f_fc00 | rn << 5 | rt
}
pub fn stxr(rs: u32, rt: u32, rn: u32) -> u32 {
    0xc800_7c00 | rs << 16 | rn << 5 | rt
}
pub fn ldxp(rt: u32, rt2: u32, rn: u32) -> u32 {
    0xc87f_0000 | rt2 << 10 | rn << 5 | rt
}
pub fn stxp(rs: u32, rt: u32, rt2: u32, rn: u32) -> u32 {
    0xc820_0000 | rs << 16 | rt2 << 10 | rn << 5 | rt
}
pub fn ldar(rt: u32, rn: u32) -> u32 {
    0xc8df_fc00 | rn << 5 | rt
}
pub fn ldadd(rs: u32, rt: u32, rn: u32) -> u32 {
    0xf820_0000 | rs << 16 | rn << 5 | rt
}
pub fn cas(rs: u32, rt: u32, rn: u32) -> u32 {
    0xc8a0_7c00 | rs << 16 | rn << 5 | rt
}
pub fn casp(rs: u32, rt: u32, rn: u32) -> u32 {
    0x4820_7c00 | rs << 16 | rn << 5 | rt
}
fn packed(r: SysReg) -> u32 {
    u32::from(r.0) << 5
}
pub fn mrs(rt: u32, r: SysReg) -> u32 {
    0xd520_0000 | packed(r) | rt
}
pub fn msr(r: SysReg, rt: u32) -> u32 {
    0xd500_0000 | packed(r) | rt
}
/// SYS #op1, CRn, CRm, #op2, Xt.
pub fn sys(op1: u8, crn: u8, crm: u8, op2: u8, rt: u32) -> u32 {
    0xd508_0000 | packed(SysReg::new(0, op1, crn, crm, op2)) | rt
}
pub fn daifset(imm: u32) -> u32 {
    0xd503_40df | imm << 8
}
pub fn daifclr(imm: u32) -> u32 {
    0xd503_40ff | imm << 8
}
pub fn msr_pan(imm: u32) -> u32 {
    0xd500_409f | imm << 8
}
pub fn msr_spsel(imm: u32) -> u32 {
    0xd500_40bf | imm << 8
}
pub fn svc(imm: u16) -> u32 {
    0xd400_0001 | u32::from(imm) << 5
}
pub fn hvc(imm: u16) -> u32 {
    0xd400_0002 | u32::from(imm) << 5
}
pub fn smc(imm: u16) -> u32 {
    0xd400_0003 | u32::from(imm) << 5
}
pub fn brk(imm: u16) -> u32 {
    0xd420_0000 | u32::from(imm) << 5
}
pub fn hlt(imm: u16) -> u32 {
    0xd440_0000 | u32::from(imm) << 5
}
