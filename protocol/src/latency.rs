//! Log-linear latency buckets, in counter ticks.
//!
//! Below [`LINEAR`] ticks every value has its own bucket. Above, every octave is cut into [`PER_OCTAVE`]
//! buckets, so that a bucket's bounds are less than 0.8 % apart. At 24 MHz the exact part reaches 42 us, at
//! 1 GHz it reaches 1 us: the promise is "at most 1 tick below 1 us, at most 1 % above".

/// Values below this have a bucket each.
pub const LINEAR: u64 = 1 << LINEAR_BITS;
/// Buckets per octave above.
pub const PER_OCTAVE: u64 = 1 << OCTAVE_BITS;
/// Number of buckets. Values of 2^32 ticks and more share the last one.
pub const BUCKETS: usize = (LINEAR + (32 - LINEAR_BITS as u64) * PER_OCTAVE) as usize;

const LINEAR_BITS: u32 = 10;
const OCTAVE_BITS: u32 = 7;

/// Bucket of a latency.
#[must_use]
#[inline]
pub const fn bucket(ticks: u64) -> u16 {
    if ticks < LINEAR {
        return ticks as u16;
    }
    if ticks >= 1 << 32 {
        return (BUCKETS - 1) as u16;
    }
    let octave = 63 - ticks.leading_zeros();
    let within = (ticks >> (octave - OCTAVE_BITS)) & (PER_OCTAVE - 1);
    (LINEAR + (octave - LINEAR_BITS) as u64 * PER_OCTAVE + within) as u16
}

/// Smallest and largest latency of a bucket, both inclusive; the last one's upper end is `2^32 - 1` in name only.
#[must_use]
pub const fn bounds(bucket: u16) -> (u64, u64) {
    let b = bucket as u64;
    if b < LINEAR {
        return (b, b);
    }
    let octave = (b - LINEAR) / PER_OCTAVE + LINEAR_BITS as u64;
    let width = 1 << (octave - OCTAVE_BITS as u64);
    let low = (1 << octave) + ((b - LINEAR) % PER_OCTAVE) * width;
    (low, low + width - 1)
}

/// The value that stands for a bucket: its middle, rounded down.
#[must_use]
pub const fn middle(bucket: u16) -> u64 {
    let (low, high) = bounds(bucket);
    low + (high - low) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tile_the_range_without_gap_or_overlap() {
        let mut next = 0;
        for b in 0..BUCKETS as u16 {
            let (low, high) = bounds(b);
            assert_eq!(low, next, "bucket {b}");
            assert_eq!((bucket(low), bucket(high)), (b, b));
            assert!((high - low) as f64 <= low as f64 * 0.01);
            next = high + 1;
        }
        assert_eq!(next, 1 << 32);
        assert_eq!(bucket(u64::MAX) as usize, BUCKETS - 1);
    }
}
