//! Stage-1 translation (DDI 0487, chapter D8): EL2&0 and EL1&0, granules of 4 and 16 KiB, 48-bit addresses.
//!
//! Not modelled: stage 2, hardware update of access flag and dirty state, hierarchical permission disables.

use super::core::Core;
use super::sysreg::R;
use crate::mem::Ram;

/// Physical address bits, as ID_AA64MMFR0_EL1.PARange says.
pub(crate) const PA_BITS: u32 = 42;

/// Fault status codes (ESR_ELx.DFSC, IFSC); the first four get the level added.
pub(crate) mod fsc {
    pub const ADDRESS_SIZE: u8 = 0x00;
    pub const TRANSLATION: u8 = 0x04;
    pub const ACCESS_FLAG: u8 = 0x08;
    pub const PERMISSION: u8 = 0x0c;
    pub const EXTERNAL: u8 = 0x10;
    pub const EXTERNAL_WALK: u8 = 0x14;
    pub const ALIGNMENT: u8 = 0x21;
    /// Unsupported exclusive or atomic access.
    pub const UNSUPPORTED: u8 = 0x35;
}

/// A translation regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Regime {
    El1,
    El2,
}

/// What an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub write: bool,
    pub fetch: bool,
    /// Made with the rights of EL1 or EL2.
    pub privileged: bool,
    /// PSTATE.PAN applies.
    pub pan: bool,
}

/// Where a virtual address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub pa: u64,
    /// The MAIR byte.
    pub memory: u8,
    /// Shareability, as in the descriptor.
    pub sh: u8,
}

impl Mapping {
    pub fn is_device(&self) -> bool {
        self.memory & 0xf0 == 0
    }
}

impl Core {
    /// The regime of the current exception level.
    pub(crate) fn regime(&self) -> Regime {
        match self.el {
            2 => Regime::El2,
            0 if self.tge() => Regime::El2,
            _ => Regime::El1,
        }
    }

    pub(crate) fn tge(&self) -> bool {
        self.reg(R::HcrEl2) >> 27 & 1 != 0
    }

    /// SCTLR_ELx of the current regime.
    pub(crate) fn sctlr(&self) -> u64 {
        match self.regime() {
            Regime::El1 => self.reg(R::SctlrEl1),
            Regime::El2 => self.reg(R::SctlrEl2),
        }
    }

    fn tcr(&self, regime: Regime) -> u64 {
        match regime {
            Regime::El1 => self.reg(R::TcrEl1),
            Regime::El2 => self.reg(R::TcrEl2),
        }
    }

    /// A branch target with its tag removed, where the top byte is ignored.
    pub(crate) fn untagged(&self, pc: u64) -> u64 {
        let high = pc >> 55 & 1 != 0;
        let tbi = self.tcr(self.regime()) >> if high { 38 } else { 37 } & 1 != 0;
        match (tbi, high) {
            (true, true) => pc | 0xff << 56,
            (true, false) => pc & !(0xff << 56),
            _ => pc,
        }
    }
}

/// Translates `va`; the error is a fault status code with its level.
pub(crate) fn translate(
    core: &Core,
    ram: &Ram,
    regime: Regime,
    va: u64,
    access: Access,
) -> Result<Mapping, u8> {
    let (sctlr, tcr, ttbr0, ttbr1, mair) = match regime {
        Regime::El1 => (R::SctlrEl1, R::TcrEl1, R::Ttbr0El1, R::Ttbr1El1, R::MairEl1),
        Regime::El2 => (R::SctlrEl2, R::TcrEl2, R::Ttbr0El2, R::Ttbr1El2, R::MairEl2),
    };
    let (sctlr, tcr) = (core.reg(sctlr), core.reg(tcr));
    let high = va >> 55 & 1 != 0;
    let tbi = tcr >> if high { 38 } else { 37 } & 1 != 0;
    if sctlr & 1 == 0 {
        return flat(va, tbi, access);
    }
    let table = if high {
        let granule = if tcr >> 30 & 3 == 1 {
            Granule::K16
        } else {
            Granule::K4
        };
        Table {
            ttbr: core.reg(ttbr1),
            size: tcr >> 16 & 63,
            granule,
            disabled: tcr >> 23 & 1 != 0,
        }
    } else {
        let granule = if tcr >> 14 & 3 == 2 {
            Granule::K16
        } else {
            Granule::K4
        };
        Table {
            ttbr: core.reg(ttbr0),
            size: tcr & 63,
            granule,
            disabled: tcr >> 7 & 1 != 0,
        }
    };
    let input = table.input_bits(va, high, tbi)?;
    let output = match tcr >> 32 & 7 {
        0 => 32,
        1 => 36,
        2 => 40,
        _ => PA_BITS,
    };
    let leaf = walk(ram, &table, va, input, output)?;
    leaf.check(sctlr >> 19 & 1 != 0, access)?;
    let memory = (core.reg(mair) >> (8 * (leaf.descriptor >> 2 & 7))) as u8;
    Ok(Mapping {
        pa: leaf.pa,
        memory,
        sh: (leaf.descriptor >> 8 & 3) as u8,
    })
}

/// Translation with the MMU off: data is Device-nGnRnE, code is Normal.
fn flat(va: u64, tbi: bool, access: Access) -> Result<Mapping, u8> {
    let pa = if tbi { va & !(0xff << 56) } else { va };
    if pa >> PA_BITS != 0 {
        return Err(fsc::ADDRESS_SIZE);
    }
    Ok(Mapping {
        pa,
        memory: if access.fetch { 0xff } else { 0 },
        sh: 2,
    })
}

#[derive(Clone, Copy)]
enum Granule {
    K4,
    K16,
}

/// One half of the address space.
struct Table {
    ttbr: u64,
    /// TxSZ.
    size: u64,
    granule: Granule,
    /// EPDx.
    disabled: bool,
}

impl Table {
    /// log2 of the granule.
    fn page_bits(&self) -> u32 {
        match self.granule {
            Granule::K4 => 12,
            Granule::K16 => 14,
        }
    }

    /// Number of address bits that are translated. A TxSZ out of range faults (the model's choice).
    fn input_bits(&self, va: u64, high: bool, tbi: bool) -> Result<u32, u8> {
        let top = if tbi { 56 } else { 64 };
        if self.disabled || !(16..=39).contains(&self.size) {
            return Err(fsc::TRANSLATION);
        }
        let input = 64 - self.size as u32;
        let upper = (va << (64 - top)) >> (64 - top) >> input;
        let want = if high {
            u64::MAX >> (64 - top) >> input
        } else {
            0
        };
        if upper == want {
            Ok(input)
        } else {
            Err(fsc::TRANSLATION)
        }
    }
}

/// The end of a walk.
struct Leaf {
    pa: u64,
    descriptor: u64,
    level: u8,
    /// Bits 62:59 of the tables on the way, ORed.
    tables: u64,
}

fn walk(ram: &Ram, table: &Table, va: u64, input: u32, output: u32) -> Result<Leaf, u8> {
    const ADDRESS: u64 = 0x0000_ffff_ffff_f000;
    let page = table.page_bits();
    let stride = page - 3;
    let mut level = 4 - (input - page).div_ceil(stride);
    let va = va & (u64::MAX >> (64 - input));
    let first = input - (page + (3 - level) * stride);
    let mut base = table.ttbr & 0x0000_ffff_ffff_fffe & !((1u64 << (first + 3)) - 1);
    if base >> output != 0 {
        return Err(fsc::ADDRESS_SIZE);
    }
    let mut tables = 0;
    let mut mask = (1u64 << first) - 1;
    loop {
        let shift = page + (3 - level) * stride;
        let at = base + (va >> shift & mask) * 8;
        let descriptor = ram
            .read_u64(at)
            .map_err(|_| fsc::EXTERNAL_WALK + level as u8)?;
        let is_table = descriptor & 2 != 0;
        let blocks = match table.granule {
            Granule::K4 => level == 1 || level == 2,
            Granule::K16 => level == 2,
        };
        if descriptor & 1 == 0 || (level == 3 && !is_table) || (level < 3 && !is_table && !blocks) {
            return Err(fsc::TRANSLATION + level as u8);
        }
        let leaf = level == 3 || !is_table;
        let low = if leaf {
            (1u64 << shift) - 1
        } else {
            (1u64 << page) - 1
        };
        let next = descriptor & ADDRESS & !low;
        if next >> output != 0 {
            return Err(fsc::ADDRESS_SIZE + level as u8);
        }
        if leaf {
            return Ok(Leaf {
                pa: next | va & low,
                descriptor,
                level: level as u8,
                tables,
            });
        }
        tables |= descriptor;
        base = next;
        mask = (1u64 << stride) - 1;
        level += 1;
    }
}

impl Leaf {
    /// Access flag and permissions.
    fn check(&self, wxn: bool, access: Access) -> Result<(), u8> {
        let bit = |n: u32| self.descriptor >> n & 1 != 0;
        let table = |n: u32| self.tables >> n & 1 != 0;
        if !bit(10) {
            return Err(fsc::ACCESS_FLAG + self.level);
        }
        let user = bit(6) && !table(61);
        let writable = !bit(7) && !table(62);
        let user_writable = user && writable;
        let (pxn, uxn) = (bit(53) || table(59), bit(54) || table(60));
        let ok = match (access.fetch, access.privileged) {
            // What EL0 can write, EL1 and EL2 never execute.
            (true, true) => !(pxn || user_writable || wxn && writable),
            (true, false) => !(uxn || wxn && user_writable),
            (false, true) => !(access.pan && user) && (writable || !access.write),
            (false, false) => user && (writable || !access.write),
        };
        if ok {
            Ok(())
        } else {
            Err(fsc::PERMISSION + self.level)
        }
    }
}
