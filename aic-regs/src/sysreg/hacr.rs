// SPDX-License-Identifier: MIT OR Apache-2.0
//! HACR_EL2: which of Apple's own registers trap from EL1.

system_register! {
    /// Traps of implementation-defined registers to EL2.
    HACR_EL2: Hacr = "HACR_EL2" (3, 4, 1, 1, 7) [Architecture] rw described
}

register_value! {
    /// HACR_EL2, with the bits that Apple's cores give it.
    pub struct Hacr(u64) {
        /// CPU_EXT registers.
        bit(0) trap_cpu_ext, set_trap_cpu_ext [Driver] {};
        /// AIDR_EL1.
        bit(4) trap_aidr, set_trap_aidr [Driver] {};
        /// The matrix unit.
        bit(10) trap_amx, set_trap_amx [Driver] {};
        /// SPRR registers.
        bit(11) trap_sprr, set_trap_sprr [Driver] {};
        /// Guarded execution.
        bit(13) trap_gxf, set_trap_gxf [Driver] {};
        /// CTRR registers.
        bit(14) trap_ctrr, set_trap_ctrr [Driver] {};
        /// The fast-IPI registers.
        bit(16) trap_ipi, set_trap_ipi [Driver] {};
        /// S3_4_C15_C5_x and S3_4_C15_C6_x.
        bit(18) trap_s3_4_c15_c5, set_trap_s3_4_c15_c5 [Driver] {};
        /// S3_4_C15_C0_5 to S3_4_C15_C12_5.
        bit(19) trap_s3_4_c15_c0_c12_5, set_trap_s3_4_c15_c0_c12_5 [Driver] {};
        /// The guest's virtual timer: masked here, it becomes pending in VM_TMR_LR.
        bit(20) gic_cntv, set_gic_cntv [Notes] { 0 => "open", 1 => "masked" };
        /// SIQ_CFG.
        bit(25) trap_siq_cfg, set_trap_siq_cfg [Driver] {};
        /// Registers of SError information.
        bit(48) trap_serror_info, set_trap_serror_info [Driver] {};
        /// EHID registers.
        bit(49) trap_ehid, set_trap_ehid [Driver] {};
        /// HID registers.
        bit(50) trap_hid, set_trap_hid [Driver] {};
        /// S3_0_C15_C12_1 and S3_0_C15_C12_2.
        bit(51) trap_s3_0_c15_c12, set_trap_s3_0_c15_c12 [Driver] {};
        /// ACC registers.
        bit(52) trap_acc, set_trap_acc [Driver] {};
        /// Arm's own performance counters.
        bit(56) trap_pmuv3, set_trap_pmuv3 [Driver] {};
        /// The core's performance counters (PMCR0 and others).
        bit(57) trap_pm, set_trap_pm [Driver] {};
        /// The uncore performance counters (UPMCR0 and others).
        bit(58) trap_upm, set_trap_upm [Driver] {};
        /// S3_1_C15_Cx_3 to S3_7_C15_Cx_3.
        bit(59) trap_s3_1_7_c15_3, set_trap_s3_1_7_c15_3 [Driver] {};
    }
}
