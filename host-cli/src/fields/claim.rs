//! Claims about fields, and what was counted for and against them.

use serde::{Deserialize, Serialize};

use crate::behaviour::Answer;

/// A claim and its counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Stable name.
    pub id: String,
    /// How often it held.
    pub answer: Answer,
    /// Times that it held.
    #[serde(rename = "for")]
    pub held: u64,
    /// Times that it did not.
    pub against: u64,
}

impl Claim {
    /// Of these counts; `None` if it was never tried.
    #[must_use]
    pub fn counted(id: impl Into<String>, held: u64, against: u64) -> Option<Self> {
        let answer = match (held, against) {
            (0, 0) => return None,
            (0, _) => Answer::Never,
            (_, 0) => Answer::Always,
            _ => Answer::Sometimes,
        };
        let id = id.into();
        Some(Self {
            id,
            answer,
            held,
            against,
        })
    }
}

/// The stable line `Observation ID Never|Sometimes|Always FOR AGAINST`.
impl std::fmt::Display for Claim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            id,
            answer,
            held,
            against,
        } = self;
        write!(f, "Observation {id} {} {held} {against}", answer.name())
    }
}
