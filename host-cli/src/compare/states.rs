//! States that one side shows and the other never does. A state is what one trigger of a cell did.

use std::collections::BTreeMap;

use crate::stats::{lower_bound, upper_bound};

use super::pair::Pair;
use super::result::{StateRow, WhichSide, significant};
use super::run::Sample;

/// Counts of a state on one side.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: u64,
    runs: usize,
}

/// The states of `pair` that just one side shows, and how many states both show.
pub fn one_sided(pair: &Pair<'_>) -> (Vec<StateRow>, usize) {
    let (a, b) = (counts(&pair.a), counts(&pair.b));
    let (of_a, of_b) = (fired(&pair.a), fired(&pair.b));
    let mut rows = Vec::new();
    let mut shared = 0;
    let mut names: Vec<&str> = a.keys().chain(b.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |side: &BTreeMap<&str, Seen>| side.get(name).copied().unwrap_or_default();
        let (sa, sb) = (of(&a), of(&b));
        let (only_in, shown, shown_of, never_of, all_runs) = match (sa.count, sb.count) {
            (0, 0) => continue,
            (_, 0) => (WhichSide::A, sa, of_a, of_b, pair.a.len()),
            (0, _) => (WhichSide::B, sb, of_b, of_a, pair.b.len()),
            _ => {
                shared += 1;
                continue;
            }
        };
        let bound = upper_bound(0, never_of);
        // The triggers of a single odd boot are no proof of what the side does.
        let beyond_chance = lower_bound(shown.count, shown_of) > bound && shown.runs * 2 > all_runs;
        rows.push(StateRow {
            cell: pair.key.clone(),
            state: name.to_owned(),
            only_in,
            a: sa.count,
            a_of: of_a,
            a_runs: sa.runs,
            b: sb.count,
            b_of: of_b,
            b_runs: sb.runs,
            never_upper_95: significant(bound),
            beyond_chance,
            says: String::new(),
        });
    }
    (rows, shared)
}

fn counts<'r>(samples: &[&'r Sample]) -> BTreeMap<&'r str, Seen> {
    let mut counts: BTreeMap<&str, Seen> = BTreeMap::new();
    for sample in samples {
        for (name, n) in sample.states.iter().filter(|(_, n)| *n > 0) {
            let seen = counts.entry(name).or_default();
            seen.count = seen.count.saturating_add(*n);
            seen.runs += 1;
        }
    }
    counts
}

fn fired(samples: &[&Sample]) -> u64 {
    samples.iter().fold(0, |sum, s| sum.saturating_add(s.fired))
}
