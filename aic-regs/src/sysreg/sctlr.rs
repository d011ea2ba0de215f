// SPDX-License-Identifier: MIT OR Apache-2.0
//! SCTLR: system control.

system_register! {
    /// System control (SCTLR_EL2 at EL2 under E2H).
    SCTLR_EL1: Sctlr = "SCTLR_EL1" (3, 0, 1, 0, 0) [Architecture] rw
}

register_value! {
    /// SCTLR_EL1, the fields that matter here. Other bits: change by read-modify-write.
    pub struct Sctlr(u64) {
        /// Stage-1 translation. Exclusives and coherence hold only with it on.
        bit(0) mmu, set_mmu [Architecture] {};
        /// Alignment checks.
        bit(1) align, set_align [Architecture] {};
        /// Data cache.
        bit(2) dcache, set_dcache [Architecture] {};
        /// Stack-alignment checks.
        bit(3) sp_align, set_sp_align [Architecture] {};
        /// Instruction cache.
        bit(12) icache, set_icache [Architecture] {};
        /// Writable pages are never executable.
        bit(19) wxn, set_wxn [Architecture] {};
    }
}
