//! Percentiles that fall, in whatever a result holds: such a result is not shown in any form.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// Looks through a value as JSON has it. Members of one object that are called min, median, p50, p95, p999, p99.9, max and so on,
/// with the same unit behind (`_ns`), have to rise in the order of their ranks; those that are `null` are left out.
///
/// # Errors
/// [`Error::Falling`] with the place and the numbers; [`Error::Internal`] if the value cannot be written.
pub fn refuse_falling<T: Serialize>(value: &T) -> Result<(), Error> {
    let value = serde_json::to_value(value).map_err(|e| Error::Internal(e.to_string()))?;
    look(&value, "")
}

fn look(value: &Value, at: &str) -> Result<(), Error> {
    match value {
        Value::Object(members) => {
            of_object(members, at)?;
            members
                .iter()
                .try_for_each(|(name, member)| look(member, &format!("{at}/{name}")))
        }
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(i, item)| look(item, &format!("{at}/{i}")))
        }
        _ => Ok(()),
    }
}

fn of_object(members: &Map<String, Value>, at: &str) -> Result<(), Error> {
    let mut ranked: Vec<(&str, f64, &str, f64)> = members
        .iter()
        .filter_map(|(name, value)| {
            let (stem, unit) = split(name);
            Some((unit, rank(stem)?, name.as_str(), value.as_f64()?))
        })
        .collect();
    ranked.sort_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(&b.1)));
    for unit in ranked.chunk_by(|a, b| a.0 == b.0) {
        if !unit.is_sorted_by(|a, b| a.3 <= b.3) {
            let shown: Vec<String> = unit.iter().map(|(_, _, n, v)| format!("{n} {v}")).collect();
            return Err(Error::Falling {
                at: if at.is_empty() { "/" } else { at }.to_owned(),
                values: shown.join(", "),
            });
        }
    }
    Ok(())
}

/// Name and unit of `p50_ns`.
fn split(name: &str) -> (&str, &str) {
    match name.rsplit_once('_') {
        Some((stem, unit @ ("ns" | "us" | "ms" | "ticks"))) => (stem, unit),
        _ => (name, ""),
    }
}

/// How much of all values the one of this name does not exceed, 0 to 1.
fn rank(name: &str) -> Option<f64> {
    match name {
        "min" => Some(0.0),
        "median" => Some(0.5),
        "max" => Some(1.0),
        _ => {
            let digits = name.strip_prefix('p')?.replace('.', "");
            let known = digits.len() >= 2 && digits.bytes().all(|b| b.is_ascii_digit());
            known.then(|| format!("0.{digits}").parse().ok())?
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_rises_is_left_alone() {
        for value in [
            json!({"min": 1, "p50": 1, "p95": 3, "p99": 3, "p999": 4, "max": 9}),
            json!({"p99.9": 9, "p98": 8}),
            json!({"min_ns": 5, "median_ns": 6, "max_ns": 6, "max_us": 1}),
            json!({"max": null, "min": 4}),
            json!({"p": 9, "p5": 8, "max": 1, "port": 3, "mean": 4}),
            json!([1, "p50", {"a": {"min": 0, "max": 0}}]),
        ] {
            assert!(refuse_falling(&value).is_ok(), "{value}");
        }
    }

    #[test]
    fn what_falls_is_refused_with_its_place() {
        for (value, at) in [
            (json!({"min": 2, "p50": 30, "p95": 2384, "max": 1038}), "/"),
            (json!({"a": [0, {"p99": 5, "p999": 4}]}), "/a/1"),
            (json!({"t": {"p98": 5, "p95": 6}}), "/t"),
            (json!({"t": {"median_ns": 5, "min_ns": 6}}), "/t"),
            (json!({"t": {"p99.9": 5.0, "p99": 5.5}}), "/t"),
        ] {
            let refused = refuse_falling(&value);
            assert!(
                matches!(&refused, Err(Error::Falling { at: place, .. }) if place == at),
                "{value}: {refused:?}"
            );
        }
    }
}
