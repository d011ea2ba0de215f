//! The loader's heap: blocks that only grow, and an allocator on top.

use std::collections::BTreeMap;

/// Alignment of blocks (observed: the loader at commit 7c7716b6).
const BLOCK_ALIGN: u64 = 64;

/// Alignment of MALLOC (third party: the loader's allocator gives 16).
const MALLOC_ALIGN: u64 = 16;

/// Addresses in use and free. The bookkeeping is kept on the host's side; guests see only addresses.
#[derive(Debug)]
pub(super) struct Heap {
    top: u64,
    end: u64,
    used: BTreeMap<u64, u64>,
    free: BTreeMap<u64, u64>,
}

impl Heap {
    pub(super) const fn new(start: u64, end: u64) -> Self {
        Self {
            top: start,
            end,
            used: BTreeMap::new(),
            free: BTreeMap::new(),
        }
    }

    /// HEAPBLOCK_ALLOC: the next block; size 0 only tells where it would be. The loader checks no limit.
    pub(super) fn block(&mut self, size: u64) -> u64 {
        let at = self
            .top
            .checked_next_multiple_of(BLOCK_ALIGN)
            .unwrap_or(u64::MAX);
        self.top = at.saturating_add(size);
        at
    }

    /// MALLOC; 0 if there is no room.
    pub(super) fn malloc(&mut self, size: u64) -> u64 {
        self.memalign(MALLOC_ALIGN, size)
    }

    /// MEMALIGN; 0 if there is no room. An alignment that is no power of two is rounded up, and nothing takes some bytes too
    /// (observed: the loader at commit 7c7716b6). The real allocator knows no end of memory; this one does (model only).
    pub(super) fn memalign(&mut self, align: u64, size: u64) -> u64 {
        let Some(align) = align
            .max(MALLOC_ALIGN)
            .checked_next_power_of_two()
            .filter(|a| *a <= self.end)
        else {
            return 0;
        };
        let Some(size) = size.max(1).checked_next_multiple_of(MALLOC_ALIGN) else {
            return 0;
        };
        let fit = self.free.iter().find_map(|(&at, &len)| {
            let start = at.next_multiple_of(align);
            (start - at <= len && len - (start - at) >= size).then_some((at, len, start))
        });
        let (at, len, start) = match fit {
            Some(found) => found,
            None => {
                let Some(want) = size.checked_add(align) else {
                    return 0;
                };
                if want > self.end.saturating_sub(self.top) {
                    return 0;
                }
                let at = self.block(want);
                let len = self.top - at;
                self.free.insert(at, len);
                (at, len, at.next_multiple_of(align))
            }
        };
        self.free.remove(&at);
        if start > at {
            self.free.insert(at, start - at);
        }
        let after = at + len - (start + size);
        if after > 0 {
            self.free.insert(start + size, after);
        }
        self.used.insert(start, size);
        start
    }

    /// FREE; an address that is not in use is ignored.
    pub(super) fn free(&mut self, at: u64) {
        let Some(mut len) = self.used.remove(&at) else {
            return;
        };
        let mut at = at;
        if let Some(next) = self.free.remove(&(at + len)) {
            len += next;
        }
        if let Some((&before, &size)) = self.free.range(..at).next_back()
            && before + size == at
        {
            self.free.remove(&before);
            at = before;
            len += size;
        }
        self.free.insert(at, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_grow_and_peek_does_not() {
        let mut heap = Heap::new(0x10000, 0x100000);
        assert_eq!(heap.block(0), 0x10000);
        assert_eq!(heap.block(1), 0x10000);
        assert_eq!(heap.block(0), 0x10040);
    }

    #[test]
    fn allocations_do_not_overlap_and_come_back() {
        let mut heap = Heap::new(0x10000, 0x100000);
        let a = heap.malloc(100);
        let b = heap.memalign(0x10000, 0x8000);
        let c = heap.malloc(0x5000);
        assert!(a != 0 && b.is_multiple_of(0x10000) && c != 0);
        let mut spans = [(a, a + 112), (b, b + 0x8000), (c, c + 0x5000)];
        spans.sort_unstable();
        assert!(spans.windows(2).all(|w| w[0].1 <= w[1].0), "{spans:x?}");
        heap.free(b);
        assert_eq!(heap.memalign(0x10000, 0x8000), b);
        assert_eq!(heap.malloc(u64::MAX), 0);
        assert_eq!(heap.malloc(0x200000), 0);
        assert!(heap.memalign(48, 16).is_multiple_of(64));
        assert_ne!(heap.malloc(0), 0);
    }
}
