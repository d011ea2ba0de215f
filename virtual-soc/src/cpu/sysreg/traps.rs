//! Who may access which system register: UNDEFINED, and traps to EL1 and EL2.

use super::{R, enc};
use crate::cpu::bus::SysReg;
use crate::cpu::core::Core;
use crate::cpu::exception::{Exc, sysreg_iss};

/// HCR_EL2 trap bits.
mod hcr {
    pub const TID1: u32 = 16;
    pub const TID2: u32 = 17;
    pub const TID3: u32 = 18;
    pub const TIDCP: u32 = 20;
    pub const TACR: u32 = 21;
    pub const TVM: u32 = 26;
    pub const TRVM: u32 = 30;
}

/// An MRS or MSR under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub reg: SysReg,
    /// Number of the general register.
    pub rt: u8,
    pub write: bool,
}

impl Request {
    /// EC 0x18 with this access as the syndrome.
    pub fn trap(&self) -> Exc {
        Exc::sysreg(sysreg_iss(self.reg.0, self.rt, !self.write))
    }
}

/// Checks level and traps; registers that do not exist are left to the access itself.
pub(crate) fn check(core: &Core, req: &Request) -> Result<(), Exc> {
    let (_, op1, _, _, _) = req.reg.fields();
    let lowest = match op1 {
        0..=2 => 1,
        3 => 0,
        4 | 5 => 2,
        _ => 3,
    };
    if req.reg.is_implementation_defined() {
        // The bus says who may; the hypervisor's trap comes first.
        if core.el < 2 && core.reg(R::HcrEl2) >> hcr::TIDCP & 1 != 0 && !core.tge() {
            return Err(req.trap().to_el2());
        }
        return Ok(());
    }
    if core.el < lowest {
        return Err(Exc::undefined());
    }
    match core.el {
        0 => check_el0(core, req)?,
        1 => check_el1(core, req)?,
        _ => return Ok(()),
    }
    check_timers(core, req)
}

fn check_el0(core: &Core, req: &Request) -> Result<(), Exc> {
    let sctlr = core.sctlr();
    match req.reg.0 {
        enc::CTR_EL0 if sctlr >> 15 & 1 == 0 => return Err(req.trap()),
        enc::CTR_EL0 if !core.tge() && core.reg(R::HcrEl2) >> hcr::TID2 & 1 != 0 => {
            return Err(req.trap().to_el2());
        }
        enc::DAIF if sctlr >> 9 & 1 == 0 => return Err(req.trap()),
        enc::MDCCSR_EL0 if core.reg(R::MdscrEl1) >> 12 & 1 != 0 => return Err(req.trap()),
        _ => {}
    }
    match R::find(req.reg) {
        Some(R::TpidrroEl0 | R::CntfrqEl0) if req.write => Err(Exc::undefined()),
        _ => Ok(()),
    }
}

fn check_el1(core: &Core, req: &Request) -> Result<(), Exc> {
    let hcr = core.reg(R::HcrEl2);
    let (op0, op1, crn, crm, _) = req.reg.fields();
    let trapped = |bit: u32| hcr >> bit & 1 != 0;
    let trap = match R::find(req.reg) {
        Some(
            R::SctlrEl1
            | R::Ttbr0El1
            | R::Ttbr1El1
            | R::TcrEl1
            | R::EsrEl1
            | R::FarEl1
            | R::Afsr0El1
            | R::Afsr1El1
            | R::MairEl1
            | R::AmairEl1
            | R::ContextidrEl1,
        ) => trapped(if req.write { hcr::TVM } else { hcr::TRVM }),
        Some(R::ActlrEl1) => trapped(hcr::TACR),
        Some(R::CsselrEl1) => trapped(hcr::TID2),
        Some(R::CpacrEl1) => core.reg(R::CptrEl2) >> 31 & 1 != 0,
        Some(R::CntfrqEl0) if req.write => return Err(Exc::undefined()),
        Some(_) if op0 == 2 => core.reg(R::MdcrEl2) >> 8 & 3 != 0,
        Some(_) => false,
        None => match req.reg.0 {
            enc::REVIDR_EL1 | enc::AIDR_EL1 => trapped(hcr::TID1),
            enc::CTR_EL0 | enc::CCSIDR_EL1 | enc::CLIDR_EL1 => trapped(hcr::TID2),
            _ => {
                !req.write
                    && (op0, op1, crn) == (3, 0, 0)
                    && (1..=7).contains(&crm)
                    && trapped(hcr::TID3)
            }
        },
    };
    if trap {
        Err(req.trap().to_el2())
    } else {
        Ok(())
    }
}

/// CNTKCTL_EL1 and CNTHCTL_EL2 (in its VHE layout) from EL0 and EL1.
fn check_timers(core: &Core, req: &Request) -> Result<(), Exc> {
    let (op0, op1, crn, crm, op2) = req.reg.fields();
    if (op0, op1, crn) != (3, 3, 14) {
        return Ok(());
    }
    let hctl = core.reg(R::CnthctlEl2);
    let host = core.tge();
    if core.el == 0 {
        let ctl = if host { hctl } else { core.reg(R::CntkctlEl1) };
        let open = match (crm, op2) {
            (0, 0) => ctl & 3 != 0,
            (0, 1) => ctl & 1 != 0,
            (0, 2) => ctl & 2 != 0,
            (2, _) => ctl >> 9 & 1 != 0,
            (3, _) => ctl >> 8 & 1 != 0,
            _ => true,
        };
        if !open {
            return Err(req.trap());
        }
    }
    let to_el2 = !host
        && match (crm, op2) {
            (0, 1) => hctl >> 10 & 1 == 0,
            (2, _) => hctl >> 11 & 1 == 0,
            _ => false,
        };
    if to_el2 {
        Err(req.trap().to_el2())
    } else {
        Ok(())
    }
}
