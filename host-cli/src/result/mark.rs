//! Where a fact does not come from the hardware itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Standing of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MarkKind {
    /// A virtual SoC's answer: says nothing about hardware.
    #[serde(rename = "model only")]
    ModelOnly,
    /// Concluded, not read.
    #[serde(rename = "inferred")]
    Inferred,
    /// Not everything asked for is there.
    #[serde(rename = "partial")]
    Partial,
    /// Noticed on the target.
    #[serde(rename = "note")]
    Note,
}

impl MarkKind {
    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelOnly => "model only",
            Self::Inferred => "inferred",
            Self::Partial => "partial",
            Self::Note => "note",
        }
    }
}

/// One marked fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// Its standing.
    pub kind: MarkKind,
    /// Which part of the result: a path like `cpus.mpidr`, or `all`.
    pub about: String,
    /// In words.
    pub text: String,
}

impl Mark {
    /// Everything is a model's answer.
    #[must_use]
    pub fn model_only(text: impl Into<String>) -> Self {
        Self::new(MarkKind::ModelOnly, "all", text)
    }

    /// Something was concluded.
    #[must_use]
    pub fn inferred(about: &str, text: impl Into<String>) -> Self {
        Self::new(MarkKind::Inferred, about, text)
    }

    /// Something is missing.
    #[must_use]
    pub fn partial(about: &str, text: impl Into<String>) -> Self {
        Self::new(MarkKind::Partial, about, text)
    }

    /// Something was noticed.
    #[must_use]
    pub fn note(about: &str, text: impl Into<String>) -> Self {
        Self::new(MarkKind::Note, about, text)
    }

    fn new(kind: MarkKind, about: &str, text: impl Into<String>) -> Self {
        Self {
            kind,
            about: about.to_owned(),
            text: text.into(),
        }
    }
}
