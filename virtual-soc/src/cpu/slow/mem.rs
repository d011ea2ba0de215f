//! Memory as the slow path sees it: translation with faults, any alignment, MMIO.

use super::Ctx;
use crate::cpu::bus::BusFault;
use crate::cpu::exception::Exc;
use crate::cpu::mmu::{self, Access, fsc};
use crate::cpu::tlb::Attr;

/// What a data access asks for besides its address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub write: bool,
    /// LDTR, STTR: with EL0's rights.
    pub unprivileged: bool,
    /// Faults if misaligned, whatever SCTLR_ELx.A says.
    pub aligned: bool,
}

impl Kind {
    pub const READ: Kind = Kind {
        write: false,
        unprivileged: false,
        aligned: false,
    };
    pub const WRITE: Kind = Kind {
        write: true,
        unprivileged: false,
        aligned: false,
    };
}

impl Ctx<'_> {
    /// Physical address and attributes of the byte at `va`.
    pub(super) fn translate(&mut self, va: u64, kind: Kind) -> Result<(u64, Attr), Exc> {
        let base = self.ram.base();
        if !kind.unprivileged {
            let tlb = if kind.write {
                &self.core.writes
            } else {
                &self.core.reads
            };
            if let Some(known) = tlb.probe(va, base) {
                return Ok(known);
            }
        }
        let privileged = self.core.el != 0 && !kind.unprivileged;
        let access = Access {
            write: kind.write,
            fetch: false,
            privileged,
            pan: self.core.pan,
        };
        let mapping = mmu::translate(self.core, self.ram, self.core.regime(), va, access)
            .map_err(|code| Exc::data_abort(va, code, kind.write))?;
        let mut attr = 0;
        if !mapping.is_device() {
            attr |= Attr::NORMAL;
            if !self.alignment_checked() {
                attr |= Attr::UNALIGNED;
            }
        }
        let attr = Attr(attr);
        if !kind.unprivileged {
            let page = mapping.pa & !0xfff;
            let ram_offset = if self.ram.contains(page, 0x1000) {
                Some(page - base)
            } else {
                None
            };
            let tlb = if kind.write {
                &mut self.core.writes
            } else {
                &mut self.core.reads
            };
            match ram_offset {
                Some(off) if !(kind.write && self.ram.code.is_code(off)) => {
                    tlb.fill(va, off, attr, false)
                }
                _ => tlb.fill(va, page, attr, true),
            }
        }
        Ok((mapping.pa, attr))
    }

    /// SCTLR_ELx.A of the current regime.
    fn alignment_checked(&self) -> bool {
        self.core.sctlr() & 2 != 0
    }

    /// Checks that SP is a multiple of 16 if it is the base and the check is on (`mask` from [`Insn::am`](crate::cpu::insn::Insn)).
    pub(super) fn check_sp(&self, base: u64, mask: u8) -> Result<(), Exc> {
        if base & u64::from(mask) == 0 {
            return Ok(());
        }
        let bit = if self.core.el == 0 { 4 } else { 3 };
        if self.core.sctlr() >> bit & 1 != 0 {
            Err(Exc::sp_alignment())
        } else {
            Ok(())
        }
    }

    /// Alignment faults that do not depend on the memory type.
    pub(super) fn check_alignment(&self, va: u64, size: u64, kind: Kind) -> Result<(), Exc> {
        if va & (size - 1) != 0 && (kind.aligned || self.alignment_checked()) {
            return Err(Exc::data_abort(va, fsc::ALIGNMENT, kind.write));
        }
        Ok(())
    }

    /// Reads 1, 2, 4 or 8 bytes.
    pub(super) fn load(&mut self, va: u64, size: u64, kind: Kind) -> Result<u64, Exc> {
        self.check_alignment(va, size, kind)?;
        if va & (size - 1) == 0 {
            let (pa, _) = self.translate(va, kind)?;
            return self.read_pa(va, pa, size as u8);
        }
        let mut bytes = [0; 8];
        for i in 0..size {
            let at = va.wrapping_add(i);
            let pa = self.translate_unaligned(at, kind)?;
            bytes[i as usize] = self.read_pa(at, pa, 1)? as u8;
        }
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes 1, 2, 4 or 8 bytes; nothing is written if any of them faults.
    pub(super) fn store(&mut self, va: u64, size: u64, value: u64, kind: Kind) -> Result<(), Exc> {
        self.check_alignment(va, size, kind)?;
        if va & (size - 1) == 0 {
            let (pa, _) = self.translate(va, kind)?;
            return self.write_pa(va, pa, size as u8, value);
        }
        let mut pas = [0; 8];
        for i in 0..size {
            pas[i as usize] = self.translate_unaligned(va.wrapping_add(i), kind)?;
        }
        for i in 0..size {
            self.write_pa(va.wrapping_add(i), pas[i as usize], 1, value >> (8 * i))?;
        }
        Ok(())
    }

    fn translate_unaligned(&mut self, va: u64, kind: Kind) -> Result<u64, Exc> {
        let (pa, attr) = self.translate(va, kind)?;
        if attr.has(Attr::UNALIGNED) {
            Ok(pa)
        } else {
            Err(Exc::data_abort(va, fsc::ALIGNMENT, kind.write))
        }
    }

    /// Aligned read of a physical address.
    fn read_pa(&mut self, va: u64, pa: u64, size: u8) -> Result<u64, Exc> {
        let mut bytes = [0; 8];
        if self.ram.read(pa, &mut bytes[..usize::from(size)]).is_ok() {
            return Ok(u64::from_le_bytes(bytes));
        }
        let value = self.bus.mmio_read(self.cpu, pa, size, self.now());
        self.after_bus();
        match value {
            Ok(v) => Ok(if size == 8 {
                v
            } else {
                v & ((1 << (8 * size)) - 1)
            }),
            Err(BusFault::Abort) => Err(Exc::data_abort(va, fsc::EXTERNAL, false)),
            Err(BusFault::SError) => {
                self.core.serror = Some(0);
                Ok(0)
            }
        }
    }

    /// Aligned write of a physical address.
    pub(super) fn write_pa(&mut self, va: u64, pa: u64, size: u8, value: u64) -> Result<(), Exc> {
        if self.ram.contains(pa, u64::from(size)) {
            self.write_ram(pa, &value.to_le_bytes()[..usize::from(size)]);
            return Ok(());
        }
        let value = if size == 8 {
            value
        } else {
            value & ((1 << (8 * size)) - 1)
        };
        let done = self.bus.mmio_write(self.cpu, pa, size, value, self.now());
        self.after_bus();
        match done {
            Ok(()) => Ok(()),
            Err(BusFault::Abort) => Err(Exc::data_abort(va, fsc::EXTERNAL, true)),
            Err(BusFault::SError) => {
                self.core.serror = Some(0);
                Ok(())
            }
        }
    }

    /// A store by this core to RAM: opens other cores' monitors, forgets decoded code.
    pub(super) fn write_ram(&mut self, pa: u64, bytes: &[u8]) {
        let off = pa - self.ram.base();
        self.ram.stored(Some(self.cpu), off, bytes.len() as u64);
        self.ram.data[off as usize..off as usize + bytes.len()].copy_from_slice(bytes);
    }
}
