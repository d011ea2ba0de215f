//! Identification registers: they say exactly what these cores have.

use super::enc;
use crate::cpu::bus::SysReg;
use crate::cpu::core::{Core, psr};

/// EL0-EL2 in AArch64 only, no EL3; no floating point, no Advanced SIMD.
const PFR0: u64 = 0x111 | 0xf << 16 | 0xf << 20;
/// Debug architecture 8.0, two breakpoints, two watchpoints; no PMU.
const DFR0: u64 = 6 | 1 << 12 | 1 << 20;
/// CRC32; Atomic comes on top.
const ISAR0: u64 = 1 << 16;
/// LSE atomics.
const ISAR0_ATOMIC: u64 = 2 << 20;
/// DC CVAP; LDAPR.
const ISAR1: u64 = 1 | 1 << 20;
/// WFET and WFIT.
const ISAR2_WFXT: u64 = 2;
/// 42-bit physical addresses, 16-bit ASIDs, granules of 16 and 4 KiB, not 64 KiB.
const MMFR0: u64 = 3 | 2 << 4 | 1 << 20 | 0xf << 24;
/// VHE, PAN.
const MMFR1: u64 = 1 << 8 | 1 << 20;
/// PIPT instruction cache, 64-byte lines, exclusives granule and write-back granule of 128 bytes.
const CTR: u64 = 1 << 31 | 5 << 24 | 5 << 20 | 4 << 16 | 3 << 14 | 4;
/// DC ZVA zeroes 64 bytes.
const DCZID: u64 = 4;

/// Value of a read-only register that depends on nothing but the core; `None` if this is not one.
pub(crate) fn peek(core: &Core, reg: SysReg) -> Option<u64> {
    let (op0, op1, crn, crm, op2) = reg.fields();
    if (op0, op1, crn) == (3, 0, 0) && (1..=7).contains(&crm) {
        // The whole block exists; what is not assigned reads as zero. The AArch32 ones are zero: there is no AArch32.
        return Some(match (crm, op2) {
            (4, 0) => PFR0,
            (5, 0) => DFR0,
            (6, 0) => ISAR0 | if core.cfg.lse { ISAR0_ATOMIC } else { 0 },
            (6, 1) => ISAR1,
            (6, 2) if core.cfg.wfxt => ISAR2_WFXT,
            (7, 0) => MMFR0,
            (7, 1) => MMFR1,
            _ => 0,
        });
    }
    Some(match reg.0 {
        enc::MIDR_EL1 => core.cfg.midr,
        enc::MPIDR_EL1 => core.cfg.mpidr,
        // No cache is reported: memory is coherent without maintenance.
        enc::REVIDR_EL1 | enc::CCSIDR_EL1 | enc::CLIDR_EL1 | enc::AIDR_EL1 => 0,
        enc::CTR_EL0 => CTR,
        enc::DCZID_EL0 => DCZID,
        enc::SP_EL0 => core.sp_el(0),
        enc::SP_EL1 => core.sp_el(1),
        enc::SPSEL => u64::from(core.sp_sel),
        enc::CURRENT_EL => u64::from(core.el) << 2,
        enc::PAN => {
            if core.pan {
                psr::PAN
            } else {
                0
            }
        }
        enc::NZCV => u64::from(core.nzcv) << 28,
        enc::DAIF => core.daif,
        enc::ISR_EL1 => core.isr(),
        _ => return None,
    })
}
