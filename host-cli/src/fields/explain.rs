//! Whether a rule explains a cell.

use super::rule::{Choice, Cpu, Masked, Rule, Sample, Writes};

/// Rank of a value that never gets an interrupt.
const NEVER: u8 = u8::MAX;

/// From so many triggers on, a choice at random that names one CPU every time is no choice at random: with two CPUs that has a
/// chance of one in 2^15.
const MANY: u64 = 16;

/// CPUs, one bit by logical id.
type Set = u32;

/// What a cell counted, without triggers that were explained already.
#[derive(Clone, Copy)]
struct Left<'s> {
    landed: &'s [u64],
    /// A CPU with one landing less.
    without: Option<usize>,
    fired: u64,
    lost: u64,
    /// The CPU that got the one before.
    last: Option<usize>,
}

impl Left<'_> {
    fn landed(&self, cpu: usize) -> u64 {
        let all = self.landed.get(cpu).copied().unwrap_or(0);
        all.saturating_sub(u64::from(self.without == Some(cpu)))
    }
}

impl Rule {
    /// Rank of a value of the field; `None` = never receives.
    #[must_use]
    pub fn rank_of(&self, field: u8) -> Option<u8> {
        self.rank.get(usize::from(field)).copied().flatten()
    }

    /// CPUs that an interrupt can land on with these fields, one bit by logical id, while `masked` masks it for long.
    #[must_use]
    pub fn receivers(&self, fields: &[u8], masked: Option<u8>) -> u32 {
        let all = self.best(fields, None);
        match (self.masked, masked) {
            (Masked::Moves, Some(cpu)) => match self.best(fields, Some(cpu)) {
                // The masked CPU counts only if it is alone.
                0 => all,
                others => others,
            },
            _ => all,
        }
    }

    /// CPUs of the best class, without `not`.
    fn best(&self, fields: &[u8], not: Option<u8>) -> Set {
        let (mut best, mut set) = (NEVER, 0);
        for (cpu, field) in (0u8..).zip(fields.iter().take(protocol::MAX_CPUS)) {
            let rank = self.rank_of(*field).unwrap_or(NEVER);
            if Some(cpu) == not || rank == NEVER {
                continue;
            }
            if rank < best {
                (best, set) = (rank, 0);
            }
            if rank == best {
                set |= 1 << cpu;
            }
        }
        set
    }

    /// Whether the sample is what the rule says; `before` is the one measured before it.
    pub(super) fn explains(
        &self,
        sample: &Sample<'_>,
        before: Option<&Sample<'_>>,
        cpus: &[Cpu],
    ) -> bool {
        let now = self.receivers(sample.fields, sample.masked);
        let last = before.and_then(|s| most(s.landed));
        let whole = Left {
            landed: sample.landed,
            without: None,
            fired: sample.fired,
            lost: sample.lost,
            last,
        };
        if self.writes == Writes::Prompt {
            return self.fits(now, whole, cpus);
        }
        // Where nobody accepted, the controller has looked for somebody since.
        let Some(before) = before else { return true };
        let then = self.receivers(before.fields, sample.masked);
        if then == 0 || then == now {
            return self.fits(now, whole, cpus);
        }
        let first = |cpu: usize| {
            then >> cpu & 1 == 1
                && whole.landed(cpu) > 0
                && self.one_of(then, last, cpus).is_none_or(|only| only == cpu)
                && self.fits(
                    now,
                    Left {
                        without: Some(cpu),
                        fired: sample.fired - 1,
                        last: Some(cpu),
                        ..whole
                    },
                    cpus,
                )
        };
        sample.fired > 0 && (0..sample.landed.len()).any(first)
    }

    /// Whether the landings are those of a choice among these CPUs.
    fn fits(&self, set: Set, left: Left<'_>, cpus: &[Cpu]) -> bool {
        if set == 0 {
            return left.lost == left.fired;
        }
        let members = || (0..cpus.len()).filter(|cpu| set >> cpu & 1 == 1);
        let inside: u64 = members().map(|cpu| left.landed(cpu)).sum();
        if left.lost != 0 || inside != left.fired {
            return false;
        }
        match self.choice {
            Choice::RoundRobin => {
                let (least, most) = members().fold((u64::MAX, 0), |(least, most), cpu| {
                    (least.min(left.landed(cpu)), most.max(left.landed(cpu)))
                });
                most - least <= 1
            }
            Choice::Any => {
                let several = members().filter(|cpu| left.landed(*cpu) > 0).count() > 1;
                several || members().count() == 1 || left.fired < MANY
            }
            _ => match self.one_of(set, left.last, cpus) {
                Some(cpu) => left.landed(cpu) == left.fired,
                None => members().any(|cpu| left.landed(cpu) == left.fired),
            },
        }
    }

    /// The one CPU of these that gets an interrupt, where the rule names one; `last` got the one before.
    pub(super) fn one_of(&self, set: u32, last: Option<usize>, cpus: &[Cpu]) -> Option<usize> {
        let mut members = (0..cpus.len()).filter(|cpu| set >> cpu & 1 == 1);
        match self.choice {
            Choice::LowestId => members.next(),
            Choice::LowestMpidr => members.min_by_key(|cpu| cpus[*cpu].mpidr),
            Choice::HighestId => members.next_back(),
            Choice::PCoresFirst => members.min_by_key(|cpu| (!cpus[*cpu].p_core, *cpu)),
            Choice::Sticky => last.filter(|cpu| set >> cpu & 1 == 1),
            Choice::RoundRobin | Choice::Any => None,
        }
    }
}

/// The CPU that got most.
fn most(landed: &[u64]) -> Option<usize> {
    let all = landed.iter().enumerate().filter(|(_, n)| **n > 0);
    all.max_by_key(|(_, n)| **n).map(|(cpu, _)| cpu)
}
