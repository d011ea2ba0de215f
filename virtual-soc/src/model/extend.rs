//! `extends = "NAME"`: a model that differs from a built-in one in some keys.

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
    lay_over(&mut merged, table);
    Ok(Some(merged))
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
