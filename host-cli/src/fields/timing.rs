//! When routing goes by what was written to SIQ_CFG.
//!
//! A CPU rewrites its own field right before it fires, with nothing in between, with an ISB, or with an ISB and one interrupt.
//! Where the interrupt lands tells which value routing went by. Before each write the firmware lets one interrupt come that is not
//! counted, so that the value before it acts by then, whenever writes act.

use protocol::command::{Between, Rewrite, Special};

use super::Seen;
use super::bench::{Bench, Counts, Tally, landed};
use super::further::WritesAct;
use super::rule::Writes;
use crate::session::Measured;

/// How often each is tried, per CPU.
const TIMES: usize = 4;
/// What stands between write and trigger, and the claim that a write acts by then.
const BETWEEN: [(Between, &str); 3] = [
    (Between::Nothing, "write-acts-at-once"),
    (Between::Isb, "write-acts-after-isb"),
    (Between::Interrupt, "write-acts-after-interrupt"),
];

/// How a landing is read.
#[derive(Clone, Copy)]
enum Reading {
    /// Landing on this CPU says that the write acted.
    On(usize),
    /// Landing elsewhere says so. A CPU that was told of an interrupt and found none was offered it by the old value.
    Not(usize),
    /// Nobody accepts by the new value: it is not taken.
    Lost,
}

struct Trial {
    cell: u32,
    between: usize,
    reading: Reading,
}

/// The cells.
pub struct Timing(Vec<Trial>);

impl Timing {
    /// Puts them into a plan. Fewer than two standings of values leave nothing to be seen.
    pub fn plan(bench: &mut Bench<'_>) -> Self {
        let mut trials = Self(Vec::new());
        let (standings, never) = (bench.standings(), bench.never());
        for cpu in bench
            .ids()
            .iter()
            .flat_map(|cpu| [usize::from(*cpu); TIMES])
        {
            match (&standings[..], never) {
                ([best, middle, .., worst], _) if bench.count() > 1 => {
                    trials.three(bench, cpu, [*best, *middle, *worst]);
                }
                ([only, _], Some(never)) => trials.alone(bench, cpu, *only, never),
                ([better, worse], None) if bench.count() > 1 => {
                    trials.tie(bench, cpu, *better, *worse);
                }
                _ => {}
            }
        }
        trials
    }

    /// `cpu` goes from the worst to the best and back, while the one behind it has a value between.
    fn three(&mut self, bench: &mut Bench<'_>, cpu: usize, [best, middle, worst]: [u8; 3]) {
        let other = bench.present.behind(cpu, 1);
        for (from, to, reading) in [
            (worst, best, Reading::On(cpu)),
            (best, worst, Reading::Not(cpu)),
        ] {
            let fields = bench.fields(&[(cpu, from), (other, middle)], worst);
            for between in 0..BETWEEN.len() {
                self.add(bench, cpu, &fields, to, between, reading);
            }
        }
    }

    /// The only CPU that accepts ceases to. An interrupt in between would never come where the write has acted.
    fn alone(&mut self, bench: &mut Bench<'_>, cpu: usize, from: u8, to: u8) {
        let fields = bench.fields(&[(cpu, from)], to);
        for between in 0..2 {
            self.add(bench, cpu, &fields, to, between, Reading::Lost);
        }
    }

    /// All have the worse of two values, and `cpu` goes to the better one. Which CPU it would be without that is seen to not be `cpu`
    /// as far as the rule's choice tells.
    fn tie(&mut self, bench: &mut Bench<'_>, cpu: usize, better: u8, worse: u8) {
        let count = bench.count();
        // In turn, the CPU behind it gets the interrupt that is not counted, and the next one the other.
        let before = (1..count)
            .map(|step| bench.present.behind(cpu, step))
            .find(|first| count == 2 || bench.present.behind(*first, 2) != cpu);
        let Some(before) = before else { return };
        let all = bench.present.set();
        if bench.rule.one_of(all, Some(before), bench.cpus) == Some(cpu) {
            return;
        }
        let fields = bench.fields(&[], worse);
        for between in 0..BETWEEN.len() {
            let first = bench.cell(cpu, bench.fields(&[(before, better)], worse));
            bench.add(first);
            self.add(bench, cpu, &fields, better, between, Reading::On(cpu));
        }
    }

    fn add(
        &mut self,
        bench: &mut Bench<'_>,
        cpu: usize,
        fields: &[Option<u8>],
        field: u8,
        between: usize,
        reading: Reading,
    ) {
        let mut cell = bench.cell(cpu, fields.to_vec());
        cell.special = Special {
            rewrite: Some(Rewrite {
                field,
                between: BETWEEN[between].0,
            }),
            ..Special::default()
        };
        let cell = bench.add(cell);
        self.0.push(Trial {
            cell,
            between,
            reading,
        });
    }

    /// When a write acts, if that can be told, and the claims. `writes` is what whole cells tell.
    pub fn judge(&self, counts: &Counts<'_>, writes: Writes) -> (Option<WritesAct>, Vec<Seen>) {
        let mut tallies = [Tally::default(); BETWEEN.len()];
        for trial in &self.0 {
            let new = counts
                .of(trial.cell)
                .and_then(|m| went_by_new(trial.reading, m));
            if let Some(new) = new {
                tallies[trial.between].count(new);
            }
        }
        let [nothing, isb, interrupt] = tallies;
        let late = interrupt.always() || writes == Writes::Late;
        let act = if nothing.always() {
            Some(WritesAct::AtOnce)
        } else if isb.always() && nothing.against > 0 {
            Some(WritesAct::AfterIsb)
        } else if isb.against > 0 && late {
            Some(WritesAct::AfterInterrupt)
        } else {
            None
        };
        let claims = tallies.iter().zip(BETWEEN);
        let claims = claims.filter_map(|(tally, (_, id))| tally.claim(id));
        (act, claims.collect())
    }
}

/// Whether routing went by the new value; `None` if the landing says neither.
fn went_by_new(reading: Reading, m: &Measured) -> Option<bool> {
    if m.fired == 0 {
        return None;
    }
    match reading {
        Reading::On(cpu) if m.lost == 0 => Some(landed(m, cpu) == m.fired),
        Reading::Not(cpu) if m.lost == 0 => Some(landed(m, cpu) == 0 && m.spurious == 0),
        Reading::On(_) | Reading::Not(_) => None,
        Reading::Lost => Some(m.lost == m.fired && m.spurious == 0),
    }
}
