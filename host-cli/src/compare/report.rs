//! From the runs of two sides to the result.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::stats::CONFIDENCE;

use super::judge::Verdict;
use super::numbers::{judged, numbers};
use super::pair::{Pairs, pair};
use super::result::{
    CompareResult, Condition, MetricRow, Only, RunInfo, Side, StateRow, Summary, WhichSide,
};
use super::run::{Key, Run, Sample};
use super::states::one_sided;

/// How sides are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Percent below which a difference does not matter, 0 or more.
    pub margin_percent: f64,
    /// Dimensions of cells that pairing ignores, see [`super::DIMENSIONS`].
    pub ignored: Vec<String>,
}

/// Compares the runs of two sides, each with its name as the user gave it.
///
/// # Errors
/// [`Error::Usage`] for sides that cannot be compared: no runs, results of different commands, hardware and models or chips mixed on one side, a
/// run that is there twice, cells that pairing cannot tell apart.
pub fn compare(
    a: (&str, &[Run]),
    b: (&str, &[Run]),
    settings: &Settings,
) -> Result<CompareResult, Error> {
    let mut notes = Vec::new();
    let side_a = side(WhichSide::A, a, &mut notes)?;
    let side_b = side(WhichSide::B, b, &mut notes)?;
    let (a, b) = (a.1, b.1);
    let of = one_schema(a, b)?;
    let pairs = pair(a, b, &settings.ignored).map_err(|c| {
        Error::Usage(format!(
            "{}: cells \"{}\" and \"{}\" are the same when pairing ignores {}: name cells that differ in something else",
            c.origin,
            c.one,
            c.other,
            settings.ignored.join(", ")
        ))
    })?;
    let numbers = numbers(a, b, &pairs, &mut notes);
    let metrics = judged(numbers, settings.margin_percent);
    let mut states = Vec::new();
    let mut shared = 0;
    for pair in &pairs.both {
        let (rows, both) = one_sided(pair);
        states.extend(rows);
        shared += both;
    }
    for row in &mut states {
        row.says = says(row, &side_a, &side_b);
    }
    let unpaired = unpaired(&pairs);
    if pairs.both.is_empty() {
        notes.push(format!(
            "no cell is on both sides{}",
            nothing_paired(&pairs).map_or_else(String::new, |d| format!(
                ": they differ in {d} (see --ignore)"
            ))
        ));
    }
    let summary = summary(&metrics, &states, shared, pairs.both.len());
    if a.len() < 2 || b.len() < 2 {
        notes.push(
            "one run a side can neither be called noise nor pinned on the change: no number of it decides anything"
                .to_owned(),
        );
    }
    Ok(CompareResult {
        schema: CompareResult::SCHEMA.to_owned(),
        tool: env!("CARGO_PKG_VERSION").to_owned(),
        of: of.to_owned(),
        a: side_a,
        b: side_b,
        confidence: CONFIDENCE,
        margin_percent: settings.margin_percent,
        ignored: settings.ignored.clone(),
        metrics,
        states,
        unpaired,
        conditions: conditions(&pairs, &settings.ignored),
        summary,
        notes,
        complete: true,
        brief: false,
    })
}

/// The schema of all runs.
fn one_schema(a: &[Run], b: &[Run]) -> Result<&'static str, Error> {
    let of_a = a.iter().map(|run| (WhichSide::A.name(), run));
    let mut runs = of_a.chain(b.iter().map(|run| (WhichSide::B.name(), run)));
    let Some((side, first)) = runs.next() else {
        return Err(Error::Usage("no side has a run".to_owned()));
    };
    match runs.find(|(_, run)| run.schema != first.schema) {
        None => Ok(first.schema),
        Some((other_side, other)) => Err(Error::Usage(format!(
            "only results of one command can be compared: side {side}, {}, is {}, side {other_side}, {}, is {}",
            first.origin, first.schema, other.origin, other.schema
        ))),
    }
}

/// One side, if its runs belong together.
fn side(
    which: WhichSide,
    (name, runs): (&str, &[Run]),
    notes: &mut Vec<String>,
) -> Result<Side, Error> {
    let side = which.name();
    let Some(first) = runs.first() else {
        return Err(Error::Usage(format!("side {side}: {name} has no run")));
    };
    for (i, run) in runs.iter().enumerate() {
        let (one, other) = (&first.origin, &run.origin);
        if run.model.is_some() != first.model.is_some() {
            return Err(Error::Usage(format!(
                "side {side}: one of {one} and {other} is a model's, the other is hardware's: they are no runs of one thing"
            )));
        }
        if run.chip != first.chip {
            return Err(Error::Usage(format!(
                "side {side}: {one} is of {}, {other} of {}: they are no runs of one thing",
                first.chip, run.chip
            )));
        }
        let copy = runs[..i].iter().find(|r| is_copy(r, run));
        if let Some(copy) = copy {
            return Err(Error::Usage(format!(
                "side {side}: {} and {other} hold the same run: a copy is no second one",
                copy.origin
            )));
        }
        if !run.complete {
            notes.push(format!("side {side}: {other} did not run to its end"));
        }
        if !run.restored {
            notes.push(format!(
                "side {side}: after {other} the target was not known to be as found"
            ));
        }
        if run.firmware != first.firmware {
            notes.push(format!(
                "side {side}: {one} and {other} ran different firmware"
            ));
        }
    }
    Ok(Side {
        name: name.to_owned(),
        model: first.model.clone(),
        chip: first.chip.clone(),
        runs: runs
            .iter()
            .map(|r| RunInfo {
                origin: r.origin.clone(),
                target: r.target.clone(),
                seed: r.seed,
                firmware: r.firmware.clone(),
                complete: r.complete,
                restored: r.restored,
            })
            .collect(),
    })
}

/// Whether two runs have the same origin or, on a model, where the seed decides everything, are the same in all.
fn is_copy(one: &Run, other: &Run) -> bool {
    let model = one.model.is_some() && one.seed == other.seed && one.firmware == other.firmware;
    one.origin == other.origin || model && one.samples == other.samples
}

/// What a one-sided state means.
fn says(row: &StateRow, a: &Side, b: &Side) -> String {
    let (shows, never, name) = match row.only_in {
        WhichSide::A => (a, b, WhichSide::B),
        WhichSide::B => (b, a, WhichSide::A),
    };
    let bound = format!("rate below {:.3} %", row.never_upper_95 * 100.0);
    let chance = if row.beyond_chance {
        ""
    } else {
        ", may be chance"
    };
    match (shows.model.is_some(), never.model.is_some()) {
        (false, true) => format!("the model is wrong or incomplete ({bound} there){chance}"),
        (true, false) => format!("not seen on silicon ({bound}){chance}"),
        _ => format!("never in {} ({bound}){chance}", never.label(name)),
    }
}

fn unpaired(pairs: &Pairs<'_>) -> Vec<Only> {
    let of = |only_in: WhichSide, keys: &[Key]| {
        let only = |cell: &Key| Only {
            only_in,
            cell: cell.clone(),
        };
        keys.iter().map(only).collect::<Vec<_>>()
    };
    let mut all = of(WhichSide::A, &pairs.only_a);
    all.extend(of(WhichSide::B, &pairs.only_b));
    all
}

/// Dimensions in which no cell of one side has a value of the other.
fn nothing_paired(pairs: &Pairs<'_>) -> Option<String> {
    let values = |keys: &[Key], dimension: &str| -> BTreeSet<String> {
        let value = |key: &Key| key.0.get(dimension).cloned().unwrap_or_default();
        keys.iter().map(value).collect()
    };
    let differ = |dimension: &&&str| {
        values(&pairs.only_a, dimension).is_disjoint(&values(&pairs.only_b, dimension))
    };
    let names: Vec<&str> = super::DIMENSIONS.iter().filter(differ).copied().collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What held differently on the two sides, by name.
fn conditions(pairs: &Pairs<'_>, ignored: &[String]) -> Vec<Condition> {
    let mut found: BTreeMap<String, Condition> = BTreeMap::new();
    for pair in &pairs.both {
        let names = pair
            .a
            .iter()
            .chain(&pair.b)
            .flat_map(|s| s.conditions.keys());
        let names: BTreeSet<&String> = names.chain(ignored).collect();
        for name in names {
            let values = |samples: &[&Sample]| -> BTreeSet<String> {
                let value = |s: &&Sample| {
                    let found = s.conditions.get(name).or_else(|| s.key.0.get(name));
                    found.map_or_else(|| "as found".to_owned(), Clone::clone)
                };
                samples.iter().map(value).collect()
            };
            let (a, b) = (values(&pair.a), values(&pair.b));
            if a == b {
                continue;
            }
            let join = |values: BTreeSet<String>| values.into_iter().collect::<Vec<_>>().join(", ");
            let condition = found.entry(name.clone()).or_insert_with(|| Condition {
                name: name.clone(),
                a: join(a),
                b: join(b),
                cells: 0,
                first: pair.key.clone(),
            });
            condition.cells += 1;
        }
    }
    found.into_values().collect()
}

fn summary(metrics: &[MetricRow], states: &[StateRow], shared: usize, cells: usize) -> Summary {
    let words = |word| metrics.iter().filter(|m| m.verdict == word).count();
    let only = |side| states.iter().filter(|s| s.only_in == side).count();
    Summary {
        cells,
        a_higher: words(Verdict::AHigher),
        b_higher: words(Verdict::BHigher),
        same: words(Verdict::Same),
        cannot_tell: words(Verdict::CannotTell),
        standing: metrics.iter().filter(|m| m.stands).count(),
        states_only_in_a: only(WhichSide::A),
        states_only_in_b: only(WhichSide::B),
        states_beyond_chance: states.iter().filter(|s| s.beyond_chance).count(),
        states_shared: shared,
    }
}
