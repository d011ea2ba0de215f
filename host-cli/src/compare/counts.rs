//! Counts of triggers that several experiments have: what cannot be, the states, the shares.

use super::run::{Measure, Metric, Scope};

/// What became of a cell's triggers.
pub struct Counts<'r> {
    /// Triggers fired.
    pub fired: u64,
    /// First deliveries within the timeout, by logical CPU.
    pub landed: &'r [u64],
    /// Not taken within the timeout.
    pub lost: u64,
    /// Of these, taken later.
    pub late: u64,
    /// Taken again.
    pub duplicate: u64,
    /// IRQ exceptions without an event of the line.
    pub spurious: u64,
}

impl Counts<'_> {
    /// What a damaged or hand-made file could get wrong in a way that the comparison would take for an answer, for a target of so
    /// many `cpus`.
    pub fn check(&self, cpus: usize) -> Result<(), String> {
        entries("landed", self.landed.len(), cpus)?;
        // In 128 bits: the numbers of a file may be anything.
        let landed: u128 = self.landed.iter().map(|n| u128::from(*n)).sum();
        if landed + u128::from(self.lost) > u128::from(self.fired) {
            let (lost, fired) = (self.lost, self.fired);
            return Err(format!(
                "landed: {landed} landed and {lost} lost of {fired} fired"
            ));
        }
        if self.late > self.lost {
            return Err(format!("late: {} of {} lost", self.late, self.lost));
        }
        Ok(())
    }

    /// What triggers did.
    pub fn states(&self) -> Vec<(String, u64)> {
        let mut states = by_cpu("lands on CPU", self.landed);
        states.push(("lost".to_owned(), self.lost.saturating_sub(self.late)));
        states.push(("late".to_owned(), self.late));
        states.push(("duplicate".to_owned(), self.duplicate));
        states
    }

    /// Shares of the triggers; `by_cpu` is where those that landed on each CPU are judged.
    pub fn metrics(&self, by_cpu: Scope) -> Vec<Metric> {
        let delivered = self
            .landed
            .iter()
            .fold(0u64, |sum, n| sum.saturating_add(*n));
        let mut metrics = vec![
            each("delivered", Scope::Cell, delivered, self.fired),
            each("miss_rate", Scope::Whole, self.lost, self.fired),
            each("duplicates", Scope::Whole, self.duplicate, self.fired),
            each("spurious", Scope::Whole, self.spurious, self.fired),
        ];
        for (cpu, n) in self.landed.iter().enumerate() {
            metrics.push(each(&format!("landed_{cpu}"), by_cpu, *n, self.fired));
        }
        metrics
    }
}

/// An array by logical CPU has an entry for each of them.
pub fn entries(name: &str, found: usize, cpus: usize) -> Result<(), String> {
    if found == cpus {
        Ok(())
    } else {
        Err(format!("{name}: {found} entries for {cpus} CPUs"))
    }
}

/// States of counts by logical CPU: "lands on CPU 3".
pub fn by_cpu(what: &str, counts: &[u64]) -> Vec<(String, u64)> {
    let states = counts.iter().enumerate();
    states
        .map(|(cpu, n)| (format!("{what} {cpu}"), *n))
        .collect()
}

/// How many of `of` triggers did something; of what one trigger can bring several times, how often for each.
pub fn each(name: &str, scope: Scope, count: u64, of: u64) -> Metric {
    let measure = if count <= of {
        Measure::Share { count, of }
    } else {
        Measure::Value {
            value: count as f64 / of.max(1) as f64,
            resolution: 0.0,
        }
    };
    Metric {
        name: name.to_owned(),
        basis: String::new(),
        scope,
        measure,
    }
}
