// SPDX-License-Identifier: MIT OR Apache-2.0
//! ISR_EL1: what is pending, without taking it.

system_register! {
    /// Pending interrupts: the physical inputs when read at EL2, virtual ones at EL1 under HCR_EL2.IMO and FMO.
    /// Shows an offer of the AIC without claiming it.
    ISR_EL1: Isr = "ISR_EL1" (3, 0, 12, 1, 0) [Architecture] r
}

register_value! {
    /// ISR_EL1: 1 = pending.
    pub struct Isr(u64) {
        /// FIQ.
        bit(6) fiq, _ [Architecture] {};
        /// IRQ.
        bit(7) irq, _ [Architecture] {};
        /// SError.
        bit(8) serror, _ [Architecture] {};
    }
}
