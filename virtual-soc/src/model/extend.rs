//! `extends = "NAME"`: a model that differs from a built-in one in some keys, and `[[cpu_change]]` tables, each with the `adt_id` of a
//! CPU of that model and the keys in which this CPU differs.

use toml::{Table, Value};

use super::{BASES, BUILTIN, ModelError};

/// Take `extends` out of `table`; if it was there, lay `table` over the built-in model it names.
/// Tables are merged key by key, everything else (arrays too) is replaced.
pub(super) fn resolve(mut table: Table, origin: &str) -> Result<Option<Table>, ModelError> {
    let Some(base) = table.remove("extends") else {
        return Ok(None);
    };
    let found = base
        .as_str()
        .and_then(|name| BUILTIN.iter().chain(BASES).find(|(n, _)| *n == name));
    let Some((_, text)) = found else {
        let names: Vec<&str> = BUILTIN.iter().chain(BASES).map(|(n, _)| *n).collect();
        return Err(ModelError::Value {
            origin: origin.to_owned(),
            key: "extends".into(),
            value: base.to_string(),
            allowed: format!("one of the built-in models {}", names.join(", ")),
        });
    };
    let parsed = text.parse::<Table>().map_err(|e| ModelError::Malformed {
        origin: origin.to_owned(),
        detail: e.to_string(),
    })?;
    // A built-in model may itself extend another one; the files form no cycle, which the test that loads them all shows.
    let mut merged = match resolve(parsed.clone(), origin)? {
        Some(deeper) => deeper,
        None => parsed,
    };
    let changes = table.remove("cpu_change");
    lay_over(&mut merged, table);
    match changes {
        Some(Value::Array(changes)) => change_cpus(&mut merged, changes, origin)?,
        // Neither here nor in a model is such a key of another type known: the error names it.
        Some(other) => lay_over(
            &mut merged,
            Table::from_iter([("cpu_change".into(), other)]),
        ),
        None => {}
    }
    Ok(Some(merged))
}

fn change_cpus(model: &mut Table, changes: Vec<Value>, origin: &str) -> Result<(), ModelError> {
    let cpus = model.get_mut("cpu").and_then(Value::as_array_mut);
    let cpus = cpus.map_or(&mut [][..], |cpus| cpus);
    for (i, change) in changes.into_iter().enumerate() {
        let id = change.get("adt_id").cloned();
        let cpu = cpus.iter_mut().find(|c| c.get("adt_id") == id.as_ref());
        match (cpu, change, &id) {
            (Some(Value::Table(below)), Value::Table(above), Some(_)) => lay_over(below, above),
            (_, _, id) => {
                return Err(ModelError::Value {
                    origin: origin.to_owned(),
                    key: format!("cpu_change[{i}].adt_id"),
                    value: id.as_ref().map_or("nothing".into(), Value::to_string),
                    allowed: "the adt_id of a CPU of the extended model".into(),
                });
            }
        }
    }
    Ok(())
}

fn lay_over(base: &mut Table, top: Table) {
    for (key, value) in top {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
