//! Numbers of a result that all others are held against: as many entries as CPUs, ids of CPUs that there are, counts that can be
//! added up. Whoever shows a result may then rely on them, whoever wrote it.

use serde_json::Value;

/// Arrays with an entry for every CPU.
const BY_CPU: [&str; 6] = [
    "landed",
    "offered",
    "fields",
    "fields_requested",
    "served",
    "busy_ppm",
];
/// Ids of CPUs.
const CPU: [&str; 8] = [
    "fire_cpu",
    "land_cpu",
    "serve_cpu",
    "cpu",
    "masked",
    "next",
    "from",
    "to",
];
/// Lists of ids of CPUs.
const CPUS: [&str; 4] = ["masked_cpus", "target_cpus", "loaded", "expected"];
/// Largest count: sums of 2^20 such counts are still numbers of 64 bits.
const MOST: u64 = 1 << 43;
/// Numbers of 64 bits that nobody adds up.
const WIDE: [&str; 1] = ["seed"];

/// Looks through a result.
///
/// # Errors
/// Where something cannot be, and why.
pub fn look(result: &Value) -> Result<(), String> {
    let cpus = match result.get("cpus") {
        Some(Value::Array(cpus)) => Some(cpus.len()),
        _ => None,
    };
    if let Some(of) = cpus {
        if of > 256 {
            return Err(format!("{of} CPUs; allowed are up to 256"));
        }
        for (at, cpu) in result["cpus"].as_array().into_iter().flatten().enumerate() {
            if cpu.get("id").and_then(Value::as_u64) != Some(at as u64) {
                return Err(format!("cpus[{at}] has another id than {at}"));
            }
        }
    }
    walk("", "", result, cpus)
}

fn walk(path: &str, key: &str, value: &Value, cpus: Option<usize>) -> Result<(), String> {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                // The table of a SoC is its own, whoever answers.
                if path.is_empty() && key == "table" {
                    continue;
                }
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                walk(&path, key, value, cpus)?;
            }
        }
        Value::Array(all) => {
            if let Some(cpus) = cpus {
                if BY_CPU.contains(&key) && all.len() != cpus {
                    let n = all.len();
                    return Err(format!("{path} has {n} entries for {cpus} CPUs"));
                }
                let ids = all.iter().filter_map(Value::as_u64);
                if CPUS.contains(&key) && ids.clone().any(|id| id >= cpus as u64) {
                    return Err(format!("{path} names a CPU that is none of the {cpus}"));
                }
            }
            let fields = key.starts_with("fields") && path.starts_with("cells");
            if fields && all.iter().filter_map(Value::as_u64).any(|field| field > 3) {
                return Err(format!("{path} has a value above 3: a field has two bits"));
            }
            if key == "rank" && all.iter().filter_map(Value::as_u64).any(|rank| rank > 3) {
                return Err(format!("{path} has a rank above 3: there are four values"));
            }
            for (at, value) in all.iter().enumerate() {
                walk(&format!("{path}[{at}]"), "", value, cpus)?;
            }
        }
        Value::Number(n) => {
            let Some(n) = n.as_u64() else {
                return Ok(());
            };
            if n > MOST && !WIDE.contains(&key) {
                return Err(format!("{path} is {n}; allowed are up to {MOST}"));
            }
            if CPU.contains(&key) && cpus.is_some_and(|cpus| n >= cpus as u64) {
                let cpus = cpus.unwrap_or_default();
                return Err(format!("{path} is {n}; allowed are the {cpus} CPUs"));
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be() {
        let with = |cells: Value| json!({ "cpus": [{ "id": 0 }, { "id": 1 }], "cells": cells });
        let said = |cells: Value| look(&with(cells)).unwrap_err();
        assert_eq!(
            look(&with(json!([{ "landed": [1, 2], "fire_cpu": 1 }]))),
            Ok(())
        );
        assert_eq!(
            said(json!([{ "landed": [1] }])),
            "cells[0].landed has 1 entries for 2 CPUs"
        );
        assert_eq!(
            said(json!([{ "fire_cpu": 2 }])),
            "cells[0].fire_cpu is 2; allowed are the 2 CPUs"
        );
        assert!(said(json!([{ "masked_cpus": [0, 9] }])).contains("names a CPU"));
        assert!(said(json!([{ "lost": u64::MAX }])).contains("cells[0].lost is"));
        assert!(said(json!([{ "fields": [0, 4] }])).contains("above 3"));
        assert!(look(&json!({ "rank": [0, 255, null, 1] })).is_err());
        assert_eq!(look(&json!({ "seed": u64::MAX })), Ok(()));
        assert!(look(&json!({ "cpus": [{ "id": 1 }] })).is_err());
    }
}
