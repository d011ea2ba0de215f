//! Exclusives and LSE atomics.
//!
//! Both need Normal memory. Elsewhere (that is also: with the MMU off) an exclusive store always fails, because no
//! monitor covers the location, and an LSE atomic takes the "unsupported atomic access" abort. The model's choice
//! among what the architecture allows.

use super::mem::Kind;
use super::{Ctx, Flow};
use crate::cpu::exception::Exc;
use crate::cpu::insn::{Insn, Op, SINK, ZR};
use crate::cpu::mmu::fsc;
use crate::cpu::tlb::Attr;

const ALIGNED_READ: Kind = Kind {
    aligned: true,
    ..Kind::READ
};
const ALIGNED_WRITE: Kind = Kind {
    aligned: true,
    ..Kind::WRITE
};

impl Ctx<'_> {
    pub(super) fn load_exclusive(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let va = self.x(insn.rn);
        self.check_sp(va, insn.am)?;
        let size = 1 << insn.sh;
        let pair = insn.op == Op::LdExP;
        self.check_alignment(va, if pair { 2 * size } else { size }, ALIGNED_READ)?;
        let (pa, attr) = self.translate(va, ALIGNED_READ)?;
        let v1 = self.load(va, size, ALIGNED_READ)?;
        if pair {
            let v2 = self.load(va.wrapping_add(size), size, ALIGNED_READ)?;
            self.set_x(insn.rm, v2);
        }
        self.set_x(insn.rd, v1);
        if attr.has(Attr::NORMAL) && self.ram.contains(pa, 16) {
            self.ram.monitors.mark(self.cpu, pa - self.ram.base());
        } else {
            self.ram.monitors.clear(self.cpu);
        }
        Ok(Flow::Next)
    }

    pub(super) fn store_exclusive(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let va = self.x(insn.rn);
        self.check_sp(va, insn.am)?;
        let size = 1 << insn.sh;
        let pair = insn.op == Op::StExP;
        self.check_alignment(va, if pair { 2 * size } else { size }, ALIGNED_WRITE)?;
        let (pa, attr) = self.translate(va, ALIGNED_WRITE)?;
        let covered = attr.has(Attr::NORMAL) && self.ram.contains(pa, 16);
        let off = pa.wrapping_sub(self.ram.base());
        // Any exclusive store opens the monitor, the failing ones too.
        let ok = self.ram.monitors.take(self.cpu, off) && covered;
        if ok {
            self.store(va, size, self.x(insn.rd), ALIGNED_WRITE)?;
            if pair {
                self.store(va.wrapping_add(size), size, self.x(insn.rm), ALIGNED_WRITE)?;
            }
        }
        let status = if pair { insn.aux as u8 } else { insn.rm };
        self.set_x(status, u64::from(!ok));
        Ok(Flow::Next)
    }

    /// Checks and translates the target of an atomic of `size` bytes.
    fn atomic_target(&mut self, insn: &Insn, size: u64) -> Result<u64, Exc> {
        let va = self.x(insn.rn);
        self.check_sp(va, insn.am)?;
        // WnR is 1 only if a read would have worked.
        self.check_alignment(va, size, ALIGNED_WRITE)?;
        self.translate(va, ALIGNED_READ)?;
        let (pa, attr) = self.translate(va, ALIGNED_WRITE)?;
        if !attr.has(Attr::NORMAL) || !self.ram.contains(pa, size) {
            return Err(Exc::data_abort(va, fsc::UNSUPPORTED, true));
        }
        Ok(va)
    }

    pub(super) fn compare_and_swap(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let size = 1u64 << insn.sh;
        let va = self.atomic_target(insn, size)?;
        let mask = u64::MAX >> (64 - 8 * size);
        let old = self.load(va, size, ALIGNED_READ)?;
        if old == self.x(source(insn.rm)) & mask {
            self.store(va, size, self.x(insn.rd), ALIGNED_WRITE)?;
        }
        self.set_x(dest(insn.rm), old);
        Ok(Flow::Next)
    }

    pub(super) fn compare_and_swap_pair(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let size = 1u64 << insn.sh;
        let va = self.atomic_target(insn, 2 * size)?;
        let mask = u64::MAX >> (64 - 8 * size);
        let next = va.wrapping_add(size);
        let (old1, old2) = (
            self.load(va, size, ALIGNED_READ)?,
            self.load(next, size, ALIGNED_READ)?,
        );
        let want = (
            self.x(source(insn.rm)) & mask,
            self.x(source(insn.rm + 1)) & mask,
        );
        if (old1, old2) == want {
            self.store(va, size, self.x(source(insn.rd)), ALIGNED_WRITE)?;
            self.store(next, size, self.x(source(insn.rd + 1)), ALIGNED_WRITE)?;
        }
        self.set_x(dest(insn.rm), old1);
        self.set_x(dest(insn.rm + 1), old2);
        Ok(Flow::Next)
    }

    pub(super) fn read_modify_write(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let size = 1u64 << insn.sh;
        let va = self.atomic_target(insn, size)?;
        let old = self.load(va, size, ALIGNED_READ)?;
        let operand = self.x(insn.rm);
        let up = 64 - 8 * size as u32;
        let signed = |v: u64| (v << up) as i64;
        let unsigned = |v: u64| v << up;
        let new = match insn.aux {
            0 => old.wrapping_add(operand),
            1 => old & !operand,
            2 => old ^ operand,
            3 => old | operand,
            4 => choose(signed(old) > signed(operand), old, operand),
            5 => choose(signed(old) < signed(operand), old, operand),
            6 => choose(unsigned(old) > unsigned(operand), old, operand),
            7 => choose(unsigned(old) < unsigned(operand), old, operand),
            _ => operand,
        };
        self.store(va, size, new, ALIGNED_WRITE)?;
        self.set_x(insn.rd, old);
        Ok(Flow::Next)
    }
}

fn choose(first: bool, a: u64, b: u64) -> u64 {
    if first { a } else { b }
}

/// Register-file slot of a register number as a source.
fn source(n: u8) -> u8 {
    if n == 31 { ZR } else { n }
}

/// Register-file slot of a register number as a destination.
fn dest(n: u8) -> u8 {
    if n == 31 { SINK } else { n }
}
