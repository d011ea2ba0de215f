// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory-mapped block of AICv1, AICv2 and AICv3.
//!
//! Sources: the layout and the fields come from drivers that work on the silicon (third party) unless a field says
//! otherwise. Lines are validated once, by [`Aic::line`]; everything done with a [`LineHandle`] afterwards is one or
//! two accesses without a check, a panic or a branch.
//!
//! What a generation does not have is never accessed: a read of it answers 0 or `None`, a write does nothing. What only
//! AICv1 has (CPU targets, IPIs, views of other CPUs) is in `v1.rs`.

mod config;
mod delivery;
mod event;
mod geometry;
mod info;
mod ipi;
mod irq_config;
mod line;
mod target_cpu;
mod timebase;
mod v1;
mod v1_info;

pub use config::{Config, GlbCfg};
pub use delivery::{
    ClusterPriority, Counter, DelayGroup, IdleClusters, Latency, Timeout, Timestamp,
};
pub use event::{EventKind, EventWord, NarrowEventWord};
pub use geometry::{Bank, Generation, Geometry, GeometryError};
pub use info::{Info1, Info2, Info3, Reset, Version};
pub use ipi::{IpiFlags, IpiSend};
pub use irq_config::IrqConfig;
pub use line::{Line, LineHandle};
pub use target_cpu::TargetCpu;
pub use timebase::Timebase;
pub use v1::CpuView;
pub use v1_info::{Cap0, Cap1, WhoAmI};

use crate::mmio::Mmio;

/// One interrupt controller: an access back-end and a geometry.
///
/// Methods take `&self`: the block is shared by all CPUs, and its SET/CLR pairs need no read-modify-write. The two
/// that do one ([`Aic::set_irq_cfg`], [`Aic::set_config`]) must not race with another CPU's.
#[derive(Clone, Copy, Debug)]
pub struct Aic<M> {
    mmio: M,
    geometry: Geometry,
}

impl<M: Mmio> Aic<M> {
    /// The controller behind `mmio`, laid out as `geometry` says.
    ///
    /// Check a geometry that came from outside with [`Geometry::check`] first.
    #[inline]
    pub const fn new(mmio: M, geometry: Geometry) -> Self {
        Self { mmio, geometry }
    }

    /// The layout in use.
    #[inline]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The access back-end.
    #[inline]
    pub const fn mmio(&self) -> &M {
        &self.mmio
    }

    /// Validates a line once: `None` when its die or number does not exist in this geometry.
    #[inline]
    pub const fn line(&self, line: Line) -> Option<LineHandle> {
        self.geometry.line(line)
    }

    /// VERSION. Not fit to tell generations apart: T6020 (AICv2) reads 8.
    #[inline]
    pub fn version(&self) -> Version {
        Version(self.mmio.read32(self.geometry.version))
    }

    /// INFO1 (CAP0): implemented lines and dies.
    #[inline]
    pub fn info1(&self) -> Info1 {
        Info1(self.mmio.read32(self.geometry.info1))
    }

    /// INFO2: nothing published.
    #[inline]
    pub fn info2(&self) -> Info2 {
        Info2(self.read_v2_v3(Geometry::INFO2))
    }

    /// INFO3 (MAXNUMIRQ): the array size per die, which decides offsets. Of AICv1, which has no such register, the
    /// answer is its constant layout.
    #[inline]
    pub fn info3(&self) -> Info3 {
        if self.is_v1() {
            let mut layout = Info3(0);
            layout.set_max_irq(Geometry::V1_MAX_IRQ as u16);
            layout.set_max_die(1);
            return layout;
        }
        Info3(self.mmio.read32(self.geometry.info3))
    }

    #[inline]
    const fn is_v1(&self) -> bool {
        matches!(self.geometry.generation, Generation::V1)
    }

    #[inline]
    fn read_v2_v3(&self, off: u32) -> u32 {
        if self.is_v1() {
            0
        } else {
            self.mmio.read32(off)
        }
    }

    /// CONFIG. Of AICv1 it is GLB_CFG: only `enable` means the same there.
    #[inline]
    pub fn config(&self) -> Config {
        Config(self.mmio.read32(self.geometry.config))
    }

    /// Writes CONFIG. Start from [`Aic::config`]: its other bits are unknown.
    #[inline]
    pub fn set_config(&self, config: Config) {
        self.mmio.write32(self.geometry.config, config.0);
    }

    /// RESET (RST of AICv1) as it reads.
    #[inline]
    pub fn reset_state(&self) -> Reset {
        let off = if self.is_v1() {
            Geometry::V1_RST
        } else {
            Geometry::RESET
        };
        Reset(self.mmio.read32(off))
    }

    /// TIMEOUT.
    #[inline]
    pub fn timeout(&self) -> Timeout {
        Timeout(self.read_v2_v3(Geometry::TIMEOUT))
    }

    /// CLUSTER_PRIO.
    #[inline]
    pub fn cluster_priority(&self) -> ClusterPriority {
        ClusterPriority(self.read_v2_v3(Geometry::CLUSTER_PRIO))
    }

    /// DELAY_GROUPS entry `index` (0..=7), the table that [`IrqConfig::delay_index`] indexes; `None` past its end and on
    /// AICv1.
    #[inline]
    pub fn delay_group(&self, index: u8) -> Option<DelayGroup> {
        if index > 7 || self.is_v1() {
            return None;
        }
        Some(DelayGroup(
            self.mmio.read32(Geometry::DELAY_GROUPS + 4 * index as u32),
        ))
    }

    /// LATENCY.
    #[inline]
    pub fn latency(&self) -> Latency {
        Latency(self.read_v2_v3(Geometry::LATENCY))
    }

    /// The idle-clusters word.
    #[inline]
    pub fn idle_clusters(&self) -> IdleClusters {
        IdleClusters(self.read_v2_v3(Geometry::IDLE_CLUSTERS))
    }

    /// The counter at 0x3c.
    #[inline]
    pub fn counter(&self) -> Counter {
        Counter(self.read_v2_v3(Geometry::COUNTER))
    }

    /// The first word of the timestamps.
    #[inline]
    pub fn timestamp(&self) -> Timestamp {
        Timestamp(self.read_v2_v3(Geometry::TIMESTAMPS))
    }

    /// Takes the next event of this CPU. **Destructive**: a hardware line that is returned is masked by the read
    /// and this CPU's IRQ input drops. 0 ([`EventWord::is_none`]) means nothing was pending.
    #[inline]
    pub fn event(&self) -> EventWord {
        EventWord(self.mmio.read32(self.geometry.event))
    }

    /// Raises the line's software state.
    #[inline]
    pub fn sw_set(&self, line: &LineHandle) {
        self.mmio.write32(line.sw_set, line.bit);
    }

    /// Drops the line's software state; a high hardware level stays high.
    #[inline]
    pub fn sw_clr(&self, line: &LineHandle) {
        self.mmio.write32(line.sw_clr, line.bit);
    }

    /// Masks the line.
    #[inline]
    pub fn mask(&self, line: &LineHandle) {
        self.mmio.write32(line.mask_set, line.bit);
    }

    /// Unmasks the line; one that is still high is offered again.
    #[inline]
    pub fn unmask(&self, line: &LineHandle) {
        self.mmio.write32(line.mask_clr, line.bit);
    }

    /// Whether the line is masked.
    #[inline]
    pub fn is_masked(&self, line: &LineHandle) -> bool {
        self.mmio.read32(line.mask_set) & line.bit != 0
    }

    /// The line's software state.
    #[inline]
    pub fn sw_state(&self, line: &LineHandle) -> bool {
        self.mmio.read32(line.sw_set) & line.bit != 0
    }

    /// The raw level of the line's hardware input, without the software state.
    #[inline]
    pub fn hw_state(&self, line: &LineHandle) -> bool {
        self.mmio.read32(line.hw_state) & line.bit != 0
    }

    /// The line's IRQ_CFG word. Of AICv1 it is TARGET_CPU in other clothes: see [`Aic::target_cpu`].
    #[inline]
    pub fn irq_cfg(&self, line: &LineHandle) -> IrqConfig {
        IrqConfig(self.mmio.read32(line.irq_cfg))
    }

    /// Writes the line's IRQ_CFG word. Start from [`Aic::irq_cfg`]: its other bits are unknown.
    #[inline]
    pub fn set_irq_cfg(&self, line: &LineHandle, config: IrqConfig) {
        self.mmio.write32(line.irq_cfg, config.0);
    }

    /// 32-line words of each bank of one die.
    #[inline]
    pub const fn words_per_die(&self) -> u32 {
        self.geometry.words_per_die()
    }

    /// Reads word `word` (lines 32 × word ..) of a bank of `die`; 0 where the geometry has no such word.
    #[inline]
    pub fn bank_word(&self, bank: Bank, die: u8, word: u32) -> u32 {
        match self.geometry.bank_offset(bank, die, word) {
            Some(off) => self.mmio.read32(off),
            None => 0,
        }
    }

    /// Writes word `word` of a bank of `die`; nothing happens where the geometry has no such word, nor for a bank
    /// that cannot be written.
    #[inline]
    pub fn write_bank_word(&self, bank: Bank, die: u8, word: u32, bits: u32) {
        if let (Some(off), true) = (
            self.geometry.bank_offset(bank, die, word),
            bank.is_writable(),
        ) {
            self.mmio.write32(off, bits);
        }
    }

    /// The mask word: 1 = masked.
    #[inline]
    pub fn mask_word(&self, die: u8, word: u32) -> u32 {
        self.bank_word(Bank::MaskSet, die, word)
    }

    /// The software-state word.
    #[inline]
    pub fn sw_word(&self, die: u8, word: u32) -> u32 {
        self.bank_word(Bank::SwSet, die, word)
    }

    /// The raw hardware levels.
    #[inline]
    pub fn hw_word(&self, die: u8, word: u32) -> u32 {
        self.bank_word(Bank::HwState, die, word)
    }

    /// Masks the lines whose bits are 1.
    #[inline]
    pub fn write_mask_set(&self, die: u8, word: u32, bits: u32) {
        self.write_bank_word(Bank::MaskSet, die, word, bits);
    }

    /// Unmasks the lines whose bits are 1.
    #[inline]
    pub fn write_mask_clr(&self, die: u8, word: u32, bits: u32) {
        self.write_bank_word(Bank::MaskClr, die, word, bits);
    }

    /// Raises the software state of the lines whose bits are 1.
    #[inline]
    pub fn write_sw_set(&self, die: u8, word: u32, bits: u32) {
        self.write_bank_word(Bank::SwSet, die, word, bits);
    }

    /// Drops the software state of the lines whose bits are 1.
    #[inline]
    pub fn write_sw_clr(&self, die: u8, word: u32, bits: u32) {
        self.write_bank_word(Bank::SwClr, die, word, bits);
    }
}
