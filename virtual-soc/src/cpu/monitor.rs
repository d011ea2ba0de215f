//! Exclusive monitors and event registers: what cores share besides memory.

/// log2 of the exclusives reservation granule: 128 bytes, as CTR_EL0.ERG says (model's choice).
pub(crate) const GRANULE_BITS: u32 = 7;

/// The global exclusive monitor and the event registers of all cores.
///
/// A core's local and global monitor are one here: LDXR marks the granule; a store to it by another observer opens
/// the monitor and sets the core's event register; CLREX, any STXR of its own and an exception return open it without an
/// event. Stores of the core itself, other than STXR, leave it marked.
pub(crate) struct Monitors {
    /// Bit `granule & 63` is set for every marked granule, so that a store mostly needs one test.
    pub filter: u64,
    /// Marked granule (RAM offset >> GRANULE_BITS) by core.
    marked: Vec<Option<u64>>,
    /// Event registers, bit `i` for core `i`.
    pub events: u64,
}

impl Monitors {
    pub fn new(cores: usize) -> Self {
        Monitors {
            filter: 0,
            marked: vec![None; cores],
            events: 0,
        }
    }

    /// LDXR by `cpu` at RAM offset `offset`.
    pub fn mark(&mut self, cpu: usize, offset: u64) {
        self.marked[cpu] = Some(offset >> GRANULE_BITS);
        self.refresh();
    }

    /// Opens the monitor of `cpu` without an event; true if it was marked for the granule of `offset`.
    pub fn take(&mut self, cpu: usize, offset: u64) -> bool {
        let hit = self.marked[cpu] == Some(offset >> GRANULE_BITS);
        self.clear(cpu);
        hit
    }

    /// Opens the monitor of `cpu` without an event.
    pub fn clear(&mut self, cpu: usize) {
        if self.marked[cpu].take().is_some() {
            self.refresh();
        }
    }

    /// A store by `cpu` (`None`: an observer outside the cores) to `len` bytes at `offset`.
    pub fn store(&mut self, cpu: Option<usize>, offset: u64, len: u64) {
        if self.filter == 0 || len == 0 {
            return;
        }
        let range = offset >> GRANULE_BITS..=(offset + len - 1) >> GRANULE_BITS;
        for (i, mark) in self.marked.iter_mut().enumerate() {
            if mark.is_some_and(|g| range.contains(&g)) && cpu != Some(i) {
                *mark = None;
                self.events |= 1 << i;
            }
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        self.filter = self
            .marked
            .iter()
            .flatten()
            .fold(0, |f, g| f | 1 << (g & 63));
    }
}
