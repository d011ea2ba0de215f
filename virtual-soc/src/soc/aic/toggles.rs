//! Hardware inputs that follow virtual time.
//!
//! What drives a line that no device tree names is not known, so neither is its rhythm: even halves are model only.

use crate::model::SocModel;

const PS_PER_NS: u64 = 1000;

/// An input that is low for half a period, then high for as long, from virtual time 0 on.
#[derive(Debug, Clone)]
struct Toggle {
    die: usize,
    number: u32,
    half_ps: u64,
    /// When it changes next.
    due: u64,
}

/// What an input is at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) die: usize,
    pub(super) number: u32,
    pub(super) high: bool,
}

/// All of them.
#[derive(Debug, Clone)]
pub(super) struct Toggles {
    inputs: Vec<Toggle>,
    /// The earliest change; the end of time if there is none.
    due: u64,
}

impl Toggles {
    pub(super) fn new(model: &SocModel) -> Self {
        let inputs: Vec<Toggle> = model
            .aic
            .toggles
            .iter()
            .map(|t| Toggle {
                die: t.die as usize,
                number: t.number,
                half_ps: t.half_period_ns * PS_PER_NS,
                due: t.half_period_ns * PS_PER_NS,
            })
            .collect();
        let due = earliest(&inputs);
        Self { inputs, due }
    }

    /// Whether any input changes up to `now`.
    pub(super) const fn is_due(&self, now: u64) -> bool {
        self.due <= now
    }

    /// The earliest change.
    pub(super) fn next(&self) -> Option<u64> {
        (self.due != u64::MAX).then_some(self.due)
    }

    /// Levels at `now` of the inputs that have changed. Time that a slower CPU is behind by is not gone back to.
    pub(super) fn advance(&mut self, now: u64) -> Vec<Edge> {
        let mut edges = Vec::new();
        for t in self.inputs.iter_mut().filter(|t| t.due <= now) {
            let halves = now / t.half_ps;
            t.due = (halves + 1).saturating_mul(t.half_ps);
            edges.push(Edge {
                die: t.die,
                number: t.number,
                high: !halves.is_multiple_of(2),
            });
        }
        self.due = earliest(&self.inputs);
        edges
    }
}

fn earliest(inputs: &[Toggle]) -> u64 {
    inputs.iter().map(|t| t.due).min().unwrap_or(u64::MAX)
}
