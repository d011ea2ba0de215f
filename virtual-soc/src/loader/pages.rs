//! The loader's page tables, in guest RAM.
//!
//! 16K granule, 48-bit addresses. Third party (loader sources): RAM at its own address Normal, read-write-execute - or not executable
//! where SPRR is on; RAM | 0xC00_0000_0000 read and execute, never writable; RAM | 0xA00_0000_0000 read-write from EL0;
//! RAM | 0x800_0000_0000 read-write-execute from EL0 (read-execute with SPRR); the loader's text read-execute; MMIO Device-nGnRnE.

use core::ops::Range;

use crate::mem::{OutOfRam, Ram};
use crate::model::SocModel;

use super::layout::{Layout, PAGE};

pub(super) const ALIAS_RX: u64 = 0xc00_0000_0000;
pub(super) const ALIAS_EL0_RW: u64 = 0xa00_0000_0000;
pub(super) const ALIAS_EL0_RWX: u64 = 0x800_0000_0000;

/// Device space of die 0 that the loader maps; the model's tree has one range a die for all of `/arm-io`.
pub(super) const ARM_IO: Range<u64> = 0x2_0000_0000..0x6_0000_0000;

/// [`ARM_IO`] of every die.
pub(super) fn device_ranges(model: &SocModel) -> impl Iterator<Item = Range<u64>> + use<> {
    let stride = model.pmgr.as_ref().map_or(0, |p| p.die_stride);
    let dies = if stride == 0 { 1 } else { model.aic.dies };
    (0..u64::from(dies)).map(move |die| {
        let offset = die * stride;
        ARM_IO.start + offset..ARM_IO.end + offset
    })
}

/// MAIR: 0 Normal write-back, 1 Normal non-cacheable, 2 Device-nGnRnE, 3 Device-nGnRE.
pub(super) const MAIR: u64 = 0x0400_44ff;
/// TCR under E2H: 48-bit halves, 16K granules, inner shareable write-back walks, 42-bit physical addresses.
pub(super) const TCR: u64 = 16
    | 1 << 8
    | 1 << 10
    | 3 << 12
    | 2 << 14
    | 16 << 16
    | 1 << 24
    | 1 << 26
    | 3 << 28
    | 1 << 30
    | 3 << 32;

/// Everything below this address is also mapped at each of these offsets, as device memory of several kinds.
pub(super) const DEVICE_ALIASES: [u64; 4] = [
    0xc0_0000_0000,
    0xd0_0000_0000,
    0xe0_0000_0000,
    0xf0_0000_0000,
];
pub(super) const DEVICE_ALIAS_SIZE: u64 = 0x8_0000_0000;

const ATTR_NORMAL: u64 = 0 << 2;
const ATTR_DEVICE: u64 = 2 << 2;
const AP_EL0: u64 = 1 << 6;
const AP_RO: u64 = 1 << 7;
const INNER_SHAREABLE: u64 = 3 << 8;
const ACCESS_FLAG: u64 = 1 << 10;
const PXN: u64 = 1 << 53;
const UXN: u64 = 1 << 54;
const BLOCK: u64 = 1;
const TABLE: u64 = 3;
const BLOCK_SIZE: u64 = 32 << 20;
const ADDRESS: u64 = 0x0000_ffff_ffff_c000;

/// The two roots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roots {
    pub(super) ttbr0: u64,
    pub(super) ttbr1: u64,
}

/// Writes tables into RAM, taking pages from `next` on.
struct Builder<'a> {
    ram: &'a mut Ram,
    next: u64,
    root: u64,
}

/// Build all tables from `at` on; returns the roots and the first address after the tables.
pub(super) fn build(
    ram: &mut Ram,
    at: u64,
    layout: &Layout,
    model: &SocModel,
) -> Result<(Roots, u64), OutOfRam> {
    let (base, size) = (ram.base(), ram.size());
    let sprr = model.loader.sprr;
    let mut b = Builder {
        ram,
        next: at + 2 * PAGE,
        root: at,
    };
    let normal = ATTR_NORMAL | INNER_SHAREABLE;
    let plain = normal | UXN | if sprr { PXN } else { 0 };
    for range in device_ranges(model) {
        let size = range.end - range.start;
        b.blocks(range.start, range.start, size, ATTR_DEVICE | UXN | PXN)?;
    }
    for alias in DEVICE_ALIASES {
        b.blocks(alias, 0, DEVICE_ALIAS_SIZE, ATTR_DEVICE | UXN | PXN)?;
    }
    b.blocks(base, base, size, plain)?;
    b.blocks(base | ALIAS_RX, base, size, normal | AP_RO | UXN)?;
    b.blocks(base | ALIAS_EL0_RW, base, size, normal | AP_EL0 | UXN | PXN)?;
    b.blocks(
        base | ALIAS_EL0_RWX,
        base,
        size,
        normal | AP_EL0 | PXN | if sprr { AP_RO } else { 0 },
    )?;
    let text = layout.loader..layout.loader + layout.loader_text;
    b.pages(
        layout.loader & !(BLOCK_SIZE - 1),
        plain,
        &text,
        normal | AP_RO | UXN,
    )?;
    Ok((
        Roots {
            ttbr0: at,
            ttbr1: at + PAGE,
        },
        b.next,
    ))
}

impl Builder<'_> {
    /// Address of the table that `entry` points to, made if it is not there.
    fn table(&mut self, entry: u64) -> Result<u64, OutOfRam> {
        let found = self.ram.read_u64(entry)?;
        if found & 3 == TABLE {
            return Ok(found & ADDRESS);
        }
        let table = self.next;
        self.next += PAGE;
        self.ram.write_u64(entry, table | TABLE)?;
        Ok(table)
    }

    /// Address of the level 2 entry for `va`.
    fn level2(&mut self, va: u64) -> Result<u64, OutOfRam> {
        let level1 = self.table(self.root + (va >> 47 & 1) * 8)?;
        let level2 = self.table(level1 + (va >> 36 & 0x7ff) * 8)?;
        Ok(level2 + (va >> 25 & 0x7ff) * 8)
    }

    fn blocks(&mut self, va: u64, pa: u64, size: u64, attributes: u64) -> Result<(), OutOfRam> {
        for offset in (0..size).step_by(BLOCK_SIZE as usize) {
            let entry = self.level2(va + offset)?;
            self.ram
                .write_u64(entry, (pa + offset) | attributes | ACCESS_FLAG | BLOCK)?;
        }
        Ok(())
    }

    /// Split the block at `va` (identity) into pages, those in `inside` with their own attributes.
    fn pages(
        &mut self,
        va: u64,
        plain: u64,
        inside: &Range<u64>,
        special: u64,
    ) -> Result<(), OutOfRam> {
        let entry = self.level2(va)?;
        let table = self.next;
        self.next += PAGE;
        for (index, page) in (va..va + BLOCK_SIZE).step_by(PAGE as usize).enumerate() {
            let attributes = if inside.contains(&page) {
                special
            } else {
                plain
            };
            self.ram.write_u64(
                table + index as u64 * 8,
                page | attributes | ACCESS_FLAG | TABLE,
            )?;
        }
        self.ram.write_u64(entry, table | TABLE)
    }
}
