// SPDX-License-Identifier: MIT OR Apache-2.0
//! DAIF: the exception masks.

system_register! {
    /// PSTATE's exception masks.
    DAIF: Daif = "DAIF" (3, 3, 4, 2, 1) [Architecture] rw
}

register_value! {
    /// DAIF: 1 = masked.
    pub struct Daif(u64) {
        /// FIQ: timers and fast IPIs on Apple's cores.
        bit(6) fiq, set_fiq [Architecture] { 0 => "open", 1 => "masked" };
        /// IRQ: the AIC.
        bit(7) irq, set_irq [Architecture] { 0 => "open", 1 => "masked" };
        /// SError.
        bit(8) serror, set_serror [Architecture] { 0 => "open", 1 => "masked" };
        /// Debug.
        bit(9) debug, set_debug [Architecture] { 0 => "open", 1 => "masked" };
    }
}

impl Daif {
    /// Everything masked.
    pub const ALL_MASKED: Self = Self(0x3c0);
}
