//! Latency counts of the running cell.

use heapless::Vec;
use protocol::latency::{BUCKETS, bucket};
use protocol::message::{CHUNK, LatencyChunk};

/// Log-linear counts; only the touched range is ever cleared or sent.
pub struct Histogram {
    counts: [u32; BUCKETS],
    /// Buckets below `end` and from `low` on may hold counts; `end` 0 = none does. (All zeros is empty, so that no image of it
    /// has to lie in the firmware.)
    low: usize,
    end: usize,
}

impl Histogram {
    pub const fn new() -> Self {
        Self {
            counts: [0; BUCKETS],
            low: 0,
            end: 0,
        }
    }

    #[inline]
    pub fn add(&mut self, ticks: u64) {
        let b = usize::from(bucket(ticks));
        if let Some(count) = self.counts.get_mut(b) {
            *count = count.saturating_add(1);
        }
        if self.end == 0 || b < self.low {
            self.low = b;
        }
        self.end = self.end.max(b + 1);
    }

    /// Takes out the next piece of what it holds; `None` once it is empty.
    #[inline(never)]
    pub fn take_piece(&mut self, id: u32, second: bool) -> Option<LatencyChunk> {
        let mut counts: Vec<(u16, u32), CHUNK> = Vec::new();
        while self.low < self.end && !counts.is_full() {
            let count = self.counts.get_mut(self.low).map_or(0, core::mem::take);
            if count != 0 {
                let _ = counts.push((self.low as u16, count));
            }
            self.low += 1;
        }
        if counts.is_empty() {
            self.end = 0;
            return None;
        }
        Some(LatencyChunk { id, second, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_pieces_give_every_count_once_and_empties() {
        let mut h = Histogram::new();
        for i in 0..100 {
            h.add(i * 3);
            h.add(i * 3);
        }
        h.add(u64::MAX);
        let mut sum = 0;
        let mut last = None;
        while let Some(chunk) = h.take_piece(7, true) {
            assert!(chunk.id == 7 && chunk.second);
            assert!(chunk.counts.windows(2).all(|w| w[0].0 < w[1].0));
            assert!(last < chunk.counts.first().map(|c| c.0));
            last = chunk.counts.last().map(|c| c.0);
            sum += chunk.counts.iter().map(|c| c.1).sum::<u32>();
        }
        assert_eq!(sum, 201);
        assert!(h.take_piece(7, true).is_none());
        h.add(5);
        assert_eq!(h.take_piece(0, false).unwrap().counts[..], [(5, 1)]);
    }
}
