//! Loads and stores (C4.1.96).

use super::{bit, bits, dst, reg_sp, sbits, sp_mask, src};
use crate::cpu::insn::{Insn, Op};

pub(super) fn decode(w: u32, lse: bool) -> Option<Insn> {
    // Bit 26: Advanced SIMD and floating point.
    if bit(w, 26) {
        return None;
    }
    match (bits(w, 28, 2), bits(w, 24, 2)) {
        (0b00, 0b00) => exclusive(w, lse),
        (0b01, 0b00) => literal(w),
        (0b10, _) => pair(w),
        (0b11, 0b01) => unsigned_offset(w),
        (0b11, 0b00) => match (bit(w, 21), bits(w, 10, 2)) {
            (false, 0b00) => unscaled(w),
            (false, 0b10) => unprivileged(w),
            (false, mode) => indexed(w, mode == 0b11),
            (true, 0b10) => register_offset(w),
            (true, 0b00) => atomic(w, lse),
            _ => None,
        },
        _ => None,
    }
}

/// How a load or store finds its address.
#[derive(Clone, Copy)]
enum Mode {
    Imm,
    Indexed,
    Reg,
}

/// What `size` and `opc` of a single-register load or store mean; `None` if unallocated, `Op::Nop` for PRFM.
fn single_op(w: u32, mode: Mode) -> Option<Op> {
    let pick = |i, p, r| match mode {
        Mode::Imm => i,
        Mode::Indexed => p,
        Mode::Reg => r,
    };
    Some(match (bits(w, 30, 2), bits(w, 22, 2)) {
        (0, 0) => pick(Op::StrBI, Op::StrBP, Op::StrBR),
        (0, 1) => pick(Op::LdrBI, Op::LdrBP, Op::LdrBR),
        (0, 2) => pick(Op::LdrSbXI, Op::LdrSbXP, Op::LdrSbXR),
        (0, 3) => pick(Op::LdrSbWI, Op::LdrSbWP, Op::LdrSbWR),
        (1, 0) => pick(Op::StrHI, Op::StrHP, Op::StrHR),
        (1, 1) => pick(Op::LdrHI, Op::LdrHP, Op::LdrHR),
        (1, 2) => pick(Op::LdrShXI, Op::LdrShXP, Op::LdrShXR),
        (1, 3) => pick(Op::LdrShWI, Op::LdrShWP, Op::LdrShWR),
        (2, 0) => pick(Op::StrWI, Op::StrWP, Op::StrWR),
        (2, 1) => pick(Op::LdrWI, Op::LdrWP, Op::LdrWR),
        (2, 2) => pick(Op::LdrSwI, Op::LdrSwP, Op::LdrSwR),
        (3, 0) => pick(Op::StrXI, Op::StrXP, Op::StrXR),
        (3, 1) => pick(Op::LdrXI, Op::LdrXP, Op::LdrXR),
        (3, 2) if !matches!(mode, Mode::Indexed) => Op::Nop,
        _ => return None,
    })
}

/// The transferred register: the zero register reads 0 in stores and swallows loads.
fn transfer(w: u32, lo: u32, load: bool) -> u8 {
    if load { dst(w, lo) } else { src(w, lo) }
}

fn single(w: u32, mode: Mode, offset: i64, writeback: i64) -> Option<Insn> {
    let op = single_op(w, mode)?;
    let rn = reg_sp(w, 5);
    Some(Insn {
        rd: transfer(w, 0, bits(w, 22, 2) != 0),
        rn,
        am: sp_mask(rn),
        aux: writeback as i16,
        imm: offset,
        ..Insn::new(op)
    })
}

fn unsigned_offset(w: u32) -> Option<Insn> {
    single(
        w,
        Mode::Imm,
        i64::from(bits(w, 10, 12)) << bits(w, 30, 2),
        0,
    )
}

fn unscaled(w: u32) -> Option<Insn> {
    single(w, Mode::Imm, sbits(w, 12, 9), 0)
}

fn indexed(w: u32, pre: bool) -> Option<Insn> {
    let (rn, rt) = (bits(w, 5, 5), bits(w, 0, 5));
    if rn == rt && rn != 31 {
        return None;
    }
    let imm = sbits(w, 12, 9);
    single(w, Mode::Indexed, if pre { imm } else { 0 }, imm)
}

fn register_offset(w: u32) -> Option<Insn> {
    let option = bits(w, 13, 3);
    if option & 2 == 0 {
        return None;
    }
    let shift = if bit(w, 12) { bits(w, 30, 2) } else { 0 };
    let insn = single(w, Mode::Reg, 0, 0)?;
    Some(Insn {
        rm: src(w, 16),
        sh: (option << 4 | shift) as u8,
        ..insn
    })
}

/// LDTR and STTR: `sh` = log2 of the size, `aux` bit 0 signed, bit 1 to 64 bits.
fn unprivileged(w: u32) -> Option<Insn> {
    let (size, opc) = (bits(w, 30, 2), bits(w, 22, 2));
    let (op, aux) = match (size, opc) {
        (_, 0) => (Op::StUnpriv, 0),
        (_, 1) => (Op::LdUnpriv, 0),
        (0..=2, 2) => (Op::LdUnpriv, 3),
        (0..=1, 3) => (Op::LdUnpriv, 1),
        _ => return None,
    };
    let rn = reg_sp(w, 5);
    let rd = transfer(w, 0, opc != 0);
    Some(Insn {
        rd,
        rn,
        sh: size as u8,
        am: sp_mask(rn),
        aux,
        imm: sbits(w, 12, 9),
        ..Insn::new(op)
    })
}

fn literal(w: u32) -> Option<Insn> {
    let op = match bits(w, 30, 2) {
        0 => Op::LitW,
        1 => Op::LitX,
        2 => Op::LitSw,
        _ => return Some(Insn::new(Op::Nop)),
    };
    Some(Insn {
        rd: dst(w, 0),
        imm: sbits(w, 5, 19) << 2,
        ..Insn::new(op)
    })
}

fn pair(w: u32) -> Option<Insn> {
    let (mode, load) = (bits(w, 23, 2), bit(w, 22));
    let (rt, rt2, rn) = (bits(w, 0, 5), bits(w, 10, 5), bits(w, 5, 5));
    let indexed = mode & 1 != 0;
    if load && rt == rt2 || indexed && rn != 31 && (rn == rt || rn == rt2) {
        return None;
    }
    let pick = |i, p| if indexed { p } else { i };
    let (op, scale) = match (bits(w, 30, 2), load) {
        (0, false) => (pick(Op::StpWI, Op::StpWP), 2),
        (0, true) => (pick(Op::LdpWI, Op::LdpWP), 2),
        // There is no LDNP of signed words.
        (1, true) if mode != 0 => (pick(Op::LdpSwI, Op::LdpSwP), 2),
        (2, false) => (pick(Op::StpXI, Op::StpXP), 3),
        (2, true) => (pick(Op::LdpXI, Op::LdpXP), 3),
        _ => return None,
    };
    let imm = sbits(w, 15, 7) << scale;
    let rn = reg_sp(w, 5);
    Some(Insn {
        rd: transfer(w, 0, load),
        rm: transfer(w, 10, load),
        rn,
        am: sp_mask(rn),
        // Post-indexed (mode 01) uses the base as it is.
        imm: if mode == 1 { 0 } else { imm },
        aux: if indexed { imm as i16 } else { 0 },
        ..Insn::new(op)
    })
}

/// Exclusives, load-acquire, store-release, compare and swap. `sh` = log2 of the size of one register.
fn exclusive(w: u32, lse: bool) -> Option<Insn> {
    let (size, load) = (bits(w, 30, 2), bit(w, 22));
    let (rs, rt, rt2, rn) = (bits(w, 16, 5), bits(w, 0, 5), bits(w, 10, 5), bits(w, 5, 5));
    let base = reg_sp(w, 5);
    let insn = |op, sh: u32| Insn {
        rd: transfer(w, 0, load),
        rn: base,
        sh: sh as u8,
        am: sp_mask(base),
        ..Insn::new(op)
    };
    match (bit(w, 23), bit(w, 21)) {
        (false, false) if load => Some(insn(Op::LdEx, size)),
        (false, false) => {
            if rs == rt || (rs == rn && rn != 31) {
                return None;
            }
            Some(Insn {
                rm: dst(w, 16),
                ..insn(Op::StEx, size)
            })
        }
        (false, true) if size >= 2 => {
            if load {
                if rt == rt2 {
                    return None;
                }
                Some(Insn {
                    rm: dst(w, 10),
                    ..insn(Op::LdExP, size)
                })
            } else {
                if rs == rt || rs == rt2 || (rs == rn && rn != 31) {
                    return None;
                }
                Some(Insn {
                    rm: src(w, 10),
                    aux: i16::from(dst(w, 16)),
                    ..insn(Op::StExP, size)
                })
            }
        }
        // CASP: registers come in even pairs. `aux` = first compare register; `sh` = size of one half.
        (false, true) => {
            if !lse || rt2 != 31 || rs & 1 != 0 || rt & 1 != 0 {
                return None;
            }
            Some(Insn {
                rd: rt as u8,
                rm: rs as u8,
                ..insn(Op::CasP, 2 + size)
            })
        }
        (true, false) => {
            if !bit(w, 15) {
                return None;
            }
            let (ld, st) = match size {
                0 => (Op::LdarB, Op::StlrB),
                1 => (Op::LdarH, Op::StlrH),
                2 => (Op::LdarW, Op::StlrW),
                _ => (Op::LdarX, Op::StlrX),
            };
            Some(insn(if load { ld } else { st }, size))
        }
        (true, true) => {
            if !lse || rt2 != 31 {
                return None;
            }
            Some(Insn {
                rd: src(w, 0),
                rm: bits(w, 16, 5) as u8,
                ..insn(Op::Cas, size)
            })
        }
    }
}

/// LSE read-modify-write: `aux` = 0-7 LDADD, LDCLR, LDEOR, LDSET, LDSMAX, LDSMIN, LDUMAX, LDUMIN; 8 SWP.
fn atomic(w: u32, lse: bool) -> Option<Insn> {
    let (size, acquire, release) = (bits(w, 30, 2), bit(w, 23), bit(w, 22));
    let rn = reg_sp(w, 5);
    let aux = match (bit(w, 15), bits(w, 12, 3)) {
        (false, op) if lse => op as i16,
        (true, 0) if lse => 8,
        (true, 4) if acquire && !release => {
            let op = match size {
                0 => Op::LdarB,
                1 => Op::LdarH,
                2 => Op::LdarW,
                _ => Op::LdarX,
            };
            return Some(Insn {
                rd: dst(w, 0),
                rn,
                am: sp_mask(rn),
                ..Insn::new(op)
            });
        }
        _ => return None,
    };
    Some(Insn {
        rd: dst(w, 0),
        rm: src(w, 16),
        rn,
        sh: size as u8,
        am: sp_mask(rn),
        aux,
        ..Insn::new(Op::Atomic)
    })
}
