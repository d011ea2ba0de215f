//! The end of the road: exceptions outside the guarded stubs, and panics.

use core::sync::atomic::Ordering::{Relaxed, Release};

use aic_regs::sysreg::{ELR_EL1, ESR_EL1, FAR_EL1, MPIDR, RealSysRegs, SPSR_EL1, SysRegs};
use probe_fw::conductor::{self, BOOT, Conductor};
use probe_fw::state::Private;
use probe_fw::{local, up_ring};
use protocol::Message;
use protocol::context::{CpuState, SliceStatus};
use protocol::message::{Fault, FaultKind};

use super::cpu::{self, Cpu};
use super::entry::fw_home;

/// Comes from the vectors, on the emergency stack: 0 synchronous, 1 SError, 3 from a mode that nothing runs in.
#[unsafe(no_mangle)]
extern "C" fn rust_fatal(private: &'static Private, kind: u64) -> ! {
    let kind = match kind {
        0 => FaultKind::Sync,
        1 => FaultKind::SError,
        _ => FaultKind::Unexpected,
    };
    let regs = RealSysRegs;
    let fault = Fault {
        cpu: private.id.load(Relaxed) as u8,
        kind,
        mpidr: regs.read::<MPIDR>().into(),
        esr: regs.read::<ESR_EL1>().into(),
        elr: cpu::relative(regs.read::<ELR_EL1>()),
        far: regs.read::<FAR_EL1>(),
        spsr: regs.read::<SPSR_EL1>(),
        line: 0,
    };
    stop(private, fault)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: Rust code runs only after the entry has set TPIDR_EL0.
    let private: &'static Private = unsafe { &*cpu::private_pointer() };
    let fault = Fault {
        cpu: private.id.load(Relaxed) as u8,
        kind: FaultKind::Panic,
        mpidr: RealSysRegs.read::<MPIDR>().into(),
        esr: 0,
        elr: 0,
        far: 0,
        spsr: 0,
        line: info.location().map_or(0, core::panic::Location::line),
    };
    stop(private, fault)
}

/// Reports, puts back what can be put back, and goes home (boot CPU) or parks (worker).
fn stop(private: &'static Private, fault: Fault) -> ! {
    mask_all();
    let depth = private.faults.load(Relaxed) + 1;
    private.faults.store(depth, Relaxed);
    let boot = private.id.load(Relaxed) == BOOT as u64;
    // A second fault, in here, goes straight home: the first report stands.
    if depth == 1 {
        report(private, &fault, boot);
    }
    if boot {
        // SAFETY: the entry's frame is intact: nothing writes it in between.
        unsafe { fw_home(SliceStatus::Fault as u64) }
    }
    park()
}

fn report(private: &'static Private, fault: &Fault, boot: bool) {
    // SAFETY: `set_up` comes before anything that could fail later; if the fault was in `set_up` itself the zeroed
    // block makes this fault again, and the second fault goes home.
    let cpu = unsafe { &*Cpu::pointer(private) };
    let words = cpu.block.words(cpu.id);
    local::note_fault(
        words,
        [
            fault.kind as u64 + 1,
            fault.mpidr,
            fault.esr,
            fault.elr,
            fault.far,
            fault.spsr,
            fault.line.into(),
            0,
        ],
    );
    up_ring::push(cpu.block, cpu.id, &Message::Fault(*fault));
    if boot {
        // SAFETY: what the conductor was doing never goes on, so nobody else uses it any more.
        let conductor = unsafe { &mut *cpu.block.conductor::<Conductor>().as_ptr() };
        conductor.after_fault(cpu.block, cpu);
        conductor::publish(cpu.block, cpu, SliceStatus::Fault);
    } else {
        words.state.store(CpuState::Faulted as u64, Release);
        // Ends the wait of whoever waits for an answer; it is no request's number.
        private.answer.word.store(u64::MAX, Release);
    }
}

fn mask_all() {
    // SAFETY: masks exceptions; nothing here depends on them.
    unsafe { core::arch::asm!("msr daifset, #0xf", options(nostack, preserves_flags)) };
}

fn park() -> ! {
    loop {
        // SAFETY: waits; WFE, since some cores lose registers in WFI.
        unsafe { core::arch::asm!("wfe", options(nostack, preserves_flags)) };
    }
}
