//! What the engine needs of the CPU it runs on.

use core::sync::atomic::AtomicU64;

use aic_regs::aic::Aic;
use aic_regs::mmio::Mmio;
use aic_regs::sysreg::SysRegs;

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
    /// Unmasks (true) or masks IRQs on this CPU.
    fn irqs(&self, open: bool);
    /// How often WFE came back before `until` with nothing stored to `word`, with the event stream at its fastest
    /// useful pace. The caller sees to it that `word` is stored to soon after.
    fn count_wakes(&self, word: &AtomicU64, old: u64) -> u32;

    /// Build id of the image that runs.
    fn build_id(&self) -> [u8; 16];

    /// Ticks in `us` microseconds, rounded up.
    fn ticks(&self, us: u64) -> u64 {
        (us.saturating_mul(self.counter_hz())).div_ceil(1_000_000)
    }
}
