//! What can be wrong with a model.

/// A model that cannot be used: where, which key, which value, what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// Not TOML, or a key is unknown, missing or of the wrong type. `detail` holds line, column and the excerpt.
    #[error("{origin}: not a usable SoC model: {detail}")]
    Malformed {
        /// File name or "built-in model …".
        origin: String,
        /// The parser's message with the place.
        detail: String,
    },
    /// A key holds a value that it may not hold.
    #[error("{origin}: {key} = {value} is not allowed: {allowed}")]
    Value {
        /// File name or "built-in model …".
        origin: String,
        /// Dotted key, with the index in an array of tables.
        key: String,
        /// The value found.
        value: String,
        /// What is allowed there.
        allowed: String,
    },
}
