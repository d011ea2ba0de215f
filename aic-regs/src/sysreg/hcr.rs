// SPDX-License-Identifier: MIT OR Apache-2.0
//! HCR_EL2: hypervisor configuration.

system_register! {
    /// Hypervisor configuration.
    HCR_EL2: Hcr = "HCR_EL2" (3, 4, 1, 1, 0) [Architecture] rw
}

register_value! {
    /// HCR_EL2, the fields that matter to interrupts. Other bits: change by read-modify-write.
    pub struct Hcr(u64) {
        /// Stage-2 translation.
        bit(0) vm, set_vm [Architecture] {};
        /// Physical FIQs go to EL2.
        bit(3) fmo, set_fmo [Architecture] {};
        /// Physical IRQs go to EL2.
        bit(4) imo, set_imo [Architecture] {};
        /// Physical SErrors go to EL2.
        bit(5) amo, set_amo [Architecture] {};
        /// Implementation-defined registers trap from EL1.
        bit(20) tidcp, set_tidcp [Architecture] {};
        /// Exceptions of EL0 go to EL2.
        bit(27) tge, set_tge [Architecture] {};
        /// EL1 is AArch64.
        bit(31) rw, set_rw [Architecture] {};
        /// EL2 hosts an operating system. Always 1 on Apple's cores.
        bit(34) e2h, set_e2h [Architecture] {};
    }
}
