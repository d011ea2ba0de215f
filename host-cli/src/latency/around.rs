//! The events around the one that ended a cell.

use std::collections::VecDeque;

use protocol::command::Stop;
use protocol::event::unpack;
use protocol::message::{self, EventKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::session::Event;
use crate::stats::{ticks_above, ticks_to_ns};

use super::{Moment, Near};

/// Events that are kept while a cell runs.
const KEPT: usize = 256;
/// Of these, shown before the one that ended it.
const BEFORE: usize = 16;

/// What ended a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// From the trigger to the handler's entry it took longer than allowed.
    Entry,
    /// From the trigger to the handler's end it took longer than allowed.
    Total,
    /// Not taken in time.
    Lost,
    /// Taken after its timeout.
    Late,
    /// Taken again.
    Duplicate,
    /// Taken by a CPU that was not expected to.
    Elsewhere,
    /// An interrupt without an event, or with another line's.
    Spurious,
}

impl Cause {
    /// In words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Entry => "the latency to the handler's entry was above its threshold",
            Self::Total => "the latency to the handler's end was above its threshold",
            Self::Lost => "a trigger was not taken in time",
            Self::Late => "a trigger was taken after its timeout",
            Self::Duplicate => "a trigger was taken twice",
            Self::Elsewhere => "a CPU took it that was not expected to",
            Self::Spurious => "an interrupt came without its event",
        }
    }

    /// Why `event` ends a cell with such a `stop`; `None` if it does not.
    #[must_use]
    pub fn of(event: &message::Event, stop: &Stop, hz: u64) -> Option<Self> {
        let above = |ticks: u64, ns: u32| ns > 0 && ticks_above(ticks, ns, hz);
        let elsewhere = stop.expected != 0 && stop.expected >> event.cpu & 1 == 0;
        match event.kind {
            EventKind::Lost if stop.wrong => Some(Self::Lost),
            EventKind::Late if stop.wrong => Some(Self::Late),
            EventKind::Duplicate if stop.wrong => Some(Self::Duplicate),
            EventKind::Landed | EventKind::Unmasked if elsewhere => Some(Self::Elsewhere),
            EventKind::Landed | EventKind::Unmasked if above(event.first, stop.first_ns) => {
                Some(Self::Entry)
            }
            EventKind::Landed | EventKind::Unmasked
                if above(event.first.saturating_add(event.second), stop.both_ns) =>
            {
                Some(Self::Total)
            }
            _ => None,
        }
    }
}

/// Keeps the last events of the cell that runs.
#[derive(Clone, Debug, Default)]
pub struct Around {
    cell: u32,
    events: VecDeque<(u64, message::Event)>,
    /// Events that could not be unpacked.
    damaged: bool,
}

impl Around {
    /// Notes what a session tells.
    pub fn on(&mut self, event: &Event<'_>) {
        let Event::Raw {
            cell,
            before,
            batch,
        } = event
        else {
            return;
        };
        if cell.id != self.cell {
            self.cell = cell.id;
            self.events.clear();
        }
        for event in unpack(batch) {
            let Ok(event) = event else {
                self.damaged = true;
                return;
            };
            if self.events.len() == KEPT {
                self.events.pop_front();
            }
            let trigger = before + u64::from(event.trigger);
            self.events.push_back((trigger, event));
        }
    }

    /// Whether events came that could not be unpacked.
    #[must_use]
    pub const fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// What ended the cell `cell`, on a counter of `hz`. Where no event shows it, `otherwise` it was.
    #[must_use]
    pub fn moment(&self, cell: u32, stop: &Stop, hz: u64, otherwise: Cause) -> Moment {
        let all = self.events.iter().filter(|_| self.cell == cell);
        let causes: Vec<_> = all.clone().map(|(_, e)| Cause::of(e, stop, hz)).collect();
        let at = causes.iter().position(Option::is_some);
        let cause = at.and_then(|at| causes[at]).unwrap_or(otherwise);
        let skipped = at.map_or_else(
            || causes.len().saturating_sub(BEFORE),
            |at| at.saturating_sub(BEFORE),
        );
        let shown: Vec<_> = all.skip(skipped).collect();
        let start = shown.first().map_or(0, |(_, e)| e.time);
        let near = |(i, (trigger, e)): (usize, &&(u64, message::Event))| {
            let ns = |ticks| ticks_to_ns(ticks, hz);
            let timed = e.kind.has_latency();
            Near {
                trigger: *trigger,
                kind: kind_name(e.kind).to_owned(),
                cpu: (e.kind != EventKind::Lost).then_some(e.cpu),
                since_ns: ns(e.time.saturating_sub(start)),
                entry_ns: timed.then(|| ns(e.first)),
                handler_ns: timed.then(|| ns(e.second)),
                cause: at == Some(skipped + i),
            }
        };
        let events: Vec<Near> = shown.iter().enumerate().map(near).collect();
        Moment {
            cause,
            text: cause.text().to_owned(),
            trigger: events.iter().find(|e| e.cause).map(|e| e.trigger),
            events,
        }
    }
}

const fn kind_name(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Landed | EventKind::Unmasked => "landed",
        EventKind::Lost => "lost",
        EventKind::Late => "late",
        EventKind::Duplicate => "duplicate",
    }
}
