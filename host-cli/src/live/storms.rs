//! Storms of IPIs that are over.

use protocol::command::{Pattern, StormCell, Via};
use protocol::message::StormResult;

use super::series::Last;
use super::words::short;

/// Rates kept: more than any terminal is wide.
const RATES: usize = 512;

/// One storm.
#[derive(Clone, Debug)]
pub struct Storm {
    /// Among whom, and how.
    pub title: String,
    /// IPIs sent.
    pub sent: u64,
    /// IPIs taken, by logical CPU.
    pub received: Vec<u64>,
    /// Million IPIs a second taken; `None` where it did not come to counts.
    pub rate: Option<f64>,
    /// Why it did not.
    why: String,
}

impl Storm {
    /// Of an answer, on a counter of `hz`.
    #[must_use]
    pub fn new(cell: &StormCell, result: &StormResult, hz: u64) -> Self {
        let counts = |counts: &[u32]| counts.iter().map(|n| u64::from(*n)).collect::<Vec<_>>();
        let received = counts(&result.received);
        let us = result.elapsed as f64 * 1e6 / hz.max(1) as f64;
        let counted = result.refusal.is_none() && result.trapped.is_none() && us > 0.0;
        let why = match (result.trapped, result.refusal) {
            (Some(esr), _) => format!("trapped, ESR {esr:#x}"),
            (None, Some(refusal)) => crate::session::describe(refusal),
            (None, None) => "it took no time".to_owned(),
        };
        Self {
            title: title(cell),
            sent: counts(&result.sent).iter().sum(),
            rate: counted.then(|| received.iter().sum::<u64>() as f64 / us),
            received,
            why,
        }
    }

    /// The rate in words.
    #[must_use]
    pub fn speed(&self) -> String {
        match self.rate {
            Some(rate) => format!("{rate:.3} M IPI/s"),
            None => self.why.clone(),
        }
    }

    /// All of it in a line.
    #[must_use]
    pub fn line(&self) -> String {
        let received = self.received.iter().sum();
        format!(
            "{}: {}, sent {} received {}",
            self.title,
            self.speed(),
            short(self.sent),
            short(received)
        )
    }
}

/// Among whom, and how.
fn title(cell: &StormCell) -> String {
    let pattern = match cell.pattern {
        Pattern::ToOne(_) => "one",
        Pattern::ToAll => "all",
        Pattern::Pairs => "pairs",
    };
    let via = match cell.via {
        Via::Local => "local",
        Via::Global => "global",
        Via::Mmio => "mmio",
    };
    let pace = if cell.paced { "paced" } else { "flood" };
    let accounting = if cell.shared { "shared" } else { "per-cpu" };
    let cpus = cell.cpus.count_ones();
    format!("{cpus} CPUs, {pattern}, {via}, {pace}, {accounting}")
}

/// All of them.
#[derive(Clone, Debug)]
pub struct Storms {
    /// The last one.
    pub newest: Option<Storm>,
    /// IPIs taken in all of them, by logical CPU.
    pub received: Vec<u64>,
    /// IPIs sent in all of them.
    pub sent: u64,
    /// Rates in IPIs a second, the last ones.
    pub rates: Last<u64>,
}

impl Default for Storms {
    fn default() -> Self {
        Self {
            newest: None,
            received: Vec::new(),
            sent: 0,
            rates: Last::new(RATES),
        }
    }
}

impl Storms {
    /// One more.
    pub fn add(&mut self, storm: Storm) {
        if self.received.len() < storm.received.len() {
            self.received.resize(storm.received.len(), 0);
        }
        for (sum, n) in self.received.iter_mut().zip(&storm.received) {
            *sum += n;
        }
        self.sent += storm.sent;
        // No storm is faster than a word can count.
        self.rates.push((storm.rate.unwrap_or(0.0) * 1e6) as u64);
        self.newest = Some(storm);
    }
}
