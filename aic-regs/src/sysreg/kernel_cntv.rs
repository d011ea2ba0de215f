// SPDX-License-Identifier: MIT OR Apache-2.0
//! KERNEL_CNTV: a timer of Apple's own that macOS schedules from on T8140. All of it from one third-party change that was
//! never merged; writes are said to be locked at EL2.

system_register! {
    /// Control of the kernel's timer.
    KERNEL_CNTV_CTL: u64 = "KERNEL_CNTV_CTL_EL1" (3, 1, 15, 0, 5) [Claim] rw described
}

system_register! {
    /// Ticks until the kernel's timer fires, at 24 MHz.
    KERNEL_CNTV_TVAL: u64 = "KERNEL_CNTV_TVAL_EL1" (3, 1, 15, 15, 4) [Claim] rw described
}

system_register! {
    /// The counter of the kernel's timer, at 24 MHz.
    KERNEL_CNTVCT: u64 = "KERNEL_CNTVCT_EL1" (3, 4, 15, 11, 7) [Claim] r described
}
