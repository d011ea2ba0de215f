//! Branches, exception generation and system instructions (C4.1.94).

use super::{bit, bits, dst, sbits, sf, src};
use crate::cpu::insn::{Insn, Op};

pub(super) fn decode(w: u32) -> Option<Insn> {
    match bits(w, 29, 3) {
        0b000 | 0b100 => {
            let op = sf(w, Op::Bl, Op::B);
            Some(Insn {
                imm: sbits(w, 0, 26),
                ..Insn::new(op)
            })
        }
        0b001 | 0b101 if !bit(w, 25) => {
            let op = if bit(w, 24) {
                sf(w, Op::Cbnz64, Op::Cbnz32)
            } else {
                sf(w, Op::Cbz64, Op::Cbz32)
            };
            Some(Insn {
                rn: src(w, 0),
                imm: sbits(w, 5, 19),
                ..Insn::new(op)
            })
        }
        0b001 | 0b101 => {
            let op = if bit(w, 24) { Op::Tbnz } else { Op::Tbz };
            let number = bits(w, 31, 1) << 5 | bits(w, 19, 5);
            Some(Insn {
                rn: src(w, 0),
                sh: number as u8,
                imm: sbits(w, 5, 14),
                ..Insn::new(op)
            })
        }
        0b010 if bits(w, 24, 2) == 0 && !bit(w, 4) => Some(Insn {
            sh: bits(w, 0, 4) as u8,
            imm: sbits(w, 5, 19),
            ..Insn::new(Op::BCond)
        }),
        0b110 => match bits(w, 24, 2) {
            0 => exception(w),
            1 => system(w),
            _ => register(w),
        },
        _ => None,
    }
}

fn exception(w: u32) -> Option<Insn> {
    if bits(w, 2, 3) != 0 {
        return None;
    }
    let op = match (bits(w, 21, 3), bits(w, 0, 2)) {
        (0, 1) => Op::Svc,
        (0, 2) => Op::Hvc,
        (0, 3) => Op::Smc,
        (1, 0) => Op::Brk,
        (2, 0) => Op::Hlt,
        _ => return None,
    };
    Some(Insn {
        imm: i64::from(bits(w, 5, 16)),
        ..Insn::new(op)
    })
}

fn register(w: u32) -> Option<Insn> {
    if bits(w, 16, 5) != 31 || bits(w, 10, 6) != 0 || bits(w, 0, 5) != 0 {
        return None;
    }
    let op = match bits(w, 21, 4) {
        0 => Op::Br,
        1 => Op::Blr,
        2 => Op::Ret,
        4 if bits(w, 5, 5) == 31 => Op::Eret,
        _ => return None,
    };
    Some(Insn {
        rn: src(w, 5),
        ..Insn::new(op)
    })
}

fn system(w: u32) -> Option<Insn> {
    if bits(w, 22, 2) != 0 {
        return None;
    }
    let (op1, crn, crm, op2) = (bits(w, 16, 3), bits(w, 12, 4), bits(w, 8, 4), bits(w, 5, 3));
    let load = bit(w, 21);
    // For the slow path: the register's packed encoding.
    let packed = i64::from(bits(w, 5, 16));
    match bits(w, 19, 2) {
        0 => {
            if !load && (op1, crn, crm) == (3, 1, 0) && op2 < 2 {
                return Some(Insn {
                    rn: src(w, 0),
                    ..Insn::new(if op2 == 0 { Op::Wfet } else { Op::Wfit })
                });
            }
            if load || bits(w, 0, 5) != 31 {
                return None;
            }
            match (op1, crn) {
                (3, 2) => Some(hint(crm << 3 | op2)),
                (3, 3) => barrier(op2),
                (_, 4) => pstate(op1, op2, crm),
                _ => None,
            }
        }
        1 if load => Some(Insn {
            rd: dst(w, 0),
            am: bits(w, 0, 5) as u8,
            imm: packed,
            ..Insn::new(Op::SysL)
        }),
        1 => Some(Insn {
            rd: src(w, 0),
            am: bits(w, 0, 5) as u8,
            imm: packed,
            ..Insn::new(Op::Sys)
        }),
        _ if load => Some(Insn {
            rd: dst(w, 0),
            am: bits(w, 0, 5) as u8,
            imm: packed,
            ..Insn::new(Op::Mrs)
        }),
        _ => Some(Insn {
            rd: src(w, 0),
            am: bits(w, 0, 5) as u8,
            imm: packed,
            ..Insn::new(Op::Msr)
        }),
    }
}

/// Hints; those not listed (YIELD, the pointer-authentication forms, ESB, CSDB, BTI ...) do nothing.
fn hint(number: u32) -> Insn {
    Insn::new(match number {
        2 => Op::Wfe,
        3 => Op::Wfi,
        4 => Op::Sev,
        5 => Op::Sevl,
        _ => Op::Nop,
    })
}

/// Barriers order nothing here: every access completes before the next instruction, on all cores.
fn barrier(op2: u32) -> Option<Insn> {
    match op2 {
        2 => Some(Insn::new(Op::Clrex)),
        4 | 5 => Some(Insn::new(Op::Nop)),
        6 => Some(Insn::new(Op::Isb)),
        _ => None,
    }
}

fn pstate(op1: u32, op2: u32, crm: u32) -> Option<Insn> {
    match (op1, op2) {
        // PAN, SPSel, DAIFSet, DAIFClr
        (0, 4) | (0, 5) | (3, 6) | (3, 7) => Some(Insn {
            sh: (op1 << 3 | op2) as u8,
            imm: i64::from(crm),
            ..Insn::new(Op::MsrImm)
        }),
        _ => None,
    }
}
