//! The truth table of SIQ_CFG's routing fields, and the smallest rule that explains it.
//!
//! [`combinations`] chooses combinations of fields: all of them up to six CPUs, above that a set that covers every pair of CPUs with
//! every pair of values. Each is measured with nobody masked and with one CPU masked. [`explain`] then looks for the rule that no
//! cell contradicts. [`experiments`] asks what whole cells do not tell: when a write acts, what becomes of an interrupt that waits, whether
//! FIQs and lines of devices are like what was measured.

mod bench;
mod cells;
mod claims;
mod cover;
mod explain;
mod fiqs;
mod further;
mod hw_line;
mod offered;
mod present;
mod report;
mod rule;
#[cfg(test)]
mod tests;
mod timing;

use protocol::LineId;
use protocol::command::Special;

use crate::plan::{GRACE_US, Group, MaskedCpu, Plan, PlannedCell, Routing};
use crate::session::Measured;

pub use cells::{FieldsCell, Totals};
pub use claims::{PairCount, Seen};
pub use cover::{Coverage, combinations};
pub use fiqs::Fiqs;
pub use further::{Device, Experiments, Further, Offered, WritesAct, experiments};
pub use hw_line::{HwLine, Landings};
pub use present::Present;
pub use report::{FieldsReport, Kept, Later, made};
pub use rule::{Choice, Cpu, Fit, Masked, Rule, Sample, Writes, explain};

/// Triggers of a cell unless told otherwise.
pub const TRIGGERS: u32 = 32;
/// The CPU that is masked unless told otherwise, and how long for a trigger.
pub const MASK: MaskedCpu = MaskedCpu { cpu: 0, us: 200 };
/// Timeout of a trigger unless told otherwise, in microseconds: cells in which nobody accepts wait for it every time.
pub const TIMEOUT_US: u32 = 500;
/// Triggers of a cell in which every CPU has the same value at most: it may be the one that never accepts.
const UNIFORM_TRIGGERS: u32 = 32;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Triggers per cell.
    pub triggers: u32,
    /// Timeout of a trigger, in microseconds.
    pub timeout_us: u32,
    /// The CPU that is masked in every second cell.
    pub mask: MaskedCpu,
}

impl Default for Ask {
    fn default() -> Self {
        Self {
            triggers: TRIGGERS,
            timeout_us: TIMEOUT_US,
            mask: MASK,
        }
    }
}

/// The plan: every combination, of the CPUs that take part, with nobody masked and with one CPU masked.
#[must_use]
pub fn plan(combinations: &[Vec<u8>], present: &Present, line: LineId, ask: &Ask) -> Plan {
    let mut cells = Vec::new();
    for fields in combinations {
        for masked in [false, true] {
            let uniform = fields.iter().all(|f| *f == fields[0]);
            cells.push(PlannedCell {
                // At most 2 x 4^6 or a few thousand.
                id: cells.len() as u32,
                group: if masked {
                    Group::FieldMasked
                } else {
                    Group::Field
                },
                line,
                fire_cpu: 0,
                fields: present.spread(fields),
                masked: if masked { vec![ask.mask] } else { Vec::new() },
                triggers: if uniform {
                    ask.triggers.min(UNIFORM_TRIGGERS)
                } else {
                    ask.triggers
                },
                timeout_us: ask.timeout_us,
                grace_us: GRACE_US,
                routing: Routing::AsFound,
                raw: false,
                special: Special::default(),
            });
        }
    }
    Plan {
        // A CPU that ceases to run meanwhile takes its cells with it; nobody asked for it.
        custom: false,
        ..Plan::of(cells)
    }
}

/// What a measured cell says; `None` for one that did not run to its end.
#[must_use]
pub fn sample<'m>(cell: &'m PlannedCell, measured: &'m Measured) -> Option<Sample<'m>> {
    measured.complete.then(|| Sample {
        cell: cell.id,
        fields: &measured.fields,
        masked: cell.masked.first().map(|m| m.cpu),
        landed: &measured.landed,
        pending: cell
            .masked
            .first()
            .and_then(|m| measured.offered.get(usize::from(m.cpu)).copied())
            .unwrap_or(0),
        fired: measured.fired,
        lost: measured.lost,
        late: measured.late,
        duplicate: measured.duplicate,
        spurious: measured.spurious,
    })
}

/// Fields read back; `None` = the CPU does not take part.
fn read_back(fields: &[u8]) -> Vec<Option<u8>> {
    let fields = fields.iter();
    fields.map(|f| (*f <= 3).then_some(*f)).collect()
}
