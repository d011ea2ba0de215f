//! How long a plan takes, told before it starts.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Plan, PlannedCell, Question};

/// A plan longer than this is not started on hardware without being asked for again.
pub const CONFIRM_ABOVE: Duration = Duration::from_secs(600);

/// Upload, start of secondaries, restoring. Inference: 64 KiB and 3 MiB of zeros over USB 2, 100 ms a secondary.
const SESSION: Duration = Duration::from_millis(2_000);
/// A trigger beside its mask window. Inference: some dozen device accesses and one round of mailboxes.
const TRIGGER_US: u64 = 20;
/// A cell beside its triggers: setting fields, one exchange.
const CELL_US: u64 = 2_000;

/// Duration of a plan on the target's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// If every trigger is delivered at once, in milliseconds.
    pub expected_ms: u64,
    /// If every trigger is lost and its timeout waited for, in milliseconds.
    pub worst_ms: u64,
}

/// Of one cell, in microseconds, if every trigger is delivered at once.
#[must_use]
pub fn cell_us(cell: &PlannedCell) -> u128 {
    let trigger = u64::from(cell.window_us())
        + u64::from(cell.grace_us)
        + u64::from(cell.special.gap_us)
        + TRIGGER_US;
    u128::from(CELL_US) + u128::from(cell.triggers) * u128::from(trigger)
}

impl Estimate {
    /// Of `plan`.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        if let Some(us) = plan.until.duration_us {
            let ms = us.div_ceil(1000).saturating_add(SESSION.as_millis() as u64);
            return Self {
                expected_ms: ms,
                worst_ms: ms,
            };
        }
        let mut expected = SESSION.as_micros();
        let mut worst = expected;
        for cell in &plan.cells {
            let us = cell_us(cell);
            expected += us;
            worst += us + u128::from(cell.triggers) * u128::from(cell.timeout_us);
        }
        for question in &plan.questions {
            let storm = match question {
                Question::Storm(cell) => u128::from(cell.us),
                _ => 0,
            };
            expected += u128::from(CELL_US) + storm;
            worst += u128::from(CELL_US) + storm;
        }
        let ms = |us: u128| u64::try_from(us.div_ceil(1000)).unwrap_or(u64::MAX);
        Self {
            expected_ms: ms(expected),
            worst_ms: ms(worst),
        }
    }

    /// Whether a human should be asked before this runs on hardware.
    #[must_use]
    pub fn needs_consent(self) -> bool {
        Duration::from_millis(self.expected_ms) > CONFIRM_ABOVE
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (expected, worst) = (self.expected_ms as f64 / 1e3, self.worst_ms as f64 / 1e3);
        write!(
            f,
            "about {expected:.1} s on the target's clock, {worst:.1} s if nothing is delivered"
        )
    }
}
