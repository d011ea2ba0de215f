//! The protocol's checksum: `s = s * 31337 + (byte ^ 0x5a)` over all bytes, from a seed, with a final XOR.

const SEED: u32 = 0xdead_beef;
const FINAL: u32 = 0xadde_dbad;
const MULTIPLIER: u32 = 31337;
const FLIP: u8 = 0x5a;

/// Bytes taken at a time. Byte by byte, every step waits for the multiplication before it; with independent lanes the
/// compiler uses vector instructions.
const LANES: usize = 32;

/// `POWERS[i]` = 31337^i.
const POWERS: [u32; LANES + 1] = {
    let mut powers = [1u32; LANES + 1];
    let mut i = 1;
    while i <= LANES {
        powers[i] = powers[i - 1].wrapping_mul(MULTIPLIER);
        i += 1;
    }
    powers
};

/// Checksum of `bytes`, for headers and data alike.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    let (blocks, rest) = bytes.as_chunks::<LANES>();
    let mut state = SEED;
    if !blocks.is_empty() {
        // Lane i holds a polynomial in 31337^LANES of every LANES-th byte; the last byte has power 0.
        let mut lanes = [0u32; LANES];
        for block in blocks {
            for (lane, byte) in lanes.iter_mut().zip(block) {
                *lane = lane
                    .wrapping_mul(POWERS[LANES])
                    .wrapping_add(u32::from(byte ^ FLIP));
            }
        }
        state = state.wrapping_mul(power(blocks.len() as u64 * LANES as u64));
        for (i, lane) in lanes.iter().enumerate() {
            state = state.wrapping_add(lane.wrapping_mul(POWERS[LANES - 1 - i]));
        }
    }
    for byte in rest {
        state = state
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(u32::from(byte ^ FLIP));
    }
    state ^ FINAL
}

/// 31337^n.
const fn power(mut n: u64) -> u32 {
    let (mut base, mut out) = (MULTIPLIER, 1u32);
    while n != 0 {
        if n & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        n >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one_by_one(bytes: &[u8]) -> u32 {
        bytes.iter().fold(SEED, |s, b| {
            s.wrapping_mul(31337).wrapping_add(u32::from(b ^ 0x5a))
        }) ^ FINAL
    }

    #[test]
    fn published_vectors() {
        assert_eq!(checksum(b""), 0x7373_6542);
        assert_eq!(checksum(&[0]), 0x8f9f_edcc);
        assert_eq!(checksum(&[0; 4]), 0x895b_6b3a);
        assert_eq!(checksum(b"m1n1"), 0x946e_1585);
    }

    proptest! {
        #[test]
        fn blocks_give_what_single_bytes_give(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert_eq!(checksum(&bytes), one_by_one(&bytes));
        }
    }
}
