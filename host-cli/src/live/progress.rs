//! How far a run is, and how long it will take.

use std::time::Duration;

use crate::plan::cell_us;
use crate::stats::ticks_to_ns;

use super::State;

/// A plan tells nothing about its end before it has run for so long.
const SETTLE: Duration = Duration::from_secs(1);

impl State {
    /// Of a run that ends by time: how much of it is over on the target's clock, and how much there is to be.
    #[must_use]
    pub fn target_time(&self) -> Option<(Duration, Duration)> {
        let of = Duration::from_micros(self.about.duration_us?);
        let over = Duration::from_nanos(ticks_to_ns(self.ticks, self.counter_hz));
        Some((over.min(of), of))
    }

    /// How much is done, 0 to 1: by the target's clock of a run that ends by time, else by the time that cells are expected to
    /// take, or by their number where nobody knows that.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        if let Some((over, of)) = self.target_time() {
            return over.as_secs_f64() / of.as_secs_f64().max(1e-6);
        }
        let part = self.current.as_ref().filter(|c| !c.over);
        let share = part.map_or(0.0, |c| {
            c.counts.fired as f64 / f64::from(c.cell.triggers.max(1))
        });
        let done = match (self.about.expected_us, self.question, self.cells.1) {
            // Questions come after all cells.
            (_, Some((at, of, _)), _) => at as f64 / of.max(1) as f64,
            (0, None, 0) => 0.0,
            (0, None, of) => (self.cells.0 as f64 + share) / of as f64,
            (us, None, _) => {
                let now = part.map_or(0.0, |c| share * cell_us(&c.cell) as f64);
                (self.done_us as f64 + now) / us as f64
            }
        };
        done.clamp(0.0, 1.0)
    }

    /// Time since the session began.
    #[must_use]
    pub fn elapsed(&self, now: Duration) -> Duration {
        now.saturating_sub(self.begun)
    }

    /// Time that the rest takes: of a run that ends by time on the target's clock, else if it goes on like this; `None` before
    /// there is anything to tell it from.
    #[must_use]
    pub fn left(&self, now: Duration) -> Option<Duration> {
        if let Some((over, of)) = self.target_time() {
            return Some(of - over);
        }
        let (done, since) = (self.fraction(), self.measuring?);
        if done <= 0.0 || now.saturating_sub(since) < SETTLE {
            return None;
        }
        Duration::try_from_secs_f64(now.saturating_sub(since).as_secs_f64() * (1.0 - done) / done)
            .ok()
    }
}
