// SPDX-License-Identifier: MIT OR Apache-2.0
//! The identification words: VERSION, INFO1, INFO2, INFO3, and RESET.

register_value! {
    /// VERSION, offset 0. Do not derive the generation from it: T6020 (AICv2) reads 8 (one report from silicon).
    pub struct Version(u32) {
        /// Version number.
        bits(7, 0, u8) version, _ [Driver] {};
    }
}

register_value! {
    /// INFO1 (CAP0), offset 4.
    pub struct Info1(u32) {
        /// Implemented lines per die: bounds valid numbers, decides no offset.
        bits(15, 0, u16) nr_irq, set_nr_irq [Driver] {};
        /// Highest die in use, so one less than the number of dies.
        bits(27, 24, u8) last_die, set_last_die [Driver] {};
    }
}

register_value! {
    /// INFO2, offset 8. No field is published.
    pub struct Info2(u32) {}
}

register_value! {
    /// INFO3 (MAXNUMIRQ), offset 0xc.
    pub struct Info3(u32) {
        /// Lines that each bank of a die has room for: decides every offset.
        bits(15, 0, u16) max_irq, set_max_irq [Driver] {};
        /// Dies that the layout has room for; the banks that exist may be fewer and cannot be read here. A driver
        /// comment says the field may be 8 bits wide on M3.
        bits(27, 24, u8) max_die, set_max_die [Driver] {};
    }
}

register_value! {
    /// RESET, offset 0x10.
    pub struct Reset(u32) {
        /// Writing 1 resets the controller and drops what every owner has set; nothing here does that.
        bit(0) reset, _ [Notes] { 1 => "reset the controller" };
    }
}
