//! The numbers that both sides have, and what each says.

use std::collections::BTreeMap;

use crate::stats::CONFIDENCE;

use super::judge::{Judged, judge};
use super::pair::{Pair, Pairs};
use super::result::{MetricRow, significant};
use super::run::{Key, Measure, Metric, Run, Sample, Scope};

/// A number with all its runs.
pub struct Number {
    /// The cell; `None` = all paired cells.
    cell: Option<Key>,
    name: String,
    basis: String,
    /// Of side A, a measure per run.
    a: Vec<Measure>,
    /// Of side B.
    b: Vec<Measure>,
}

/// Name and basis.
type Name = (String, String);

/// Every number that both sides have, those over all paired cells first.
pub fn numbers(a: &[Run], b: &[Run], pairs: &Pairs<'_>, notes: &mut Vec<String>) -> Vec<Number> {
    let mut out = Vec::new();
    let whole = |runs: &[Run]| {
        let metrics: Vec<&[Metric]> = runs.iter().map(|r| &r.whole[..]).collect();
        by_name(&metrics, |_| true)
    };
    join(None, whole(a), whole(b), &mut out, &mut Vec::new());
    out.extend(over_all(pairs));
    let mut lone = Vec::new();
    for pair in &pairs.both {
        let of = |samples: &[&Sample]| {
            let metrics: Vec<&[Metric]> = samples.iter().map(|s| &s.metrics[..]).collect();
            by_name(&metrics, |m| match m.scope {
                Scope::Whole => false,
                Scope::Cell | Scope::Both => true,
                Scope::Split => is_split(pair, m),
            })
        };
        join(
            Some(&pair.key),
            of(&pair.a),
            of(&pair.b),
            &mut out,
            &mut lone,
        );
    }
    if let Some((key, (name, basis))) = lone.first() {
        let basis = if basis.is_empty() {
            String::new()
        } else {
            format!(" from {basis}")
        };
        notes.push(format!(
            "{} numbers are on one side only and not compared, the first: {name}{basis} of {key}",
            lone.len()
        ));
    }
    out
}

/// Whether runs of a cell differ in what its triggers did, or triggers of a run.
fn is_split(pair: &Pair<'_>, metric: &Metric) -> bool {
    let runs = pair.a.iter().chain(&pair.b).flat_map(|s| &s.metrics);
    let mut shares = runs
        .filter(|m| m.name == metric.name)
        .map(|m| m.measure.value());
    let first = shares.next().unwrap_or_default();
    let whole = first <= 0.0 || (1.0..=1.0).contains(&first);
    !whole || shares.any(|share| share.total_cmp(&first).is_ne())
}

/// Names in their order, each with the measures of all runs that have it.
fn by_name(runs: &[&[Metric]], wanted: impl Fn(&Metric) -> bool) -> Vec<(Name, Vec<Measure>)> {
    let mut found: Vec<(Name, Vec<Measure>)> = Vec::new();
    for metric in runs.iter().flat_map(|r| r.iter()).filter(|m| wanted(m)) {
        let name = (metric.name.clone(), metric.basis.clone());
        match found.iter_mut().find(|(n, _)| *n == name) {
            Some((_, measures)) => measures.push(metric.measure),
            None => found.push((name, vec![metric.measure])),
        }
    }
    found
}

/// Numbers that both have. A share that is 0 in every run of both says nothing. What one side alone has goes to `lone`, unless it is 0.
fn join(
    cell: Option<&Key>,
    a: Vec<(Name, Vec<Measure>)>,
    mut b: Vec<(Name, Vec<Measure>)>,
    out: &mut Vec<Number>,
    lone: &mut Vec<(Key, Name)>,
) {
    let zero = |runs: &[Measure]| {
        runs.iter()
            .all(|m| matches!(m, Measure::Share { count: 0, .. }))
    };
    let mut alone = |name: Name, runs: &[Measure]| {
        if let Some(key) = cell
            && !zero(runs)
        {
            lone.push((key.clone(), name));
        }
    };
    for (name, runs) in a {
        let Some(at) = b.iter().position(|(n, _)| *n == name) else {
            alone(name, &runs);
            continue;
        };
        let (_, others) = b.remove(at);
        if cell.is_some() && zero(&runs) && zero(&others) {
            continue;
        }
        out.push(Number {
            cell: cell.cloned(),
            name: name.0,
            basis: name.1,
            a: runs,
            b: others,
        });
    }
    for (name, runs) in b {
        alone(name, &runs);
    }
}

/// Shares pooled and values averaged over the paired cells that every run has.
fn over_all(pairs: &Pairs<'_>) -> Vec<Number> {
    let most = |f: fn(&Pair<'_>) -> usize| pairs.both.iter().map(f).max().unwrap_or(0);
    let (na, nb) = (most(|p| p.a.len()), most(|p| p.b.len()));
    let full = |p: &&Pair<'_>| p.a.len() == na && p.b.len() == nb;
    let mut order: Vec<Name> = Vec::new();
    let mut cells: BTreeMap<Name, Columns> = BTreeMap::new();
    for pair in pairs.both.iter().filter(full) {
        let of = |samples: &[&Sample]| {
            let metrics: Vec<&[Metric]> = samples.iter().map(|s| &s.metrics[..]).collect();
            by_name(&metrics, |m| m.scope != Scope::Cell)
        };
        let b: BTreeMap<Name, Vec<Measure>> = of(&pair.b).into_iter().collect();
        for (name, a) in of(&pair.a) {
            let Some(b) = b.get(&name) else { continue };
            if a.len() != na || b.len() != nb {
                continue;
            }
            if !order.contains(&name) {
                order.push(name.clone());
            }
            let columns = cells.entry(name).or_default();
            columns.a.push(a);
            columns.b.push(b.clone());
        }
    }
    let number = |name: Name| {
        let columns = cells.remove(&name).unwrap_or_default();
        Number {
            cell: None,
            name: name.0,
            basis: name.1,
            a: by_run(&columns.a, na),
            b: by_run(&columns.b, nb),
        }
    };
    order.into_iter().map(number).collect()
}

/// A number in all cells, each with the measures of all runs.
#[derive(Default)]
struct Columns {
    a: Vec<Vec<Measure>>,
    b: Vec<Vec<Measure>>,
}

/// One measure of each of `runs` runs.
fn by_run(cells: &[Vec<Measure>], runs: usize) -> Vec<Measure> {
    let run = |i: usize| {
        let of: Vec<Measure> = cells.iter().filter_map(|c| c.get(i).copied()).collect();
        together(&of)
    };
    (0..runs).map(run).collect()
}

/// One measure of several cells of a run.
fn together(cells: &[Measure]) -> Measure {
    let mut sum = (0u64, 0u64);
    let mut shares = true;
    let (mut total, mut finest) = (0.0, 0.0f64);
    for cell in cells {
        total += cell.value();
        match cell {
            Measure::Share { count, of } => {
                sum = (sum.0.saturating_add(*count), sum.1.saturating_add(*of));
            }
            Measure::Value { resolution, .. } => {
                shares = false;
                finest = finest.max(*resolution);
            }
        }
    }
    if shares {
        return Measure::Share {
            count: sum.0,
            of: sum.1,
        };
    }
    Measure::Value {
        value: total / cells.len() as f64,
        resolution: finest,
    }
}

/// Judges every number alone, and all together: the confidence of each is raised so that with [`CONFIDENCE`] none of them is
/// called a difference by chance (Bonferroni). Half of what may go wrong is for the few numbers over all cells, where a change
/// that every cell shares is seen best, half for those of cells. Numbers that never vary could not be wrong, and do not count
/// (Tarone 1990).
pub fn judged(numbers: Vec<Number>, margin: f64) -> Vec<MetricRow> {
    let strict = [true, false].map(|whole| {
        let family = numbers.iter().filter(|n| n.cell.is_none() == whole);
        let count = family.filter(|n| n.varies()).count().max(1);
        1.0 - (1.0 - CONFIDENCE) / 2.0 / count as f64
    });
    let row = |n: Number| {
        let judged = judge(&n.a, &n.b, margin, CONFIDENCE);
        let strict = strict[usize::from(n.cell.is_some())];
        let stands = judged.verdict.is_difference()
            && judge(&n.a, &n.b, margin, strict).verdict == judged.verdict;
        let Judged {
            a,
            b,
            interval,
            verdict,
        } = judged;
        MetricRow {
            cell: n.cell,
            metric: n.name,
            basis: n.basis,
            a_runs: n.a.len(),
            b_runs: n.b.len(),
            a: significant(a),
            b: significant(b),
            difference: significant(b - a),
            low: interval.map(|i| significant(i.low)),
            high: interval.map(|i| significant(i.high)),
            verdict,
            stands,
        }
    };
    numbers.into_iter().map(row).collect()
}

impl Number {
    /// Whether any run differs from any other.
    fn varies(&self) -> bool {
        let mut values = self.a.iter().chain(&self.b).map(|m| m.value().to_bits());
        let first = values.next();
        values.any(|v| Some(v) != first)
    }
}
