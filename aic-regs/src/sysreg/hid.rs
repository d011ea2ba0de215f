// SPDX-License-Identifier: MIT OR Apache-2.0
//! HID1 and EHID20: the bits whose names contain "SIQ". Nobody has shown that this SIQ is the one of SIQ_CFG: here it may be a
//! queue of the core.

system_register! {
    /// Implementation-defined switches of a P core.
    HID1: Hid1 = "HID1_EL1" (3, 0, 15, 1, 0) [Driver] rw described
}

register_value! {
    /// HID1_EL1, in part.
    pub struct Hid1(u64) {
        /// "Conservative SIQ" on the P core of A10, where a loader sets it. Notes give the bit another meaning on M1.
        bit(44) conservative_siq, set_conservative_siq [Driver] {
            1 [Notes] => "M1: no AES fusion across groups",
        };
    }
}

system_register! {
    /// Implementation-defined switches of an E core.
    EHID20: Ehid20 = "EHID20_EL1" (3, 0, 15, 1, 2) [Driver] rw described
}

register_value! {
    /// EHID20_EL1 of M2's E core, in part; M1's has other bits.
    pub struct Ehid20(u64) {
        /// "Conservative SIQ".
        bit(6) conservative_siq, set_conservative_siq [Driver] {};
        /// "SIQ use MDR BR SYS RSLV".
        bit(35) siq_use_mdr_br_sys_rslv, set_siq_use_mdr_br_sys_rslv [Driver] {};
    }
}
