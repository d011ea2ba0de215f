//! Data processing, register (C4.1.95).

use super::{bit, bits, dst, reg_sp, sf, src};
use crate::cpu::insn::{Insn, Op};

pub(super) fn decode(w: u32) -> Option<Insn> {
    let op2 = bits(w, 21, 4);
    if !bit(w, 28) {
        return match (bit(w, 24), bit(w, 21)) {
            (false, _) => logical(w),
            (true, false) => add_sub_shifted(w),
            (true, true) => add_sub_extended(w),
        };
    }
    match op2 {
        0b0000 => with_carry(w),
        0b0010 => compare(w),
        0b0100 => select(w),
        0b0110 if bit(w, 30) => one_source(w),
        0b0110 => two_sources(w),
        0b1000..=0b1111 => three_sources(w),
        _ => None,
    }
}

/// Shift type and amount of a shifted register; `None` if the amount is 32 or more in a 32-bit instruction.
fn shift(w: u32) -> Option<u8> {
    let amount = bits(w, 10, 6);
    if !bit(w, 31) && amount >= 32 {
        return None;
    }
    Some((bits(w, 22, 2) << 6 | amount) as u8)
}

fn logical(w: u32) -> Option<Insn> {
    let sh = shift(w)?;
    let invert = bit(w, 21);
    let (rd, rn, rm) = (dst(w, 0), src(w, 5), src(w, 16));
    let plain = !invert && sh & 63 == 0;
    if plain {
        if bits(w, 29, 2) == 1 && bits(w, 5, 5) == 31 {
            return Some(Insn {
                rd,
                rn: rm,
                ..Insn::new(sf(w, Op::Mov64, Op::Mov32))
            });
        }
        let op = match bits(w, 29, 2) {
            0 => sf(w, Op::And64, Op::And32),
            1 => sf(w, Op::Orr64, Op::Orr32),
            2 => sf(w, Op::Eor64, Op::Eor32),
            _ => sf(w, Op::Ands64, Op::Ands32),
        };
        return Some(Insn {
            rd,
            rn,
            rm,
            ..Insn::new(op)
        });
    }
    let op = match bits(w, 29, 2) {
        0 => sf(w, Op::AndSh64, Op::AndSh32),
        1 => sf(w, Op::OrrSh64, Op::OrrSh32),
        2 => sf(w, Op::EorSh64, Op::EorSh32),
        _ => sf(w, Op::AndsSh64, Op::AndsSh32),
    };
    Some(Insn {
        rd,
        rn,
        rm,
        sh,
        imm: if invert { -1 } else { 0 },
        ..Insn::new(op)
    })
}

fn add_sub_shifted(w: u32) -> Option<Insn> {
    let sh = shift(w)?;
    if sh >> 6 == 3 {
        return None;
    }
    let op = match (sh & 63 == 0, bit(w, 30), bit(w, 29)) {
        (true, false, false) => sf(w, Op::Add64, Op::Add32),
        (true, true, false) => sf(w, Op::Sub64, Op::Sub32),
        (true, false, true) => sf(w, Op::Adds64, Op::Adds32),
        (true, true, true) => sf(w, Op::Subs64, Op::Subs32),
        (false, false, false) => sf(w, Op::AddSh64, Op::AddSh32),
        (false, true, false) => sf(w, Op::SubSh64, Op::SubSh32),
        (false, false, true) => sf(w, Op::AddsSh64, Op::AddsSh32),
        (false, true, true) => sf(w, Op::SubsSh64, Op::SubsSh32),
    };
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        sh,
        ..Insn::new(op)
    })
}

fn add_sub_extended(w: u32) -> Option<Insn> {
    let amount = bits(w, 10, 3);
    if bits(w, 22, 2) != 0 || amount > 4 {
        return None;
    }
    let (op, rd) = match (bit(w, 30), bit(w, 29)) {
        (false, false) => (sf(w, Op::AddExt64, Op::AddExt32), reg_sp(w, 0)),
        (true, false) => (sf(w, Op::SubExt64, Op::SubExt32), reg_sp(w, 0)),
        (false, true) => (sf(w, Op::AddsExt64, Op::AddsExt32), dst(w, 0)),
        (true, true) => (sf(w, Op::SubsExt64, Op::SubsExt32), dst(w, 0)),
    };
    let sh = (bits(w, 13, 3) << 4 | amount) as u8;
    Some(Insn {
        rd,
        rn: reg_sp(w, 5),
        rm: src(w, 16),
        sh,
        ..Insn::new(op)
    })
}

fn with_carry(w: u32) -> Option<Insn> {
    if bits(w, 10, 6) != 0 {
        return None;
    }
    let op = if bit(w, 29) {
        sf(w, Op::Adcs64, Op::Adcs32)
    } else {
        sf(w, Op::Adc64, Op::Adc32)
    };
    // SBC is ADC with the second operand inverted.
    let imm = if bit(w, 30) { -1 } else { 0 };
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        imm,
        ..Insn::new(op)
    })
}

fn compare(w: u32) -> Option<Insn> {
    if !bit(w, 29) || bit(w, 10) || bit(w, 4) {
        return None;
    }
    let (op, rm, imm) = match (bit(w, 30), bit(w, 11)) {
        (true, false) => (sf(w, Op::CcmpR64, Op::CcmpR32), src(w, 16), 0),
        (true, true) => (
            sf(w, Op::CcmpI64, Op::CcmpI32),
            0,
            i64::from(bits(w, 16, 5)),
        ),
        (false, false) => (sf(w, Op::CcmnR64, Op::CcmnR32), src(w, 16), 0),
        (false, true) => (
            sf(w, Op::CcmnI64, Op::CcmnI32),
            0,
            i64::from(bits(w, 16, 5)),
        ),
    };
    Some(Insn {
        rn: src(w, 5),
        rm,
        sh: bits(w, 12, 4) as u8,
        am: bits(w, 0, 4) as u8,
        imm,
        ..Insn::new(op)
    })
}

fn select(w: u32) -> Option<Insn> {
    if bit(w, 29) || bit(w, 11) {
        return None;
    }
    let op = match (bit(w, 30), bit(w, 10)) {
        (false, false) => sf(w, Op::Csel64, Op::Csel32),
        (false, true) => sf(w, Op::Csinc64, Op::Csinc32),
        (true, false) => sf(w, Op::Csinv64, Op::Csinv32),
        (true, true) => sf(w, Op::Csneg64, Op::Csneg32),
    };
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        sh: bits(w, 12, 4) as u8,
        ..Insn::new(op)
    })
}

fn one_source(w: u32) -> Option<Insn> {
    if bit(w, 29) || bits(w, 16, 5) != 0 {
        return None;
    }
    let op = match (bits(w, 10, 6), bit(w, 31)) {
        (0, _) => sf(w, Op::Rbit64, Op::Rbit32),
        (1, _) => sf(w, Op::Rev16x64, Op::Rev16x32),
        (2, true) => Op::Rev32x64,
        (2, false) => Op::Rev32,
        (3, true) => Op::Rev64,
        (4, _) => sf(w, Op::Clz64, Op::Clz32),
        (5, _) => sf(w, Op::Cls64, Op::Cls32),
        _ => return None,
    };
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        ..Insn::new(op)
    })
}

fn two_sources(w: u32) -> Option<Insn> {
    if bit(w, 29) {
        return None;
    }
    let code = bits(w, 10, 6);
    let op = match code {
        0b00_0010 => sf(w, Op::Udiv64, Op::Udiv32),
        0b00_0011 => sf(w, Op::Sdiv64, Op::Sdiv32),
        0b00_1000 => sf(w, Op::Lslv64, Op::Lslv32),
        0b00_1001 => sf(w, Op::Lsrv64, Op::Lsrv32),
        0b00_1010 => sf(w, Op::Asrv64, Op::Asrv32),
        0b00_1011 => sf(w, Op::Rorv64, Op::Rorv32),
        0b01_0000..=0b01_0111 => {
            if (code & 3 == 3) != bit(w, 31) {
                return None;
            }
            if code & 4 == 0 { Op::Crc32 } else { Op::Crc32c }
        }
        _ => return None,
    };
    // CRC32: number of bytes.
    let sh = 1 << (code & 3);
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        sh,
        ..Insn::new(op)
    })
}

fn three_sources(w: u32) -> Option<Insn> {
    if bits(w, 29, 2) != 0 {
        return None;
    }
    let sub = bit(w, 15);
    let op = match (bits(w, 21, 3), bit(w, 31), sub) {
        (0b000, _, false) => sf(w, Op::Madd64, Op::Madd32),
        (0b000, _, true) => sf(w, Op::Msub64, Op::Msub32),
        (0b001, true, false) => Op::Smaddl,
        (0b001, true, true) => Op::Smsubl,
        (0b010, true, false) => Op::Smulh,
        (0b101, true, false) => Op::Umaddl,
        (0b101, true, true) => Op::Umsubl,
        (0b110, true, false) => Op::Umulh,
        _ => return None,
    };
    Some(Insn {
        rd: dst(w, 0),
        rn: src(w, 5),
        rm: src(w, 16),
        sh: src(w, 10),
        ..Insn::new(op)
    })
}
