// SPDX-License-Identifier: MIT OR Apache-2.0
//! ICH_HCR and ICH_MISR: the maintenance interrupt of the virtual GIC. It shares the IRQ input with the AIC and is no event.

system_register! {
    /// Control of the virtual GIC interface. Drivers keep it off.
    ICH_HCR_EL2: IchHcr = "ICH_HCR_EL2" (3, 4, 12, 11, 0) [Architecture] rw described
}

register_value! {
    /// ICH_HCR_EL2, in part.
    pub struct IchHcr(u64) {
        /// The interface is on.
        bit(0) enable, set_enable [Architecture] { 0 => "off", 1 => "on" };
        /// Interrupt when at most one list register is in use.
        bit(1) underflow, set_underflow [Architecture] {};
        /// Interrupt when an end of interrupt finds no list register.
        bit(2) lrenp, set_lrenp [Architecture] {};
        /// Interrupt when nothing is pending.
        bit(3) no_pending, set_no_pending [Architecture] {};
    }
}

system_register! {
    /// Why the virtual GIC asks for maintenance: not 0 means that an IRQ is its own.
    ICH_MISR_EL2: IchMisr = "ICH_MISR_EL2" (3, 4, 12, 11, 2) [Architecture] r described
}

register_value! {
    /// ICH_MISR_EL2, in part.
    pub struct IchMisr(u64) {
        /// End of interrupt.
        bit(0) eoi, _ [Architecture] {};
        /// Underflow.
        bit(1) underflow, _ [Architecture] {};
        /// No list register for an end of interrupt.
        bit(2) lrenp, _ [Architecture] {};
        /// Nothing pending.
        bit(3) no_pending, _ [Architecture] {};
    }
}
