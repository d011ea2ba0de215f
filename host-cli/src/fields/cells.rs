//! What each cell counted, and their sums.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_back;
use super::rule::{Cpu, Fit, Sample, contradicting};

/// A cell of the truth table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldsCell {
    /// Number in the plan.
    pub cell: u32,
    /// SIQ_CFG bits \[1:0\] read back, by CPU; `null` = the CPU does not take part.
    pub fields: Vec<Option<u8>>,
    /// The CPU that was masked; `null` = none.
    pub masked: Option<u8>,
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries, by landing CPU.
    pub landed: Vec<u64>,
    /// Triggers not taken within the timeout.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries.
    pub duplicate: u64,
    /// IRQ exceptions without an event of the line.
    pub spurious: u64,
    /// The best rule does not explain it.
    pub contradicts: bool,
}

/// Sums over the cells measured to their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Triggers not taken within the timeout.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Further deliveries.
    pub duplicate: u64,
    /// IRQ exceptions without an event of the line.
    pub spurious: u64,
}

impl Totals {
    pub(super) fn of(samples: &[Sample<'_>]) -> Self {
        samples.iter().fold(Self::default(), |sum, s| Self {
            lost: sum.lost + s.lost,
            late: sum.late + s.late,
            duplicate: sum.duplicate + s.duplicate,
            spurious: sum.spurious + s.spurious,
        })
    }
}

/// Every cell, in the order of the plan.
pub(super) fn cells(samples: &[Sample<'_>], fit: Option<&Fit>, cpus: &[Cpu]) -> Vec<FieldsCell> {
    let wrong = fit.map_or_else(
        || vec![false; samples.len()],
        |fit| contradicting(&fit.rule, samples, cpus),
    );
    let of = samples.iter().zip(wrong);
    of.map(|(s, contradicts)| FieldsCell {
        cell: s.cell,
        fields: read_back(s.fields),
        masked: s.masked,
        fired: s.fired,
        landed: s.landed.to_vec(),
        lost: s.lost,
        late: s.late,
        duplicate: s.duplicate,
        spurious: s.spurious,
        contradicts,
    })
    .collect()
}
