//! Decoded instructions, kept per physical page of 4 KiB.

use super::insn::Insn;

/// log2 of the page size of the decoder and of the TLBs (the guest's granule may be larger).
pub(crate) const PAGE_BITS: u32 = 12;
/// Offset within such a page.
pub(crate) const PAGE_OFFSET: u64 = (1 << PAGE_BITS) - 1;
/// Instructions in a page.
const PAGE_INSNS: usize = 1 << (PAGE_BITS - 2);
/// Writes to a page of code before it stops being one (until it is executed again).
const WRITES_MAX: u32 = 64;

/// One page, decoded on first execution of each word.
pub(crate) type CodePage = [Insn; PAGE_INSNS];

/// All pages that hold decoded code. The model's instruction cache is coherent: a store takes effect at once.
pub(crate) struct CodeCache {
    pub pages: Vec<Box<CodePage>>,
    /// By RAM page: slot + 1, or 0.
    slots: Vec<u32>,
    /// By slot: the RAM page, and the writes to it since it became code.
    owners: Vec<(u32, u32)>,
    free: Vec<u32>,
}

impl CodeCache {
    pub fn new(ram_size: u64) -> Self {
        let pages = (ram_size >> PAGE_BITS) as usize + 1;
        CodeCache {
            pages: Vec::new(),
            slots: vec![0; pages],
            owners: Vec::new(),
            free: Vec::new(),
        }
    }

    /// True if the page at this RAM offset holds decoded code.
    pub fn is_code(&self, offset: u64) -> bool {
        self.slots[(offset >> PAGE_BITS) as usize] != 0
    }

    /// RAM offset of the page in this slot.
    pub fn offset(&self, slot: u32) -> u64 {
        u64::from(self.owners[slot as usize].0) << PAGE_BITS
    }

    /// The slot of the page at this RAM offset, made if there is none; true if it was made.
    pub fn slot(&mut self, offset: u64) -> (u32, bool) {
        let page = (offset >> PAGE_BITS) as usize;
        if self.slots[page] != 0 {
            return (self.slots[page] - 1, false);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                self.pages[slot as usize].fill(Insn::UNDECODED);
                self.owners[slot as usize] = (page as u32, 0);
                slot
            }
            None => {
                self.pages.push(Box::new([Insn::UNDECODED; PAGE_INSNS]));
                self.owners.push((page as u32, 0));
                self.pages.len() as u32 - 1
            }
        };
        self.slots[page] = slot + 1;
        (slot, true)
    }

    /// Forgets what was decoded from `len` bytes at `offset`; true if a page stopped being code.
    pub fn written(&mut self, offset: u64, len: u64) -> bool {
        let mut dropped = false;
        let end = offset + len;
        let mut at = offset;
        while at < end {
            let page = (at >> PAGE_BITS) as usize;
            let next = ((at >> PAGE_BITS) + 1) << PAGE_BITS;
            let stop = next.min(end);
            if self.slots[page] != 0 {
                let slot = self.slots[page] - 1;
                let owner = &mut self.owners[slot as usize];
                owner.1 += 1;
                if owner.1 > WRITES_MAX || stop - at > PAGE_OFFSET / 2 {
                    self.slots[page] = 0;
                    self.free.push(slot);
                    dropped = true;
                } else {
                    let first = (at & PAGE_OFFSET) as usize / 4;
                    let last = ((stop - 1) & PAGE_OFFSET) as usize / 4;
                    self.pages[slot as usize][first..=last].fill(Insn::UNDECODED);
                }
            }
            at = next;
        }
        dropped
    }
}
