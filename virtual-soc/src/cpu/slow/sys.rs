//! Exception generation, waiting, PSTATE, address translation, cache and TLB maintenance.

use super::mem::Kind;
use super::{Ctx, Flow};
use crate::cpu::bus::SysReg;
use crate::cpu::core::{CoreState, psr};
use crate::cpu::exception::{Exc, sysreg_iss};
use crate::cpu::insn::{Insn, Op};
use crate::cpu::mmu::{self, Access, Regime, fsc};
use crate::cpu::sysreg::R;
use crate::cpu::tlb::Attr;

/// HCR_EL2 bits that trap instructions.
mod hcr {
    pub const TWI: u32 = 13;
    pub const TWE: u32 = 14;
    pub const TSW: u32 = 22;
    pub const TPCP: u32 = 23;
    pub const TPU: u32 = 24;
    pub const TTLB: u32 = 25;
    pub const TDZ: u32 = 28;
    pub const HCD: u32 = 29;
}

impl Ctx<'_> {
    fn hcr(&self, bit: u32) -> bool {
        self.core.reg(R::HcrEl2) >> bit & 1 != 0
    }

    pub(super) fn hvc(&self, imm: u16) -> Exc {
        match self.core.el {
            0 => Exc::undefined(),
            1 if self.hcr(hcr::HCD) => Exc::undefined(),
            _ => Exc::hvc(imm),
        }
    }

    pub(super) fn brk(&self, imm: u16) -> Exc {
        // MDCR_EL2.TDE
        if self.core.reg(R::MdcrEl2) >> 8 & 1 != 0 {
            Exc::brk(imm).to_el2()
        } else {
            Exc::brk(imm)
        }
    }

    /// HLT: a host call in the host's range of physical addresses, else UNDEFINED (halting debug is off).
    pub(super) fn hlt(&self, imm: u16) -> Result<Flow, Exc> {
        match self.fetch_address() {
            Ok(pa) if self.host_call.contains(&pa) => Ok(Flow::HostCall(imm)),
            _ => Err(Exc::undefined()),
        }
    }

    pub(super) fn eret(&mut self) -> Result<Flow, Exc> {
        if self.core.el == 0 {
            return Err(Exc::undefined());
        }
        self.core.exception_return();
        self.bus.synchronize(self.cpu, self.now());
        self.ram.monitors.clear(self.cpu);
        self.ram.monitors.events |= 1 << self.cpu;
        Ok(Flow::Jumped)
    }

    pub(super) fn wfe(&mut self, timed: bool) -> Result<Flow, Exc> {
        let me = 1 << self.cpu;
        let stream = self.core.stream_fired(self.clock, self.now());
        if stream || self.ram.monitors.events & me != 0 {
            self.ram.monitors.events &= !me;
            return Ok(Flow::Next);
        }
        self.trap_wait(true, timed)?;
        if self.core.takeable().is_some() {
            return Ok(Flow::Next);
        }
        self.core.stream_wake = self
            .core
            .stream_due(self.clock)
            .unwrap_or(crate::cpu::Time::MAX);
        Ok(Flow::Wait(CoreState::Wfe))
    }

    /// ISB: nothing is reordered here, but devices may wait for it.
    pub(super) fn isb(&mut self) -> Result<Flow, Exc> {
        self.bus.synchronize(self.cpu, self.now());
        self.refresh_lines();
        Ok(Flow::Next)
    }

    pub(super) fn wfi(&mut self, timed: bool) -> Result<Flow, Exc> {
        // A timer may have become due inside this slice.
        if self.now() >= self.core.timer_due {
            self.refresh_timers();
        }
        if self.core.any_pending() {
            return Ok(Flow::Next);
        }
        self.trap_wait(false, timed)?;
        Ok(Flow::Wait(CoreState::Wfi))
    }

    /// WFET and WFIT: as WFE and WFI, until the virtual count reaches the register's value at the latest.
    pub(super) fn wait_until(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        if !self.core.cfg.wfxt {
            return Err(Exc::undefined());
        }
        let offset = match self.core.el {
            2 => 0,
            _ => self.core.reg(R::CntvoffEl2),
        };
        let count = self.x(insn.rn).wrapping_add(offset);
        if self.clock.count(self.now()) >= count {
            return Ok(Flow::Next);
        }
        let limit = self.clock.reaches(count);
        let flow = match insn.op {
            Op::Wfet => self.wfe(true)?,
            _ => self.wfi(true)?,
        };
        if matches!(flow, Flow::Wait(_)) {
            self.core.wait_limit = limit.unwrap_or(crate::cpu::Time::MAX);
            self.core.timed_wait = true;
        }
        Ok(flow)
    }

    /// SCTLR_ELx.nTWE, nTWI for EL0, then HCR_EL2.TWE, TWI for a guest.
    fn trap_wait(&self, wfe: bool, timed: bool) -> Result<(), Exc> {
        let exc = Exc::wait(wfe, timed);
        if self.core.el == 0 && self.core.sctlr() >> if wfe { 18 } else { 16 } & 1 == 0 {
            return Err(exc);
        }
        if self.core.el < 2 && !self.core.tge() && self.hcr(if wfe { hcr::TWE } else { hcr::TWI }) {
            return Err(exc.to_el2());
        }
        Ok(())
    }

    pub(super) fn system(&mut self, insn: &Insn) -> Result<Flow, Exc> {
        let reg = SysReg(insn.imm as u16);
        match insn.op {
            Op::Mrs => {
                let v = self.mrs(reg, insn.am)?;
                self.set_x(insn.rd, v);
            }
            Op::Msr => self.msr(reg, insn.am, self.x(insn.rd))?,
            Op::MsrImm => self.msr_imm(insn.sh, insn.imm as u64)?,
            Op::Sys => self.sys(reg, insn.am, self.x(insn.rd))?,
            _ => return Err(Exc::undefined()),
        }
        Ok(Flow::Next)
    }

    /// MSR (immediate): `field` = op1 << 3 | op2.
    fn msr_imm(&mut self, field: u8, imm: u64) -> Result<(), Exc> {
        let daif = |v: u64| (v & 15) << 6;
        match field {
            0o04 | 0o05 if self.core.el == 0 => return Err(Exc::undefined()),
            0o04 => self.core.set_pan(imm & 1 != 0),
            0o05 => self.core.set_mode(self.core.el, imm & 1 != 0),
            _ => {
                if self.core.el == 0 && self.core.sctlr() >> 9 & 1 == 0 {
                    // The syndrome of MSR DAIF, <imm>: CRn 4, CRm the immediate.
                    let packed = SysReg::new(0, 3, 4, imm as u8, field & 7).0;
                    return Err(Exc::sysreg(sysreg_iss(packed, 31, false)));
                }
                if field == 0o36 {
                    self.core.daif |= daif(imm);
                } else {
                    self.core.daif &= !daif(imm);
                }
            }
        }
        debug_assert_eq!(self.core.daif & !psr::DAIF, 0);
        Ok(())
    }

    /// SYS: IC, DC, AT, TLBI.
    fn sys(&mut self, reg: SysReg, rt: u8, value: u64) -> Result<(), Exc> {
        let trap = Exc::sysreg(sysreg_iss(reg.0, rt, false));
        let (_, op1, crn, crm, op2) = reg.fields();
        let el = self.core.el;
        let lowest = match op1 {
            0 => 1,
            3 => 0,
            4 => 2,
            _ => return Err(Exc::undefined()),
        };
        match (op1, crn, crm, op2) {
            (0, 7, 1 | 5, 0)
            | (0, 7, 6, 1 | 2)
            | (0, 7, 10 | 14, 2)
            | (3, 7, 5, 1)
            | (3, 7, 4 | 10 | 11 | 12 | 14, 1)
            | (0 | 4, 7, 8, 0..=3)
            | (4, 7, 8, 4..=7)
            | (0, 8, 3 | 7, 0..=3 | 5 | 7)
            | (4, 8, 0 | 4, 1 | 5)
            | (4, 8, 3 | 7, 0 | 1 | 4..=6) => {}
            _ => return Err(Exc::undefined()),
        }
        // AT S1E2R and S1E2W are the only EL2 ones below op2 4.
        if el < lowest || (op1 == 4 && crn == 7 && (2..4).contains(&op2)) {
            return Err(Exc::undefined());
        }
        self.trap_maintenance(reg, trap)?;
        match (crn, crm) {
            // Code is coherent: nothing to do.
            (7, 1 | 5) => Ok(()),
            (7, 4) => self.zero_block(value),
            (7, 8) => {
                self.address_translate(op1, op2, value);
                Ok(())
            }
            // By set and way.
            (7, 6 | 10 | 14) if op1 == 0 && op2 == 2 => Ok(()),
            (7, 6) => self.maintain(value, true),
            (7, _) => self.maintain(value, false),
            // TLBI: all cores if inner shareable; more than asked for is always allowed.
            _ => {
                if crm == 3 || crm == 0 {
                    self.ram.epoch += 1;
                }
                self.core.flush_tlbs();
                Ok(())
            }
        }
    }

    fn trap_maintenance(&self, reg: SysReg, trap: Exc) -> Result<(), Exc> {
        let (_, op1, crn, crm, op2) = reg.fields();
        let sctlr = self.core.sctlr();
        if self.core.el == 0 {
            let open = sctlr >> if crm == 4 { 14 } else { 26 } & 1 != 0;
            if !open {
                return Err(trap);
            }
        }
        if self.core.el == 2 || self.core.tge() {
            return Ok(());
        }
        let bit = match (op1, crn, crm, op2) {
            (3, 7, 4, 1) => hcr::TDZ,
            (0, 7, 6 | 10 | 14, 2) => hcr::TSW,
            (0, 7, 1 | 5, _) | (3, 7, 5 | 11, 1) => hcr::TPU,
            (0, 7, 6, 1) | (3, 7, 10 | 12 | 14, 1) => hcr::TPCP,
            (0, 8, _, _) => hcr::TTLB,
            _ => return Ok(()),
        };
        if self.hcr(bit) {
            Err(trap.to_el2())
        } else {
            Ok(())
        }
    }

    /// DC ZVA: 64 bytes of zeroes; needs Normal memory.
    fn zero_block(&mut self, va: u64) -> Result<(), Exc> {
        let (pa, attr) = self.translate(va, Kind::WRITE)?;
        if !attr.has(Attr::NORMAL) {
            return Err(Exc::data_abort(va, fsc::ALIGNMENT, true));
        }
        let block = pa & !63;
        if self.ram.contains(block, 64) {
            self.write_ram(block, &[0; 64]);
            return Ok(());
        }
        for i in 0..8 {
            self.write_pa(va, block + 8 * i, 8, 0)?;
        }
        Ok(())
    }

    /// DC by address: nothing but the translation, which may fault.
    fn maintain(&mut self, va: u64, needs_write: bool) -> Result<(), Exc> {
        let privileged = self.core.el != 0;
        // PAN does not apply to cache maintenance.
        let access = Access {
            write: needs_write,
            fetch: false,
            privileged,
            pan: false,
        };
        mmu::translate(self.core, self.ram, self.core.regime(), va, access)
            .map(|_| ())
            .map_err(|code| Exc::maintenance_abort(va, code))
    }

    /// AT: the result or the fault goes to PAR_EL1.
    fn address_translate(&mut self, op1: u8, op2: u8, va: u64) {
        let regime = match (op1, op2) {
            // S12E*: stage 2 is not there, stage 1 of the guest.
            (4, 4..) => Regime::El1,
            (4, _) => Regime::El2,
            _ if self.core.el == 2 && self.core.tge() => Regime::El2,
            _ => Regime::El1,
        };
        let access = Access {
            write: op2 & 1 != 0,
            fetch: false,
            privileged: op2 & 2 == 0,
            pan: false,
        };
        let par = match mmu::translate(self.core, self.ram, regime, va, access) {
            Ok(m) => {
                let sh = if m.is_device() { 2 } else { u64::from(m.sh) };
                u64::from(m.memory) << 56
                    | m.pa & 0x0000_ffff_ffff_f000
                    | 1 << 11
                    | 1 << 9
                    | sh << 7
            }
            Err(code) => 1 << 11 | u64::from(code) << 1 | 1,
        };
        self.core.put_reg(R::ParEl1, par);
    }
}
