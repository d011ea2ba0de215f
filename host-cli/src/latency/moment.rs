//! What ended a cell, and in which words it is told.

use protocol::command::Stop;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Cause;

/// One event near the one that ended a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Near {
    /// Trigger of the cell, from 0.
    pub trigger: u64,
    /// "landed", "lost", "late" or "duplicate".
    pub kind: String,
    /// Landing CPU; `null` for a lost one.
    pub cpu: Option<u8>,
    /// Time of the trigger (of a late or duplicate one: when it was taken) since that of the first event shown.
    pub since_ns: u64,
    /// From the trigger to the handler's entry; `null` where it was not taken in time.
    pub entry_ns: Option<u64>,
    /// From there to the handler's end.
    pub handler_ns: Option<u64>,
    /// The one that ended the cell.
    pub cause: bool,
}

/// What ended a cell, and the events around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moment {
    /// What it was.
    pub cause: Cause,
    /// The same in words.
    pub text: String,
    /// Trigger of the cell, from 0; `null` where no event shows it.
    pub trigger: Option<u64>,
    /// Events before, that one, and those after.
    pub events: Vec<Near>,
}

impl Moment {
    /// Says what it was, as exactly as the events show it: of a cell with such a `stop`, and with triggers of this timeout.
    pub fn tell(&mut self, stop: &Stop, timeout_us: u32) {
        if let Some(text) = self.exactly(stop, timeout_us) {
            self.text = text;
        }
    }

    fn exactly(&self, stop: &Stop, timeout_us: u32) -> Option<String> {
        let event = self.events.iter().find(|e| e.cause)?;
        let trigger = format!("trigger {}", event.trigger);
        let cpu = event
            .cpu
            .map_or_else(|| "no CPU".to_owned(), |c| format!("CPU {c}"));
        Some(match self.cause {
            Cause::Entry => format!(
                "{trigger} reached the handler of {cpu} after {} ns, allowed are {} ns",
                event.entry_ns?, stop.first_ns
            ),
            Cause::Total => format!(
                "the handler of {cpu} ended {} ns after {trigger}, allowed are {} ns",
                event.entry_ns?.saturating_add(event.handler_ns?),
                stop.both_ns
            ),
            Cause::Lost => format!("{trigger} was not taken within its timeout of {timeout_us} us"),
            Cause::Late => {
                format!("{trigger} was taken by {cpu} after its timeout of {timeout_us} us")
            }
            Cause::Duplicate => format!("{trigger} was taken twice, the second time by {cpu}"),
            Cause::Elsewhere => {
                let expected = (0..32).filter(|c| stop.expected >> c & 1 == 1);
                let expected: Vec<String> = expected.map(|c: u32| c.to_string()).collect();
                format!(
                    "{trigger} was taken by {cpu}, expected was CPU {}",
                    expected.join(" or ")
                )
            }
            Cause::Spurious => return None,
        })
    }
}
