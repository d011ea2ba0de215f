// SPDX-License-Identifier: MIT OR Apache-2.0
//! System registers: one file each, a trait for back-ends, the real one and its fake.
//!
//! A register is a name without values ([`SIQ_CFG`], [`IPI_SR`], ...) and a value type with fields ([`SiqCfg`],
//! [`IpiSr`], ...). On a CPU that runs at EL2 with HCR_EL2.E2H set, as Apple's always do, the EL1 names of the
//! exception and translation registers reach their EL2 counterparts.
//!
//! Registers that the firmware has no use for are names and values only: they are in the tables of [`crate::facts`], and no
//! back-end reads or writes them.

#[macro_use]
mod macros;
mod access;
mod encoding;
#[cfg(feature = "fakes")]
mod fake;
#[cfg(all(target_arch = "aarch64", target_os = "none"))]
pub mod real;

pub use access::{GuardedWritable, Readable, SysRegs, SystemRegister, Writable};
pub use encoding::Encoding;
#[cfg(feature = "fakes")]
pub use fake::{FakeSysRegs, SysRegAccess};
#[cfg(all(target_arch = "aarch64", target_os = "none"))]
pub use real::RealSysRegs;

macro_rules! registers {
    ($($module:ident: $($item:ident),+;)*) => {
        $( mod $module; pub use $module::{$($item),+}; )*
    };
}

registers! {
    acc_cfg: ACC_CFG, AccCfg;
    acc_ovrd: ACC_OVRD, AccOvrd;
    acnt: ACNTPCT, ACNTVCT;
    agtcntrdir: AGTCNTRDIR_EL1, AGTCNTRDIR_EL12, CounterRedirect;
    cnt: CNTFRQ, CNTPCT;
    cnthctl: CNTHCTL_EL2, Cnthctl;
    cntkctl: CNTKCTL_EL1, Cntkctl;
    current_el: CurrentEL, CurrentElValue;
    cyc_ovrd: CYC_OVRD, CycOvrd;
    daif: DAIF, Daif;
    esr: ESR_EL1, Esr;
    exception: ELR_EL1, FAR_EL1, SPSR_EL1, TPIDR_EL0, VBAR_EL1;
    hacr: HACR_EL2, Hacr;
    hcr: HCR_EL2, Hcr;
    hid: EHID20, Ehid20, HID1, Hid1;
    ich: ICH_HCR_EL2, ICH_MISR_EL2, IchHcr, IchMisr;
    ipi_cr: IPI_CR, IpiCr;
    ipi_rr: IPI_RR_GLOBAL, IPI_RR_LOCAL, IpiRequest, IpiType;
    ipi_sr: IPI_SR, IpiSr;
    isr: ISR_EL1, Isr;
    kernel_cntv: KERNEL_CNTVCT, KERNEL_CNTV_CTL, KERNEL_CNTV_TVAL;
    midr: MIDR, Midr;
    mpidr: CoreType, MPIDR, Mpidr;
    pmc: PMC0, PMC1, PMC2, PMC3, PMC4, PMC5, PMC6, PMC7, PMC8, PMC9;
    pmcr: PMCR0, PMCR1, PMCR1_GL1, PMCR2, PMCR3, PMCR4, Pmcr0, Pmcr1;
    pmesr: PMESR0, PMESR1, Pmesr0, Pmesr1;
    pmsr: PMSR, Pmsr;
    sctlr: SCTLR_EL1, Sctlr;
    siq_cfg: SIQ_CFG, SiqCfg;
    timer: CNTP_CTL, CNTP_CTL_EL02, CNTP_CVAL, CNTP_CVAL_EL02, CNTP_TVAL, CNTP_TVAL_EL02, CNTVCT, CNTVOFF_EL2, CNTV_CTL, CNTV_CTL_EL02, CNTV_CVAL, CNTV_CVAL_EL02, CNTV_TVAL, CNTV_TVAL_EL02, TimerControl, TimerValue;
    upmc: UPMC0, UPMC1, UPMC10, UPMC11, UPMC12, UPMC13, UPMC14, UPMC15, UPMC2, UPMC3, UPMC4, UPMC5, UPMC6, UPMC7, UPMC8, UPMC9;
    upmcr: UPMCR0, Upmcr0, UpmcrT8015;
    upmecm: UPMECM0, UPMECM1, UPMECM2, UPMECM3, Upmecm0, Upmecm1, Upmecm2, Upmecm3;
    upmesr: UPMESR0, UPMESR1, Upmesr0, Upmesr1;
    upmpcm: UPMPCM, Upmpcm;
    upmsr: UPMSR, Upmsr, UpmsrT8015;
    vm_tmr: VM_TMR_FIQ_ENA, VM_TMR_LR, VmTimerFiqEnable, VmTimerLink;
}

/// Calls a macro with the name of every register that can be read: each has a guarded stub.
#[allow(
    unused_macros,
    reason = "the plain host build has no back-end that needs it"
)]
macro_rules! readable_registers {
    ($with:ident) => {
        $with! {
            CNTFRQ, CNTHCTL_EL2, CNTPCT, CurrentEL, DAIF, ELR_EL1, ESR_EL1, FAR_EL1, HCR_EL2, IPI_CR, IPI_SR, ISR_EL1,
            MIDR, MPIDR, SCTLR_EL1, SIQ_CFG, SPSR_EL1, TPIDR_EL0, VBAR_EL1, VM_TMR_FIQ_ENA,
        }
    };
}
#[allow(
    unused_imports,
    reason = "the plain host build has no back-end that needs it"
)]
pub(crate) use readable_registers;

/// Calls a macro with the name of every register.
macro_rules! all_registers {
    ($with:ident) => {
        $with! {
            SIQ_CFG, IPI_RR_LOCAL, IPI_RR_GLOBAL, IPI_SR, IPI_CR, VM_TMR_LR, VM_TMR_FIQ_ENA, HACR_EL2, CYC_OVRD, ACC_CFG, ACC_OVRD, HID1, EHID20,
            AGTCNTRDIR_EL1, AGTCNTRDIR_EL12, ACNTPCT, ACNTVCT, KERNEL_CNTV_CTL, KERNEL_CNTV_TVAL, KERNEL_CNTVCT,
            CNTPCT, CNTVCT, CNTFRQ, CNTVOFF_EL2, CNTHCTL_EL2, CNTKCTL_EL1, CNTP_CTL, CNTP_CVAL, CNTP_TVAL, CNTV_CTL, CNTV_CVAL, CNTV_TVAL,
            CNTP_CTL_EL02, CNTP_CVAL_EL02, CNTP_TVAL_EL02, CNTV_CTL_EL02, CNTV_CVAL_EL02, CNTV_TVAL_EL02,
            PMCR0, PMCR1, PMCR1_GL1, PMCR2, PMCR3, PMCR4, PMESR0, PMESR1, PMSR, PMC0, PMC1, PMC2, PMC3, PMC4, PMC5, PMC6, PMC7, PMC8, PMC9,
            UPMCR0, UPMSR, UPMPCM, UPMESR0, UPMESR1, UPMECM0, UPMECM1, UPMECM2, UPMECM3, UPMC0, UPMC1, UPMC2, UPMC3, UPMC4, UPMC5, UPMC6, UPMC7,
            UPMC8, UPMC9, UPMC10, UPMC11, UPMC12, UPMC13, UPMC14, UPMC15,
            ICH_HCR_EL2, ICH_MISR_EL2, HCR_EL2, MPIDR, MIDR, CurrentEL, DAIF, ISR_EL1, VBAR_EL1, ESR_EL1, ELR_EL1, SPSR_EL1, FAR_EL1, SCTLR_EL1, TPIDR_EL0,
        }
    };
}
pub(crate) use all_registers;
