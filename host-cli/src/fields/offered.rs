//! What becomes of an interrupt that waits at a CPU when that CPU's field changes.
//!
//! Every CPU masks interrupts, so that none is taken and none moves for being refused. ISR_EL1 shows at whom the interrupt waits;
//! then that CPU's field becomes worse, or one that never accepts, while another CPU still accepts; ISR_EL1 shows it again.

use protocol::command::{Action, Step};

use super::Seen;
use super::bench::{Bench, Counts, Tally, landed};
use super::further::Offered;
use super::rule::Writes;

/// How often each is tried, per CPU.
const TIMES: usize = 2;
/// Length of the windows, in microseconds.
const WINDOW_US: u32 = 200;
/// When the steps come, in microseconds after the trigger.
const AT_US: [u32; 4] = [40, 80, 120, 150];

struct Trial {
    cell: u32,
    cpu: usize,
    /// The new value never accepts; else it is only worse.
    never: bool,
}

/// The cells.
pub struct Waiting(Vec<Trial>);

impl Waiting {
    /// Puts them into a plan, for each CPU in turn. Where a write acts only with a further interrupt there is nothing to be seen.
    pub fn plan(bench: &mut Bench<'_>) -> Self {
        let mut trials = Self(Vec::new());
        let accepting = bench.accepting();
        if bench.rule.writes == Writes::Late || bench.count() < 2 {
            return trials;
        }
        let Some(best) = accepting.first().copied() else {
            return trials;
        };
        // The other CPU is second best if the values go so far; else as good, and gets it now and then instead.
        let second = accepting.get(1).copied();
        let worst = match accepting[..] {
            [_, second, .., worst] => Some((second, worst)),
            [_, worst] => Some((best, worst)),
            _ => None,
        };
        for cpu in bench.ids() {
            let cpu = usize::from(*cpu);
            for _ in 0..TIMES {
                if let Some(never) = bench.never() {
                    let other = second.unwrap_or(best);
                    trials.add(bench, cpu, [best, other, never], true);
                }
                if let Some((other, worse)) = worst {
                    trials.add(bench, cpu, [best, other, worse], false);
                }
            }
        }
        trials
    }

    /// `cpu` goes from its value to `to`; the one behind it has `other`.
    fn add(&mut self, bench: &mut Bench<'_>, cpu: usize, [from, other, to]: [u8; 3], never: bool) {
        let behind = bench.present.behind(cpu, 1);
        let rest = bench.never().unwrap_or(to);
        let mut cell = bench.cell(0, bench.fields(&[(cpu, from), (behind, other)], rest));
        cell.masked = bench.all_masked(WINDOW_US);
        let steps = [
            (cpu, Action::Sample),
            (cpu, Action::SetField(to)),
            (cpu, Action::Sample),
            (behind, Action::Sample),
        ];
        for (at_us, (cpu, action)) in AT_US.into_iter().zip(steps) {
            let cpu = cpu as u8;
            // There is room for eight.
            let _ = cell.special.steps.push(Step { at_us, cpu, action });
        }
        let cell = bench.add(cell);
        self.0.push(Trial { cell, cpu, never });
    }

    /// What becomes of it, as far as that can be told, and the claims.
    pub fn judge(&self, counts: &Counts<'_>) -> (Offered, Vec<Seen>) {
        let (mut worse, mut never) = (Tally::default(), Tally::default());
        let mut taken = Tally::default();
        for trial in &self.0 {
            let Some(m) = counts.of(trial.cell) else {
                continue;
            };
            let [waits, set, stays, moves] =
                [0, 1, 2, 3].map(|step| m.hits.get(step).is_some_and(|n| *n > 0));
            // Only where it waited at this CPU, and then at one of the two.
            if !waits || !set || stays == moves {
                continue;
            }
            let tally = if trial.never { &mut never } else { &mut worse };
            tally.count(moves);
            taken.count((landed(m, trial.cpu) > 0) != moves);
        }
        let answer = |tally: Tally| match (tally.held, tally.against) {
            (1.., 0) => Some(true),
            (0, 1..) => Some(false),
            _ => None,
        };
        let offered = Offered {
            moves_when_worse: answer(worse),
            moves_when_never: answer(never),
        };
        let claims = [
            worse.claim("offered-moves-when-worse"),
            never.claim("offered-moves-when-never"),
            taken.claim("offered-taken-where-it-waits"),
        ];
        (offered, claims.into_iter().flatten().collect())
    }
}
