//! How fast virtual time passes while clients look on.

use std::time::{Duration, Instant};

/// What the machine may be behind the wall clock; it never hurries to make up for more.
const MOST_BEHIND: Duration = Duration::from_millis(20);

/// Virtual time follows the wall clock, and passes faster where an answer is awaited.
#[derive(Debug)]
pub struct Pace {
    last: Instant,
    due: Duration,
}

impl Pace {
    /// Nothing is due at `now`.
    #[must_use]
    pub const fn new(now: Instant) -> Self {
        Self {
            last: now,
            due: Duration::ZERO,
        }
    }

    /// Virtual time that has become due at `now`.
    pub fn due(&mut self, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        self.due = (self.due + passed).min(MOST_BEHIND);
        self.due
    }

    /// So much virtual time has passed.
    pub fn passed(&mut self, span: Duration) {
        self.due = self.due.saturating_sub(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_due_as_it_passes_and_old_debt_is_forgotten() {
        let start = Instant::now();
        let ms = Duration::from_millis;
        let mut pace = Pace::new(start);
        assert_eq!(pace.due(start + ms(3)), ms(3));
        pace.passed(ms(2));
        assert_eq!(pace.due(start + ms(4)), ms(2));
        // Ahead of the clock is no credit for standing still later.
        pace.passed(ms(50));
        assert_eq!(pace.due(start + ms(5)), ms(1));
        assert_eq!(pace.due(start + ms(900)), MOST_BEHIND);
    }
}
