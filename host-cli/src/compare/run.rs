//! One run in the form in which results of any experiment are compared.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a cell is known by, in the order in which it is shown. A cell that leaves one as found has no entry for it.
pub const DIMENSIONS: [&str; 18] = [
    "line",
    "claim",
    "load",
    "way",
    "relation",
    "fire_cpu",
    "land_cpu",
    "serve_cpu",
    "n",
    "cpus",
    "pattern",
    "via",
    "pace",
    "accounting",
    "fields",
    "masked",
    "routing",
    "repeat",
];

/// What a cell is, by dimension: cells of two sides with the same key are a pair.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Key(pub BTreeMap<String, String>);

impl Key {
    /// The same with one more dimension; an empty value is none.
    #[must_use]
    pub fn with(mut self, dimension: &str, value: impl ToString) -> Self {
        let value = value.to_string();
        if !value.is_empty() {
            self.0.insert(dimension.to_owned(), value);
        }
        self
    }

    /// The same without `ignored` dimensions.
    #[must_use]
    pub fn without(&self, ignored: &[String]) -> Self {
        let kept = self.0.iter().filter(|(name, _)| !ignored.contains(name));
        Self(kept.map(|(n, v)| (n.clone(), v.clone())).collect())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = DIMENSIONS.iter().filter_map(|name| {
            let value = self.0.get(*name)?;
            Some((*name, value))
        });
        let others = self.0.iter().map(|(name, value)| (name.as_str(), value));
        let others = others.filter(|(name, _)| !DIMENSIONS.contains(name));
        for (i, (name, value)) in known.chain(others).enumerate() {
            let space = if i == 0 { "" } else { " " };
            let name = name.strip_suffix("_cpu").unwrap_or(name);
            write!(f, "{space}{name} {value}")?;
        }
        if self.0.is_empty() {
            write!(f, "the only cell")?;
        }
        Ok(())
    }
}

/// Where a metric is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In its cell.
    Cell,
    /// Over all paired cells: shares are pooled, values averaged.
    Whole,
    /// Both.
    Both,
    /// Over all paired cells; in its cell unless all triggers of every run of both sides did it, or none.
    Split,
}

/// A number of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// So many of so many triggers.
    Share {
        /// How many did it.
        count: u64,
        /// Of how many.
        of: u64,
    },
    /// A value of the run as a whole.
    Value {
        /// The value.
        value: f64,
        /// Values that differ by less cannot be told apart (the counter's step, for latencies); the same unit.
        resolution: f64,
    },
}

/// A named number of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Name, with its unit unless it is a share: `landed_3`, `p95_ns`, `m_sent_per_s` (millions a second).
    pub name: String,
    /// What it counts from; only numbers with the same one are compared.
    pub basis: String,
    /// Where it is judged.
    pub scope: Scope,
    /// The number.
    pub measure: Measure,
}

/// A cell of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What it is.
    pub key: Key,
    /// Triggers fired, or whatever else was tried: IPIs, claims.
    pub fired: u64,
    /// What triggers did, and how many did it.
    pub states: Vec<(String, u64)>,
    /// Its numbers.
    pub metrics: Vec<Metric>,
    /// What else held while it ran and is not part of its key; differences are told.
    pub conditions: BTreeMap<String, String>,
}

/// One run of one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The file, or what was measured.
    pub origin: String,
    /// Schema of the result.
    pub schema: &'static str,
    /// The target as its user named it.
    pub target: String,
    /// Its seed.
    pub seed: u64,
    /// Chip and board.
    pub chip: String,
    /// Build id of the firmware.
    pub firmware: String,
    /// In whose words it is a model's answer; `None` on hardware.
    pub model: Option<String>,
    /// Every cell ran to its end.
    pub complete: bool,
    /// The target is as it was found.
    pub restored: bool,
    /// Its cells.
    pub samples: Vec<Sample>,
    /// Numbers of the run that belong to no cell.
    pub whole: Vec<Metric>,
}

/// A result whose runs can be compared.
pub trait Comparable: DeserializeOwned {
    /// Its schema.
    const SCHEMA: &'static str;

    /// The run it holds. `origin` is kept for messages.
    ///
    /// # Errors
    /// What cannot be in it, and where.
    fn to_run(&self, origin: &str) -> Result<Run, String>;
}
