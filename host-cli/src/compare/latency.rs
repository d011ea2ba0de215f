//! A result of `latency` as a run: a cell is a pair of CPUs under a load.

use crate::latency::LatencyResult;

use super::cells::Cells;
use super::clock::Clock;
use super::counts::Counts;
use super::run::{Comparable, Key, Run, Scope};

impl Comparable for LatencyResult {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let clock = Clock::from(self.head.counter);
        let mut cells = Cells::default();
        let conditions = [
            ("line", format!("{}:{}", self.line.die, self.line.number)),
            ("triggers", self.triggers.to_string()),
            ("timeout_us", self.timeout_us.to_string()),
            ("gap_us", self.gap_us.to_string()),
        ];
        for (i, pair) in self.pairs.iter().enumerate() {
            let counts = Counts {
                fired: pair.fired,
                landed: &pair.landed,
                lost: pair.lost,
                late: pair.late,
                duplicate: pair.duplicate,
                spurious: pair.spurious,
            };
            counts
                .check(self.head.cpus.len())
                .map_err(|what| format!("pairs[{i}].{what}"))?;
            let key = Key::default()
                .with("load", pair.load.name())
                .with("fire_cpu", pair.fire_cpu)
                .with("land_cpu", pair.land_cpu);
            let mut metrics = counts.metrics(Scope::Cell);
            for (name, basis, of) in [
                ("entry", "sw_set", &pair.entry_ns),
                ("handler", "entry", &pair.handler_ns),
            ] {
                metrics.extend(clock.percentiles(name, basis, Scope::Both, of.as_ref()));
            }
            cells.add(key, pair.fired, counts.states(), metrics, &conditions);
        }
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}
