// SPDX-License-Identifier: MIT OR Apache-2.0
//! What only AICv1 has: a CPU target per line, memory-mapped IPIs, and a view of every CPU's block.
//!
//! A CPU's block holds WHOAMI, EVENT, the pending IPIs and their masks. The one at [`Geometry::V1_SELF`] is that of
//! whichever CPU accesses it; the views at [`Geometry::V1_VIEWS`] name the CPU by address.

use super::{
    Aic, Cap0, Cap1, EventWord, Geometry, GlbCfg, IpiFlags, IpiSend, LineHandle, TargetCpu, WhoAmI,
};
use crate::mmio::Mmio;

/// AICv1. On later generations these answer `None` or nothing set, and write nothing.
impl<M: Mmio> Aic<M> {
    /// CAP0: implemented lines.
    #[inline]
    pub fn cap0(&self) -> Option<Cap0> {
        self.read_v1(self.geometry.info1).map(Cap0)
    }

    /// CAP1: nothing published.
    #[inline]
    pub fn cap1(&self) -> Option<Cap1> {
        self.read_v1(Geometry::V1_CAP1).map(Cap1)
    }

    /// GLB_CFG.
    #[inline]
    pub fn glb_cfg(&self) -> Option<GlbCfg> {
        self.read_v1(self.geometry.config).map(GlbCfg)
    }

    /// Writes GLB_CFG. Start from [`Aic::glb_cfg`].
    #[inline]
    pub fn set_glb_cfg(&self, config: GlbCfg) {
        self.write_v1(self.geometry.config, config.0);
    }

    /// The number by which the controller knows the calling CPU.
    #[inline]
    pub fn whoami(&self) -> Option<WhoAmI> {
        self.read_v1(Geometry::V1_SELF + Geometry::VIEW_WHOAMI)
            .map(WhoAmI)
    }

    /// The line's TARGET_CPU word: the CPUs that may take it.
    #[inline]
    pub fn target_cpu(&self, line: &LineHandle) -> TargetCpu {
        TargetCpu(self.read_v1(line.irq_cfg).unwrap_or(0))
    }

    /// Writes the line's TARGET_CPU word.
    #[inline]
    pub fn set_target_cpu(&self, line: &LineHandle, target: TargetCpu) {
        self.write_v1(line.irq_cfg, target.0);
    }

    /// Sends IPIs.
    #[inline]
    pub fn ipi_send(&self, to: IpiSend) {
        self.write_v1(Geometry::V1_SELF + Geometry::VIEW_IPI_SET, to.0);
    }

    /// Drops pending IPIs of the calling CPU. The order of a handler is: take the event (which masks the IPI), this, then
    /// [`Aic::ipi_mask_clr`].
    #[inline]
    pub fn ipi_ack(&self, which: IpiFlags) {
        self.write_v1(Geometry::V1_SELF + Geometry::VIEW_IPI_CLR, which.0);
    }

    /// Pending IPIs of the calling CPU, masked or not.
    #[inline]
    pub fn ipi_pending(&self) -> IpiFlags {
        self.ipi_read(Geometry::VIEW_IPI_SET)
    }

    /// Masks IPIs of the calling CPU.
    #[inline]
    pub fn ipi_mask_set(&self, which: IpiFlags) {
        self.write_v1(Geometry::V1_SELF + Geometry::VIEW_IPI_MASK_SET, which.0);
    }

    /// Unmasks IPIs of the calling CPU; one that is pending is offered.
    #[inline]
    pub fn ipi_mask_clr(&self, which: IpiFlags) {
        self.write_v1(Geometry::V1_SELF + Geometry::VIEW_IPI_MASK_CLR, which.0);
    }

    /// Masked IPIs of the calling CPU.
    #[inline]
    pub fn ipi_masked(&self) -> IpiFlags {
        self.ipi_read(Geometry::VIEW_IPI_MASK_SET)
    }

    /// The block of the CPU whose WHOAMI is `cpu`, from any CPU; `None` for 31 and more, and on later generations.
    #[inline]
    pub fn cpu_view(&self, cpu: u8) -> Option<CpuView<'_, M>> {
        let exists = self.is_v1() && u32::from(cpu) < Geometry::V1_MAX_CPUS;
        exists.then(|| CpuView {
            mmio: &self.mmio,
            start: Geometry::V1_VIEWS + Geometry::VIEW_STRIDE * u32::from(cpu),
        })
    }

    #[inline]
    fn ipi_read(&self, in_block: u32) -> IpiFlags {
        IpiFlags(self.read_v1(Geometry::V1_SELF + in_block).unwrap_or(0))
    }

    #[inline]
    fn read_v1(&self, off: u32) -> Option<u32> {
        self.is_v1().then(|| self.mmio.read32(off))
    }

    #[inline]
    fn write_v1(&self, off: u32, value: u32) {
        if self.is_v1() {
            self.mmio.write32(off, value);
        }
    }
}

/// A CPU's block of AICv1 under its address: made by [`Aic::cpu_view`].
#[derive(Clone, Copy, Debug)]
pub struct CpuView<'a, M> {
    mmio: &'a M,
    start: u32,
}

impl<M: Mmio> CpuView<'_, M> {
    /// The CPU's own number.
    #[inline]
    pub fn whoami(&self) -> WhoAmI {
        WhoAmI(self.mmio.read32(self.start + Geometry::VIEW_WHOAMI))
    }

    /// Takes the CPU's next event. **Destructive**, as [`Aic::event`].
    #[inline]
    pub fn event(&self) -> EventWord {
        EventWord(self.mmio.read32(self.start + Geometry::VIEW_EVENT))
    }

    /// Makes IPIs of the CPU pending.
    #[inline]
    pub fn ipi_set(&self, which: IpiFlags) {
        self.mmio
            .write32(self.start + Geometry::VIEW_IPI_SET, which.0);
    }

    /// Drops pending IPIs of the CPU.
    #[inline]
    pub fn ipi_clr(&self, which: IpiFlags) {
        self.mmio
            .write32(self.start + Geometry::VIEW_IPI_CLR, which.0);
    }

    /// Pending IPIs of the CPU, masked or not.
    #[inline]
    pub fn ipi_pending(&self) -> IpiFlags {
        IpiFlags(self.mmio.read32(self.start + Geometry::VIEW_IPI_SET))
    }

    /// Masks IPIs of the CPU.
    #[inline]
    pub fn ipi_mask_set(&self, which: IpiFlags) {
        self.mmio
            .write32(self.start + Geometry::VIEW_IPI_MASK_SET, which.0);
    }

    /// Unmasks IPIs of the CPU.
    #[inline]
    pub fn ipi_mask_clr(&self, which: IpiFlags) {
        self.mmio
            .write32(self.start + Geometry::VIEW_IPI_MASK_CLR, which.0);
    }

    /// Masked IPIs of the CPU.
    #[inline]
    pub fn ipi_masked(&self) -> IpiFlags {
        IpiFlags(self.mmio.read32(self.start + Geometry::VIEW_IPI_MASK_SET))
    }
}
