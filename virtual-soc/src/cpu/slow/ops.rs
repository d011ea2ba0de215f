//! Execution of one instruction on the slow path.

use super::mem::Kind;
use super::{Ctx, Flow};
use crate::cpu::alu::{extend, sxb32, sxb64, sxh32, sxh64, sxw};
use crate::cpu::exception::Exc;
use crate::cpu::insn::{Insn, Op};

/// Where a load or store finds its address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Imm,
    Indexed,
    Reg,
    Literal,
    /// Base only, must be aligned.
    Ordered,
}

/// What a load does with the value read.
type Extend = fn(u64) -> u64;

/// A load or store of the fast loop's set.
struct Shape {
    size: u64,
    load: bool,
    mode: Mode,
    pair: bool,
    extend: Extend,
}

/// What a memory operation of the fast loop does; `None` for all other operations.
fn shape(op: Op) -> Option<Shape> {
    use Mode::{Imm, Indexed, Literal, Ordered, Reg};
    let same: Extend = |v| v;
    let s = |size, load, mode| {
        Some(Shape {
            size,
            load,
            mode,
            pair: false,
            extend: same,
        })
    };
    let x = |size, mode, extend| {
        Some(Shape {
            size,
            load: true,
            mode,
            pair: false,
            extend,
        })
    };
    let p = |size, load, mode| {
        Some(Shape {
            size,
            load,
            mode,
            pair: true,
            extend: same,
        })
    };
    let (sb32, sb64): (Extend, Extend) = (|v| sxb32(v as u8), |v| sxb64(v as u8));
    let (sh32, sh64): (Extend, Extend) = (|v| sxh32(v as u16), |v| sxh64(v as u16));
    let sw: Extend = |v| sxw(v as u32);
    match op {
        Op::LdrBI => s(1, true, Imm),
        Op::LdrHI => s(2, true, Imm),
        Op::LdrWI => s(4, true, Imm),
        Op::LdrXI => s(8, true, Imm),
        Op::LdrSbWI => x(1, Imm, sb32),
        Op::LdrSbXI => x(1, Imm, sb64),
        Op::LdrShWI => x(2, Imm, sh32),
        Op::LdrShXI => x(2, Imm, sh64),
        Op::LdrSwI => x(4, Imm, sw),
        Op::LdrBP => s(1, true, Indexed),
        Op::LdrHP => s(2, true, Indexed),
        Op::LdrWP => s(4, true, Indexed),
        Op::LdrXP => s(8, true, Indexed),
        Op::LdrSbWP => x(1, Indexed, sb32),
        Op::LdrSbXP => x(1, Indexed, sb64),
        Op::LdrShWP => x(2, Indexed, sh32),
        Op::LdrShXP => x(2, Indexed, sh64),
        Op::LdrSwP => x(4, Indexed, sw),
        Op::LdrBR => s(1, true, Reg),
        Op::LdrHR => s(2, true, Reg),
        Op::LdrWR => s(4, true, Reg),
        Op::LdrXR => s(8, true, Reg),
        Op::LdrSbWR => x(1, Reg, sb32),
        Op::LdrSbXR => x(1, Reg, sb64),
        Op::LdrShWR => x(2, Reg, sh32),
        Op::LdrShXR => x(2, Reg, sh64),
        Op::LdrSwR => x(4, Reg, sw),
        Op::LitW => s(4, true, Literal),
        Op::LitX => s(8, true, Literal),
        Op::LitSw => x(4, Literal, sw),
        Op::LdpWI => p(4, true, Imm),
        Op::LdpXI => p(8, true, Imm),
        Op::LdpSwI => Some(Shape {
            size: 4,
            load: true,
            mode: Imm,
            pair: true,
            extend: sw,
        }),
        Op::LdpWP => p(4, true, Indexed),
        Op::LdpXP => p(8, true, Indexed),
        Op::LdpSwP => Some(Shape {
            size: 4,
            load: true,
            mode: Indexed,
            pair: true,
            extend: sw,
        }),
        Op::LdarB => s(1, true, Ordered),
        Op::LdarH => s(2, true, Ordered),
        Op::LdarW => s(4, true, Ordered),
        Op::LdarX => s(8, true, Ordered),
        Op::StrBI => s(1, false, Imm),
        Op::StrHI => s(2, false, Imm),
        Op::StrWI => s(4, false, Imm),
        Op::StrXI => s(8, false, Imm),
        Op::StrBP => s(1, false, Indexed),
        Op::StrHP => s(2, false, Indexed),
        Op::StrWP => s(4, false, Indexed),
        Op::StrXP => s(8, false, Indexed),
        Op::StrBR => s(1, false, Reg),
        Op::StrHR => s(2, false, Reg),
        Op::StrWR => s(4, false, Reg),
        Op::StrXR => s(8, false, Reg),
        Op::StpWI => p(4, false, Imm),
        Op::StpXI => p(8, false, Imm),
        Op::StpWP => p(4, false, Indexed),
        Op::StpXP => p(8, false, Indexed),
        Op::StlrB => s(1, false, Ordered),
        Op::StlrH => s(2, false, Ordered),
        Op::StlrW => s(4, false, Ordered),
        Op::StlrX => s(8, false, Ordered),
        _ => None,
    }
}

impl Ctx<'_> {
    pub(super) fn x(&self, r: u8) -> u64 {
        self.core.regs[r as usize]
    }

    pub(super) fn set_x(&mut self, r: u8, v: u64) {
        self.core.regs[r as usize] = v;
    }

    /// Executes `insn`, which is at pc. On an error nothing of it has happened, except accesses to devices and the
    /// first half of a pair.
    pub(super) fn execute(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        if let Some(shape) = shape(insn.op) {
            return self.load_store(insn, &shape);
        }
        match insn.op {
            Op::Svc => Err(Exc::svc(insn.imm as u16)),
            Op::Hvc => Err(self.hvc(insn.imm as u16)),
            Op::Brk => Err(self.brk(insn.imm as u16)),
            Op::Hlt => self.hlt(insn.imm as u16),
            Op::Eret => self.eret(),
            Op::Mrs | Op::Msr | Op::MsrImm | Op::Sys | Op::SysL => self.system(insn),
            Op::Wfe => self.wfe(false),
            Op::Wfi => self.wfi(false),
            Op::Isb => self.isb(),
            Op::Wfet | Op::Wfit => self.wait_until(insn),
            Op::Sev => {
                self.ram.monitors.events = u64::MAX;
                Ok(Flow::Next)
            }
            Op::Sevl => {
                self.ram.monitors.events |= 1 << self.cpu;
                Ok(Flow::Next)
            }
            Op::Clrex => {
                self.ram.monitors.clear(self.cpu);
                Ok(Flow::Next)
            }
            Op::LdUnpriv | Op::StUnpriv => self.unprivileged(insn),
            Op::LdEx | Op::LdExP => self.load_exclusive(insn),
            Op::StEx | Op::StExP => self.store_exclusive(insn),
            Op::Cas => self.compare_and_swap(insn),
            Op::CasP => self.compare_and_swap_pair(insn),
            Op::Atomic => self.read_modify_write(insn),
            // SMC is UNDEFINED without EL3, and everything the fast loop completes never comes here.
            _ => Err(Exc::undefined()),
        }
    }

    fn load_store(&mut self, insn: &Insn, shape: &Shape) -> Result<Flow, Exc> {
        let base = if shape.mode == Mode::Literal {
            self.core.pc
        } else {
            self.x(insn.rn)
        };
        self.check_sp(base, insn.am)?;
        let va = match shape.mode {
            Mode::Reg => base.wrapping_add(extend(self.x(insn.rm), insn.sh)),
            _ => base.wrapping_add(insn.imm as u64),
        };
        let kind = Kind {
            write: !shape.load,
            unprivileged: false,
            aligned: shape.mode == Mode::Ordered,
        };
        let second = va.wrapping_add(shape.size);
        if shape.load {
            let v1 = (shape.extend)(self.load(va, shape.size, kind)?);
            if shape.pair {
                let v2 = (shape.extend)(self.load(second, shape.size, kind)?);
                self.set_x(insn.rm, v2);
            }
            self.set_x(insn.rd, v1);
        } else {
            let v1 = self.x(insn.rd);
            if shape.pair {
                // Both halves must be writable before either is written; the first one faults first.
                self.check_alignment(va, shape.size, kind)?;
                self.translate(va, kind)?;
                self.translate(second, kind)?;
                self.translate(second.wrapping_add(shape.size - 1), kind)?;
            }
            self.store(va, shape.size, v1, kind)?;
            if shape.pair {
                let v2 = self.x(insn.rm);
                self.store(second, shape.size, v2, kind)?;
            }
        }
        if shape.mode == Mode::Indexed {
            self.set_x(insn.rn, base.wrapping_add(insn.aux as u64));
        }
        Ok(Flow::Next)
    }

    /// LDTR and STTR: EL0's rights at EL1, and at EL2 for a VHE host with TGE; elsewhere plain accesses.
    fn unprivileged(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let base = self.x(insn.rn);
        self.check_sp(base, insn.am)?;
        let va = base.wrapping_add(insn.imm as u64);
        let unprivileged = self.core.el == 1 || (self.core.el == 2 && self.core.tge());
        let size = 1 << insn.sh;
        if insn.op == Op::StUnpriv {
            self.store(
                va,
                size,
                self.x(insn.rd),
                Kind {
                    unprivileged,
                    ..Kind::WRITE
                },
            )?;
        } else {
            let v = self.load(
                va,
                size,
                Kind {
                    unprivileged,
                    ..Kind::READ
                },
            )?;
            let up = 64 - 8 * size as u32;
            let signed = ((v << up) as i64 >> up) as u64;
            let v = match insn.aux {
                0 => v,
                1 => signed & 0xffff_ffff,
                _ => signed,
            };
            self.set_x(insn.rd, v);
        }
        Ok(Flow::Next)
    }
}
