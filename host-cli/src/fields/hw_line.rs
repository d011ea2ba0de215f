//! Whether a line that a device holds high lands as one that is set by software.
//!
//! The device's line stays masked at the controller; the firing CPU unmasks it instead of setting anything, and the CPU that takes the
//! interrupt masks it again. Each combination of fields is tried once so and once with a spare line set by software.

use protocol::LineId;
use protocol::command::{Ending, Special};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bench::{Bench, Counts, Tally};
use super::rule::{Choice, Rule};
use super::{Seen, read_back};
use crate::session::Measured;

/// Most combinations that are compared.
const MOST: usize = 64;
/// Triggers of a cell, of either kind.
const TRIGGERS: u32 = 16;

/// What was compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HwLine {
    /// The device's node.
    pub device: String,
    /// Its line, as hwirq: die << 24 | 1 << 16 | number.
    pub hwirq: u32,
    /// Combinations that landed alike.
    pub same: u64,
    /// Those that did not.
    pub different: Vec<Landings>,
    /// Combinations that could not be compared: one of the two cells did not run to its end.
    pub left_out: u64,
}

/// Landings of a combination, of both kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Landings {
    /// Fields read back, by logical CPU; `null` = the CPU does not take part.
    pub fields: Vec<Option<u8>>,
    /// Of the device's line, by landing CPU.
    pub hardware: Vec<u64>,
    /// Of these, not taken.
    pub hardware_lost: u64,
    /// Of the line set by software.
    pub software: Vec<u64>,
    /// Of these, not taken.
    pub software_lost: u64,
}

/// The cells: the device's, and the one set by software.
pub struct Compared(Vec<(u32, u32)>);

impl Compared {
    /// Puts them into a plan, for combinations taken evenly out of `all`.
    pub fn plan(bench: &mut Bench<'_>, all: &[Vec<u8>], line: LineId) -> Self {
        let step = all.len().div_ceil(MOST).max(1);
        let mut pairs = Vec::new();
        // An odd step meets every value of every CPU; an even one would leave some out.
        for fields in all.iter().step_by(step | 1) {
            let mut software = bench.cell(0, bench.present.spread(fields));
            software.triggers = TRIGGERS;
            let mut hardware = software.clone();
            hardware.line = line;
            hardware.special = Special {
                line_masked: true,
                live: true,
                ending: Ending::Disabled,
                unfired: true,
                ..Special::default()
            };
            pairs.push((bench.add(hardware), bench.add(software)));
        }
        Self(pairs)
    }

    /// What came of them. `rule` is that of the truth table, if there is one.
    pub fn judge(
        &self,
        counts: &Counts<'_>,
        rule: Option<&Rule>,
        device: &str,
        line: LineId,
    ) -> (HwLine, Option<Seen>) {
        let mut result = HwLine {
            device: device.to_owned(),
            hwirq: u32::from(line.die) << 24 | 1 << 16 | u32::from(line.number),
            same: 0,
            different: Vec::new(),
            left_out: 0,
        };
        for (hardware, software) in &self.0 {
            let (Some(h), Some(s)) = (counts.of(*hardware), counts.of(*software)) else {
                result.left_out += 1;
                continue;
            };
            if alike(h, s, rule) {
                result.same += 1;
            } else {
                result.different.push(Landings {
                    fields: read_back(&h.fields),
                    hardware: h.landed.clone(),
                    hardware_lost: h.lost,
                    software: s.landed.clone(),
                    software_lost: s.lost,
                });
            }
        }
        let tally = Tally {
            held: result.same,
            against: result.different.len() as u64,
        };
        let claim = tally.claim("hardware-line-lands-as-software");
        (result, claim)
    }
}

/// Landings are the same; where the rule leaves the choice open, both are among the CPUs that it allows.
fn alike(hardware: &Measured, software: &Measured, rule: Option<&Rule>) -> bool {
    if hardware.lost != software.lost || hardware.fields != software.fields {
        return false;
    }
    if hardware.landed == software.landed {
        return true;
    }
    let open = |r: &&Rule| matches!(r.choice, Choice::Sticky | Choice::RoundRobin | Choice::Any);
    rule.filter(open).is_some_and(|rule| {
        let allowed = rule.receivers(&hardware.fields, None);
        let inside = |m: &Measured| {
            let mut cpus = m.landed.iter().enumerate();
            cpus.all(|(cpu, n)| *n == 0 || allowed >> cpu & 1 == 1)
        };
        inside(hardware) && inside(software)
    })
}

#[cfg(test)]
mod tests {
    use super::super::rule::{Masked, Writes};
    use super::*;

    fn cell(landed: [u64; 3], lost: u64) -> Measured {
        Measured {
            fields: vec![1, 1, 2],
            landed: landed.to_vec(),
            lost,
            ..Measured::default()
        }
    }

    #[test]
    fn landings_are_alike_as_far_as_the_rule_fixes_them() {
        let rule = |choice| Rule {
            rank: [None, Some(0), Some(1), None],
            choice,
            masked: Masked::Waits,
            writes: Writes::Prompt,
        };
        let (fixed, open) = (rule(Choice::LowestId), rule(Choice::Any));
        let software = cell([16, 0, 0], 0);
        assert!(alike(&cell([16, 0, 0], 0), &software, None));
        for (rule, same) in [(None, false), (Some(&fixed), false), (Some(&open), true)] {
            assert_eq!(alike(&cell([7, 9, 0], 0), &software, rule), same);
            assert!(!alike(&cell([15, 0, 1], 0), &software, rule), "a worse CPU");
            assert!(!alike(&cell([15, 0, 0], 1), &software, rule), "a lost one");
        }
    }
}
