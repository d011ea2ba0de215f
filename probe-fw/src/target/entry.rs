//! What the assembly calls.

use core::sync::atomic::Ordering::{Relaxed, Release};

use aic_regs::sysreg::{CNTFRQ, CNTPCT, IPI_SR, IpiSr, RealSysRegs, SCTLR_EL1, SysRegs};
use probe_fw::conductor::{self, BOOT, Conductor};
use probe_fw::state::Private;
use probe_fw::{handover, ipi, irq, local, up_ring, worker};
use protocol::context::{self, CpuState, SliceStatus};
use protocol::{Message, PROTOCOL_VERSION, SCHEMA_HASH, image};

use super::cpu::{self, Cpu};

core::arch::global_asm!(
    include_str!("start.s"),
    header_version = const image::HEADER_VERSION,
    protocol_version = const PROTOCOL_VERSION,
    schema = const SCHEMA_HASH,
    magic = const context::MAGIC,
    max_cpus = const context::MAX_CPUS,
    stride = const context::CPU_STRIDE,
    cpus = const context::CPUS,
    private = const context::CPU_PRIVATE,
    emergency = const context::EMERGENCY_TOP,
    stack = const context::STACK_TOP,
    bad_context = const SliceStatus::BadContext as u64,
    bad_worker = const CpuState::BadContext as u64,
);

core::arch::global_asm!(include_str!("away.s"));

unsafe extern "C" {
    /// Restores what the entry saved and returns to the loader with `result`.
    pub fn fw_home(result: u64) -> !;
}

/// FIQs without a known source that are put up with before FIQs are masked: nothing may hold a CPU for ever.
const STRAY_FIQS: u64 = 16;
/// PSTATE.F.
const PSTATE_F: u64 = 1 << 6;

/// One slice of the boot CPU.
#[unsafe(no_mangle)]
extern "C" fn rust_boot(_block: u64, id: u64, us: u64) -> u64 {
    let Some(cpu) = set_up() else {
        return SliceStatus::BadContext as u64;
    };
    if id != BOOT as u64 {
        return SliceStatus::BadContext as u64;
    }
    let words = cpu.block.words(BOOT);
    let place = cpu.block.conductor::<Conductor>();
    if words.state.load(Relaxed) == CpuState::Absent as u64 {
        // SAFETY: the place is the boot CPU's, and this is its first slice: nothing refers to it.
        unsafe { place.write(Conductor::new()) };
        words.state.store(CpuState::Ready as u64, Release);
        let info = local::introduce(cpu, BOOT, cpu.private());
        up_ring::push(cpu.block, BOOT, &Message::Cpu(info));
    }
    // SAFETY: written above or by an earlier slice; only the boot CPU uses it, and slices do not nest.
    let conductor = unsafe { &mut *place.as_ptr() };
    let status = conductor.slice(cpu.block, cpu, us);
    conductor::publish(cpu.block, cpu, status);
    status as u64
}

/// The whole stay of a worker.
#[unsafe(no_mangle)]
extern "C" fn rust_worker() -> u64 {
    let Some(cpu) = set_up() else {
        return CpuState::BadContext as u64;
    };
    let state = &cpu.block.words(cpu.id).state;
    if !RealSysRegs.read::<SCTLR_EL1>().mmu() {
        state.store(CpuState::NoMmu as u64, Release);
        return CpuState::NoMmu as u64;
    }
    let left = worker::run(cpu.block, cpu, cpu.id);
    state.store(left as u64, Release);
    left as u64
}

fn set_up() -> Option<&'static Cpu> {
    // SAFETY: the entry code has just set TPIDR_EL0.
    let private: &Private = unsafe { &*cpu::private_pointer() };
    private.stream_bit.store(0, Relaxed);
    // SAFETY: as above.
    let cpu = unsafe { Cpu::set_up() }?;
    let control = cpu.block.control();
    let ours = control.protocol.load(Relaxed) == u64::from(PROTOCOL_VERSION)
        && control.schema.load(Relaxed) == SCHEMA_HASH
        && cpu::in_block(private, control.cpus.load(Relaxed));
    ours.then_some(cpu)
}

/// The IRQ vector.
#[unsafe(no_mangle)]
extern "C" fn rust_irq(private: &'static Private) {
    // SAFETY: lines are unmasked only after `Cpu::set_up`; the value is not written afterwards, but for its log
    // buffer, which interrupts do not touch.
    let cpu = unsafe { &*Cpu::pointer(private) };
    use probe_fw::platform::Platform;
    irq::serve(
        cpu.aic(),
        cpu.shared(),
        private,
        cpu.id as u64,
        || RealSysRegs.read::<CNTPCT>(),
        |ending, time| handover::finish(cpu.block, cpu, cpu.id, ending, time),
    );
}

/// The FIQ vector: a stray fast IPI or timer is acknowledged; what nothing explains is counted, and masked if it does
/// not stop. Returns PSTATE bits to set.
#[unsafe(no_mangle)]
extern "C" fn rust_fiq(private: &'static Private) -> u64 {
    let mut explained = false;
    if let Ok(status) = RealSysRegs.read_guarded::<IPI_SR>()
        && status.pending()
    {
        let work = || {
            let regs = RealSysRegs;
            let until = regs.read::<CNTPCT>() + regs.read::<CNTFRQ>() * ipi::WORK_US / 1_000_000;
            while regs.read::<CNTPCT>() < until {}
        };
        // SAFETY: the mode that counts there is set by this CPU itself, long after `Cpu::set_up`.
        let shared = || unsafe { &*Cpu::pointer(private) }.shared();
        ipi::take(private, acknowledge, work, || {
            shared().storm.counted.fetch_add(1, Relaxed);
        });
        if private.owed.load(Relaxed) != 0 {
            private.owed.store(0, Relaxed);
            // SAFETY: as in the IRQ vector: whoever owes this CPU a service knows that it is in the firmware.
            let cpu = unsafe { &*Cpu::pointer(private) };
            handover::serve(cpu.block, cpu, cpu.id);
        }
        explained = true;
    }
    explained |= quiet_timers(private);
    if explained {
        return 0;
    }
    let strays = private.stray_fiqs.load(Relaxed) + 1;
    private.stray_fiqs.store(strays, Relaxed);
    if strays < STRAY_FIQS { 0 } else { PSTATE_F }
}

/// Acknowledges the fast IPI that is pending.
fn acknowledge(barrier: bool) {
    // SAFETY: writing 1 acknowledges; the register was just read without a trap.
    unsafe { RealSysRegs.write::<IPI_SR>(IpiSr::ACKNOWLEDGE) };
    if barrier {
        RealSysRegs.isb();
    }
}

/// Masks a timer that fires (ENABLE and ISTATUS without IMASK), as the loader's own handler does.
fn quiet_timers(private: &Private) -> bool {
    let (mut physical, mut virt): (u64, u64);
    // SAFETY: architectural timer controls; setting IMASK of a timer that fires only silences it.
    unsafe {
        core::arch::asm!(
            "mrs {p}, cntp_ctl_el0", "mrs {v}, cntv_ctl_el0",
            p = out(reg) physical, v = out(reg) virt, options(nostack, preserves_flags),
        );
        let mut fired = false;
        if physical & 7 == 5 {
            physical |= 2;
            core::arch::asm!("msr cntp_ctl_el0, {}", "isb", in(reg) physical, options(nostack, preserves_flags));
            fired = true;
        }
        if virt & 7 == 5 {
            virt |= 2;
            core::arch::asm!("msr cntv_ctl_el0, {}", "isb", in(reg) virt, options(nostack, preserves_flags));
            private
                .timers
                .store(private.timers.load(Relaxed) + 1, Release);
            fired = true;
        }
        fired
    }
}
