//! Whether FIQs come whatever the field says: fast IPIs and timers, on every CPU with every value.

use protocol::command::FiqCell;
use protocol::message::FiqResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Seen;
use super::bench::Tally;
use crate::plan::Question;
use crate::session::Reply;

/// IPIs sent, and timers armed, for each CPU and value.
const COUNT: u32 = 8;
/// How long each may take, in microseconds.
const TIMEOUT_US: u32 = 1000;

/// FIQs of a CPU with a value of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fiqs {
    /// Logical id.
    pub cpu: u8,
    /// The field, as read back.
    pub field: u8,
    /// Fast IPIs sent to it.
    pub ipis_sent: u32,
    /// Of these, taken in time.
    pub ipis_taken: u32,
    /// Timers armed on it.
    pub timers_armed: u32,
    /// Of these, taken in time.
    pub timers_taken: u32,
}

impl Fiqs {
    /// What was answered to `asked`; `None` where that was refused.
    #[must_use]
    pub fn of(asked: &FiqCell, result: &FiqResult) -> Option<Self> {
        result.refusal.is_none().then_some(Self {
            cpu: asked.cpu,
            field: result.field,
            ipis_sent: result.sent,
            ipis_taken: result.ipis,
            timers_armed: result.armed,
            timers_taken: result.timers,
        })
    }
}

/// The questions, to these CPUs. A machine of one CPU has nobody who could send.
pub fn questions(cpus: &[u8]) -> Vec<Question> {
    let all = cpus.iter();
    let all = all.flat_map(|cpu| (0..4u8).map(move |field| (*cpu, field)));
    all.filter(|_| cpus.len() > 1)
        .zip(0..)
        .map(|((cpu, field), id)| {
            Question::Fiq(FiqCell {
                id,
                cpu,
                field,
                count: COUNT,
                timeout_us: TIMEOUT_US,
            })
        })
        .collect()
}

/// What came of them, and the claims.
pub fn judge(questions: &[Question], replies: &[Reply]) -> (Vec<Fiqs>, Vec<Seen>) {
    let mut all = Vec::new();
    for reply in replies {
        let Reply::Fiq(result) = reply else { continue };
        let asked = questions.iter().find_map(|q| match q {
            Question::Fiq(cell) if cell.id == result.id => Some(cell),
            _ => None,
        });
        all.extend(asked.and_then(|asked| Fiqs::of(asked, result)));
    }
    let mut claims = Vec::new();
    for field in 0..4u8 {
        let (mut ipis, mut timers) = (Tally::default(), Tally::default());
        for f in all.iter().filter(|f| f.field == field) {
            for (tally, tried, came) in [
                (&mut ipis, f.ipis_sent, f.ipis_taken),
                (&mut timers, f.timers_armed, f.timers_taken),
            ] {
                tally.held += u64::from(came.min(tried));
                tally.against += u64::from(tried.saturating_sub(came));
            }
        }
        claims.extend(ipis.claim(format!("fast-ipi-comes-with-field-{field}")));
        claims.extend(timers.claim(format!("timer-comes-with-field-{field}")));
    }
    (all, claims)
}
