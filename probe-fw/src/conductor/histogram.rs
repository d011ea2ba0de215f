//! Latency counts of the running cell.

use heapless::Vec;
use protocol::latency::{BUCKETS, bucket};
use protocol::message::{CHUNK, LatencyChunk};

/// Log-linear counts; only the touched range is ever cleared or sent.
pub struct Histogram {
    counts: [u32; BUCKETS],
    low: usize,
    high: usize,
}

impl Histogram {
    pub const fn new() -> Self {
        Self {
            counts: [0; BUCKETS],
            low: BUCKETS,
            high: 0,
        }
    }

    #[inline]
    pub fn add(&mut self, ticks: u64) {
        let b = usize::from(bucket(ticks));
        if let Some(count) = self.counts.get_mut(b) {
            *count = count.saturating_add(1);
        }
        self.low = self.low.min(b);
        self.high = self.high.max(b);
    }

    /// Empties it, giving what it held in pieces.
    pub fn drain(&mut self, id: u32, second: bool, mut send: impl FnMut(LatencyChunk)) {
        let mut counts: Vec<(u16, u32), CHUNK> = Vec::new();
        for b in self.low..(self.high + 1).min(BUCKETS) {
            let count = core::mem::take(&mut self.counts[b]);
            if count == 0 {
                continue;
            }
            if counts.push((b as u16, count)).is_err() {
                send(LatencyChunk {
                    id,
                    second,
                    counts: core::mem::take(&mut counts),
                });
                let _ = counts.push((b as u16, count));
            }
        }
        if !counts.is_empty() {
            send(LatencyChunk { id, second, counts });
        }
        (self.low, self.high) = (BUCKETS, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drain_gives_every_count_once_and_empties() {
        let mut h = Histogram::new();
        for i in 0..100 {
            h.add(i * 3);
            h.add(i * 3);
        }
        h.add(u64::MAX);
        let mut sum = 0;
        h.drain(7, false, |chunk| {
            assert_eq!(chunk.id, 7);
            assert!(chunk.counts.windows(2).all(|w| w[0].0 < w[1].0));
            sum += chunk.counts.iter().map(|c| c.1).sum::<u32>();
        });
        assert_eq!(sum, 201);
        h.drain(7, false, |_| panic!("not empty"));
    }
}
