//! MRS and MSR.

use super::traps::{Request, check};
use super::{R, enc, peek};
use crate::cpu::bus::{SysReg, SysRegFault};
use crate::cpu::core::psr;
use crate::cpu::exception::Exc;
use crate::cpu::slow::Ctx;
use crate::cpu::timer::{ENABLE, ISTATUS};

/// Where an encoding leads at the current level.
enum Target {
    Stored(R),
    /// A 32-bit view of the timer with this control and compare register.
    Tval(R, R),
    Other,
}

impl Ctx<'_> {
    /// MRS.
    pub(crate) fn mrs(&mut self, reg: SysReg, rt: u8) -> Result<u64, Exc> {
        let req = Request {
            reg,
            rt,
            write: false,
        };
        check(self.core, &req)?;
        if reg.is_implementation_defined() {
            let value = self
                .bus
                .sysreg_read(self.cpu, reg, self.core.el, self.now());
            self.after_bus();
            return value.map_err(|fault| refused(fault, &req));
        }
        match self.target(reg)? {
            Target::Stored(r) => Ok(self.read_stored(r)),
            Target::Tval(ctl, cval) => {
                let count = self.count().wrapping_sub(self.core.timer_offset(ctl));
                Ok(self.core.reg(cval).wrapping_sub(count) & 0xffff_ffff)
            }
            Target::Other => self.read_other(reg),
        }
    }

    /// MSR (register).
    pub(crate) fn msr(&mut self, reg: SysReg, rt: u8, value: u64) -> Result<(), Exc> {
        let req = Request {
            reg,
            rt,
            write: true,
        };
        check(self.core, &req)?;
        if reg.is_implementation_defined() {
            let done = self
                .bus
                .sysreg_write(self.cpu, reg, self.core.el, value, self.now());
            self.core.timers_changed = true;
            self.after_bus();
            return done.map_err(|fault| refused(fault, &req));
        }
        match self.target(reg)? {
            Target::Stored(r) if r.is_read_only() => Err(Exc::undefined()),
            Target::Stored(r) => {
                self.write_stored(r, value);
                Ok(())
            }
            Target::Tval(ctl, cval) => {
                let count = self.count().wrapping_sub(self.core.timer_offset(ctl));
                self.write_stored(cval, count.wrapping_add(value as i32 as u64));
                Ok(())
            }
            Target::Other => self.write_other(reg, value),
        }
    }

    /// Applies VHE redirection.
    fn target(&self, reg: SysReg) -> Result<Target, Exc> {
        let el2 = self.core.el == 2;
        let (op0, op1, crn, crm, op2) = reg.fields();
        if (op0, op1) == (3, 5) {
            // _EL02: the guest's timers. _EL12: every register whose plain name is redirected at EL2.
            match reg.0 {
                enc::CNTP_TVAL_EL02 => return Ok(Target::Tval(R::CntpCtlEl0, R::CntpCvalEl0)),
                enc::CNTV_TVAL_EL02 => return Ok(Target::Tval(R::CntvCtlEl0, R::CntvCvalEl0)),
                _ => {}
            }
            let stored = if crn == 14 && (crm == 2 || crm == 3) {
                R::find(SysReg::new(3, 3, crn, crm, op2))
            } else {
                R::find(SysReg::new(3, 0, crn, crm, op2)).filter(|r| r.at_el2() != *r)
            };
            return stored.map(Target::Stored).ok_or(Exc::undefined());
        }
        if let Some(r) = R::find(reg) {
            return Ok(Target::Stored(if el2 { r.at_el2() } else { r }));
        }
        let (phys, virt) = if el2 {
            (
                (R::CnthpCtlEl2, R::CnthpCvalEl2),
                (R::CnthvCtlEl2, R::CnthvCvalEl2),
            )
        } else {
            (
                (R::CntpCtlEl0, R::CntpCvalEl0),
                (R::CntvCtlEl0, R::CntvCvalEl0),
            )
        };
        Ok(match reg.0 {
            enc::CNTP_TVAL_EL0 => Target::Tval(phys.0, phys.1),
            enc::CNTV_TVAL_EL0 => Target::Tval(virt.0, virt.1),
            enc::CNTHP_TVAL_EL2 => Target::Tval(R::CnthpCtlEl2, R::CnthpCvalEl2),
            enc::CNTHV_TVAL_EL2 => Target::Tval(R::CnthvCtlEl2, R::CnthvCvalEl2),
            _ => Target::Other,
        })
    }

    /// CNTPCT now.
    fn count(&self) -> u64 {
        self.clock.count(self.now())
    }

    fn read_stored(&self, r: R) -> u64 {
        let v = self.core.reg(r);
        match r {
            R::CntpCtlEl0 | R::CntvCtlEl0 | R::CnthpCtlEl2 | R::CnthvCtlEl2 => {
                let met = v & ENABLE != 0 && self.core.timer_met(r, self.count());
                if met { v | ISTATUS } else { v }
            }
            _ => v,
        }
    }

    fn write_stored(&mut self, r: R, value: u64) {
        match r {
            R::DbgclaimclrEl1 => {
                let left = self.core.reg(r) & !value;
                self.core.set_reg(r, left);
            }
            R::CnthctlEl2 | R::CntkctlEl1 => {
                self.core.set_reg(r, value);
                // The stream counts edges from now on.
                self.core.stream_fired(self.clock, self.now());
            }
            _ => self.core.set_reg(r, value),
        }
        if self.core.timers_changed {
            self.refresh_timers();
        }
    }

    fn read_other(&mut self, reg: SysReg) -> Result<u64, Exc> {
        let core = &*self.core;
        Ok(match reg.0 {
            // A guest sees what the hypervisor wants it to see.
            enc::MIDR_EL1 if core.el == 1 => core.reg(R::VpidrEl2),
            enc::MPIDR_EL1 if core.el == 1 => core.reg(R::VmpidrEl2),
            enc::CNTPCT_EL0 => self.count(),
            enc::CNTVCT_EL0 => {
                let host = core.el == 2 || (core.el == 0 && core.tge());
                self.count()
                    .wrapping_sub(if host { 0 } else { core.reg(R::CntvoffEl2) })
            }
            enc::SP_EL0 if !core.sp_sel => return Err(Exc::undefined()),
            enc::DBGCLAIMSET_EL1 => 0xff,
            enc::MDRAR_EL1 | enc::DBGAUTHSTATUS_EL1 | enc::MDCCSR_EL0 => 0,
            _ => return peek(core, reg).ok_or(Exc::undefined()),
        })
    }

    fn write_other(&mut self, reg: SysReg, value: u64) -> Result<(), Exc> {
        let core = &mut *self.core;
        match reg.0 {
            enc::SP_EL0 if core.sp_sel => core.set_sp_el(0, value),
            enc::SP_EL1 => core.set_sp_el(1, value),
            enc::SPSEL => core.set_mode(core.el, value & 1 != 0),
            enc::PAN => core.set_pan(value & psr::PAN != 0),
            enc::NZCV => core.nzcv = (value >> 28) as u32 & 15,
            enc::DAIF => core.daif = value & psr::DAIF,
            enc::OSLAR_EL1 => core.put_reg(R::OslsrEl1, 0b1000 | (value & 1) << 1),
            enc::DBGCLAIMSET_EL1 => {
                let tags = core.reg(R::DbgclaimclrEl1) | value;
                core.set_reg(R::DbgclaimclrEl1, tags);
            }
            _ => return Err(Exc::undefined()),
        }
        Ok(())
    }
}

fn refused(fault: SysRegFault, req: &Request) -> Exc {
    match fault {
        SysRegFault::Undefined => Exc::undefined(),
        SysRegFault::Trap => req.trap().to_el2(),
    }
}
