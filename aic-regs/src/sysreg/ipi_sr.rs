// SPDX-License-Identifier: MIT OR Apache-2.0
//! IPI_SR: a fast IPI is pending.

system_register! {
    /// State of this CPU's fast IPI, which is delivered as FIQ.
    IPI_SR: IpiSr = "IPI_SR_EL1" (3, 5, 15, 1, 1) [Driver] rw guarded
}

register_value! {
    /// IPI_SR. One bit: IPIs that arrive while one is pending merge.
    pub struct IpiSr(u64) {
        /// Pending. Write 1 to clear, then ISB.
        bit(0) pending, set_pending [Driver] { 0 => "none", 1 => "pending; written: acknowledge" };
        /// CPU that sent it, as one emulator has it.
        bits(15, 8, u8) source_cpu, _ [Claim] {};
    }
}

impl IpiSr {
    /// Written, acknowledges the pending IPI.
    pub const ACKNOWLEDGE: Self = Self(1);
}
