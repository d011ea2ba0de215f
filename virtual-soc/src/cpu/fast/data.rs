//! Data processing: everything that touches only registers and flags.

use crate::cpu::alu::*;
use crate::cpu::insn::{Insn, Op};

/// Executes a data-processing instruction; false, with nothing done, if it is not one.
///
/// Inlined into the execution loop, where both matches become one.
#[inline(always)]
pub(super) fn data_processing(
    insn: &Insn,
    regs: &mut [u64; 256],
    nzcv: &mut u32,
    base_va: u64,
    idx: usize,
) -> bool {
    macro_rules! x {
        ($r:ident) => {
            regs[insn.$r as usize]
        };
    }
    macro_rules! w {
        ($r:ident) => {
            regs[insn.$r as usize] as u32
        };
    }
    macro_rules! set {
        ($v:expr) => {{
            let v = $v;
            regs[insn.rd as usize] = v;
        }};
    }
    macro_rules! set32 {
        ($v:expr) => {{
            let v: u32 = $v;
            regs[insn.rd as usize] = u64::from(v);
        }};
    }
    macro_rules! flags {
        ($v:expr) => {{
            let (r, f) = $v;
            regs[insn.rd as usize] = r;
            *nzcv = f;
        }};
    }
    macro_rules! flags32 {
        ($v:expr) => {{
            let (r, f) = $v;
            regs[insn.rd as usize] = u64::from(r);
            *nzcv = f;
        }};
    }
    macro_rules! logic_shifted {
        (64, $op:tt) => {
            x!(rn) $op (shift64(x!(rm), insn.sh) ^ insn.imm as u64)
        };
        (32, $op:tt) => {
            w!(rn) $op (shift32(w!(rm), insn.sh) ^ insn.imm as u32)
        };
    }
    match insn.op {
        Op::Nop => {}
        Op::MovImm => set!(insn.imm as u64),
        Op::MovK64 => set!(x!(rd) & !(0xffff << insn.sh) | insn.imm as u64),
        Op::MovK32 => set32!(w!(rd) & !(0xffff << insn.sh) | insn.imm as u32),
        Op::Adr => set!((base_va | (idx as u64) << 2).wrapping_add(insn.imm as u64)),
        Op::Adrp => set!(base_va.wrapping_add(insn.imm as u64)),
        Op::Mov64 => set!(x!(rn)),
        Op::Mov32 => set32!(w!(rn)),

        Op::AddI64 => set!(x!(rn).wrapping_add(insn.imm as u64)),
        Op::AddI32 => set32!(w!(rn).wrapping_add(insn.imm as u32)),
        Op::AddsI64 => flags!(adds64(x!(rn), insn.imm as u64)),
        Op::AddsI32 => flags32!(adds32(w!(rn), insn.imm as u32)),
        Op::SubsI64 => flags!(subs64(x!(rn), insn.imm as u64)),
        Op::SubsI32 => flags32!(subs32(w!(rn), insn.imm as u32)),
        Op::Add64 => set!(x!(rn).wrapping_add(x!(rm))),
        Op::Add32 => set32!(w!(rn).wrapping_add(w!(rm))),
        Op::Sub64 => set!(x!(rn).wrapping_sub(x!(rm))),
        Op::Sub32 => set32!(w!(rn).wrapping_sub(w!(rm))),
        Op::Adds64 => flags!(adds64(x!(rn), x!(rm))),
        Op::Adds32 => flags32!(adds32(w!(rn), w!(rm))),
        Op::Subs64 => flags!(subs64(x!(rn), x!(rm))),
        Op::Subs32 => flags32!(subs32(w!(rn), w!(rm))),
        Op::AddSh64 => set!(x!(rn).wrapping_add(shift64(x!(rm), insn.sh))),
        Op::AddSh32 => set32!(w!(rn).wrapping_add(shift32(w!(rm), insn.sh))),
        Op::SubSh64 => set!(x!(rn).wrapping_sub(shift64(x!(rm), insn.sh))),
        Op::SubSh32 => set32!(w!(rn).wrapping_sub(shift32(w!(rm), insn.sh))),
        Op::AddsSh64 => flags!(adds64(x!(rn), shift64(x!(rm), insn.sh))),
        Op::AddsSh32 => flags32!(adds32(w!(rn), shift32(w!(rm), insn.sh))),
        Op::SubsSh64 => flags!(subs64(x!(rn), shift64(x!(rm), insn.sh))),
        Op::SubsSh32 => flags32!(subs32(w!(rn), shift32(w!(rm), insn.sh))),
        Op::AddExt64 => set!(x!(rn).wrapping_add(extend(x!(rm), insn.sh))),
        Op::AddExt32 => set32!(w!(rn).wrapping_add(extend(x!(rm), insn.sh) as u32)),
        Op::SubExt64 => set!(x!(rn).wrapping_sub(extend(x!(rm), insn.sh))),
        Op::SubExt32 => set32!(w!(rn).wrapping_sub(extend(x!(rm), insn.sh) as u32)),
        Op::AddsExt64 => flags!(adds64(x!(rn), extend(x!(rm), insn.sh))),
        Op::AddsExt32 => flags32!(adds32(w!(rn), extend(x!(rm), insn.sh) as u32)),
        Op::SubsExt64 => flags!(subs64(x!(rn), extend(x!(rm), insn.sh))),
        Op::SubsExt32 => flags32!(subs32(w!(rn), extend(x!(rm), insn.sh) as u32)),
        Op::Adc64 => set!(adcs64(x!(rn), x!(rm) ^ insn.imm as u64, *nzcv & 2 != 0).0),
        Op::Adc32 => set32!(adcs32(w!(rn), w!(rm) ^ insn.imm as u32, *nzcv & 2 != 0).0),
        Op::Adcs64 => flags!(adcs64(x!(rn), x!(rm) ^ insn.imm as u64, *nzcv & 2 != 0)),
        Op::Adcs32 => flags32!(adcs32(w!(rn), w!(rm) ^ insn.imm as u32, *nzcv & 2 != 0)),

        Op::AndI64 => set!(x!(rn) & insn.imm as u64),
        Op::AndI32 => set32!(w!(rn) & insn.imm as u32),
        Op::OrrI64 => set!(x!(rn) | insn.imm as u64),
        Op::OrrI32 => set32!(w!(rn) | insn.imm as u32),
        Op::EorI64 => set!(x!(rn) ^ insn.imm as u64),
        Op::EorI32 => set32!(w!(rn) ^ insn.imm as u32),
        Op::AndsI64 => {
            let r = x!(rn) & insn.imm as u64;
            flags!((r, logic64(r)));
        }
        Op::AndsI32 => {
            let r = w!(rn) & insn.imm as u32;
            flags32!((r, logic32(r)));
        }
        Op::And64 => set!(x!(rn) & x!(rm)),
        Op::And32 => set32!(w!(rn) & w!(rm)),
        Op::Orr64 => set!(x!(rn) | x!(rm)),
        Op::Orr32 => set32!(w!(rn) | w!(rm)),
        Op::Eor64 => set!(x!(rn) ^ x!(rm)),
        Op::Eor32 => set32!(w!(rn) ^ w!(rm)),
        Op::Ands64 => {
            let r = x!(rn) & x!(rm);
            flags!((r, logic64(r)));
        }
        Op::Ands32 => {
            let r = w!(rn) & w!(rm);
            flags32!((r, logic32(r)));
        }
        Op::AndSh64 => set!(logic_shifted!(64, &)),
        Op::AndSh32 => set32!(logic_shifted!(32, &)),
        Op::OrrSh64 => set!(logic_shifted!(64, |)),
        Op::OrrSh32 => set32!(logic_shifted!(32, |)),
        Op::EorSh64 => set!(logic_shifted!(64, ^)),
        Op::EorSh32 => set32!(logic_shifted!(32, ^)),
        Op::AndsSh64 => {
            let r = logic_shifted!(64, &);
            flags!((r, logic64(r)));
        }
        Op::AndsSh32 => {
            let r = logic_shifted!(32, &);
            flags32!((r, logic32(r)));
        }

        Op::Ubfm => set!(x!(rn) << (insn.sh & 63) >> (insn.am & 63)),
        Op::Sbfm64 => set!(((x!(rn) << (insn.sh & 63)) as i64 >> (insn.am & 63)) as u64),
        Op::Sbfm32 => set32!(((w!(rn) << (insn.sh & 31)) as i32 >> (insn.am & 31)) as u32),
        Op::Bfm64 => {
            let mask = insn.imm as u64;
            set!(x!(rd) & !mask | x!(rn).rotate_right(u32::from(insn.sh)) & mask);
        }
        Op::Bfm32 => {
            let mask = insn.imm as u32;
            set32!(w!(rd) & !mask | w!(rn).rotate_right(u32::from(insn.sh)) & mask);
        }
        Op::Extr64 => {
            let wide = u128::from(x!(rn)) << 64 | u128::from(x!(rm));
            set!((wide >> (insn.sh & 63)) as u64);
        }
        Op::Extr32 => {
            let wide = u64::from(w!(rn)) << 32 | u64::from(w!(rm));
            set32!((wide >> (insn.sh & 31)) as u32);
        }

        Op::Csel64 => set!(if holds(insn.sh, *nzcv) {
            x!(rn)
        } else {
            x!(rm)
        }),
        Op::Csel32 => set32!(if holds(insn.sh, *nzcv) {
            w!(rn)
        } else {
            w!(rm)
        }),
        Op::Csinc64 => set!(if holds(insn.sh, *nzcv) {
            x!(rn)
        } else {
            x!(rm).wrapping_add(1)
        }),
        Op::Csinc32 => set32!(if holds(insn.sh, *nzcv) {
            w!(rn)
        } else {
            w!(rm).wrapping_add(1)
        }),
        Op::Csinv64 => set!(if holds(insn.sh, *nzcv) {
            x!(rn)
        } else {
            !x!(rm)
        }),
        Op::Csinv32 => set32!(if holds(insn.sh, *nzcv) {
            w!(rn)
        } else {
            !w!(rm)
        }),
        Op::Csneg64 => set!(if holds(insn.sh, *nzcv) {
            x!(rn)
        } else {
            x!(rm).wrapping_neg()
        }),
        Op::Csneg32 => set32!(if holds(insn.sh, *nzcv) {
            w!(rn)
        } else {
            w!(rm).wrapping_neg()
        }),
        Op::CcmpR64 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                subs64(x!(rn), x!(rm)).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmpR32 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                subs32(w!(rn), w!(rm)).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmpI64 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                subs64(x!(rn), insn.imm as u64).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmpI32 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                subs32(w!(rn), insn.imm as u32).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmnR64 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                adds64(x!(rn), x!(rm)).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmnR32 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                adds32(w!(rn), w!(rm)).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmnI64 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                adds64(x!(rn), insn.imm as u64).1
            } else {
                u32::from(insn.am)
            };
        }
        Op::CcmnI32 => {
            *nzcv = if holds(insn.sh, *nzcv) {
                adds32(w!(rn), insn.imm as u32).1
            } else {
                u32::from(insn.am)
            };
        }

        Op::Rbit64 => set!(x!(rn).reverse_bits()),
        Op::Rbit32 => set32!(w!(rn).reverse_bits()),
        Op::Rev16x64 => {
            let v = x!(rn);
            set!((v & 0x00ff_00ff_00ff_00ff) << 8 | v >> 8 & 0x00ff_00ff_00ff_00ff);
        }
        Op::Rev16x32 => {
            let v = w!(rn);
            set32!((v & 0x00ff_00ff) << 8 | v >> 8 & 0x00ff_00ff);
        }
        Op::Rev32x64 => set!(x!(rn).swap_bytes().rotate_right(32)),
        Op::Rev64 => set!(x!(rn).swap_bytes()),
        Op::Rev32 => set32!(w!(rn).swap_bytes()),
        Op::Clz64 => set!(u64::from(x!(rn).leading_zeros())),
        Op::Clz32 => set32!(w!(rn).leading_zeros()),
        Op::Cls64 => set!(u64::from(cls64(x!(rn)))),
        Op::Cls32 => set32!(cls32(w!(rn))),
        Op::Udiv64 => set!(x!(rn).checked_div(x!(rm)).unwrap_or(0)),
        Op::Udiv32 => set32!(w!(rn).checked_div(w!(rm)).unwrap_or(0)),
        Op::Sdiv64 => set!(sdiv64(x!(rn), x!(rm))),
        Op::Sdiv32 => set32!(sdiv32(w!(rn), w!(rm))),
        Op::Lslv64 => set!(x!(rn) << (x!(rm) & 63)),
        Op::Lslv32 => set32!(w!(rn) << (w!(rm) & 31)),
        Op::Lsrv64 => set!(x!(rn) >> (x!(rm) & 63)),
        Op::Lsrv32 => set32!(w!(rn) >> (w!(rm) & 31)),
        Op::Asrv64 => set!((x!(rn) as i64 >> (x!(rm) & 63)) as u64),
        Op::Asrv32 => set32!((w!(rn) as i32 >> (w!(rm) & 31)) as u32),
        Op::Rorv64 => set!(x!(rn).rotate_right(w!(rm) & 63)),
        Op::Rorv32 => set32!(w!(rn).rotate_right(w!(rm) & 31)),
        Op::Crc32 => set32!(crc(CRC32, w!(rn), x!(rm), insn.sh)),
        Op::Crc32c => set32!(crc(CRC32C, w!(rn), x!(rm), insn.sh)),

        Op::Madd64 => set!(x!(sh).wrapping_add(x!(rn).wrapping_mul(x!(rm)))),
        Op::Madd32 => set32!(w!(sh).wrapping_add(w!(rn).wrapping_mul(w!(rm)))),
        Op::Msub64 => set!(x!(sh).wrapping_sub(x!(rn).wrapping_mul(x!(rm)))),
        Op::Msub32 => set32!(w!(sh).wrapping_sub(w!(rn).wrapping_mul(w!(rm)))),
        Op::Smaddl => set!(x!(sh).wrapping_add(smull(x!(rn), x!(rm)))),
        Op::Smsubl => set!(x!(sh).wrapping_sub(smull(x!(rn), x!(rm)))),
        Op::Umaddl => set!(x!(sh).wrapping_add(u64::from(w!(rn)) * u64::from(w!(rm)))),
        Op::Umsubl => set!(x!(sh).wrapping_sub(u64::from(w!(rn)) * u64::from(w!(rm)))),
        Op::Smulh => {
            set!(smulh(x!(rn), x!(rm)))
        }
        Op::Umulh => set!(umulh(x!(rn), x!(rm))),

        _ => return false,
    }
    true
}
