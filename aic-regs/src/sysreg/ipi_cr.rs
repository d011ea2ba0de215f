// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPI_CR: countdown of deferred fast IPIs.

system_register! {
    /// Deferred-IPI countdown. Third-party notes call it global rather than per CPU; another source sees two copies.
    IPI_CR: IpiCr = "IPI_CR_EL1" (3, 5, 15, 3, 1) [Notes] rw
}

register_value! {
    /// IPI_CR. Seen: 0x1800 on M1 under m1n1, 0x600 under macOS.
    pub struct IpiCr(u64) {
        /// Countdown in reference-clock ticks after which a deferred IPI is delivered.
        bits(15, 0, u16) countdown, set_countdown [Notes] {};
    }
}
