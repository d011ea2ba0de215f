// SPDX-License-Identifier: MIT OR Apache-2.0
//! CAP0, CAP1 and WHOAMI of AICv1.

register_value! {
    /// CAP0 of AICv1 (INFO), offset 4. M1 reads 0x000a0380.
    pub struct Cap0(u32) {
        /// Implemented lines.
        bits(15, 0, u16) nr_irq, set_nr_irq [Driver] {};
        /// Highest CPU that can be a target, as an emulator has it; M1 reads 10.
        bits(23, 16, u8) last_target, set_last_target [Notes] {};
    }
}

register_value! {
    /// CAP1 of AICv1, offset 8. No field is published; M1 reads 0x00180018.
    pub struct Cap1(u32) {}
}

register_value! {
    /// WHOAMI of AICv1: the number by which the controller knows a CPU.
    pub struct WhoAmI(u32) {
        /// The number: the CPU's bit in TARGET_CPU and IPI_SEND. Drivers do not take it for the logical number.
        bits(31, 0, u32) cpu, _ [Driver] {};
    }
}
