//! The bar on a terminal, by whatever the plan ends: triggers, questions, or the target's time.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::live::clock;
use crate::plan::{Plan, PlannedCell};
use crate::session::{Event, Measured};
use crate::stats::ticks_to_ns;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Triggers,
    Questions,
    /// Milliseconds of the target's time.
    Time,
}

/// The bar.
pub struct Bar {
    bar: ProgressBar,
    of: Of,
    /// Triggers of the cells that are over.
    done: u64,
    fired: u64,
    ticks: u64,
    hz: u64,
}

impl Bar {
    /// For a run of `plan`.
    pub fn new(plan: &Plan) -> Self {
        let triggers = plan.cells.iter().map(|c| u64::from(c.triggers)).sum();
        let (of, length, template) = match plan.until.duration_us {
            Some(us) => (Of::Time, us / 1000, "{bar:24} {clocks}  {msg}"),
            None if plan.cells.is_empty() => (
                Of::Questions,
                plan.questions.len() as u64,
                "{bar:24} {pos}/{len} questions, {eta} left  {msg}",
            ),
            None => (
                Of::Triggers,
                triggers,
                "{bar:24} {pos}/{len} triggers, {rate}, {eta} left  {msg}",
            ),
        };
        let style = ProgressStyle::with_template(template)
            .map(|s| s.with_key("rate", rate).with_key("clocks", clocks));
        let bar = ProgressBar::new(length);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self {
            bar,
            of,
            done: 0,
            fired: 0,
            ticks: 0,
            hz: 0,
        }
    }

    /// As it is shown.
    pub const fn shown(&self) -> &ProgressBar {
        &self.bar
    }

    /// Takes it away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Something happened.
    pub fn on(&mut self, event: &Event<'_>) {
        match event {
            Event::Started { counter_hz, .. } => self.hz = *counter_hz,
            Event::Part { counts, .. } if self.of == Of::Time => {
                self.ticks += counts.elapsed;
                self.fired += counts.fired;
                self.bar
                    .set_position(ticks_to_ns(self.ticks, self.hz) / 1_000_000);
                self.bar.set_message(format!("{} triggers", self.fired));
            }
            Event::Progress { cell, of, so_far } => self.counts(cell, *of, so_far, false),
            Event::Done { cell, of, counts } => self.counts(cell, *of, counts, true),
            Event::Answered { at, .. } if self.of == Of::Questions => {
                self.bar.set_position(*at as u64 + 1);
            }
            _ => {}
        }
    }

    fn counts(&mut self, cell: &PlannedCell, of: usize, counts: &Measured, over: bool) {
        if self.of != Of::Triggers {
            return;
        }
        self.bar.set_position(self.done + counts.fired);
        self.bar.set_message(describe(cell, of, counts));
        if over {
            self.done += u64::from(cell.triggers);
        }
    }
}

fn rate(state: &ProgressState, out: &mut dyn Write) {
    // The bar is drawn without it if this fails.
    let _ = write!(out, "{:.0}/s", state.per_sec());
}

fn clocks(state: &ProgressState, out: &mut dyn Write) {
    let (over, of) = (state.pos(), state.len().unwrap_or(0));
    let ms = |n| clock(Duration::from_millis(n));
    let left = of.saturating_sub(over);
    // As above.
    let _ = write!(
        out,
        "{} of {} target time, {} left",
        ms(over.min(of)),
        ms(of),
        ms(left)
    );
}

/// A cell in a line.
pub fn describe(cell: &PlannedCell, of: usize, m: &Measured) -> String {
    let landed: Vec<String> = m
        .landed
        .iter()
        .enumerate()
        .filter(|(_, n)| **n > 0)
        .map(|(cpu, n)| format!("CPU {cpu}: {n}"))
        .collect();
    let landed = if landed.is_empty() {
        "nowhere".to_owned()
    } else {
        landed.join(", ")
    };
    format!(
        "cell {}/{of}: {} of {} fired from CPU {}, landed on {landed}, lost {}",
        cell.id + 1,
        m.fired,
        cell.triggers,
        cell.fire_cpu,
        m.lost
    )
}
