// SPDX-License-Identifier: MIT OR Apache-2.0
//! SIQ_CFG: whether this CPU takes interrupts of the AIC.

system_register! {
    /// System interrupt configuration, one per CPU. May trap at EL1 and under a hypervisor: use the guarded accesses.
    SIQ_CFG: SiqCfg = "SIQ_CFG_EL1" | "APL_IRQ_CR_EL1" | "APPLE_IRQ_FIQ_OPT_OUT" (3, 4, 15, 10, 4) [Silicon] rw guarded
}

register_value! {
    /// SIQ_CFG_EL1. Only bits 1:0 have a published meaning; it differs between SoCs and has no effect on AICv1
    /// (inference, strong: M1 takes interrupts while it reads 3).
    pub struct SiqCfg(u64) {
        /// Routing field: whether the CPU accepts interrupts of the AIC, and in which class. FIQs are unaffected.
        bits(1, 0, u8) routing, set_routing [Silicon] {
            0 => "accepts; drivers of M1 to M3 saw trouble with interrupts taken at EL1",
            1 => "accepts, preferred over a CPU at 0 (T8140)",
            2 => "accepts; on T8140 only as a fallback; what m1n1 writes on M1 to M3",
            3 => "never",
        };
    }
}

impl SiqCfg {
    /// [`SiqCfg::routing`] of a CPU that takes no interrupt of the AIC.
    pub const NEVER: u8 = 3;

    /// The same register with another routing field (0 to 3; higher bits are cut).
    #[inline]
    pub const fn with_routing(self, routing: u8) -> Self {
        Self(self.0 & !3 | routing as u64 & 3)
    }
}
