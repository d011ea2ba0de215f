//! Translation caches of one core: direct-mapped, one entry per 4 KiB page, for the current translation context.
//!
//! They hold only what can succeed; whatever could fault or is unusual goes the slow way. Any change that could make an
//! entry wrong (another exception level, PAN set, a control register, a TLBI, a page becoming code) empties them all.

use super::code::{PAGE_BITS, PAGE_OFFSET};

/// Entries of each data TLB.
pub(crate) const DATA_ENTRIES: usize = 256;
/// Entries of the instruction TLB.
pub(crate) const CODE_ENTRIES: usize = 128;

/// Tag of an empty entry: not page aligned, so no address matches.
const EMPTY: u64 = 0x100;
/// Tag flag of an entry that only the slow path may use.
const SLOW: u64 = 0x800;

/// A data TLB entry.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Virtual page, or with [`SLOW`] set.
    pub tag: u64,
    /// RAM offset minus virtual address; in slow entries physical minus virtual address.
    pub add: u64,
}

/// What a page allows besides plain aligned accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Attr(pub u8);

impl Attr {
    /// Unaligned accesses work (Normal memory and SCTLR_ELx.A = 0).
    pub const UNALIGNED: u8 = 1;
    /// Normal memory: exclusives and atomics work.
    pub const NORMAL: u8 = 2;
    pub const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// One data TLB (reads or writes).
pub(crate) struct DataTlb {
    pub entries: [Entry; DATA_ENTRIES],
    attrs: [Attr; DATA_ENTRIES],
}

impl DataTlb {
    pub const fn new() -> Self {
        DataTlb {
            entries: [Entry { tag: EMPTY, add: 0 }; DATA_ENTRIES],
            attrs: [Attr(0); DATA_ENTRIES],
        }
    }

    pub fn flush(&mut self) {
        self.entries.fill(Entry { tag: EMPTY, add: 0 });
    }

    #[inline(always)]
    pub fn index(va: u64) -> usize {
        (va >> PAGE_BITS) as usize & (DATA_ENTRIES - 1)
    }

    /// RAM offset of an aligned access of `size` bytes.
    #[inline(always)]
    pub fn aligned(&self, va: u64, size: u64) -> Option<u64> {
        let e = &self.entries[Self::index(va)];
        if e.tag == va & (!PAGE_OFFSET | (size - 1)) {
            Some(va.wrapping_add(e.add))
        } else {
            None
        }
    }

    /// RAM offset of an access of any alignment within one page that allows it.
    #[inline]
    pub fn unaligned(&self, va: u64, size: u64) -> Option<u64> {
        let i = Self::index(va);
        let e = &self.entries[i];
        let fits = (va & PAGE_OFFSET) + size <= PAGE_OFFSET + 1;
        if e.tag == va & !PAGE_OFFSET && fits && self.attrs[i].has(Attr::UNALIGNED) {
            Some(va.wrapping_add(e.add))
        } else {
            None
        }
    }

    /// Physical address and attributes if the page is known; RAM starts at `ram_base`.
    pub fn probe(&self, va: u64, ram_base: u64) -> Option<(u64, Attr)> {
        let i = Self::index(va);
        let e = &self.entries[i];
        let page = va & !PAGE_OFFSET;
        if e.tag == page {
            Some((va.wrapping_add(e.add).wrapping_add(ram_base), self.attrs[i]))
        } else if e.tag == page | SLOW {
            Some((va.wrapping_add(e.add), self.attrs[i]))
        } else {
            None
        }
    }

    /// Enters a page: `target` is the RAM offset of `va`, or with `slow` its physical address.
    pub fn fill(&mut self, va: u64, target: u64, attr: Attr, slow: bool) {
        let i = Self::index(va);
        let page = va & !PAGE_OFFSET;
        self.entries[i] = Entry {
            tag: if slow { page | SLOW } else { page },
            add: (target & !PAGE_OFFSET).wrapping_sub(page),
        };
        self.attrs[i] = attr;
    }
}

/// An instruction TLB entry.
#[derive(Clone, Copy)]
pub(crate) struct CodeEntry {
    /// Virtual page.
    pub tag: u64,
    /// Slot in the code cache.
    pub slot: u32,
}

/// The instruction TLB.
pub(crate) struct CodeTlb {
    entries: [CodeEntry; CODE_ENTRIES],
}

impl CodeTlb {
    pub const fn new() -> Self {
        CodeTlb {
            entries: [CodeEntry {
                tag: EMPTY,
                slot: 0,
            }; CODE_ENTRIES],
        }
    }

    pub fn flush(&mut self) {
        self.entries.fill(CodeEntry {
            tag: EMPTY,
            slot: 0,
        });
    }

    /// The code slot of an aligned pc.
    #[inline(always)]
    pub fn lookup(&self, pc: u64) -> Option<u32> {
        let e = &self.entries[(pc >> PAGE_BITS) as usize & (CODE_ENTRIES - 1)];
        if e.tag == pc & (!PAGE_OFFSET | 3) {
            Some(e.slot)
        } else {
            None
        }
    }

    pub fn fill(&mut self, pc: u64, slot: u32) {
        self.entries[(pc >> PAGE_BITS) as usize & (CODE_ENTRIES - 1)] = CodeEntry {
            tag: pc & !PAGE_OFFSET,
            slot,
        };
    }
}
