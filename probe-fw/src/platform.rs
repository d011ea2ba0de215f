//! What the engine needs of the CPU it runs on.

use core::sync::atomic::AtomicU64;

use aic_regs::aic::Aic;
use aic_regs::mmio::Mmio;
use aic_regs::sysreg::SysRegs;

/// What came back changed from a WFI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slept {
    /// General registers x0 to x30, one bit each.
    pub registers: u32,
    /// SIQ_CFG, DAIF and IPI_SR: bits 0, 1, 2.
    pub system: u8,
}

impl Slept {
    /// Both in a word: the registers in its lower half, the rest above.
    #[must_use]
    pub const fn to_word(self) -> u64 {
        self.registers as u64 | (self.system as u64) << 32
    }
}

/// One CPU: its controller, its registers, its clock and its way of waiting.
pub trait Platform {
    /// Access to the controller.
    type Mmio: Mmio;
    /// Access to system registers.
    type Regs: SysRegs;

    /// The controller.
    fn aic(&self) -> &Aic<Self::Mmio>;
    /// The system registers.
    fn regs(&self) -> &Self::Regs;
    /// CNTPCT_EL0, in ticks.
    fn now(&self) -> u64;
    /// CNTFRQ_EL0, in Hz.
    fn counter_hz(&self) -> u64;
    /// Waits until `word` is no longer `old`, or until the counter reaches `until`; returns the word. Interrupts
    /// that are not masked are taken meanwhile.
    fn wait(&self, word: &AtomicU64, old: u64, until: u64) -> u64;
    /// The same, but may come back up to half as late again: for waits whose length does not matter to a few
    /// microseconds, at a fraction of the wake-ups.
    fn wait_about(&self, word: &AtomicU64, old: u64, until: u64) -> u64 {
        self.wait(word, old, until)
    }
    /// [`Platform::wait`] at EL1, with interrupts routed there.
    fn wait_at_el1(&self, word: &AtomicU64, old: u64, until: u64) -> u64;
    /// Unmasks (true) or masks IRQs on this CPU.
    fn irqs(&self, open: bool);
    /// Unmasks (true) or masks FIQs on this CPU.
    fn fiqs(&self, open: bool);
    /// SEV.
    fn event(&self);
    /// Writes SIQ_CFG, known to be writable, without anything behind it but an ISB where `isb` says so.
    fn rewrite_siq(&self, value: u64, isb: bool);
    /// Lies in WFI until a timer wakes this CPU after `us` microseconds.
    fn wfi(&self, us: u64) -> Slept;
    /// Writes `control` to the virtual timer's control register on this CPU, after it was set to come in `ticks` if those are not
    /// 0; the control register before.
    fn set_timer(&self, ticks: u64, control: u64) -> u64;
    /// How often WFE came back before `until` with nothing stored to `word`, with the event stream at its fastest
    /// useful pace. The caller sees to it that `word` is stored to soon after.
    fn count_wakes(&self, word: &AtomicU64, old: u64) -> u32;

    /// Build id of the image that runs.
    fn build_id(&self) -> [u8; 16];

    /// Ticks in `us` microseconds, rounded up.
    #[inline(never)]
    fn ticks(&self, us: u64) -> u64 {
        (us.saturating_mul(self.counter_hz())).div_ceil(1_000_000)
    }
}

/// [`Platform::wait`], once in the image: for all that is in no hurry.
#[inline(never)]
pub fn rest<P: Platform>(platform: &P, word: &AtomicU64, old: u64, until: u64) -> u64 {
    platform.wait(word, old, until)
}

/// Waits until `until`, in no hurry.
pub fn pause<P: Platform>(platform: &P, until: u64) {
    // A word that nobody stores to.
    let never = AtomicU64::new(0);
    rest(platform, &never, 0, until);
}
