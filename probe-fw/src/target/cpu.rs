//! The CPU that executes, as the engine's platform.

use core::arch::asm;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use aic_regs::aic::{Aic, Generation, Geometry};
use aic_regs::mmio::RealMmio;
use aic_regs::sysreg::{CNTFRQ, CNTPCT, DAIF, IPI_SR, RealSysRegs, SIQ_CFG, SysRegs};
use probe_fw::block::Block;
use probe_fw::platform::{Platform, Slept};
use probe_fw::state::{PRIVATE_SIZE, Private, Shared, Stream};
use protocol::context::{self, CPU_PRIVATE_SIZE};
use protocol::image::offset;

use super::log::LogBuffer;

/// Event stream control bits of CNTKCTL_EL1 (CNTHCTL_EL2 under E2H): EVNTEN, EVNTDIR, EVNTI.
const EVNTEN: u64 = 1 << 2;
const EVNT_BITS: u64 = EVNTEN | 1 << 3 | 0xf << EVNTI_SHIFT;
const EVNTI_SHIFT: u32 = 4;
/// Slowest pace: EVNTI has four bits.
const SLOWEST: u32 = 15;

/// What `fw_wfi` puts into x0; x1 holds one more, and so on.
const PATTERN: u64 = 0x5a00;

/// What a CPU keeps of its own, behind `Private` in the block.
pub struct Cpu {
    aic: Aic<RealMmio>,
    regs: RealSysRegs,
    hz: u64,
    pub block: Block<'static>,
    shared: &'static Shared,
    private: &'static Private,
    pub id: usize,
    pub log: LogBuffer,
}

const _: () = assert!(size_of::<Cpu>() as u64 <= CPU_PRIVATE_SIZE - PRIVATE_SIZE);

impl Cpu {
    /// Fills in this CPU's part of the block; `None` if its geometry is no controller's.
    ///
    /// # Safety
    ///
    /// TPIDR_EL0 points to this CPU's `Private`, as the entry code leaves it.
    pub unsafe fn set_up() -> Option<&'static Self> {
        // SAFETY: the caller promises the pointer; the block outlives the firmware's stay on this CPU.
        let private: &'static Private = unsafe { &*private_pointer() };
        let base = private.base.load(Relaxed) as usize;
        // SAFETY: the host passes an aligned block of the size that its control word implies (`protocol::context`).
        let block = unsafe { Block::new(NonNull::new(base as *mut u8)?) };
        let words = &block.control().aic;
        let word = |w: &AtomicU64| w.load(Relaxed) as u32;
        let generation = match word(&words.generation) {
            1 => Generation::V1,
            2 => Generation::V2,
            3 => Generation::V3,
            _ => return None,
        };
        let (nr, max, dies) = (word(&words.nr_irq), word(&words.max_irq), word(&words.dies));
        let computed = match generation {
            Generation::V1 => Geometry::v1(nr),
            Generation::V3 => Geometry::v3(nr, max, dies, word(&words.event)),
            Generation::V2 => Geometry::v2(nr, max, dies, word(&words.event)),
        };
        let geometry = if generation == Generation::V1 {
            // Its layout is fixed.
            computed
        } else {
            let cfg_stride = word(&words.cfg_stride);
            let (set, clr) = (word(&words.set_stride), word(&words.clr_stride));
            computed
                .with_irq_cfg(word(&words.irq_cfg))
                .with_strides(cfg_stride, set, clr, cfg_stride)
                .with_header(
                    computed.version,
                    computed.info1,
                    computed.info3,
                    word(&words.config),
                )
        };
        geometry.check().ok()?;
        // SAFETY: the host took base and geometry from the device tree, whose window the loader maps as Device memory;
        // `check` bounds every offset.
        let mmio = unsafe { RealMmio::new(words.base.load(Relaxed) as usize) };
        let regs = RealSysRegs;
        let cpu = Self {
            aic: Aic::new(mmio, geometry),
            regs,
            hz: regs.read::<CNTFRQ>().max(1),
            block,
            shared: block.shared(),
            private,
            id: private.id.load(Relaxed) as usize,
            log: LogBuffer::new(),
        };
        let place = Self::pointer(private);
        // SAFETY: the room behind `Private` is this CPU's own (asserted above) and nothing refers to it yet: interrupts
        // that use it come only from lines unmasked later.
        unsafe {
            place.write(cpu);
            Some(&*place)
        }
    }

    /// Where the CPU with this `Private` keeps its `Cpu`.
    pub const fn pointer(private: *const Private) -> *mut Self {
        private
            .wrapping_byte_add(PRIVATE_SIZE as usize)
            .cast::<Self>()
            .cast_mut()
    }

    pub const fn private(&self) -> &'static Private {
        self.private
    }

    pub const fn shared(&self) -> &'static Shared {
        self.shared
    }

    /// Whether waiting can be sleeping: the event stream was seen to work.
    #[inline(always)]
    fn can_sleep(&self) -> bool {
        self.shared.stream.load(Relaxed) == Stream::Works as u64
    }

    #[inline]
    fn set_pace(&self, bit: u32) {
        let wanted = u64::from(bit) + 1;
        if self.private.stream_bit.load(Relaxed) == wanted {
            return;
        }
        let found = self.private.cntkctl.load(Relaxed);
        let value = found & !EVNT_BITS | EVNTEN | u64::from(bit) << EVNTI_SHIFT;
        // SAFETY: only the event stream's bits change; the value found is put back on the way home.
        unsafe {
            asm!("msr cntkctl_el1, {}", "isb", in(reg) value, options(nostack, preserves_flags))
        };
        self.private.stream_bit.store(wanted, Relaxed);
    }
}

/// Event-stream bit whose events come at least every `ticks` ticks (but not more often than every second one): bit i
/// of the counter rises every 2^(i+1) ticks.
#[inline(always)]
const fn pace(ticks: u64) -> u32 {
    let log = 63 - (ticks | 1).leading_zeros();
    let bit = log.saturating_sub(1);
    if bit > SLOWEST { SLOWEST } else { bit }
}

/// Marks `word` for the exclusive monitor and returns it: a store by another CPU then ends a WFE.
#[inline(always)]
fn watch(word: &AtomicU64) -> u64 {
    let value;
    // SAFETY: an aligned load of an atomic that the reference keeps alive.
    unsafe {
        asm!("ldaxr {}, [{}]", out(reg) value, in(reg) word.as_ptr(), options(nostack, preserves_flags));
    }
    value
}

#[inline(always)]
fn wfe() {
    // SAFETY: waits for an event; changes no state that Rust knows of.
    unsafe { asm!("wfe", options(nostack, preserves_flags)) };
}

/// TPIDR_EL0.
#[inline(always)]
pub fn private_pointer() -> *const Private {
    let pointer: *const Private;
    // SAFETY: reads a register.
    unsafe {
        asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags, nomem))
    };
    pointer
}

impl Platform for Cpu {
    type Mmio = RealMmio;
    type Regs = RealSysRegs;

    #[inline(always)]
    fn aic(&self) -> &Aic<RealMmio> {
        &self.aic
    }

    #[inline(always)]
    fn regs(&self) -> &RealSysRegs {
        &self.regs
    }

    #[inline(always)]
    fn now(&self) -> u64 {
        // Without the barrier the counter may be read early, before the store or load that it is to time.
        self.regs.isb();
        self.regs.read::<CNTPCT>()
    }

    #[inline(always)]
    fn counter_hz(&self) -> u64 {
        self.hz
    }

    #[inline]
    fn wait(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        loop {
            let value = watch(word);
            if value != old {
                return value;
            }
            let now = self.regs.read::<CNTPCT>();
            if now >= until {
                return value;
            }
            if self.can_sleep() {
                self.set_pace(pace(until - now));
                wfe();
            } else {
                core::hint::spin_loop();
            }
        }
    }

    #[inline]
    fn wait_about(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        if !self.can_sleep() {
            return self.wait(word, old, until);
        }
        self.set_pace(pace(until.saturating_sub(self.regs.read::<CNTPCT>())));
        loop {
            let value = watch(word);
            if value != old || self.regs.read::<CNTPCT>() >= until {
                return value;
            }
            wfe();
        }
    }

    fn wait_at_el1(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        unsafe extern "C" {
            fn fw_wait_at_el1(word: *mut u64, old: u64, until: u64, sleep: u64);
        }
        let sleep = self.can_sleep();
        if sleep {
            self.set_pace(pace(until.saturating_sub(self.regs.read::<CNTPCT>())));
        }
        // SAFETY: comes back with every register that Rust and the loader rely on as it was; interrupts that it takes
        // meanwhile run on this CPU's stack, below what is in use.
        unsafe { fw_wait_at_el1(word.as_ptr(), old, until, sleep.into()) };
        word.load(Acquire)
    }

    fn fiqs(&self, open: bool) {
        // SAFETY: opens or closes FIQs; their handler keeps to atomics and system registers.
        unsafe {
            if open {
                asm!("msr daifclr, #1", options(nostack, preserves_flags));
            } else {
                asm!("msr daifset, #1", options(nostack, preserves_flags));
            }
        }
    }

    fn event(&self) {
        // SAFETY: wakes CPUs that wait; changes no state that Rust knows of.
        unsafe { asm!("dsb ish", "sev", options(nostack, preserves_flags)) };
    }

    #[inline(always)]
    fn rewrite_siq(&self, value: u64, isb: bool) {
        // SAFETY: the register was written before without a trap, and decides only where interrupts are delivered; the value
        // found is put back at the end.
        unsafe { asm!("msr s3_4_c15_c10_4, {}", in(reg) value, options(nostack, preserves_flags)) };
        if isb {
            self.regs.isb();
        }
    }

    fn wfi(&self, us: u64) -> Slept {
        unsafe extern "C" {
            fn fw_wfi();
        }
        let regs = &self.regs;
        let system = || {
            [
                regs.read_guarded::<SIQ_CFG>().map_or(0, u64::from),
                regs.read::<DAIF>().into(),
                regs.read_guarded::<IPI_SR>().map_or(0, u64::from),
            ]
        };
        let wake = regs.read::<CNTPCT>() + self.ticks(us);
        let (daif, control): (u64, u64);
        // SAFETY: masks interrupts, whose state is put back below, and arms the virtual timer, which nothing else uses;
        // without an offset it counts as CNTPCT does.
        unsafe {
            asm!(
                "mrs {daif}, daif", "msr daifset, #0xf", "mrs {control}, cntv_ctl_el0",
                "msr cntv_cval_el0, {wake}", "msr cntv_ctl_el0, {on}", "isb",
                daif = out(reg) daif, control = out(reg) control, wake = in(reg) wake, on = in(reg) 1u64,
                options(nostack, preserves_flags),
            );
        }
        let before = system();
        // SAFETY: it saves and loads what a callee has to, and the stack pointer, whatever the CPU loses.
        unsafe { fw_wfi() };
        let after = system();
        // SAFETY: as found.
        unsafe {
            asm!(
                "msr cntv_ctl_el0, {control}", "isb", "msr daif, {daif}",
                control = in(reg) control, daif = in(reg) daif, options(nostack, preserves_flags),
            );
        }
        let mut slept = Slept::default();
        for (n, (word, pattern)) in self
            .private
            .woken
            .iter()
            .take(31)
            .zip(PATTERN..)
            .enumerate()
        {
            slept.registers |= u32::from(word.load(Relaxed) != pattern) << n;
        }
        for (n, (before, after)) in before.iter().zip(after).enumerate() {
            slept.system |= u8::from(*before != after) << n;
        }
        slept
    }

    fn set_timer(&self, ticks: u64, control: u64) -> u64 {
        let before;
        // SAFETY: nothing else uses the virtual timer, and the FIQ vector silences it when it fires.
        unsafe {
            if ticks != 0 {
                asm!("msr cntv_tval_el0, {}", in(reg) ticks, options(nostack, preserves_flags));
            }
            asm!(
                "mrs {before}, cntv_ctl_el0", "msr cntv_ctl_el0, {control}", "isb",
                before = out(reg) before, control = in(reg) control,
                options(nostack, preserves_flags),
            );
        }
        before
    }

    fn irqs(&self, open: bool) {
        // SAFETY: opens or closes IRQs; the handler keeps to atomics and the AIC.
        unsafe {
            if open {
                asm!("msr daifclr, #2", options(nostack, preserves_flags));
            } else {
                asm!("msr daifset, #2", options(nostack, preserves_flags));
            }
        }
    }

    fn count_wakes(&self, word: &AtomicU64, old: u64) -> u32 {
        let microsecond = self.ticks(1).max(2);
        self.set_pace(pace(microsecond));
        let mut wakes = 0;
        // Whoever answers, or stops with a fault, stores to the word: that ends the last WFE even without a stream.
        while watch(word) == old {
            wfe();
            wakes += 1;
        }
        wakes
    }

    fn build_id(&self) -> [u8; 16] {
        unsafe extern "C" {
            static __image_start: u8;
        }
        // SAFETY: the header is part of the image. Volatile: the linker's zeros are filled in after the compiler.
        unsafe {
            (&raw const __image_start)
                .add(offset::BUILD_ID)
                .cast::<[u8; 16]>()
                .read_volatile()
        }
    }
}

/// Address `elr` relative to the image if it lies inside, else as it is.
pub fn relative(elr: u64) -> u64 {
    unsafe extern "C" {
        static __image_start: u8;
        static __image_end: u8;
    }
    let (start, end) = (
        &raw const __image_start as u64,
        &raw const __image_end as u64,
    );
    if elr.wrapping_sub(start) < end.wrapping_sub(start) {
        elr - start
    } else {
        elr
    }
}

/// Whether the block that `private` belongs to has a region for its CPU.
pub fn in_block(private: &Private, cpus: u64) -> bool {
    private.id.load(Relaxed) < cpus.min(context::MAX_CPUS as u64)
}
