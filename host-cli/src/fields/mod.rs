//! The truth table of SIQ_CFG's routing fields, and the smallest rule that explains it.
//!
//! [`combinations`] chooses combinations of fields: all of them up to six CPUs, above that a set that covers every pair of CPUs with
//! every pair of values. Each is measured with nobody masked and with CPU 0 masked. [`explain`] then looks for the rule that no
//! cell contradicts. [`experiments`] asks what whole cells do not tell: when a write acts, what becomes of an interrupt that waits, whether
//! FIQs and lines of devices are like what was measured.

mod bench;
mod cover;
mod explain;
mod fiqs;
mod further;
mod hw_line;
mod offered;
mod report;
mod rule;
#[cfg(test)]
mod tests;
mod timing;

use protocol::LineId;
use protocol::command::Special;

use crate::plan::{GRACE_US, Group, MaskedCpu, Plan, PlannedCell, Routing};
use crate::result::{Head, Mark};
use crate::session::Measured;

pub use cover::{Coverage, combinations};
pub use fiqs::Fiqs;
pub use further::{Device, Experiments, Further, Offered, WritesAct, experiments};
pub use hw_line::{HwLine, Landings};
pub use report::{Contradiction, FieldsReport, PairCount, Seen, report};
pub use rule::{Choice, Cpu, Fit, Masked, Rule, Sample, Writes, explain};

/// Triggers of a cell unless told otherwise.
pub const TRIGGERS: u32 = 32;
/// How long CPU 0 is masked for a trigger, in microseconds.
pub const MASK_US: u32 = 200;
/// Timeout of a trigger, in microseconds: cells in which nobody accepts wait for it every time.
pub const TIMEOUT_US: u32 = 500;
/// Triggers of a cell in which every CPU has the same value at most: it may be the one that never accepts.
const UNIFORM_TRIGGERS: u32 = 32;

/// Says of a head that not every cell of its plan ran to its end, if so.
pub fn note_missing(head: &mut Head, measured: usize, of: usize) {
    if measured < of {
        head.complete = false;
        let text = format!("{measured} of {of} cells ran to their end");
        head.marks.push(Mark::partial("cells", text));
    }
}

/// The plan: every combination without and with CPU 0 masked.
#[must_use]
pub fn plan(combinations: &[Vec<u8>], line: LineId, triggers: u32) -> Plan {
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
                fields: fields.iter().map(|f| Some(*f)).collect(),
                masked: if masked {
                    vec![MaskedCpu {
                        cpu: 0,
                        us: MASK_US,
                    }]
                } else {
                    Vec::new()
                },
                triggers: if uniform {
                    triggers.min(UNIFORM_TRIGGERS)
                } else {
                    triggers
                },
                timeout_us: TIMEOUT_US,
                grace_us: GRACE_US,
                routing: Routing::AsFound,
                raw: false,
                special: Special::default(),
            });
        }
    }
    Plan::of(cells)
}

/// What a measured cell says; `None` for one that did not run to its end.
#[must_use]
pub fn sample<'m>(cell: &'m PlannedCell, measured: &'m Measured) -> Option<Sample<'m>> {
    measured.complete.then(|| Sample {
        cell: cell.id,
        fields: &measured.fields,
        masked: cell.masked.first().map(|m| m.cpu),
        landed: &measured.landed,
        fired: measured.fired,
        lost: measured.lost,
    })
}
