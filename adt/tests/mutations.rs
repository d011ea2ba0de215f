// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many damaged trees, the same ones in every run.

mod common;

use adt::NodeBuilder;
use common::{case, rich, skim, visit};

/// Damaged trees. A few seconds without optimisation.
const DAMAGED: u32 = 200_000;
/// The same of each real tree, which is 500 times as large.
const DAMAGED_REAL: u32 = 10;
/// Of how many trees that are read one is looked at in every way.
const THOROUGH: u32 = 20;

/// xorshift64*: good enough to choose places, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }
}

/// Offsets of the words that say how much of what follows: counts of every node, sizes of every property.
fn sizes(blob: &[u8]) -> Vec<usize> {
    let word = |at: usize| u32::from_le_bytes(blob[at..at + 4].try_into().expect("4 bytes"));
    let mut places = Vec::new();
    let mut at = 0;
    while at + 8 <= blob.len() {
        places.extend([at, at + 4]);
        let properties = word(at);
        at += 8;
        for _ in 0..properties {
            places.push(at + 32);
            at += 36 + (word(at + 32) & 0x7fff_ffff).next_multiple_of(4) as usize;
        }
    }
    places
}

fn damage(blob: &mut Vec<u8>, places: &[usize], random: &mut Random) {
    for _ in 0..=random.below(3) {
        if blob.is_empty() {
            return;
        }
        match random.below(6) {
            // A bit, a byte, a count or size a little or quite another, a word, the end.
            0 => {
                let at = random.below(blob.len());
                blob[at] ^= 1 << random.below(8);
            }
            1 => {
                let at = random.below(blob.len());
                blob[at] = random.next() as u8;
            }
            2 | 3 => {
                let at = places[random.below(places.len())];
                if at + 4 > blob.len() {
                    continue;
                }
                let old = u32::from_le_bytes(blob[at..at + 4].try_into().expect("4 bytes"));
                let new = match random.below(6) {
                    0 => old.wrapping_add(1),
                    1 => old.wrapping_sub(1),
                    2 => old ^ 1 << 31,
                    3 => u32::MAX,
                    4 => random.next() as u32 >> random.below(32),
                    _ => random.below(64) as u32,
                };
                blob[at..at + 4].copy_from_slice(&new.to_le_bytes());
            }
            4 => {
                let at = random.below(blob.len() / 4) * 4;
                if at + 4 <= blob.len() {
                    let word = random.next() as u32 >> random.below(32);
                    blob[at..at + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            _ => blob.truncate(random.below(blob.len() + 1)),
        }
    }
}

#[test]
fn damaged_trees_are_refused_or_read() {
    // The full tree, and its parts by themselves: a small tree is damaged in its every place more often.
    let arm_io = |name| {
        rich()
            .child_mut("arm-io")
            .and_then(|io| io.child_mut(name).cloned())
    };
    let part = |name| {
        let aic = arm_io("aic").expect("it is there");
        let part = arm_io(name).expect("it is there");
        let bus = NodeBuilder::new("r").prop_u64s("ranges", &[0, 1, 9]);
        NodeBuilder::new("r").child(bus.child(aic).child(part))
    };
    let (mut read, mut refused) = (0, 0);
    for (root, seed) in [(rich(), 1), (part("spmi"), 2), (part("bridge@9000"), 3)] {
        let (r, n) = damaged(&root, DAMAGED / if seed == 1 { 10 } else { 2 }, seed);
        read += r;
        refused += n;
    }
    // The damage is of use only if both happens often.
    let all = read + refused;
    assert!(
        all >= DAMAGED && read > all / 10 && refused > all / 10,
        "{read} {refused}"
    );
}

/// How many of `count` damaged trees could be read, and how many not.
fn damaged(root: &NodeBuilder, count: u32, seed: u64) -> (u32, u32) {
    let good = root.build_exact().expect("builds");
    let places = sizes(&good);
    let mut random = Random(seed);
    let (mut read, mut refused) = (0, 0);
    let mut blob = Vec::new();
    for _ in 0..count {
        blob.clone_from(&good);
        damage(&mut blob, &places, &mut random);
        if skim(&blob) {
            read += 1;
        } else {
            refused += 1;
        }
        if read % THOROUGH == 0 {
            visit(&blob);
        }
    }
    (read, refused)
}

#[test]
fn damaged_real_trees_are_refused_or_read() {
    for name in common::CASES {
        let Some(good) = case(name) else { continue };
        let size = adt::Adt::new(&good).expect("a real tree").size();
        let good = &good[..size];
        let places = sizes(good);
        let mut random = Random(7);
        assert!(skim(good));
        for _ in 0..DAMAGED_REAL {
            let mut blob = good.to_vec();
            damage(&mut blob, &places, &mut random);
            skim(&blob);
        }
    }
}
