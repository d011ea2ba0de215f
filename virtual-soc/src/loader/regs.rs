//! Architectural registers the loader sets or looks at, by their encodings (Arm ARM, DDI 0487).

use crate::cpu::SysReg;

pub(super) const SCTLR_EL2: SysReg = SysReg::new(3, 4, 1, 0, 0);
pub(super) const HCR_EL2: SysReg = SysReg::new(3, 4, 1, 1, 0);
pub(super) const TTBR0_EL2: SysReg = SysReg::new(3, 4, 2, 0, 0);
pub(super) const TTBR1_EL2: SysReg = SysReg::new(3, 4, 2, 0, 1);
pub(super) const TCR_EL2: SysReg = SysReg::new(3, 4, 2, 0, 2);
pub(super) const SPSR_EL2: SysReg = SysReg::new(3, 4, 4, 0, 0);
pub(super) const ELR_EL2: SysReg = SysReg::new(3, 4, 4, 0, 1);
pub(super) const ESR_EL2: SysReg = SysReg::new(3, 4, 5, 2, 0);
pub(super) const FAR_EL2: SysReg = SysReg::new(3, 4, 6, 0, 0);
pub(super) const MAIR_EL2: SysReg = SysReg::new(3, 4, 10, 2, 0);
pub(super) const VBAR_EL2: SysReg = SysReg::new(3, 4, 12, 0, 0);
pub(super) const TPIDR_EL2: SysReg = SysReg::new(3, 4, 13, 0, 2);
pub(super) const TPIDR_EL0: SysReg = SysReg::new(3, 3, 13, 0, 2);
pub(super) const CNTHCTL_EL2: SysReg = SysReg::new(3, 4, 14, 1, 0);
pub(super) const CNTP_CTL_EL0: SysReg = SysReg::new(3, 3, 14, 2, 1);
pub(super) const CNTV_CTL_EL0: SysReg = SysReg::new(3, 3, 14, 3, 1);
pub(super) const CNTHP_CTL_EL2: SysReg = SysReg::new(3, 4, 14, 2, 1);
pub(super) const CNTHV_CTL_EL2: SysReg = SysReg::new(3, 4, 14, 3, 1);

/// SCTLR with and without MMU and caches (third party: loader).
pub(super) const SCTLR_ON: u64 = 0x3090_1085;
pub(super) const SCTLR_OFF: u64 = 0x3090_0080;
/// API, APK, TEA, E2H, RW, TGE, AMO, IMO, FMO (third party: loader).
pub(super) const HCR: u64 = 0x324_8800_0038;

/// A timer's control register: enabled, not masked, firing.
pub(super) const TIMER_FIRING: u64 = 5;
/// Enabled and masked: how the loader leaves a timer.
pub(super) const TIMER_MASKED: u64 = 7;
/// All timers of a CPU.
pub(super) const TIMERS: [SysReg; 4] = [CNTHP_CTL_EL2, CNTHV_CTL_EL2, CNTP_CTL_EL0, CNTV_CTL_EL0];

/// What a snapshot records of a CPU.
pub(super) const SNAPSHOT: [(&str, SysReg); 11] = [
    ("VBAR_EL2", VBAR_EL2),
    ("TPIDR_EL0", TPIDR_EL0),
    ("TPIDR_EL2", TPIDR_EL2),
    ("CNTHCTL_EL2", CNTHCTL_EL2),
    ("SCTLR_EL2", SCTLR_EL2),
    ("TCR_EL2", TCR_EL2),
    ("TTBR0_EL2", TTBR0_EL2),
    ("MAIR_EL2", MAIR_EL2),
    ("HCR_EL2", HCR_EL2),
    ("CNTHP_CTL_EL2", CNTHP_CTL_EL2),
    ("CNTHV_CTL_EL2", CNTHV_CTL_EL2),
];
