//! System registers: which exist, who may access them, what they do.

mod access;
mod id;
mod table;
mod traps;

pub(crate) use id::peek;
pub(crate) use table::{COUNT, R};

/// Packed encodings of registers that are not plain storage.
pub(crate) mod enc {
    use crate::cpu::bus::SysReg;

    macro_rules! encodings {
        ($($name:ident = ($op0:literal, $op1:literal, $crn:literal, $crm:literal, $op2:literal);)*) => {
            $(pub const $name: u16 = SysReg::new($op0, $op1, $crn, $crm, $op2).0;)*
        };
    }

    encodings! {
        MIDR_EL1 = (3, 0, 0, 0, 0);
        MPIDR_EL1 = (3, 0, 0, 0, 5);
        REVIDR_EL1 = (3, 0, 0, 0, 6);
        CCSIDR_EL1 = (3, 1, 0, 0, 0);
        CLIDR_EL1 = (3, 1, 0, 0, 1);
        AIDR_EL1 = (3, 1, 0, 0, 7);
        CTR_EL0 = (3, 3, 0, 0, 1);
        DCZID_EL0 = (3, 3, 0, 0, 7);
        SP_EL0 = (3, 0, 4, 1, 0);
        SP_EL1 = (3, 4, 4, 1, 0);
        SPSEL = (3, 0, 4, 2, 0);
        CURRENT_EL = (3, 0, 4, 2, 2);
        PAN = (3, 0, 4, 2, 3);
        NZCV = (3, 3, 4, 2, 0);
        DAIF = (3, 3, 4, 2, 1);
        ISR_EL1 = (3, 0, 12, 1, 0);
        CNTPCT_EL0 = (3, 3, 14, 0, 1);
        CNTVCT_EL0 = (3, 3, 14, 0, 2);
        CNTP_TVAL_EL0 = (3, 3, 14, 2, 0);
        CNTV_TVAL_EL0 = (3, 3, 14, 3, 0);
        CNTHP_TVAL_EL2 = (3, 4, 14, 2, 0);
        CNTHV_TVAL_EL2 = (3, 4, 14, 3, 0);
        CNTP_TVAL_EL02 = (3, 5, 14, 2, 0);
        CNTV_TVAL_EL02 = (3, 5, 14, 3, 0);
        MDRAR_EL1 = (2, 0, 1, 0, 0);
        OSLAR_EL1 = (2, 0, 1, 0, 4);
        DBGCLAIMSET_EL1 = (2, 0, 7, 8, 6);
        DBGAUTHSTATUS_EL1 = (2, 0, 7, 14, 6);
        MDCCSR_EL0 = (2, 3, 0, 1, 0);
    }
}
