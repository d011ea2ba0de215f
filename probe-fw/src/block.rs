//! Typed views of the block of memory that host and firmware share.

use core::marker::PhantomData;
use core::ptr::NonNull;

use protocol::context::{self, Control, CpuBlock, MAX_CPUS, Published};

use crate::state::{Private, Shared};

/// The block, as every CPU sees it.
#[derive(Clone, Copy)]
pub struct Block<'m> {
    base: NonNull<u8>,
    /// CPUs that it has regions for.
    cpus: usize,
    memory: PhantomData<&'m Shared>,
}

// SAFETY: everything reachable through a `Block` is made of atomics, except the rings and the conductor's own state,
// which are raw pointers whose single users are named in `up_ring`, `down_ring` and `conductor`.
unsafe impl Send for Block<'_> {}
// SAFETY: as above.
unsafe impl Sync for Block<'_> {}

impl<'m> Block<'m> {
    /// The block at `base`.
    ///
    /// # Safety
    ///
    /// `base` must be aligned to [`context::ALIGN`] and valid for reads and writes of [`context::size`] bytes for the
    /// number of CPUs in its control word, for `'m`; the block was zeroed before its first use, and host and CPUs
    /// keep to the roles that `protocol::context` gives them.
    #[must_use]
    pub unsafe fn new(base: NonNull<u8>) -> Self {
        let block = Self {
            base,
            cpus: 1,
            memory: PhantomData,
        };
        let said = block
            .control()
            .cpus
            .load(core::sync::atomic::Ordering::Relaxed);
        Self {
            cpus: (said as usize).clamp(1, MAX_CPUS),
            ..block
        }
    }

    const fn at<T>(self, offset: u64) -> NonNull<T> {
        // SAFETY: `new` promised the whole block, and every offset used here lies in it (asserted in
        // `protocol::context` and in `state`).
        unsafe { self.base.add(offset as usize).cast() }
    }

    /// Words that steer the session.
    #[must_use]
    pub const fn control(self) -> &'m Control {
        // SAFETY: in the block; all atomics, valid for any bytes.
        unsafe { self.at(0).as_ref() }
    }

    /// What the host reads between slices.
    #[must_use]
    pub const fn published(self) -> &'m Published {
        // SAFETY: as in `control`.
        unsafe { self.at(context::PUBLISHED).as_ref() }
    }

    /// State that all CPUs share.
    #[must_use]
    pub const fn shared(self) -> &'m Shared {
        // SAFETY: as in `control`.
        unsafe { self.at(context::SHARED).as_ref() }
    }

    /// Where the conductor keeps its own state: only the boot CPU may use it.
    #[must_use]
    pub const fn conductor<T>(self) -> NonNull<T> {
        const {
            let room = context::SHARED_SIZE as usize - size_of::<Shared>();
            assert!(size_of::<T>() <= room && align_of::<T>() <= align_of::<Shared>());
        }
        self.at(context::SHARED + size_of::<Shared>() as u64)
    }

    /// The words of `cpu` that the host reads.
    #[must_use]
    pub fn words(self, cpu: usize) -> &'m CpuBlock {
        // SAFETY: as in `control`; `place` keeps to CPUs that the block has regions for.
        unsafe { self.at(self.place(cpu)).as_ref() }
    }

    /// The firmware's own words of `cpu`.
    #[must_use]
    pub fn private(self, cpu: usize) -> &'m Private {
        // SAFETY: as in `words`.
        unsafe { self.at(self.place(cpu) + context::CPU_PRIVATE).as_ref() }
    }

    /// The up ring of `cpu`: only that CPU writes it.
    #[must_use]
    pub fn up_ring(self, cpu: usize) -> NonNull<u8> {
        self.at(self.place(cpu) + context::UP_RING)
    }

    /// The down ring: only the boot CPU reads it, and only between the host's indices.
    #[must_use]
    pub const fn down_ring(self) -> NonNull<u8> {
        self.at(context::DOWN_RING)
    }

    /// What `cpu` works on under load; `None` if the host gave nothing.
    #[must_use]
    pub fn hammer(self, cpu: usize) -> Option<Hammer<'m>> {
        use core::sync::atomic::Ordering::Relaxed;
        let control = self.control();
        let len = control.hammer_size.load(Relaxed) & !7;
        let base = control.hammer.load(Relaxed) + len * cpu as u64;
        let words = NonNull::new(base as *mut u64)
            .filter(|_| len != 0 && control.hammer.load(Relaxed) != 0)?;
        Some(Hammer {
            words,
            len,
            memory: PhantomData,
        })
    }

    /// CPUs that the block has regions for.
    #[must_use]
    pub const fn cpus(self) -> usize {
        self.cpus
    }

    /// Offset of a CPU's region. An id outside the block is a bug of ours, never of the host: commands are checked
    /// before they get here.
    fn place(self, cpu: usize) -> u64 {
        assert!(cpu < self.cpus);
        context::cpu(cpu)
    }
}

/// Memory that one CPU reads and writes under load.
#[derive(Clone, Copy)]
pub struct Hammer<'m> {
    words: NonNull<u64>,
    len: u64,
    memory: PhantomData<&'m ()>,
}

impl Hammer<'_> {
    /// Its length in bytes.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "one that is empty is not given out"
    )]
    pub const fn len(self) -> u64 {
        self.len
    }

    /// Reads and writes the word at this offset.
    pub fn touch(self, at: u64) {
        if at & 7 != 0 || at >= self.len {
            return;
        }
        // SAFETY: inside the memory that the host set aside for this CPU alone, and aligned.
        unsafe {
            let word = self.words.byte_add(at as usize);
            word.write_volatile(word.read_volatile().wrapping_add(1));
        }
    }
}
