//! Which CPU the policy wants: class by routing field, then the choice within the best class.

use super::Router;
use crate::model::{Choice, Class, Offered};

impl Router {
    pub(super) fn class(&self, cpu: usize) -> Class {
        if self.policy.honoured {
            self.policy.classes[(self.receivers[cpu].acting & 3) as usize]
        } else {
            Class::Normal
        }
    }

    /// Routing takes up what these CPUs have written; whether that is news to it. Where offers follow the fields, those at a CPU that is
    /// no longer one of the best wait for a new choice.
    pub(super) fn act(&mut self, cpus: u64) -> bool {
        let mut news = false;
        for (cpu, receiver) in self.receivers.iter_mut().enumerate() {
            if cpus >> cpu & 1 == 1 && receiver.acting != receiver.siq_cfg {
                receiver.acting = receiver.siq_cfg;
                news = true;
            }
        }
        if news && self.policy.offered == Offered::Follows {
            let best = self.acceptors(self.alive, false);
            for offer in &mut self.offers {
                if offer.cpu.is_some_and(|cpu| best >> cpu & 1 == 0) {
                    (offer.cpu, offer.refused_since) = (None, None);
                }
            }
        }
        news
    }

    /// CPUs of `among` in the best class that has any; with `prefers_nobody` "preferred" counts as "normal".
    pub(super) fn acceptors(&self, among: u64, prefers_nobody: bool) -> u64 {
        let mut best = (Class::Never, 0u64);
        for cpu in (0..self.receivers.len()).filter(|c| among >> c & 1 == 1) {
            let class = match self.class(cpu) {
                Class::Preferred if prefers_nobody => Class::Normal,
                class => class,
            };
            if class < best.0 {
                best = (class, 0);
            }
            if class == best.0 && class != Class::Never {
                best.1 |= 1 << cpu;
            }
        }
        best.1
    }

    pub(super) fn choose(&mut self, set: u64) -> Option<usize> {
        if set == 0 {
            return None;
        }
        let count = self.receivers.len();
        let ids = (0..count).filter(|c| set >> c & 1 == 1);
        match self.policy.choice {
            Choice::LowestId => ids.min(),
            Choice::LowestMpidr => ids.min_by_key(|&c| self.receivers[c].mpidr),
            Choice::PCoresFirst => ids.min_by_key(|&c| (!self.receivers[c].performance, c)),
            Choice::Sticky => match self.last {
                Some(last) if set >> last & 1 == 1 => Some(last),
                _ => ids.min(),
            },
            Choice::RoundRobin => {
                let first = self.last.map_or(0, |l| l + 1);
                (0..count)
                    .map(|i| (first + i) % count)
                    .find(|c| set >> c & 1 == 1)
            }
            Choice::Random => {
                let skip = self.rng.below(u64::from(set.count_ones())) as usize;
                ids.into_iter().nth(skip)
            }
        }
    }
}
