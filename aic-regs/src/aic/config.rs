// SPDX-License-Identifier: MIT OR Apache-2.0
//! CONFIG: the controller's global switches.

register_value! {
    /// CONFIG (`aicglbcfg`), offset 0x14. Change it by read-modify-write: other bits are unknown.
    pub struct Config(u32) {
        /// Global enable. One machine (M4) was found with it clear; that it gates all delivery is inferred.
        bit(0) enable, set_enable [Driver] { 0 => "off", 1 => "on" };
        /// Meant to favour P cores; a probe of T6020 saw no effect.
        bit(28) prefer_pcpu, set_prefer_pcpu [Driver] { 0 => "no preference", 1 => "prefer P cores" };
    }
}
