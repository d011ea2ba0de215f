//! Data processing, immediate (C4.1.92).

use super::{bit, bits, dst, reg_sp, sbits, sf, src};
use crate::cpu::alu::bit_mask;
use crate::cpu::insn::{Insn, Op};

pub(super) fn decode(w: u32) -> Option<Insn> {
    match bits(w, 23, 3) {
        0b000 | 0b001 => Some(pc_relative(w)),
        0b010 => Some(add_sub(w)),
        0b100 => logical(w),
        0b101 => move_wide(w),
        0b110 => bit_field(w),
        0b111 => extract(w),
        _ => None,
    }
}

fn pc_relative(w: u32) -> Insn {
    let imm = sbits(w, 5, 19) << 2 | i64::from(bits(w, 29, 2));
    if bit(w, 31) {
        Insn {
            rd: dst(w, 0),
            imm: imm << 12,
            ..Insn::new(Op::Adrp)
        }
    } else {
        Insn {
            rd: dst(w, 0),
            imm,
            ..Insn::new(Op::Adr)
        }
    }
}

fn add_sub(w: u32) -> Insn {
    let imm = i64::from(bits(w, 10, 12)) << if bit(w, 22) { 12 } else { 0 };
    let (op, imm, rd) = match (bit(w, 30), bit(w, 29)) {
        (false, false) => (sf(w, Op::AddI64, Op::AddI32), imm, reg_sp(w, 0)),
        (true, false) => (sf(w, Op::AddI64, Op::AddI32), -imm, reg_sp(w, 0)),
        (false, true) => (sf(w, Op::AddsI64, Op::AddsI32), imm, dst(w, 0)),
        (true, true) => (sf(w, Op::SubsI64, Op::SubsI32), imm, dst(w, 0)),
    };
    Insn {
        rd,
        rn: reg_sp(w, 5),
        imm,
        ..Insn::new(op)
    }
}

fn logical(w: u32) -> Option<Insn> {
    let imm = bit_mask(bit(w, 31), bit(w, 22), bits(w, 10, 6), bits(w, 16, 6))?;
    let (op, rd) = match bits(w, 29, 2) {
        0 => (sf(w, Op::AndI64, Op::AndI32), reg_sp(w, 0)),
        1 => (sf(w, Op::OrrI64, Op::OrrI32), reg_sp(w, 0)),
        2 => (sf(w, Op::EorI64, Op::EorI32), reg_sp(w, 0)),
        _ => (sf(w, Op::AndsI64, Op::AndsI32), dst(w, 0)),
    };
    Some(Insn {
        rd,
        rn: src(w, 5),
        imm: imm as i64,
        ..Insn::new(op)
    })
}

fn move_wide(w: u32) -> Option<Insn> {
    let hw = bits(w, 21, 2);
    if !bit(w, 31) && hw >= 2 {
        return None;
    }
    let value = u64::from(bits(w, 5, 16)) << (hw * 16);
    let rd = dst(w, 0);
    match bits(w, 29, 2) {
        0 => {
            let v = if bit(w, 31) {
                !value
            } else {
                u64::from(!(value as u32))
            };
            Some(Insn {
                rd,
                imm: v as i64,
                ..Insn::new(Op::MovImm)
            })
        }
        2 => Some(Insn {
            rd,
            imm: value as i64,
            ..Insn::new(Op::MovImm)
        }),
        3 => {
            let op = sf(w, Op::MovK64, Op::MovK32);
            Some(Insn {
                rd,
                sh: (hw * 16) as u8,
                imm: value as i64,
                ..Insn::new(op)
            })
        }
        _ => None,
    }
}

fn bit_field(w: u32) -> Option<Insn> {
    let wide = bit(w, 31);
    let (r, s) = (bits(w, 16, 6), bits(w, 10, 6));
    if bit(w, 22) != wide || (!wide && (r | s) >= 32) {
        return None;
    }
    let width: u32 = if wide { 64 } else { 32 };
    let (rd, rn) = (dst(w, 0), src(w, 5));
    // Signed and unsigned moves are a left shift that drops what is above the field, then a right shift into place:
    // to bit 0 if the field is extracted (s >= r), to bit (width - r) if it is inserted.
    let place = if s >= r { 0 } else { width - r };
    let opc = bits(w, 29, 2);
    match opc {
        0 => {
            let up = width - 1 - s;
            let down = if s >= r { up + r } else { up - place };
            Some(Insn {
                rd,
                rn,
                sh: up as u8,
                am: down as u8,
                ..Insn::new(sf(w, Op::Sbfm64, Op::Sbfm32))
            })
        }
        2 => {
            // The 64-bit form does for both widths: nothing above bit 31 can be selected or reached.
            let up = 63 - s;
            let down = if s >= r { up + r } else { up - place };
            Some(Insn {
                rd,
                rn,
                sh: up as u8,
                am: down as u8,
                ..Insn::new(Op::Ubfm)
            })
        }
        1 => {
            let field = if s >= r { s - r + 1 } else { s + 1 };
            let ones = if field == 64 {
                u64::MAX
            } else {
                (1 << field) - 1
            };
            let mask = ones << place;
            Some(Insn {
                rd,
                rn,
                sh: r as u8,
                imm: mask as i64,
                ..Insn::new(sf(w, Op::Bfm64, Op::Bfm32))
            })
        }
        _ => None,
    }
}

fn extract(w: u32) -> Option<Insn> {
    let wide = bit(w, 31);
    let lsb = bits(w, 10, 6);
    if bits(w, 29, 2) != 0 || bit(w, 21) || bit(w, 22) != wide || (!wide && lsb >= 32) {
        return None;
    }
    let op = sf(w, Op::Extr64, Op::Extr32);
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        sh: lsb as u8,
        ..Insn::new(op)
    })
}
