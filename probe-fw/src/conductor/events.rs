//! Events of the running cell: packed and sent, or looked at for what ends the cell.

use core::sync::atomic::Ordering::Relaxed;

use protocol::Message;
use protocol::command::AFTER_STOP;
use protocol::event::Packer;
use protocol::message::{Event, EventKind, Refusal};

use super::Context;
use super::cell::Running;
use crate::platform::Platform;

/// Events shown of a cell that was stopped: those before the reason, the reason, those after.
const SHOWN: usize = 12 + AFTER_STOP as usize;

const NONE: Event = Event {
    trigger: 0,
    kind: EventKind::Lost,
    cpu: 0,
    served: 0,
    time: 0,
    first: 0,
    second: 0,
};

/// What the conductor keeps of events.
pub struct Events {
    packer: Packer,
    recent: [Event; SHOWN],
    /// Events ever put there.
    count: usize,
}

impl Events {
    pub const fn new() -> Self {
        Self {
            packer: Packer::new(),
            recent: [NONE; SHOWN],
            count: 0,
        }
    }

    pub fn start(&mut self, id: u32, shape: u8) {
        self.packer.start(id, shape);
        self.count = 0;
    }

    /// Puts the last events into the packer: they always fit, a batch has room for more.
    #[inline(never)]
    pub fn show_recent(&mut self) {
        for at in self.count.saturating_sub(SHOWN)..self.count {
            let _ = self.packer.add(&self.recent[at % SHOWN]);
        }
    }
}

const _: () = assert!(SHOWN * 24 < protocol::message::BATCH_BYTES);

impl<P: Platform> Context<'_, '_, P> {
    /// Sends what was packed.
    #[inline(never)]
    pub(super) fn flush_events(&mut self) {
        if let Some(batch) = self.me.events.packer.take() {
            self.say(&Message::Events(batch));
        }
    }

    /// Takes down an event, and looks whether it ends the cell.
    #[inline(never)]
    pub(super) fn note(
        &mut self,
        r: &mut Running,
        kind: EventKind,
        cpu: usize,
        time: u64,
        [first, second]: [u64; 2],
    ) {
        let served = match r.cell.special.handover {
            Some(_) => self.block.shared().done.cpu.load(Relaxed) as u8,
            None => cpu as u8,
        };
        let event = Event {
            trigger: r.result.fired.wrapping_sub(1),
            kind,
            cpu: cpu as u8,
            served,
            time,
            first,
            second,
        };
        if r.cell.raw && !self.me.events.packer.add(&event) {
            self.flush_events();
            let _ = self.me.events.packer.add(&event);
        }
        let events = &mut self.me.events;
        events.recent[events.count % SHOWN] = event;
        events.count += 1;
        let stop = &r.cell.special.stop;
        let why = if !kind.has_latency() {
            stop.wrong.then_some(Refusal::Wrong)
        } else if stop.expected != 0 && stop.expected >> cpu & 1 == 0 {
            Some(Refusal::Wrong)
        } else if first > r.first_limit || first.saturating_add(second) > r.both_limit {
            Some(Refusal::Spike)
        } else {
            None
        };
        if let (None, Some(why)) = (r.stopping, why) {
            r.stopping = Some((why, AFTER_STOP));
        }
    }

    /// After a trigger of a cell whose events are looked at: whether the cell is to end now.
    pub(super) fn stops(&mut self, r: &mut Running) -> bool {
        if r.stopping.is_none()
            && r.cell.special.stop.wrong
            && self.spurious().wrapping_sub(r.spurious) != 0
        {
            r.stopping = Some((Refusal::Wrong, AFTER_STOP));
            return false;
        }
        match &mut r.stopping {
            Some((why, 0)) => {
                r.result.refusal = Some(*why);
                true
            }
            Some((_, left)) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }
}
