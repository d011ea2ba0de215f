//! When a run says nothing new any more.

use crate::session::{Event, Observer};
use crate::verify::ENOUGH_LOST;

/// Ends a run in which so much is lost that its end would not come.
#[derive(Default)]
pub(super) struct Enough {
    /// Triggers.
    pub lost: u64,
}

impl Enough {
    /// Whether that is so.
    pub const fn reached(&self) -> bool {
        self.lost >= ENOUGH_LOST
    }
}

impl Observer for Enough {
    fn on(&mut self, event: Event<'_>) {
        if let Event::Part { counts, .. } = event {
            self.lost += counts.lost;
        }
    }

    fn stop(&self) -> bool {
        self.reached()
    }
}
