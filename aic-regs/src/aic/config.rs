// SPDX-License-Identifier: MIT OR Apache-2.0
//! CONFIG and GLB_CFG: the controller's global switches.

register_value! {
    /// CONFIG (`aicglbcfg`), offset 0x14. Change it by read-modify-write: other bits are unknown.
    pub struct Config(u32) {
        /// Global enable. One machine (M4) was found with it clear; that it gates all delivery is inferred.
        bit(0) enable, set_enable [Driver] { 0 => "off", 1 => "on" };
        /// Meant to favour P cores; a probe of T6020 saw no effect.
        bit(28) prefer_pcpu, set_prefer_pcpu [Driver] { 0 => "no preference", 1 => "prefer P cores" };
    }
}

register_value! {
    /// GLB_CFG of AICv1, offset 0x10. Change it by read-modify-write. Notes: bits 0xf8fffff1 are implemented; M1 starts
    /// with 0xe0477971, so bits 23:20 hold 4 there, which nobody has named. Linux never touches it; one bring-up experiment writes
    /// 0xe0777971.
    pub struct GlbCfg(u32) {
        /// Global enable, as an emulator names it. Set on M1 when its loader hands over.
        bit(0) enable, set_enable [Notes] { 0 => "off", 1 => "on" };
        /// First of four wait times that an emulator names. Units are unknown.
        bits(7, 4, u8) wait_0, set_wait_0 [Notes] {};
        /// Second wait time.
        bits(11, 8, u8) wait_1, set_wait_1 [Notes] {};
        /// Third wait time.
        bits(15, 12, u8) wait_2, set_wait_2 [Notes] {};
        /// Fourth wait time.
        bits(19, 16, u8) wait_3, set_wait_3 [Notes] {};
        /// Clock gates, as an emulator names them; which clocks is unknown.
        bits(31, 29, u8) clock_gates, set_clock_gates [Notes] {};
    }
}
