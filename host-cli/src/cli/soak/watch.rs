//! What is done with a session while it runs: the last events, intervals, a line now and then.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use crate::latency::Around;
use crate::session::{Event, Observer};
use crate::soak::{Amount, Interval, Intervals};

use super::super::notices;
use super::stream::Stream;

/// Shortest time between two lines about the run.
const PACE: Duration = Duration::from_secs(1);

/// Follows the session.
pub struct Watch<'i> {
    /// The last events.
    pub around: Around,
    /// Intervals, once the first look is over.
    pub intervals: &'i RefCell<Option<Intervals>>,
    /// Where intervals go as they end.
    pub stream: Option<Stream>,
    /// When a line was written last; `None` where none are wanted.
    pub told: Option<Instant>,
    /// How much there is to be.
    pub amount: Amount,
    /// Triggers of the intervals so far.
    pub fired: u64,
}

impl Observer for Watch<'_> {
    fn on(&mut self, event: Event<'_>) {
        self.around.on(&event);
        let mut intervals = self.intervals.borrow_mut();
        let Some(interval) = intervals.as_mut().and_then(|i| i.on(&event)) else {
            return;
        };
        self.fired += interval.fired;
        if let Some(stream) = &mut self.stream {
            stream.write(&interval);
        }
        if self.told.is_some_and(|t| t.elapsed() >= PACE) {
            self.told = Some(Instant::now());
            notices::progress(&line(&interval, self.fired, self.amount));
        }
    }
}

/// A line about an interval: how far the run is, and how the interval went.
fn line(i: &Interval, fired: u64, amount: Amount) -> String {
    let latency = match &i.latency_ns {
        Some(l) => format!("latency p50 {} p95 {} max {} ns", l.p50, l.p95, l.max),
        None => "nothing landed".to_owned(),
    };
    let over = (i.from_ns + i.elapsed_ns) as f64 / 1e9;
    let far = match amount {
        Amount::Duration(us) => {
            let of = us as f64 / 1e6;
            let left = (of - over).max(0.0);
            format!("{over:.1} of {of:.1} s on the target's clock, {left:.1} s left")
        }
        Amount::Triggers(n) => format!("{over:.1} s, {fired} of {n} triggers"),
    };
    format!("{far}: {} triggers/s, {latency}", i.rate_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_it_is() {
        let interval = Interval {
            index: 29,
            from_ns: 2_900_000_000,
            elapsed_ns: 100_000_000,
            fired: 7,
            rate_per_s: 70,
            landed: vec![7],
            lost: 0,
            late: 0,
            duplicate: 0,
            spurious: 0,
            latency_ns: None,
            busy_ppm: vec![0],
        };
        let said = |amount| line(&interval, 210, amount);
        assert_eq!(
            said(Amount::Duration(10_000_000)),
            "3.0 of 10.0 s on the target's clock, 7.0 s left: 70 triggers/s, nothing landed"
        );
        assert_eq!(
            said(Amount::Triggers(500)),
            "3.0 s, 210 of 500 triggers: 70 triggers/s, nothing landed"
        );
        // The last interval may end a little later.
        assert!(said(Amount::Duration(2_990_000)).contains(" 0.0 s left"));
    }
}
