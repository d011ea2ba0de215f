//! System registers that both sides have, with architected contents.

/// A register and what may be written to it without meeting reserved or implementation-defined bits.
#[derive(Clone, Copy, Debug)]
pub struct SystemRegister {
    /// op0, op1, CRn, CRm, op2 as MRS and MSR carry them in bits 20:5.
    pub encoding: u32,
    /// Bits that hold what is written.
    pub writable: u64,
}

/// `op0` is 1 (SYS), 2 or 3.
const fn register(
    op0: u32,
    op1: u32,
    crn: u32,
    crm: u32,
    op2: u32,
    writable: u64,
) -> SystemRegister {
    SystemRegister {
        encoding: op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2,
        writable,
    }
}

/// `MRS Xt, <encoding>` with t = 0.
pub const fn mrs(encoding: u32) -> u32 {
    0xd520_0000 | encoding << 5
}

/// `MSR <encoding>, Xt` with t = 0.
pub const fn msr(encoding: u32) -> u32 {
    0xd500_0000 | encoding << 5
}

/// ELR_EL1.
pub const ELR_EL1: u32 = register(3, 0, 4, 0, 1, 0).encoding;
/// SPSR_EL1.
pub const SPSR_EL1: u32 = register(3, 0, 4, 0, 0, 0).encoding;
/// ERET.
pub const ERET: u32 = 0xd69f_03e0;

const ALL: u64 = u64::MAX;
const LOW_32: u64 = 0xffff_ffff;

/// DDI 0487, D19.2 and C5.2.
pub const SYSTEM_REGISTERS: &[SystemRegister] = &[
    register(3, 3, 4, 2, 0, 0xf000_0000), // NZCV
    register(3, 3, 4, 2, 1, 0x3c0),       // DAIF
    register(3, 0, 4, 2, 0, 1),           // SPSel
    register(3, 3, 13, 0, 2, ALL),        // TPIDR_EL0
    register(3, 3, 13, 0, 3, ALL),        // TPIDRRO_EL0
    register(3, 0, 13, 0, 4, ALL),        // TPIDR_EL1
    register(3, 0, 13, 0, 1, LOW_32),     // CONTEXTIDR_EL1
    register(3, 0, 4, 1, 0, ALL),         // SP_EL0
    register(3, 0, 4, 0, 0, 0xf000_03cf), // SPSR_EL1
    register(3, 0, 4, 0, 1, ALL),         // ELR_EL1
    register(3, 0, 5, 2, 0, LOW_32),      // ESR_EL1
    register(3, 0, 6, 0, 0, ALL),         // FAR_EL1
    register(3, 0, 12, 0, 0, !0x7ff),     // VBAR_EL1
    register(3, 0, 10, 2, 0, ALL),        // MAIR_EL1
];

/// Cache and TLB maintenance of Armv8.0, and DC ZVA (whose block has 64 bytes on both sides), as MSR carries it.
pub const MAINTENANCE: &[u32] = &[
    register(1, 0, 7, 1, 0, 0).encoding,  // IC IALLUIS
    register(1, 0, 7, 5, 0, 0).encoding,  // IC IALLU
    register(1, 3, 7, 5, 1, 0).encoding,  // IC IVAU
    register(1, 0, 7, 6, 1, 0).encoding,  // DC IVAC
    register(1, 0, 7, 6, 2, 0).encoding,  // DC ISW
    register(1, 3, 7, 4, 1, 0).encoding,  // DC ZVA
    register(1, 3, 7, 10, 1, 0).encoding, // DC CVAC
    register(1, 3, 7, 11, 1, 0).encoding, // DC CVAU
    register(1, 3, 7, 14, 1, 0).encoding, // DC CIVAC
    register(1, 0, 8, 3, 0, 0).encoding,  // TLBI VMALLE1IS
    register(1, 0, 8, 7, 0, 0).encoding,  // TLBI VMALLE1
    register(1, 0, 8, 7, 1, 0).encoding,  // TLBI VAE1
    register(1, 0, 8, 7, 2, 0).encoding,  // TLBI ASIDE1
    register(1, 0, 8, 7, 3, 0).encoding,  // TLBI VAAE1
];

/// True for MRS and MSR of a register of [`SYSTEM_REGISTERS`], and for [`MAINTENANCE`].
pub fn is_portable(word: u32) -> bool {
    let encoding = word >> 5 & 0xffff;
    if MAINTENANCE.contains(&encoding) {
        return true;
    }
    SYSTEM_REGISTERS
        .iter()
        .any(|register| register.encoding == encoding)
}

/// True if a word may change more than general registers, flags, DAIF and memory: system instructions and register
/// moves other than hints and barriers.
pub const fn changes_system(word: u32) -> bool {
    let hint_or_barrier = word & 0xffff_e000 == 0xd503_2000;
    word >> 22 == 0xd5 << 2 && !hint_or_barrier
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_assembler() {
        assert_eq!(mrs(ELR_EL1) | 3, 0xd538_4023); // mrs x3, elr_el1
        assert_eq!(msr(SPSR_EL1) | 2, 0xd518_4002); // msr spsr_el1, x2
        assert_eq!(mrs(SYSTEM_REGISTERS[0].encoding), 0xd53b_4200); // mrs x0, nzcv
    }

    #[test]
    fn hints_and_barriers_change_nothing_else() {
        assert!(!changes_system(0xd503_201f)); // nop
        assert!(!changes_system(0xd503_3fdf)); // isb
        assert!(changes_system(0xd503_42df)); // msr daifset, #2
        assert!(changes_system(0xd518_1000)); // msr sctlr_el1, x0
        assert!(!changes_system(0x9100_0400)); // add x0, x0, #1
    }
}
