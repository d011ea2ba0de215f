//! The registers that are plain storage: encodings (DDI 0487, chapter D23), writable bits, reset values.

use crate::cpu::bus::SysReg;

macro_rules! registers {
    ($($(#[$doc:meta])* $name:ident = ($op0:literal, $op1:literal, $crn:literal, $crm:literal, $op2:literal), $mask:expr, $reset:expr;)*) => {
        /// A register that is plain storage.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(clippy::enum_variant_names)]
        pub(crate) enum R { $($(#[$doc])* $name,)* }

        const ROWS: &[(R, SysReg, u64, u64)] =
            &[$((R::$name, SysReg::new($op0, $op1, $crn, $crm, $op2), $mask, $reset),)*];
    };
}

const ALL: u64 = u64::MAX;
const LOW32: u64 = 0xffff_ffff;
/// EE and E0E are fixed: the cores are little-endian only. Other reserved bits read as written.
const SCTLR: u64 = LOW32 & !(3 << 24);
/// Bits that are 1 in an ARMv8.0 core's SCTLR_ELx, and SPAN.
const SCTLR_RESET: u64 = 0x30d0_0800;
/// Stage 2 is not modelled (VM, DC read as 0), E2H and RW are fixed to 1.
const HCR: u64 = 0x33b_7fff_eff8;
/// E2H, TGE, RW, AMO, IMO, FMO: how these cores come up (third party: E2H cannot be cleared).
const HCR_RESET: u64 = 1 << 34 | 1 << 31 | 1 << 27 | 0x38;
/// SPSR_ELx: N, Z, C, V, PAN, SS, IL, D, A, I, F, M.
const SPSR: u64 = 0xf070_03df;

registers! {
    // Self-hosted debug: storage only, no breakpoint, watchpoint or software step ever fires.
    MdscrEl1 = (2, 0, 0, 2, 2), 0xf040, 0;
    MdccintEl1 = (2, 0, 0, 2, 0), 0x6000_0000, 0;
    /// Written through OSLAR_EL1. Locked at reset; OSLM says the lock is implemented.
    OslsrEl1 = (2, 0, 1, 1, 4), 0, 0b1010;
    /// Claim tags: read here, set through DBGCLAIMSET_EL1, cleared by writing here.
    DbgclaimclrEl1 = (2, 0, 7, 9, 6), 0xff, 0;
    OsdlrEl1 = (2, 0, 1, 3, 4), 1, 0;
    DbgprcrEl1 = (2, 0, 1, 4, 4), 1, 0;
    Dbgbvr0El1 = (2, 0, 0, 0, 4), ALL & !3, 0;
    Dbgbcr0El1 = (2, 0, 0, 0, 5), 0x00ff_e1e7, 0;
    Dbgbvr1El1 = (2, 0, 0, 1, 4), ALL & !3, 0;
    Dbgbcr1El1 = (2, 0, 0, 1, 5), 0x00ff_e1e7, 0;
    Dbgwvr0El1 = (2, 0, 0, 0, 6), ALL & !3, 0;
    Dbgwcr0El1 = (2, 0, 0, 0, 7), 0x1fff_ffff, 0;
    Dbgwvr1El1 = (2, 0, 0, 1, 6), ALL & !3, 0;
    Dbgwcr1El1 = (2, 0, 0, 1, 7), 0x1fff_ffff, 0;

    SctlrEl1 = (3, 0, 1, 0, 0), SCTLR, SCTLR_RESET;
    ActlrEl1 = (3, 0, 1, 0, 1), ALL, 0;
    CpacrEl1 = (3, 0, 1, 0, 2), 0x1030_0000, 0;
    Ttbr0El1 = (3, 0, 2, 0, 0), ALL, 0;
    Ttbr1El1 = (3, 0, 2, 0, 1), ALL, 0;
    TcrEl1 = (3, 0, 2, 0, 2), ALL, 0;
    SpsrEl1 = (3, 0, 4, 0, 0), SPSR, 0;
    ElrEl1 = (3, 0, 4, 0, 1), ALL, 0;
    Afsr0El1 = (3, 0, 5, 1, 0), ALL, 0;
    Afsr1El1 = (3, 0, 5, 1, 1), ALL, 0;
    EsrEl1 = (3, 0, 5, 2, 0), LOW32, 0;
    FarEl1 = (3, 0, 6, 0, 0), ALL, 0;
    ParEl1 = (3, 0, 7, 4, 0), ALL, 0;
    MairEl1 = (3, 0, 10, 2, 0), ALL, 0;
    AmairEl1 = (3, 0, 10, 3, 0), ALL, 0;
    VbarEl1 = (3, 0, 12, 0, 0), ALL & !0x7ff, 0;
    ContextidrEl1 = (3, 0, 13, 0, 1), LOW32, 0;
    TpidrEl1 = (3, 0, 13, 0, 4), ALL, 0;
    CntkctlEl1 = (3, 0, 14, 1, 0), 0x3ff, 0;
    CsselrEl1 = (3, 2, 0, 0, 0), 0xf, 0;

    TpidrEl0 = (3, 3, 13, 0, 2), ALL, 0;
    TpidrroEl0 = (3, 3, 13, 0, 3), ALL, 0;
    CntfrqEl0 = (3, 3, 14, 0, 0), LOW32, 0;
    CntpCtlEl0 = (3, 3, 14, 2, 1), 3, 0;
    CntpCvalEl0 = (3, 3, 14, 2, 2), ALL, 0;
    CntvCtlEl0 = (3, 3, 14, 3, 1), 3, 0;
    CntvCvalEl0 = (3, 3, 14, 3, 2), ALL, 0;

    VpidrEl2 = (3, 4, 0, 0, 0), LOW32, 0;
    VmpidrEl2 = (3, 4, 0, 0, 5), ALL, 0;
    SctlrEl2 = (3, 4, 1, 0, 0), SCTLR, SCTLR_RESET;
    ActlrEl2 = (3, 4, 1, 0, 1), ALL, 0;
    HcrEl2 = (3, 4, 1, 1, 0), HCR, HCR_RESET;
    MdcrEl2 = (3, 4, 1, 1, 1), 0xfff, 0;
    CptrEl2 = (3, 4, 1, 1, 2), 0x9030_0000, 0;
    HstrEl2 = (3, 4, 1, 1, 3), 0, 0;
    HacrEl2 = (3, 4, 1, 1, 7), 0, 0;
    Ttbr0El2 = (3, 4, 2, 0, 0), ALL, 0;
    Ttbr1El2 = (3, 4, 2, 0, 1), ALL, 0;
    TcrEl2 = (3, 4, 2, 0, 2), ALL, 0;
    VttbrEl2 = (3, 4, 2, 1, 0), ALL, 0;
    VtcrEl2 = (3, 4, 2, 1, 2), LOW32, 0;
    SpsrEl2 = (3, 4, 4, 0, 0), SPSR, 0;
    ElrEl2 = (3, 4, 4, 0, 1), ALL, 0;
    Afsr0El2 = (3, 4, 5, 1, 0), ALL, 0;
    Afsr1El2 = (3, 4, 5, 1, 1), ALL, 0;
    EsrEl2 = (3, 4, 5, 2, 0), LOW32, 0;
    FarEl2 = (3, 4, 6, 0, 0), ALL, 0;
    HpfarEl2 = (3, 4, 6, 0, 4), 0xf_ffff_fff0, 0;
    MairEl2 = (3, 4, 10, 2, 0), ALL, 0;
    AmairEl2 = (3, 4, 10, 3, 0), ALL, 0;
    VbarEl2 = (3, 4, 12, 0, 0), ALL & !0x7ff, 0;
    /// Read-only for the guest: where the core was last reset to.
    RvbarEl2 = (3, 4, 12, 0, 1), 0, 0;
    ContextidrEl2 = (3, 4, 13, 0, 1), LOW32, 0;
    TpidrEl2 = (3, 4, 13, 0, 2), ALL, 0;
    CntvoffEl2 = (3, 4, 14, 0, 3), ALL, 0;
    CnthctlEl2 = (3, 4, 14, 1, 0), 0xfff, 0;
    CnthpCtlEl2 = (3, 4, 14, 2, 1), 3, 0;
    CnthpCvalEl2 = (3, 4, 14, 2, 2), ALL, 0;
    CnthvCtlEl2 = (3, 4, 14, 3, 1), 3, 0;
    CnthvCvalEl2 = (3, 4, 14, 3, 2), ALL, 0;
}

/// Number of stored registers.
pub(crate) const COUNT: usize = ROWS.len();

/// By the low 15 bits of an encoding (op0 is 2 or 3): row + 1.
static INDEX: [u8; 1 << 15] = {
    let mut t = [0; 1 << 15];
    let mut i = 0;
    while i < ROWS.len() {
        t[(ROWS[i].1.0 & 0x7fff) as usize] = i as u8 + 1;
        i += 1;
    }
    t
};

impl R {
    /// The register with this encoding.
    pub fn find(reg: SysReg) -> Option<R> {
        if reg.0 >> 15 == 0 {
            return None;
        }
        let row = usize::from(INDEX[usize::from(reg.0 & 0x7fff)]).checked_sub(1)?;
        Some(ROWS[row].0)
    }

    /// Bits that software can set.
    pub fn mask(self) -> u64 {
        ROWS[self as usize].2
    }

    /// True if software cannot write it.
    pub fn is_read_only(self) -> bool {
        matches!(self, R::RvbarEl2 | R::OslsrEl1)
    }

    /// Value at reset.
    pub fn reset(self) -> u64 {
        ROWS[self as usize].3
    }

    /// Value at reset of every register.
    pub fn reset_all() -> [u64; COUNT] {
        let mut v = [0; COUNT];
        for row in ROWS {
            v[row.0 as usize] = row.3;
        }
        v
    }

    /// What an EL1 name means at EL2 when HCR_EL2.E2H is 1 (D8.2, table of redirected registers).
    pub fn at_el2(self) -> R {
        match self {
            R::SctlrEl1 => R::SctlrEl2,
            R::CpacrEl1 => R::CptrEl2,
            R::Ttbr0El1 => R::Ttbr0El2,
            R::Ttbr1El1 => R::Ttbr1El2,
            R::TcrEl1 => R::TcrEl2,
            R::SpsrEl1 => R::SpsrEl2,
            R::ElrEl1 => R::ElrEl2,
            R::Afsr0El1 => R::Afsr0El2,
            R::Afsr1El1 => R::Afsr1El2,
            R::EsrEl1 => R::EsrEl2,
            R::FarEl1 => R::FarEl2,
            R::MairEl1 => R::MairEl2,
            R::AmairEl1 => R::AmairEl2,
            R::VbarEl1 => R::VbarEl2,
            R::ContextidrEl1 => R::ContextidrEl2,
            R::CntkctlEl1 => R::CnthctlEl2,
            R::CntpCtlEl0 => R::CnthpCtlEl2,
            R::CntpCvalEl0 => R::CnthpCvalEl2,
            R::CntvCtlEl0 => R::CnthvCtlEl2,
            R::CntvCvalEl0 => R::CnthvCvalEl2,
            r => r,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_and_rows_are_in_order() {
        for (i, row) in ROWS.iter().enumerate() {
            assert_eq!(row.0 as usize, i);
            assert_eq!(R::find(row.1), Some(row.0));
        }
        assert_eq!(R::find(SysReg::new(3, 0, 4, 4, 0)), None);
        assert_eq!(R::find(SysReg::new(1, 0, 1, 0, 0)), None);
    }
}
