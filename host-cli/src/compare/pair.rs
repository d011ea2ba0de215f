//! Cells of one side found again on the other.

use std::collections::BTreeMap;

use super::run::{Key, Run, Sample};

/// A cell that both sides have, with what each run measured there.
#[derive(Debug)]
pub struct Pair<'r> {
    /// What it is, without what pairing ignores.
    pub key: Key,
    /// Side A, a sample per run that has it.
    pub a: Vec<&'r Sample>,
    /// Side B.
    pub b: Vec<&'r Sample>,
}

/// All cells of two sides.
#[derive(Debug)]
pub struct Pairs<'r> {
    /// Those that both have, in the order in which side A ran them.
    pub both: Vec<Pair<'r>>,
    /// Those that only side A has.
    pub only_a: Vec<Key>,
    /// Those that only side B has.
    pub only_b: Vec<Key>,
}

/// Two cells of a run that are one without what pairing ignores.
#[derive(Debug, PartialEq, Eq)]
pub struct Collision {
    /// The run.
    pub origin: String,
    /// One cell.
    pub one: Key,
    /// The other.
    pub other: Key,
}

/// Pairs the cells of two sides by their keys without `ignored` dimensions.
pub fn pair<'r>(a: &'r [Run], b: &'r [Run], ignored: &[String]) -> Result<Pairs<'r>, Collision> {
    let (order, mut of_a) = side(a, ignored)?;
    let (order_b, mut of_b) = side(b, ignored)?;
    let (mut both, mut only_a) = (Vec::new(), Vec::new());
    for key in order {
        let (Some(a), b) = (of_a.remove(&key), of_b.remove(&key)) else {
            continue;
        };
        match b {
            Some(b) => both.push(Pair { key, a, b }),
            None => only_a.push(key),
        }
    }
    let only_b = order_b.into_iter().filter(|key| of_b.contains_key(key));
    Ok(Pairs {
        both,
        only_a,
        only_b: only_b.collect(),
    })
}

/// Keys in the order in which they first come, and the samples of each.
type Cells<'r> = (Vec<Key>, BTreeMap<Key, Vec<&'r Sample>>);

fn side<'r>(runs: &'r [Run], ignored: &[String]) -> Result<Cells<'r>, Collision> {
    let mut order = Vec::new();
    let mut cells: BTreeMap<Key, Vec<&Sample>> = BTreeMap::new();
    for run in runs {
        let mut here: BTreeMap<Key, &Sample> = BTreeMap::new();
        for sample in &run.samples {
            let key = sample.key.without(ignored);
            if let Some(other) = here.insert(key.clone(), sample) {
                return Err(Collision {
                    origin: run.origin.clone(),
                    one: other.key.clone(),
                    other: sample.key.clone(),
                });
            }
            let known = cells.entry(key.clone()).or_default();
            if known.is_empty() {
                order.push(key);
            }
            known.push(sample);
        }
    }
    Ok((order, cells))
}
