//! Taking exceptions and returning from them (DDI 0487, chapter D1.3).

use super::core::{Core, psr};
use super::sysreg::R;

/// Exception classes (ESR_ELx.EC). Aborts have the "lower level" class; one more is "same level".
pub(crate) mod ec {
    pub const UNKNOWN: u8 = 0x00;
    pub const WFX: u8 = 0x01;
    pub const ILLEGAL_STATE: u8 = 0x0e;
    pub const SVC: u8 = 0x15;
    pub const HVC: u8 = 0x16;
    pub const SYSREG: u8 = 0x18;
    pub const INSN_ABORT: u8 = 0x20;
    pub const PC_ALIGNMENT: u8 = 0x22;
    pub const DATA_ABORT: u8 = 0x24;
    pub const SP_ALIGNMENT: u8 = 0x26;
    pub const SERROR: u8 = 0x2f;
    pub const BRK: u8 = 0x3c;
}

/// A synchronous exception that an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exc {
    ec: u8,
    iss: u32,
    far: Option<u64>,
    /// To EL2 whatever the routing controls say.
    to_el2: bool,
    /// Returns to the next instruction.
    after: bool,
}

impl Exc {
    const fn new(ec: u8, iss: u32) -> Self {
        Exc {
            ec,
            iss,
            far: None,
            to_el2: false,
            after: false,
        }
    }

    pub const fn undefined() -> Self {
        Exc::new(ec::UNKNOWN, 0)
    }

    pub const fn illegal_state() -> Self {
        Exc::new(ec::ILLEGAL_STATE, 0)
    }

    pub const fn svc(imm: u16) -> Self {
        Exc {
            after: true,
            ..Exc::new(ec::SVC, imm as u32)
        }
    }

    pub const fn hvc(imm: u16) -> Self {
        Exc {
            after: true,
            to_el2: true,
            ..Exc::new(ec::HVC, imm as u32)
        }
    }

    pub const fn brk(imm: u16) -> Self {
        Exc::new(ec::BRK, imm as u32)
    }

    /// Trapped WFI (`wfe` false), WFE or, `timed`, WFIT and WFET; the condition field says "always".
    pub const fn wait(wfe: bool, timed: bool) -> Self {
        let kind = (timed as u32) << 1 | wfe as u32;
        Exc::new(ec::WFX, 1 << 24 | 0xe << 20 | kind)
    }

    /// Trapped MRS, MSR or SYS, with the syndrome of [`sysreg_iss`].
    pub const fn sysreg(iss: u32) -> Self {
        Exc::new(ec::SYSREG, iss)
    }

    pub const fn insn_abort(pc: u64, fsc: u8) -> Self {
        Exc {
            far: Some(pc),
            ..Exc::new(ec::INSN_ABORT, fsc as u32)
        }
    }

    pub const fn data_abort(va: u64, fsc: u8, write: bool) -> Self {
        Exc {
            far: Some(va),
            ..Exc::new(ec::DATA_ABORT, (write as u32) << 6 | fsc as u32)
        }
    }

    /// A data abort of a cache maintenance instruction.
    pub const fn maintenance_abort(va: u64, fsc: u8) -> Self {
        Exc {
            far: Some(va),
            ..Exc::new(ec::DATA_ABORT, 1 << 8 | 1 << 6 | fsc as u32)
        }
    }

    pub const fn pc_alignment(pc: u64) -> Self {
        Exc {
            far: Some(pc),
            ..Exc::new(ec::PC_ALIGNMENT, 0)
        }
    }

    pub const fn sp_alignment() -> Self {
        Exc::new(ec::SP_ALIGNMENT, 0)
    }

    /// The same exception, taken to EL2.
    pub const fn to_el2(self) -> Self {
        Exc {
            to_el2: true,
            ..self
        }
    }
}

/// Syndrome of a trapped register access: `packed` as in [`super::SysReg`], `rt` the register's number.
pub(crate) const fn sysreg_iss(packed: u16, rt: u8, read: bool) -> u32 {
    let p = packed as u32;
    let (op0, op1, crn, crm, op2) = (p >> 14, p >> 11 & 7, p >> 7 & 15, p >> 3 & 15, p & 7);
    op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | (rt as u32) << 5 | crm << 1 | read as u32
}

/// An asynchronous exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interrupt {
    Irq,
    Fiq,
    /// Syndrome.
    SError(u64),
}

/// HCR_EL2 bits.
mod hcr {
    pub const FMO: u32 = 3;
    pub const IMO: u32 = 4;
    pub const AMO: u32 = 5;
    pub const VF: u32 = 6;
    pub const VI: u32 = 7;
    pub const VSE: u32 = 8;
}

impl Core {
    /// Takes a synchronous exception of the instruction at pc.
    pub(crate) fn raise(&mut self, exc: Exc) {
        let target = match self.el {
            2 => 2,
            _ if exc.to_el2 => 2,
            0 if self.tge() => 2,
            _ => 1,
        };
        let same = matches!(exc.ec, ec::INSN_ABORT | ec::DATA_ABORT) && self.el == target;
        let class = u64::from(exc.ec) + u64::from(same);
        let esr = class << 26 | 1 << 25 | u64::from(exc.iss);
        let ret = if exc.after {
            self.pc.wrapping_add(4)
        } else {
            self.pc
        };
        self.enter(target, 0x000, ret);
        let (esr_reg, far_reg) = if target == 2 {
            (R::EsrEl2, R::FarEl2)
        } else {
            (R::EsrEl1, R::FarEl1)
        };
        self.put_reg(esr_reg, esr);
        if let Some(far) = exc.far {
            self.put_reg(far_reg, far);
        }
    }

    /// Takes an interrupt before the instruction at pc.
    pub(crate) fn interrupt(&mut self, interrupt: Interrupt, target: u8) {
        let offset = match interrupt {
            Interrupt::Irq => 0x080,
            Interrupt::Fiq => 0x100,
            Interrupt::SError(_) => 0x180,
        };
        self.enter(target, offset, self.pc);
        if let Interrupt::SError(iss) = interrupt {
            let esr = u64::from(ec::SERROR) << 26 | 1 << 25 | iss;
            self.put_reg(if target == 2 { R::EsrEl2 } else { R::EsrEl1 }, esr);
        }
    }

    /// Saves state and goes to a vector of `target`.
    fn enter(&mut self, target: u8, offset: u64, ret: u64) {
        let group = match (self.el < target, self.sp_sel) {
            (true, _) => 0x400,
            (false, true) => 0x200,
            (false, false) => 0x000,
        };
        let spsr = self.pstate();
        let (spsr_reg, elr_reg, vbar, sctlr) = if target == 2 {
            (R::SpsrEl2, R::ElrEl2, R::VbarEl2, R::SctlrEl2)
        } else {
            (R::SpsrEl1, R::ElrEl1, R::VbarEl1, R::SctlrEl1)
        };
        self.put_reg(spsr_reg, spsr);
        self.put_reg(elr_reg, ret);
        // SPAN = 0 sets PAN, at EL2 only for a VHE host.
        let span = self.reg(sctlr) >> 23 & 1 != 0;
        if !span && (target == 1 || self.tge()) {
            self.set_pan(true);
        }
        self.set_mode(target, true);
        self.daif = psr::DAIF;
        self.il = false;
        self.pc = self.reg(vbar).wrapping_add(group + offset);
    }

    /// ERET: back to ELR and SPSR of the current level; an illegal return keeps the level and sets PSTATE.IL.
    pub(crate) fn exception_return(&mut self) {
        let (spsr, elr) = if self.el == 2 {
            (self.reg(R::SpsrEl2), self.reg(R::ElrEl2))
        } else {
            (self.reg(R::SpsrEl1), self.reg(R::ElrEl1))
        };
        let el = (spsr >> 2 & 3) as u8;
        let illegal = spsr & 0x12 != 0
            || el == 3
            || el > self.el
            || (el == 0 && spsr & 1 != 0)
            || (el == 1 && self.el == 2 && self.tge());
        self.nzcv = (spsr >> 28) as u32 & 15;
        self.daif = spsr & psr::DAIF;
        if illegal {
            self.il = true;
        } else {
            self.il = spsr & psr::IL != 0;
            self.set_pan(spsr & psr::PAN != 0);
            self.set_mode(el, spsr & 1 != 0);
        }
        self.pc = if illegal { elr } else { self.untagged(elr) };
    }

    /// True if any interrupt is pending, masked or not.
    #[inline(always)]
    pub(crate) fn any_pending(&self) -> bool {
        self.irq_in | self.fiq_in | self.timer_fiq | self.serror.is_some()
            || self.reg(R::HcrEl2) & (1 << hcr::VF | 1 << hcr::VI | 1 << hcr::VSE) != 0
    }

    /// Where an exception with this HCR_EL2 routing bit would be taken now; `None` if it is masked.
    fn route(&self, routing: u32, mask: u64) -> Option<u8> {
        let hcr = self.reg(R::HcrEl2);
        let target = if hcr >> routing & 1 != 0 || self.tge() {
            2
        } else {
            1
        };
        let open = target > self.el || (target == self.el && self.daif & mask == 0);
        open.then_some(target)
    }

    /// Where a virtual interrupt would be taken now.
    fn route_virtual(&self, routing: u32, pending: u32, mask: u64) -> Option<u8> {
        let hcr = self.reg(R::HcrEl2);
        let on = hcr >> routing & 1 != 0 && hcr >> pending & 1 != 0 && !self.tge();
        (on && (self.el == 0 || (self.el == 1 && self.daif & mask == 0))).then_some(1)
    }

    /// True at EL1, and at EL0 unless a host at EL2 owns it.
    pub(crate) fn below_el2(&self) -> bool {
        self.el == 1 || self.el == 0 && !self.tge()
    }

    /// True if a physical IRQ would not be taken now.
    pub(crate) fn irq_masked(&self) -> bool {
        self.route(hcr::IMO, psr::I).is_none()
    }

    /// True if a physical FIQ would not be taken now.
    pub(crate) fn fiq_masked(&self) -> bool {
        self.route(hcr::FMO, psr::F).is_none()
    }

    /// The interrupt to take before the next instruction. Priority (the model's choice): SError, FIQ, IRQ, physical
    /// before virtual.
    pub(crate) fn takeable(&self) -> Option<(Interrupt, u8)> {
        if let Some(iss) = self.serror
            && let Some(el) = self.route(hcr::AMO, psr::A)
        {
            return Some((Interrupt::SError(iss), el));
        }
        if self.fiq_line()
            && let Some(el) = self.route(hcr::FMO, psr::F)
        {
            return Some((Interrupt::Fiq, el));
        }
        if self.irq_in
            && let Some(el) = self.route(hcr::IMO, psr::I)
        {
            return Some((Interrupt::Irq, el));
        }
        if let Some(el) = self.route_virtual(hcr::AMO, hcr::VSE, psr::A) {
            return Some((Interrupt::SError(0), el));
        }
        if let Some(el) = self.route_virtual(hcr::FMO, hcr::VF, psr::F) {
            return Some((Interrupt::Fiq, el));
        }
        self.route_virtual(hcr::IMO, hcr::VI, psr::I)
            .map(|el| (Interrupt::Irq, el))
    }

    /// Takes the pending interrupt of highest priority, if one is open.
    pub(crate) fn take_interrupt(&mut self) -> bool {
        let Some((interrupt, el)) = self.takeable() else {
            return false;
        };
        // A virtual SError is pending in HCR_EL2.
        if matches!(interrupt, Interrupt::SError(_)) && self.serror.take().is_none() {
            let hcr = self.reg(R::HcrEl2) & !(1 << hcr::VSE);
            self.put_reg(R::HcrEl2, hcr);
        }
        self.interrupt(interrupt, el);
        true
    }

    /// ISR_EL1: virtual interrupts where a guest would see those, physical ones elsewhere.
    pub(crate) fn isr(&self) -> u64 {
        let hcr = self.reg(R::HcrEl2);
        let pick = |routing: u32, virt: u32, phys: bool| {
            if self.el == 1 && hcr >> routing & 1 != 0 {
                hcr >> virt & 1 != 0
            } else {
                phys
            }
        };
        let a = pick(hcr::AMO, hcr::VSE, self.serror.is_some());
        let i = pick(hcr::IMO, hcr::VI, self.irq_in);
        let f = pick(hcr::FMO, hcr::VF, self.fiq_line());
        u64::from(a) << 8 | u64::from(i) << 7 | u64::from(f) << 6
    }
}
