//! The counts of one kind of storm, and what must be true of them.

use protocol::message::StormResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::session::describe;

use super::plan::{Accounting, Pace, Shape, Target, Way};

/// A figure of several runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    /// Of some figures; all 0 of none.
    #[must_use]
    pub fn of(figures: &[f64]) -> Self {
        if figures.is_empty() {
            return Self::default();
        }
        Self {
            mean: figures.iter().sum::<f64>() / figures.len() as f64,
            min: figures.iter().copied().fold(f64::INFINITY, f64::min),
            max: figures.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// Counts of one CPU, all runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Logical CPU.
    pub cpu: u8,
    /// IPIs that it sent.
    pub sent: u64,
    /// IPIs sent to it.
    pub sent_to: u64,
    /// IPIs that it took.
    pub received: u64,
}

/// One kind of storm among one set of CPUs; counts are of all runs together, rates by target time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Logical CPUs that took part.
    pub cpus: Vec<u8>,
    /// Pattern.
    pub pattern: Target,
    /// Way.
    pub via: Way,
    /// Pace.
    pub pace: Pace,
    /// Accounting.
    pub accounting: Accounting,
    /// Runs that came to counts.
    pub runs: u32,
    /// IPIs sent.
    pub sent: u64,
    /// IPIs taken by whom they were sent to.
    pub received: u64,
    /// Million IPIs a second sent.
    pub m_sent: Spread,
    /// Million IPIs a second taken.
    pub m_received: Spread,
    /// The mean of `m_received` per CPU of the set.
    pub per_cpu: f64,
    /// `per_cpu` over that of the smallest set with the same pattern, way, pace and accounting; `null` where that one took none, lost
    /// any, waited in vain or was not measured.
    pub efficiency: Option<f64>,
    /// No request can have found another one pending: paced, with one sender a target. Only there a lost one can be told from one
    /// that merged.
    pub alone: bool,
    /// At most so many found one pending and went with it: requests that were not taken where they may have merged. One that was
    /// lost there is among them.
    pub merged: u64,
    /// `merged` over `sent`; `null` if nothing was sent.
    pub merged_share: Option<f64>,
    /// Requests that no pending one explains: each was alone, or none was taken at all.
    pub lost: u64,
    /// IPIs taken by CPUs that they were not sent to.
    pub strayed: u64,
    /// Waits for a target that ran out after 100 us; paced storms only.
    pub missed: u64,
    /// The word that all receivers share; `null` without one.
    pub counted: Option<u64>,
    /// Sending takes an exception: its ESR in the first run that it did; `null` where it does not.
    pub trapped: Option<String>,
    /// By CPU; those that neither sent nor were sent to nor took any are left out.
    pub by_cpu: Vec<Counts>,
    /// Why there are no counts, or what is strange about them.
    pub note: String,
}

/// What must be true of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The shared word holds what the receivers counted, each for itself.
    SharedCountEqualsReceived,
    /// Paced, with one sender a target: no request can merge, so that every one is taken.
    AloneIsTaken,
    /// Paced: a target counts within 100 us.
    TakenInTime,
    /// Nobody takes what was not sent to him.
    NobodyElseTakes,
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// Which.
    pub rule: Rule,
    /// Index of the row.
    pub row: usize,
    /// In words, with the counts.
    pub text: String,
}

impl Row {
    /// What it has in common with those of other sets: pattern, way, pace and accounting.
    #[must_use]
    pub fn kind(&self) -> String {
        format!(
            "{}, {}, {}, {}",
            self.pattern.name(),
            self.via.name(),
            self.pace.name(),
            self.accounting.name()
        )
    }

    /// The row of a shape. `results`: its runs; `hz`: of the counter; `runs_now`: whether a CPU was in the firmware.
    #[must_use]
    pub fn new(
        shape: &Shape,
        results: &[&StormResult],
        hz: u64,
        runs_now: impl Fn(u8) -> bool,
    ) -> Self {
        let cpus: Vec<u8> = shape
            .cpus
            .iter()
            .copied()
            .filter(|c| runs_now(*c))
            .collect();
        let mut row = Self {
            cpus,
            pattern: shape.pattern,
            via: shape.way,
            pace: shape.pace,
            accounting: shape.accounting,
            runs: 0,
            sent: 0,
            received: 0,
            m_sent: Spread::default(),
            m_received: Spread::default(),
            per_cpu: 0.0,
            efficiency: None,
            alone: shape.pace == Pace::Paced && shape.reaches() && shape.is_alone(shape.cpus.len()),
            merged: 0,
            merged_share: None,
            lost: 0,
            strayed: 0,
            missed: 0,
            counted: (shape.accounting == Accounting::Shared).then_some(0),
            trapped: None,
            by_cpu: Vec::new(),
            note: String::new(),
        };
        let mut by_cpu: Vec<Counts> = Vec::new();
        let (mut rates_sent, mut rates_received) = (Vec::new(), Vec::new());
        let mut missing = 0;
        for result in results {
            if let Some(refusal) = result.refusal {
                row.note = describe(refusal);
                continue;
            }
            if let Some(esr) = result.trapped {
                let esr = row.trapped.get_or_insert_with(|| format!("{esr:#x}"));
                row.note = format!("trapped: sending takes an exception, ESR {esr}");
                continue;
            }
            row.runs += 1;
            row.missed += u64::from(result.missed);
            if let Some(counted) = &mut row.counted {
                *counted += u64::from(result.counted);
            }
            let sent: u64 = result.sent.iter().map(|n| u64::from(*n)).sum();
            let mut received = 0;
            by_cpu.resize(by_cpu.len().max(result.received.len()), Counts::default());
            for (cpu, (at, taken)) in by_cpu.iter_mut().zip(&result.received).enumerate() {
                let of = |counts: &[u32]| u64::from(counts.get(cpu).copied().unwrap_or(0));
                let (sent_to, taken) = (of(&result.sent_to), u64::from(*taken));
                at.cpu = cpu as u8;
                at.sent += of(&result.sent);
                at.sent_to += sent_to;
                at.received += taken;
                received += taken.min(sent_to);
                missing += sent_to.saturating_sub(taken);
                row.strayed += taken.saturating_sub(sent_to);
            }
            row.sent += sent;
            row.received += received;
            // Million a second is one a microsecond.
            let us = result.elapsed as f64 * 1e6 / hz.max(1) as f64;
            if us > 0.0 {
                rates_sent.push(sent as f64 / us);
                rates_received.push(received as f64 / us);
            }
        }
        row.m_sent = Spread::of(&rates_sent);
        row.m_received = Spread::of(&rates_received);
        row.per_cpu = row.m_received.mean / row.cpus.len().max(1) as f64;
        // What cannot have found another one pending cannot have merged; nor can what reached nobody.
        // One that merges needs one that is taken.
        let none_came = row.received == 0 && row.sent > 0;
        if row.alone || none_came || !shape.reaches() {
            row.lost = missing;
        } else {
            row.merged = missing;
        }
        row.merged_share = (row.sent > 0).then(|| row.merged as f64 / row.sent as f64);
        by_cpu.retain(|c| c.sent + c.sent_to + c.received > 0);
        row.by_cpu = by_cpu;
        if row.runs > 0 && !shape.reaches() {
            row.note = row.elsewhere();
        }
        row
    }

    /// What became of local requests across clusters.
    fn elsewhere(&self) -> String {
        let strange: Vec<String> = self
            .by_cpu
            .iter()
            .filter(|c| c.received > c.sent_to)
            .map(|c| c.cpu.to_string())
            .collect();
        let whom = match (self.received + self.strayed, strange.is_empty()) {
            (0, _) => "it reached nobody".to_owned(),
            (_, true) => "it reached the namesake in the sender's cluster".to_owned(),
            (_, false) => format!(
                "it reached the namesake in the sender's cluster: CPU {}",
                strange.join(" and ")
            ),
        };
        format!("a local request names no cluster; {whom}")
    }

    /// Rules that the counts break.
    #[must_use]
    pub fn violations(&self, index: usize, shape: &Shape) -> Vec<Violation> {
        let mut found = Vec::new();
        let mut broken = |rule, text| {
            found.push(Violation {
                rule,
                row: index,
                text,
            });
        };
        let mine = self.by_cpu.iter().filter(|c| self.cpus.contains(&c.cpu));
        let taken: u64 = mine.map(|c| c.received).sum();
        if let Some(counted) = self.counted
            && counted != taken
        {
            let text = format!("the shared word counted {counted}, the receivers {taken}");
            broken(Rule::SharedCountEqualsReceived, text);
        }
        if !shape.reaches() {
            return found;
        }
        if self.lost > 0 {
            let (lost, sent) = (self.lost, self.sent);
            let text = format!(
                "{lost} of {sent} requests were not taken, and none of them can have merged: each was alone, or none was taken"
            );
            broken(Rule::AloneIsTaken, text);
        }
        if self.missed > 0 {
            let text = format!("{} waits for a target ran out after 100 us", self.missed);
            broken(Rule::TakenInTime, text);
        }
        if self.strayed > 0 {
            let text = format!(
                "{} were taken by CPUs that nobody had sent to",
                self.strayed
            );
            broken(Rule::NobodyElseTakes, text);
        }
        found
    }
}
