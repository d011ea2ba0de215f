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

/// SCTLR with MMU and caches (third party: loader). Without, a secondary has it as reset leaves it.
pub(super) const SCTLR_ON: u64 = 0x3090_1085;
/// API, APK, TEA, E2H, RW, TGE, AMO, IMO, FMO (third party: loader).
pub(super) const HCR: u64 = 0x324_8800_0038;

const CNTP_CVAL_EL0: SysReg = SysReg::new(3, 3, 14, 2, 2);
const CNTV_CVAL_EL0: SysReg = SysReg::new(3, 3, 14, 3, 2);
const CNTHP_CVAL_EL2: SysReg = SysReg::new(3, 4, 14, 2, 2);
const CNTHV_CVAL_EL2: SysReg = SysReg::new(3, 4, 14, 3, 2);
pub(super) const CNTVOFF_EL2: SysReg = SysReg::new(3, 4, 14, 0, 3);

/// A timer's control register: ENABLE and IMASK; enabled and not masked.
pub(super) const TIMER_CONTROL: u64 = 3;
pub(super) const TIMER_OPEN: u64 = 1;
/// Enabled and masked: how the loader leaves a timer.
pub(super) const TIMER_MASKED: u64 = 7;
/// A generic timer of a CPU.
pub(super) struct Timer {
    pub(super) control: SysReg,
    pub(super) compare: SysReg,
    /// Counts from CNTVOFF_EL2 on.
    pub(super) offset: bool,
}

/// All timers of a CPU.
pub(super) const TIMERS: [Timer; 4] = [
    Timer {
        control: CNTHP_CTL_EL2,
        compare: CNTHP_CVAL_EL2,
        offset: false,
    },
    Timer {
        control: CNTHV_CTL_EL2,
        compare: CNTHV_CVAL_EL2,
        offset: false,
    },
    Timer {
        control: CNTP_CTL_EL0,
        compare: CNTP_CVAL_EL0,
        offset: false,
    },
    Timer {
        control: CNTV_CTL_EL0,
        compare: CNTV_CVAL_EL0,
        offset: true,
    },
];

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
