//! Which combinations of fields are tried.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::random::SplitMix64;

/// Most CPUs for which every combination is tried.
const ALL_UP_TO: usize = 6;
/// Most combinations of one value per cluster.
const MOST_UNIFORM: usize = 256;
/// Candidates looked at for each further combination.
const CANDIDATES: usize = 32;

/// How much of all there is was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Combinations tried.
    pub combinations: usize,
    /// Combinations that there are, if that fits.
    pub of: Option<u64>,
    /// Pairs of CPUs with pairs of values tried.
    pub pairs: usize,
    /// Pairs that there are.
    pub pairs_of: usize,
    /// Combinations in which each cluster has one value.
    pub by_cluster: usize,
}

impl Coverage {
    /// The same of what registers read in complete cells, whatever was planned.
    pub(super) fn read_back(self, samples: &[super::Sample<'_>]) -> Self {
        let mut read: Vec<Vec<u8>> = samples.iter().map(|s| s.known().collect()).collect();
        // One in which a CPU could not be read is no combination.
        let cpus = read.iter().map(Vec::len).max().unwrap_or(0);
        read.retain(|fields| fields.len() == cpus);
        read.sort_unstable();
        read.dedup();
        Self {
            combinations: read.len(),
            pairs: Pairs::of(cpus, &read).count(),
            by_cluster: self.by_cluster.min(read.len()),
            ..self
        }
    }
}

/// Combinations for CPUs in these clusters (a name per CPU), the same for the same `seed`.
#[must_use]
pub fn combinations(clusters: &[u64], seed: u64) -> (Vec<Vec<u8>>, Coverage) {
    let cpus = clusters.len();
    let of = 4u64.checked_pow(u32::try_from(cpus).unwrap_or(u32::MAX));
    let mut names: Vec<u64> = clusters.to_vec();
    names.sort_unstable();
    names.dedup();
    let mut chosen: Vec<Vec<u8>> = Vec::new();
    let mut by_cluster = 0;
    if cpus <= ALL_UP_TO {
        let all = of.unwrap_or(0);
        chosen.extend((0..all).map(|n| (0..cpus).map(|cpu| (n >> (2 * cpu) & 3) as u8).collect()));
        by_cluster = 4usize.pow(names.len() as u32);
        // In order of numbers the last receiver is nearly always among the best: a choice that depends on it would not show.
        let mut random = SplitMix64(seed ^ 0x6a09_e667_f3bc_c908);
        for last in (1..chosen.len()).rev() {
            chosen.swap(last, (random.next() % (last as u64 + 1)) as usize);
        }
    } else {
        let uniform = 4u64
            .saturating_pow(names.len() as u32)
            .min(MOST_UNIFORM as u64);
        // Where there are more than fit: those with one value everywhere, without which no value is seen alone, those with two in
        // turn, without which they are not told apart, and others at random.
        let all_there_are = 4u64.saturating_pow(names.len() as u32);
        let mut random = SplitMix64(seed ^ 0x75_6e69_666f_726d);
        let in_turn = |n: u64| {
            const PAIRS: [(u64, u64); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
            let (a, b) = PAIRS[(n / 2) as usize % PAIRS.len()];
            (0..names.len().min(31)).fold(0, |all, at| {
                let value = if (at as u64 + n) & 1 == 0 { a } else { b };
                all | value << (2 * at)
            })
        };
        let same = |v: u64| (0..names.len().min(31)).fold(0, |n, at| n | v << (2 * at));
        for n in 0..uniform {
            let n = match n {
                n if uniform == all_there_are => n,
                0..4 => same(n),
                4..16 => in_turn(n - 4),
                _ => random.next() & (all_there_are - 1),
            };
            let value = |cpu: usize| {
                let at = names.iter().position(|name| *name == clusters[cpu]);
                (n >> (2 * at.unwrap_or(0)) & 3) as u8
            };
            chosen.push((0..cpus).map(value).collect());
        }
        by_cluster += chosen.len();
        cover_pairs(cpus, seed, &mut chosen);
    }
    let pairs = Pairs::of(cpus, &chosen);
    let coverage = Coverage {
        combinations: chosen.len(),
        of,
        pairs: pairs.count(),
        pairs_of: cpus * cpus.saturating_sub(1) / 2 * 16,
        by_cluster,
    };
    (chosen, coverage)
}

/// Adds combinations until every pair of CPUs has had every pair of values: of some random ones the one that adds most.
fn cover_pairs(cpus: usize, seed: u64, chosen: &mut Vec<Vec<u8>>) {
    let mut random = SplitMix64(seed ^ 0x9e37_79b9_7f4a_7c15);
    let mut pairs = Pairs::of(cpus, chosen);
    let all = cpus * (cpus - 1) / 2 * 16;
    while pairs.count() < all {
        let best = (0..CANDIDATES)
            .map(|_| (0..cpus).map(|_| (random.next() & 3) as u8).collect())
            .max_by_key(|candidate: &Vec<u8>| pairs.news(candidate));
        let Some(mut best) = best else { return };
        if pairs.news(&best) == 0 {
            // The last few are put in by hand.
            if let Some((a, b, x, y)) = pairs.missing() {
                best[a] = x;
                best[b] = y;
            }
        }
        pairs.add(&best);
        chosen.push(best);
    }
}

/// Which pairs of CPUs have had which pairs of values.
struct Pairs {
    cpus: usize,
    seen: Vec<bool>,
}

impl Pairs {
    fn of(cpus: usize, chosen: &[Vec<u8>]) -> Self {
        let mut pairs = Self {
            cpus,
            seen: vec![false; cpus * cpus * 16],
        };
        for fields in chosen {
            pairs.add(fields);
        }
        pairs
    }

    const fn at(&self, a: usize, b: usize, x: u8, y: u8) -> usize {
        (a * self.cpus + b) * 16 + (x * 4 + y) as usize
    }

    fn each(&self, fields: &[u8]) -> Vec<usize> {
        (0..self.cpus)
            .flat_map(|a| (a + 1..self.cpus).map(move |b| (a, b)))
            .map(|(a, b)| self.at(a, b, fields[a], fields[b]))
            .collect()
    }

    fn add(&mut self, fields: &[u8]) {
        for at in self.each(fields) {
            self.seen[at] = true;
        }
    }

    fn news(&self, fields: &[u8]) -> usize {
        self.each(fields)
            .into_iter()
            .filter(|at| !self.seen[*at])
            .count()
    }

    fn count(&self) -> usize {
        self.seen.iter().filter(|seen| **seen).count()
    }

    fn missing(&self) -> Option<(usize, usize, u8, u8)> {
        for a in 0..self.cpus {
            for b in a + 1..self.cpus {
                for both in 0..16 {
                    let (x, y) = (both / 4, both % 4);
                    if !self.seen[self.at(a, b, x, y)] {
                        return Some((a, b, x, y));
                    }
                }
            }
        }
        None
    }
}
