// SPDX-License-Identifier: MIT OR Apache-2.0
//! VM_TMR_LR and VM_TMR_FIQ_ENA: how a guest's timers reach it.

system_register! {
    /// State of the guest's virtual timer, in the manner of ICH_LR. The name is unofficial. M1 reads 0x1b0000001b.
    VM_TMR_LR: VmTimerLink = "VM_TMR_LR_EL2" (3, 5, 15, 1, 2) [Notes] rw described
}

register_value! {
    /// VM_TMR_LR_EL2. Only `state` is described by others; that the rest is as in ICH_LR is inferred from the value
    /// that M1 reads, 27 twice, which is the virtual timer's number in Arm's own controller.
    pub struct VmTimerLink(u64) {
        /// Virtual interrupt number.
        bits(31, 0, u32) virtual_id, set_virtual_id [Inference] { 27 => "virtual timer" };
        /// Physical interrupt number.
        bits(44, 32, u16) physical_id, set_physical_id [Inference] { 27 => "virtual timer" };
        /// State. It becomes pending when the guest's CNTV fires while HACR_EL2 masks it.
        bits(63, 62, u8) state, set_state [Notes] { 1 => "pending" };
    }
}

system_register! {
    /// Lets the guest's timers raise FIQ. The name is unofficial. Accesses trap or are locked on several M4 and M5 chips: use
    /// the guarded ones, and write only what was read.
    VM_TMR_FIQ_ENA: VmTimerFiqEnable = "VM_TMR_FIQ_ENA_EL2" (3, 5, 15, 1, 3) [Driver] rw guarded
}

register_value! {
    /// VM_TMR_FIQ_ENA_EL2.
    pub struct VmTimerFiqEnable(u64) {
        /// The guest's virtual timer (CNTV of EL02).
        bit(0) virtual_timer, set_virtual_timer [Driver] { 0 => "no FIQ", 1 => "FIQ" };
        /// The guest's physical timer (CNTP of EL02).
        bit(1) physical_timer, set_physical_timer [Driver] { 0 => "no FIQ", 1 => "FIQ" };
    }
}
