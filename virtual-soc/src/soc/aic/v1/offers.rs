//! Lines that wait to be taken, and the faults of a test machine that lose their order.

use crate::model::SocModel;
use crate::soc::aic::router::{DUPLICATE_GAP, SPURIOUS_GAP};
use crate::soc::rng::Rng;

/// A line that waits.
#[derive(Debug, Clone, Copy)]
struct Offer {
    number: u32,
    /// From when on a CPU can see it, in picoseconds.
    ready: u64,
    /// Given out once more by a fault, whatever the banks say.
    forced: bool,
}

/// All of them, by number.
#[derive(Debug, Clone)]
pub(super) struct Offers {
    list: Vec<Offer>,
    delivery_ps: u64,
    jitter_ps: u64,
    duplicate_every: u64,
    spurious_every: u64,
    lose_every: u64,
    raised: u64,
    taken: u64,
    rng: Rng,
}

/// What came of a line that became deliverable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raised {
    /// It waits.
    Waits,
    /// It waits, and its CPUs see an interrupt with nothing behind it before.
    AfterGhost,
}

impl Offers {
    pub(super) fn new(model: &SocModel, seed: u64) -> Self {
        Self {
            list: Vec::new(),
            delivery_ps: model.siq.delivery_ns * 1000,
            jitter_ps: model.siq.jitter_ns * 1000,
            duplicate_every: model.faults.duplicate_every,
            spurious_every: model.faults.spurious_every,
            lose_every: model.defect.lose_delivery_every,
            raised: 0,
            taken: 0,
            rng: Rng::new(seed ^ 0x4149_4331),
        }
    }

    /// A line became deliverable.
    pub(super) fn raise(&mut self, number: u32, now: u64) -> Raised {
        self.raised += 1;
        if self.lose_every != 0 && self.raised.is_multiple_of(self.lose_every) {
            return Raised::Waits;
        }
        let jitter = match self.jitter_ps {
            0 => 0,
            most => self.rng.below(most + 1),
        };
        let ghost = self.spurious_every != 0 && self.raised.is_multiple_of(self.spurious_every);
        let gap = if ghost { SPURIOUS_GAP } else { 0 };
        self.insert(Offer {
            number,
            ready: now + self.delivery_ps + jitter + gap,
            forced: false,
        });
        if ghost {
            Raised::AfterGhost
        } else {
            Raised::Waits
        }
    }

    /// A line is no longer deliverable.
    pub(super) fn withdraw(&mut self, number: u32) {
        self.list.retain(|o| o.number != number || o.forced);
    }

    /// The lowest line that is ready and that `mine` holds for.
    pub(super) fn take(&mut self, now: u64, mine: impl Fn(u32) -> bool) -> Option<u32> {
        let fits = |o: &Offer| o.ready <= now && mine(o.number);
        let at = self.list.iter().position(fits)?;
        let offer = self.list.remove(at);
        self.taken += 1;
        if !offer.forced
            && self.duplicate_every != 0
            && self.taken.is_multiple_of(self.duplicate_every)
        {
            self.insert(Offer {
                ready: now + DUPLICATE_GAP,
                forced: true,
                ..offer
            });
        }
        Some(offer.number)
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.list.iter().any(|o| o.number == number)
    }

    /// Lines that CPUs see now.
    pub(super) fn ready(&self, now: u64) -> impl Iterator<Item = u32> {
        let ready = self.list.iter().filter(move |o| o.ready <= now);
        ready.map(|o| o.number)
    }

    /// When the next one becomes ready, if later than `now`.
    pub(super) fn next_event(&self, now: u64) -> Option<u64> {
        let due = self.list.iter().map(|o| o.ready);
        due.filter(|ready| *ready > now).min()
    }

    fn insert(&mut self, offer: Offer) {
        let at = self.list.partition_point(|o| o.number <= offer.number);
        self.list.insert(at, offer);
    }
}
