// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counter's mirror beside AICv1.

use crate::mmio::Mmio;

/// The timebase page beside AICv1: a read-only mirror of CNTPCT (source: notes).
///
/// It begins [`Timebase::PAGE`] bytes after the controller, which is past the window of 0x8000 bytes that drivers map:
/// device trees name it as a second `reg` entry. So it is a block of its own, whose offsets count from that page.
#[derive(Clone, Copy, Debug)]
pub struct Timebase<M> {
    mmio: M,
}

impl<M> Timebase<M> {
    /// From the controller's base to this page.
    pub const PAGE: u32 = 0x8000;
    /// Low half of the counter.
    pub const CNTPCT_LOW: u32 = 0x20;
    /// High half of the counter.
    pub const CNTPCT_HIGH: u32 = 0x28;
}

impl<M: Mmio> Timebase<M> {
    /// The page behind `mmio`, whose offset 0 is the first byte of the page.
    #[inline]
    pub const fn new(mmio: M) -> Self {
        Self { mmio }
    }

    /// The access back-end.
    #[inline]
    pub const fn mmio(&self) -> &M {
        &self.mmio
    }

    /// The counter. Its halves are two reads; a carry between them is noticed, and then the low half read again.
    pub fn count(&self) -> u64 {
        let before = self.mmio.read32(Self::CNTPCT_HIGH);
        let mut low = self.mmio.read32(Self::CNTPCT_LOW);
        let high = self.mmio.read32(Self::CNTPCT_HIGH);
        if high != before {
            low = self.mmio.read32(Self::CNTPCT_LOW);
        }
        u64::from(high) << 32 | u64::from(low)
    }
}
