//! What any CPU can do to itself, whether asked by mailbox or not.

use core::sync::atomic::Ordering::Relaxed;

use aic_regs::sysreg::{
    CNTFRQ, CNTHCTL_EL2, CNTPCT, CurrentEL, HCR_EL2, IPI_CR, IPI_SR, ISR_EL1, MIDR, MPIDR,
    Readable, SCTLR_EL1, SIQ_CFG, SiqCfg, SysRegs, VM_TMR_FIQ_ENA,
};
use protocol::message::{CpuInfo, Reading};
use protocol::{Register, context::CpuBlock};

use crate::platform::Platform;
use crate::state::{Private, Shared, UNFIRED};

/// Registers by the number that travels in a mailbox.
pub const REGISTERS: [Register; 11] = [
    Register::SiqCfg,
    Register::Mpidr,
    Register::Midr,
    Register::IpiSr,
    Register::IpiCr,
    Register::Isr,
    Register::Sctlr,
    Register::Hcr,
    Register::Cntfrq,
    Register::Cnthctl,
    Register::VmTmrFiqEna,
];

fn guarded<P: Platform, R: Readable>(platform: &P) -> Reading {
    match platform.regs().read_guarded::<R>() {
        Ok(value) => Reading::Value(value.into()),
        Err(trap) => Reading::Trapped(trap.esr),
    }
}

/// Reads one register of this CPU, guarded.
pub fn read<P: Platform>(platform: &P, register: Register) -> Reading {
    match register {
        Register::SiqCfg => guarded::<P, SIQ_CFG>(platform),
        Register::Mpidr => guarded::<P, MPIDR>(platform),
        Register::Midr => guarded::<P, MIDR>(platform),
        Register::IpiSr => guarded::<P, IPI_SR>(platform),
        Register::IpiCr => guarded::<P, IPI_CR>(platform),
        Register::Isr => guarded::<P, ISR_EL1>(platform),
        Register::Sctlr => guarded::<P, SCTLR_EL1>(platform),
        Register::Hcr => guarded::<P, HCR_EL2>(platform),
        Register::Cntfrq => guarded::<P, CNTFRQ>(platform),
        Register::Cnthctl => guarded::<P, CNTHCTL_EL2>(platform),
        Register::VmTmrFiqEna => guarded::<P, VM_TMR_FIQ_ENA>(platform),
    }
}

/// Writes SIQ_CFG of this CPU, guarded, and reads it back.
pub fn set_siq_cfg<P: Platform>(platform: &P, value: u64) -> Reading {
    // SAFETY: SIQ_CFG decides where interrupts are delivered; no Rust invariant depends on that, and the value found
    // is put back at the end.
    match unsafe { platform.regs().write_guarded::<SIQ_CFG>(SiqCfg(value)) } {
        Ok(()) => read(platform, Register::SiqCfg),
        Err(trap) => Reading::Trapped(trap.esr),
    }
}

/// Writes to VM_TMR_FIQ_ENA of this CPU what it reads, guarded; what it reads afterwards.
#[inline(never)]
pub fn write_back<P: Platform>(platform: &P) -> Reading {
    let regs = platform.regs();
    let written = regs.read_guarded::<VM_TMR_FIQ_ENA>().and_then(|value| {
        // SAFETY: the value that the register has already.
        unsafe { regs.write_guarded::<VM_TMR_FIQ_ENA>(value) }
    });
    match written {
        Ok(()) => read(platform, Register::VmTmrFiqEna),
        Err(trap) => Reading::Trapped(trap.esr),
    }
}

/// Whether an IRQ is offered to this CPU now (ISR_EL1.I).
pub fn irq_offered<P: Platform>(platform: &P) -> bool {
    platform.regs().read::<ISR_EL1>().irq()
}

/// Fires the line under test and returns the time just before the store.
#[inline]
pub fn fire<P: Platform>(platform: &P, shared: &Shared) -> u64 {
    let active = shared.active.load(Relaxed);
    let line = shared.line(platform.aic(), active as u32);
    let time = platform.now();
    if let Some(line) = line {
        if active >> 32 & UNFIRED == 0 {
            platform.aic().sw_set(&line);
        } else {
            platform.aic().unmask(&line);
        }
    }
    time
}

/// Set in the operand of [`fire_rewritten`]: ISB between the write and SW_SET.
pub const WITH_ISB: u64 = 1 << 63;

/// How long a CPU does nothing after it has fired behind a write without ISB, in microseconds: whatever it does next has an ISB,
/// and the controller is to decide before.
const DECIDED_US: u64 = 2;

/// Writes SIQ_CFG and fires the line under test, with nothing in between that the operand does not ask for; the time before.
pub fn fire_rewritten<P: Platform>(platform: &P, shared: &Shared, operand: u64) -> u64 {
    let line = shared.line(platform.aic(), shared.active.load(Relaxed) as u32);
    let time = platform.now();
    platform.rewrite_siq(operand & !WITH_ISB, operand & WITH_ISB != 0);
    if let Some(line) = line {
        platform.aic().sw_set(&line);
    }
    if operand & WITH_ISB == 0 {
        let until = time + platform.ticks(DECIDED_US);
        // Without a hint to the core that it spins: the hint is an ISB.
        while u64::from(platform.regs().read::<CNTPCT>()) < until {}
    }
    time
}

/// Reads EVENT with IRQs masked, and ends the line under test if it came; 1 if it did. `masked`: IRQs are masked already and
/// stay so. Any other event leaves its line masked, as in the handler.
#[inline(never)]
pub fn take_event<P: Platform>(platform: &P, shared: &Shared, masked: bool) -> u64 {
    if !masked {
        platform.irqs(false);
    }
    let aic = platform.aic();
    let line = shared.line(aic, aic.event().bits());
    if let Some(line) = &line {
        aic.sw_clr(line);
        aic.unmask(line);
    }
    if !masked {
        platform.irqs(true);
    }
    u64::from(line.is_some())
}

/// Notes SIQ_CFG as found and describes this CPU. Done once, before anything is changed.
#[inline(never)]
pub fn introduce<P: Platform>(platform: &P, cpu: usize, private: &Private) -> CpuInfo {
    let siq_cfg = read(platform, Register::SiqCfg);
    match siq_cfg {
        Reading::Value(value) => {
            private.siq_cfg.store(value, Relaxed);
            private.siq_trap.store(0, Relaxed);
        }
        Reading::Trapped(esr) => private.siq_trap.store(1 << 63 | esr, Relaxed),
    }
    CpuInfo {
        cpu: cpu as u8,
        mpidr: platform.regs().read::<MPIDR>().into(),
        midr: platform.regs().read::<MIDR>().into(),
        el: platform.regs().read::<CurrentEL>().el(),
        sctlr: platform.regs().read::<SCTLR_EL1>().into(),
        siq_cfg,
        whoami: platform.aic().whoami().map(|w| w.bits()),
    }
}

/// SIQ_CFG of a CPU as it was found, by whoever wants to know; `Trapped` if it cannot be read.
#[must_use]
pub fn found_siq_cfg(private: &Private) -> Reading {
    match private.siq_trap.load(Relaxed) {
        0 => Reading::Value(private.siq_cfg.load(Relaxed)),
        trap => Reading::Trapped(trap & !(1 << 63)),
    }
}

/// Puts SIQ_CFG back to what was found, if it could be read; `None` if it now reads otherwise.
pub fn restore_siq_cfg<P: Platform>(platform: &P, private: &Private) -> Option<()> {
    match found_siq_cfg(private) {
        Reading::Trapped(_) => Some(()),
        Reading::Value(found) => (read(platform, Register::SiqCfg) == Reading::Value(found)
            || set_siq_cfg(platform, found) == Reading::Value(found))
        .then_some(()),
    }
}

/// Leaves a fault's words where the host finds them even if no ring can be written.
pub fn note_fault(words: &CpuBlock, fault: [u64; 8]) {
    for (word, value) in words.fault.iter().zip(fault) {
        word.store(value, Relaxed);
    }
}
