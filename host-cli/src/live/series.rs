//! Counts over time.

use std::collections::VecDeque;
use std::time::Duration;

/// Time over which a rate is taken.
const WINDOW: Duration = Duration::from_secs(3);
/// Shortest time between two samples.
const PACE: Duration = Duration::from_millis(50);

/// A count that grows, and how fast.
#[derive(Clone, Debug, Default)]
pub struct Rate {
    /// Ascending; the first may be older than the window.
    samples: VecDeque<(Duration, u64)>,
    latest: u64,
}

impl Rate {
    /// The count at a time. Times do not fall.
    pub fn add(&mut self, now: Duration, total: u64) {
        self.latest = total;
        match self.samples.back() {
            Some((t, _)) if now.saturating_sub(*t) < PACE => {}
            _ => self.samples.push_back((now, total)),
        }
        while self.samples.get(1).is_some_and(|(t, _)| *t + WINDOW <= now) {
            self.samples.pop_front();
        }
    }

    /// Counts per second over the last seconds; `None` while there is nothing to take it from.
    #[must_use]
    pub fn per_second(&self, now: Duration) -> Option<f64> {
        let since = now.saturating_sub(WINDOW);
        let older = self.samples.iter().rev().find(|(t, _)| *t <= since);
        let (t, n) = older.or_else(|| self.samples.front())?;
        // Of a sample that is older than the window nobody knows when its count grew: all of it counts.
        let seconds = now.saturating_sub(*t).min(WINDOW).as_secs_f64();
        (seconds >= PACE.as_secs_f64()).then(|| self.latest.saturating_sub(*n) as f64 / seconds)
    }
}

/// The last values of something.
#[derive(Clone, Debug)]
pub struct Last<T> {
    values: VecDeque<T>,
    most: usize,
}

impl<T> Last<T> {
    /// Keeps the last `most`.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            values: VecDeque::new(),
            most,
        }
    }

    /// One more; the oldest that has to go for it.
    pub fn push(&mut self, value: T) -> Option<T> {
        let gone = if self.values.len() >= self.most {
            self.values.pop_front()
        } else {
            None
        };
        self.values.push_back(value);
        gone
    }

    /// Up to `n` of them, the oldest first.
    pub fn last(&self, n: usize) -> impl Iterator<Item = &T> {
        self.values.range(self.values.len().saturating_sub(n)..)
    }

    /// The newest.
    #[must_use]
    pub fn newest(&self) -> Option<&T> {
        self.values.back()
    }

    /// All of them.
    pub fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.values.drain(..)
    }
}

#[cfg(test)]
mod series_tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn a_rate_is_that_of_the_last_seconds() {
        let mut rate = Rate::default();
        assert_eq!(rate.per_second(ms(500)), None);
        rate.add(ms(0), 0);
        assert_eq!(rate.per_second(ms(0)), None, "no time has passed");
        for n in 1..=100 {
            rate.add(ms(n * 100), n * 10);
        }
        assert_eq!(rate.per_second(ms(10_000)), Some(100.0));
        assert!(rate.samples.len() <= 40, "{}", rate.samples.len());
        // Nothing more comes: it falls to nothing.
        let later = rate.per_second(ms(11_500)).unwrap();
        assert!((later - 50.0).abs() < 1e-9, "{later}");
        assert_eq!(rate.per_second(ms(20_000)), Some(0.0));
    }

    #[test]
    fn counts_between_two_samples_are_not_lost() {
        let mut rate = Rate::default();
        rate.add(ms(0), 0);
        rate.add(ms(1000), 5);
        rate.add(ms(1001), 1000);
        assert_eq!(rate.per_second(ms(1001)).map(f64::round), Some(999.0));
    }

    #[test]
    fn the_last_are_kept() {
        let mut last = Last::new(3);
        let gone: Vec<Option<i32>> = (0..5).map(|n| last.push(n)).collect();
        assert_eq!(gone, [None, None, None, Some(0), Some(1)]);
        assert_eq!(last.last(2).copied().collect::<Vec<_>>(), [3, 4]);
        assert_eq!(last.last(9).copied().collect::<Vec<_>>(), [2, 3, 4]);
        assert_eq!(last.newest(), Some(&4));
    }
}
