// SPDX-License-Identifier: MIT OR Apache-2.0
//! ACC_CFG: configuration of the core's cluster.

system_register! {
    /// What the cluster keeps while it sleeps.
    ACC_CFG: AccCfg = "ACC_CFG_EL1" (3, 5, 15, 4, 0) [Driver] rw described
}

register_value! {
    /// ACC_CFG_EL1.
    pub struct AccCfg(u64) {
        /// What of the branch predictor is kept.
        bits(3, 2, u8) bp_sleep, set_bp_sleep [Driver] {
            2 [Notes] => "BDP",
            3 => "BTP; what a loader sets",
        };
        /// Deep sleep.
        bit(24) deep_sleep, set_deep_sleep [Driver] {};
        /// Skip initialisation.
        bit(30) skip_init, set_skip_init [Driver] {};
    }
}
