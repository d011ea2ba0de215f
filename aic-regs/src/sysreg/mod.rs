// SPDX-License-Identifier: MIT OR Apache-2.0
//! System registers: one file each, a trait for back-ends, the real one and its fake.
//!
//! A register is a name without values ([`SIQ_CFG`], [`IPI_SR`], ...) and a value type with fields ([`SiqCfg`],
//! [`IpiSr`], ...). On a CPU that runs at EL2 with HCR_EL2.E2H set, as Apple's always do, the EL1 names of the
//! exception and translation registers reach their EL2 counterparts.

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
    cnt: CNTFRQ, CNTPCT;
    cnthctl: CNTHCTL_EL2, Cnthctl;
    current_el: CurrentEL, CurrentElValue;
    daif: DAIF, Daif;
    esr: ESR_EL1, Esr;
    exception: ELR_EL1, FAR_EL1, SPSR_EL1, TPIDR_EL0, VBAR_EL1;
    hcr: HCR_EL2, Hcr;
    ipi_cr: IPI_CR, IpiCr;
    ipi_rr: IPI_RR_GLOBAL, IPI_RR_LOCAL, IpiRequest, IpiType;
    ipi_sr: IPI_SR, IpiSr;
    isr: ISR_EL1, Isr;
    midr: MIDR, Midr;
    mpidr: CoreType, MPIDR, Mpidr;
    sctlr: SCTLR_EL1, Sctlr;
    siq_cfg: SIQ_CFG, SiqCfg;
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
            MIDR, MPIDR, SCTLR_EL1, SIQ_CFG, SPSR_EL1, TPIDR_EL0, VBAR_EL1,
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
            SIQ_CFG, IPI_RR_LOCAL, IPI_RR_GLOBAL, IPI_SR, IPI_CR, MPIDR, MIDR, ISR_EL1, DAIF, CurrentEL, VBAR_EL1,
            ESR_EL1, ELR_EL1, SPSR_EL1, FAR_EL1, SCTLR_EL1, HCR_EL2, TPIDR_EL0, CNTHCTL_EL2, CNTPCT, CNTFRQ,
        }
    };
}
pub(crate) use all_registers;
