// SPDX-License-Identifier: MIT OR Apache-2.0
//! IRQ_CFG: one word per line.

register_value! {
    /// IRQ_CFG. Change it by read-modify-write: other bits are unknown.
    pub struct IrqConfig(u32) {
        /// Where the line goes. Not a CPU number: AICv2 and later have no per-line CPU target.
        bits(3, 0, u8) target, set_target [Driver] { 0 => "the application CPUs that accept interrupts" };
        /// Index into DELAY_GROUPS.
        bits(7, 5, u8) delay_index, set_delay_index [Driver] {};
    }
}
