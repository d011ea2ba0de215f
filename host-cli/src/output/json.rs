//! JSON: the contract for other tools.

use serde::Serialize;

use crate::error::Error;

use super::refuse_falling;

/// Any result as indented JSON with a line end behind it.
///
/// # Errors
/// [`Error::Falling`] for percentiles that fall; [`Error::Internal`] if the value cannot be written (it holds no map with odd
/// keys, so it can).
pub fn to_json<T: Serialize>(value: &T) -> Result<String, Error> {
    refuse_falling(value)?;
    let mut text =
        serde_json::to_string_pretty(value).map_err(|e| Error::Internal(e.to_string()))?;
    text.push('\n');
    Ok(text)
}
