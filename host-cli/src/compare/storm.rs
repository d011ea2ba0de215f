//! A result of `storm` as a run: a cell is a kind of storm among a set of CPUs.

use clap::ValueEnum;

use crate::storm::{Row, Spread, StormReport};

use super::cells::{Cells, list};
use super::clock::{Clock, value};
use super::counts::each;
use super::run::{Comparable, Key, Metric, Run, Scope};

impl Comparable for StormReport {
    const SCHEMA: &'static str = Self::SCHEMA;

    fn to_run(&self, origin: &str) -> Result<Run, String> {
        let clock = Clock::from(self.head.counter);
        let mut cells = Cells::default();
        for (i, row) in self.rows.iter().enumerate() {
            check(row).map_err(|what| format!("rows[{i}].{what}"))?;
            let key = Key::default()
                .with("n", row.cpus.len())
                .with("cpus", list(&row.cpus))
                .with("pattern", name(&row.pattern))
                .with("via", name(&row.via))
                .with("pace", name(&row.pace))
                .with("accounting", name(&row.accounting));
            let states = [
                ("received", row.received),
                // Where one can have merged nobody can tell that it was not lost.
                ("merged or lost", row.merged),
                ("lost", row.lost),
                ("taken by a CPU that it was not sent to", row.strayed),
            ];
            let states = states.map(|(what, n)| (what.to_owned(), n)).into();
            let conditions = [
                ("us", self.us.to_string()),
                ("storms in a run", row.runs.to_string()),
                ("note", row.note.clone()),
            ];
            // Without a storm that came to counts there is nothing sent either.
            let metrics = metrics(row, self.us, clock);
            cells.add(key, row.sent, states, metrics, &conditions);
        }
        Ok(cells.run(Self::SCHEMA, &self.head, origin))
    }
}

fn check(row: &Row) -> Result<(), String> {
    let sum = [row.received, row.merged, row.lost];
    let sum: u128 = sum.into_iter().map(u128::from).sum();
    if sum > u128::from(row.sent) {
        let Row {
            sent,
            received,
            merged,
            lost,
            ..
        } = row;
        return Err(format!(
            "received: {received} received, {merged} merged and {lost} lost of {sent} sent"
        ));
    }
    for (name, rate) in [("m_sent", row.m_sent), ("m_received", row.m_received)] {
        let Spread { mean, min, max } = rate;
        if min < 0.0 || mean < min || max < mean {
            return Err(format!("{name}: min {min}, mean {mean}, max {max}"));
        }
    }
    Ok(())
}

fn metrics(row: &Row, us: u32, clock: Clock) -> Vec<Metric> {
    let us = f64::from(us.max(1));
    let rate = |name: &str, rate: Spread| {
        // An IPI more or less, and the length of a storm to a step of the counter.
        let resolution = (1.0 + rate.mean * clock.step_ns() / 1e3) / us;
        value(name, "", Scope::Both, rate.mean, resolution)
    };
    vec![
        rate("m_sent_per_s", row.m_sent),
        rate("m_received_per_s", row.m_received),
        each("received", Scope::Both, row.received, row.sent),
        each("lost", Scope::Both, row.lost, row.sent),
        each("strayed", Scope::Both, row.strayed, row.sent),
        each("missed", Scope::Both, row.missed, row.sent),
    ]
}

/// As on the command line and in JSON.
fn name(value: &impl ValueEnum) -> String {
    let known = value.to_possible_value();
    known.map_or_else(String::new, |v| v.get_name().to_owned())
}
