//! A link that misbehaves on purpose: the same faults for the same seed.
//!
//! The unit is a piece: what one side hands over at once, at most [`PIECE`] bytes. Each rate is the chance of a piece to
//! meet that fault. Both directions have their own sequence of choices, so that on a virtual link, where pieces do not
//! depend on the host's speed, the whole run is decided by the seed.

mod spec;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use crate::random::SplitMix64;

use super::{Link, LinkError};

pub use spec::{FaultSpec, SpecError};

/// Longest piece: a packet of high-speed USB.
const PIECE: usize = 512;
/// Text that is put between pieces; some of it begins like a frame.
const TEXTS: [&[u8]; 4] = [
    b"MMU: nobody asked, but here is a line\n",
    b"\xff\x55",
    b"TTY> \xff\x55\xaa or not\r\n",
    b"\xff",
];

/// What was done to the bytes, in pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// Pieces that went through, damaged or not.
    pub pieces: u64,
    /// Lost.
    pub dropped: u64,
    /// Came twice.
    pub duplicated: u64,
    /// One bit changed.
    pub corrupted: u64,
    /// Came later, and everything behind them.
    pub delayed: u64,
    /// Their end was lost.
    pub truncated: u64,
    /// Texts put before a piece from the target.
    pub texts: u64,
}

impl FaultCounts {
    /// All of them.
    #[must_use]
    pub const fn faults(&self) -> u64 {
        self.dropped + self.duplicated + self.corrupted + self.delayed + self.truncated + self.texts
    }
}

/// Choices and delayed pieces of one direction.
struct Lane {
    rng: SplitMix64,
    /// Pieces in order, each with the time from which on it is there.
    queue: VecDeque<(Duration, Vec<u8>)>,
}

impl Lane {
    const fn new(seed: u64) -> Self {
        Self {
            rng: SplitMix64(seed),
            queue: VecDeque::new(),
        }
    }

    /// True with chance `rate`.
    fn chance(&mut self, rate: f64) -> bool {
        // 53 bits are what a double holds.
        ((self.rng.next() >> 11) as f64) < rate * (1u64 << 53) as f64
    }

    /// A number from 0 to `n - 1`; 0 for 0.
    const fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.rng.next() % n }
    }

    fn due(&self) -> Option<Duration> {
        self.queue.front().map(|(due, _)| *due)
    }

    fn take_due(&mut self, now: Duration) -> Option<Vec<u8>> {
        if self.due()? > now {
            return None;
        }
        self.queue.pop_front().map(|(_, bytes)| bytes)
    }
}

/// A link with faults put on it.
pub struct FaultyLink<L> {
    inner: L,
    spec: FaultSpec,
    up: Lane,
    down: Lane,
    ready: VecDeque<u8>,
    closed: bool,
    counts: FaultCounts,
}

impl<L: Link> FaultyLink<L> {
    /// Puts the faults of `spec` on `inner`.
    #[must_use]
    pub const fn new(inner: L, spec: FaultSpec) -> Self {
        Self {
            inner,
            // Two sequences that share no state.
            up: Lane::new(spec.seed),
            down: Lane::new(!spec.seed),
            spec,
            ready: VecDeque::new(),
            closed: false,
            counts: FaultCounts {
                pieces: 0,
                dropped: 0,
                duplicated: 0,
                corrupted: 0,
                delayed: 0,
                truncated: 0,
                texts: 0,
            },
        }
    }

    /// What was done so far.
    #[must_use]
    pub const fn counts(&self) -> FaultCounts {
        self.counts
    }

    /// Whether the link was cut.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.closed
    }

    /// The link itself.
    pub fn into_inner(self) -> L {
        self.inner
    }

    /// Puts `bytes` into a lane's queue, piece by piece. `down`: they come from the target.
    fn enqueue(&mut self, bytes: &[u8], down: bool) {
        let now = self.inner.now();
        let (spec, counts) = (&self.spec, &mut self.counts);
        let lane = if down { &mut self.down } else { &mut self.up };
        for piece in bytes.chunks(PIECE) {
            counts.pieces += 1;
            // Every choice is made for every piece: one rate does not shift another's faults.
            let cut = lane.chance(spec.disconnect);
            let text = lane.chance(spec.text) && down;
            let dropped = lane.chance(spec.drop);
            let truncated = lane.chance(spec.truncate);
            let corrupted = lane.chance(spec.corrupt);
            let delayed = lane.chance(spec.delay);
            let duplicated = lane.chance(spec.duplicate);
            let (at, later) = (
                lane.rng.next(),
                lane.below(spec.longest_delay.as_micros() as u64),
            );
            if cut || self.closed {
                self.closed = true;
                return;
            }
            let mut due = lane.queue.back().map_or(now, |(due, _)| now.max(*due));
            if delayed {
                counts.delayed += 1;
                due += Duration::from_micros(later + 1);
            }
            if text {
                counts.texts += 1;
                let text = TEXTS[(at % TEXTS.len() as u64) as usize];
                lane.queue.push_back((due, text.to_vec()));
            }
            if dropped {
                counts.dropped += 1;
                continue;
            }
            let mut piece = piece.to_vec();
            if truncated {
                counts.truncated += 1;
                piece.truncate((at % piece.len() as u64) as usize);
            }
            if corrupted && !piece.is_empty() {
                counts.corrupted += 1;
                let bit = (at >> 16) % (piece.len() as u64 * 8);
                piece[(bit / 8) as usize] ^= 1 << (bit % 8);
            }
            if duplicated {
                counts.duplicated += 1;
                lane.queue.push_back((due, piece.clone()));
            }
            lane.queue.push_back((due, piece));
        }
    }

    /// Hands over what is due towards the target.
    fn flush(&mut self) -> Result<(), LinkError> {
        while let Some(bytes) = self.up.take_due(self.inner.now()) {
            self.inner.send(&bytes)?;
        }
        Ok(())
    }

    fn cut() -> LinkError {
        LinkError::Closed("cut by --link-faults".to_owned())
    }
}

impl<L: Link> Link for FaultyLink<L> {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        if self.closed {
            return Err(Self::cut());
        }
        self.enqueue(bytes, false);
        self.flush()
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let end = self.inner.now() + timeout;
        loop {
            self.flush()?;
            while let Some(bytes) = self.down.take_due(self.inner.now()) {
                self.ready.extend(bytes);
            }
            if !self.ready.is_empty() || buf.is_empty() {
                let n = self.ready.len().min(buf.len());
                for (to, from) in buf.iter_mut().zip(self.ready.drain(..n)) {
                    *to = from;
                }
                return Ok(n);
            }
            if self.closed {
                return Err(Self::cut());
            }
            // Until the caller's time is up or something delayed is due, whichever comes first.
            let due = [self.up.due(), self.down.due()].into_iter().flatten();
            let until = due.fold(end, Duration::min);
            let left = until.saturating_sub(self.inner.now());
            let mut scratch = [0; PIECE * 8];
            let n = self.inner.recv(&mut scratch, left)?;
            self.enqueue(&scratch[..n], true);
            if n == 0 && self.inner.now() >= end {
                return Ok(0);
            }
        }
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn salt(&self) -> u64 {
        self.inner.salt()
    }

    fn is_virtual(&self) -> bool {
        self.inner.is_virtual()
    }

    fn bytes_per_second(&self) -> Option<u64> {
        self.inner.bytes_per_second()
    }

    fn baud(&self) -> Option<u32> {
        self.inner.baud()
    }

    fn set_baud(&mut self, baud: u32) -> Result<(), LinkError> {
        self.up.queue.clear();
        self.down.queue.clear();
        self.ready.clear();
        self.inner.set_baud(baud)
    }
}
