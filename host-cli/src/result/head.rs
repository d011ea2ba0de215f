//! What every result of a run on a target begins with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::SocFacts;

use super::{Build, Counter, Cpu, Mark};

/// Who was measured by what, and what has to be said about it; flattened into the results of experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// The target as named by the user.
    pub target: String,
    /// Seed of every choice made at random.
    pub seed: u64,
    /// What ran.
    pub build: Build,
    /// Chip and board.
    pub soc: SocFacts,
    /// CPUs by logical id.
    pub cpus: Vec<Cpu>,
    /// The clock behind the latencies.
    pub counter: Counter,
    /// Everything that was planned ran to its end.
    pub complete: bool,
    /// The state of the target is as found.
    pub restored: bool,
    /// Facts that are inferred, missing, or a model's.
    pub marks: Vec<Mark>,
}

impl Head {
    /// Ticks in nanoseconds, rounded to nearest.
    #[must_use]
    pub fn ns(&self, ticks: u64) -> u64 {
        let hz = u128::from(self.counter.hz.max(1));
        let ns = (u128::from(ticks) * 1_000_000_000 + hz / 2) / hz;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// Whether a virtual SoC answered.
    #[must_use]
    pub fn is_model(&self) -> bool {
        self.marks
            .iter()
            .any(|m| m.kind == super::MarkKind::ModelOnly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As results have a head.
    #[derive(Debug, Deserialize)]
    struct Flattened {
        #[serde(flatten)]
        counter: Counter,
    }

    #[test]
    fn fractions_of_a_flattened_part_are_read() {
        let counter = |step: &str, slice: &str| {
            let text = format!(
                "{{\"hz\":24000000,\"step_ticks\":1,\"step_ns\":{step},\"slice_ns\":{slice},\"event_stream\":true}}"
            );
            serde_json::from_str::<Flattened>(&text).map(|f| f.counter)
        };
        let read = counter("41.667", "null").unwrap();
        assert_eq!((read.step_ns, read.slice_ns), (41.667, None));
        let read = counter("42", "1.00e2").unwrap();
        assert_eq!((read.step_ns, read.slice_ns), (42.0, Some(100.0)));
        for bad in ["\"41\"", "null", "1e999", "[1]"] {
            assert!(counter(bad, "null").is_err(), "{bad}");
        }
        assert!(counter("1.5", "\"100\"").is_err());
    }
}
