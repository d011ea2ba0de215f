//! Inter-processor interrupts of version 1: two per CPU, "other" (bit 0) and "self" (bit 31).
//!
//! Measured on M1 (silicon, developer quick start): CPU 0 writes 1 to IPI_SEND; EVENT then reads type 4 number 1; after that
//! IPI_SEND and IPI_ACK read 1 (still pending) and both mask registers read 1 (masked by the read). The rest is a driver's
//! use of it (third party) or, where marked, the model's choice.

/// Type field of an EVENT word for an IPI.
const EVENT_TYPE_IPI: u32 = 4 << 16;
/// Bits of the pending and mask registers, and the number EVENT gives.
pub(super) const OTHER: u32 = 1 << 0;
const SELF: u32 = 1 << 31;
const KINDS: [(u32, u32); 2] = [(OTHER, 1), (SELF, 2)];

/// One CPU's two IPIs.
#[derive(Debug, Clone, Copy, Default)]
struct Pair {
    pending: u32,
    mask: u32,
}

/// All CPUs' IPIs.
#[derive(Debug, Clone)]
pub(super) struct Ipis {
    pairs: Vec<Pair>,
    /// One was sent since power-on.
    pub(super) used: bool,
    /// "Other" IPIs sent to a CPU, and those of them that found one pending.
    pub(super) counts: (u64, u64),
}

impl Ipis {
    pub(super) fn new(cpus: usize) -> Self {
        Self {
            pairs: vec![Pair::default(); cpus],
            used: false,
            counts: (0, 0),
        }
    }

    /// Some IPI of the CPU is pending and not masked.
    pub(super) fn raises(&self, cpu: usize) -> bool {
        let Pair { pending, mask } = self.pairs[cpu];
        pending & !mask != 0
    }

    /// EVENT word of the CPU's next IPI, which is masked by that; "other" goes first (model only).
    pub(super) fn take(&mut self, cpu: usize) -> Option<u32> {
        let pair = &mut self.pairs[cpu];
        let open = pair.pending & !pair.mask;
        let (bit, number) = KINDS.into_iter().find(|(bit, _)| open & bit != 0)?;
        pair.mask |= bit;
        Some(EVENT_TYPE_IPI | number)
    }

    /// Pending bits, as IPI_SEND and IPI_ACK read them.
    pub(super) fn pending(&self, cpu: usize) -> u32 {
        self.pairs[cpu].pending
    }

    pub(super) fn mask(&self, cpu: usize) -> u32 {
        self.pairs[cpu].mask
    }

    /// Make IPIs of a CPU pending.
    pub(super) fn set(&mut self, cpu: usize, bits: u32) {
        let bits = bits & (OTHER | SELF);
        self.used |= bits != 0;
        self.pairs[cpu].pending |= bits;
    }

    /// IPI_SEND by `sender`: "self" to itself, "other" to the CPUs of `others`.
    pub(super) fn send(&mut self, sender: usize, value: u32, others: impl Iterator<Item = usize>) {
        self.set(sender, value & SELF);
        for cpu in others {
            self.counts.0 += 1;
            self.counts.1 += u64::from(self.pairs[cpu].pending & OTHER);
            self.set(cpu, OTHER);
        }
    }

    pub(super) fn acknowledge(&mut self, cpu: usize, bits: u32) {
        self.pairs[cpu].pending &= !bits;
    }

    pub(super) fn mask_set(&mut self, cpu: usize, bits: u32) {
        self.pairs[cpu].mask |= bits & (OTHER | SELF);
    }

    pub(super) fn mask_clear(&mut self, cpu: usize, bits: u32) {
        self.pairs[cpu].mask &= !bits;
    }
}
