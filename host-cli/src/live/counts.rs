//! Counts of cells, as far as they are shown.

use crate::session::Measured;

/// Counts that are shown; `landed` by logical CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Triggers.
    pub fired: u64,
    /// Where they landed.
    pub landed: Vec<u64>,
    /// Not taken in time.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Taken again.
    pub duplicate: u64,
    /// EVENT was 0 or another line.
    pub spurious: u64,
}

impl Counts {
    /// Of a cell.
    #[must_use]
    pub fn of(m: &Measured) -> Self {
        Self {
            fired: m.fired,
            landed: m.landed.clone(),
            lost: m.lost,
            late: m.late,
            duplicate: m.duplicate,
            spurious: m.spurious,
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        if self.landed.len() < other.landed.len() {
            self.landed.resize(other.landed.len(), 0);
        }
        for (sum, n) in self.landed.iter_mut().zip(&other.landed) {
            *sum += n;
        }
        self.fired += other.fired;
        self.lost += other.lost;
        self.late += other.late;
        self.duplicate += other.duplicate;
        self.spurious += other.spurious;
    }
}
