// SPDX-License-Identifier: MIT OR Apache-2.0
//! UPMPCM: which cores the uncore counters interrupt.

system_register! {
    /// Cores to which the interrupt of the uncore counters goes.
    UPMPCM: Upmpcm = "UPMPCM_EL1" (3, 7, 15, 5, 4) [Driver] rw described
}

register_value! {
    /// UPMPCM_EL1.
    pub struct Upmpcm(u64) {
        /// Cores of the cluster, one bit each.
        bits(7, 0, u8) pmi_cores, set_pmi_cores [Driver] {};
    }
}
