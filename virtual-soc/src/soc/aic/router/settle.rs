//! Where every offer is: with the CPU that the policy wants, as far as masks let it.

use super::{Offer, Ps, Router};
use crate::model::{Class, Offered, OnMasked, TakesEffect};

impl Router {
    /// Bring every offer to the CPU that the policy wants now.
    pub(super) fn settle(&mut self, now: Ps) {
        for at in 0..self.offers.len() {
            if self.offers[at].ready > now {
                continue;
            }
            let mut wanted = self.place(at, now);
            if wanted.is_none()
                && self.policy.takes_effect == TakesEffect::NextIrq
                && self.act(u64::MAX)
            {
                wanted = self.place(at, now);
            }
            if wanted.is_none() && self.departures.as_ref().is_some_and(|d| d.drops_unwanted) {
                self.offers[at].lost = true;
            }
            let hidden = |c: &usize| self.hides_from_masked && self.masked >> c & 1 == 1;
            let cpu = wanted.filter(|c| !hidden(c));
            let low = cpu.filter(|&c| {
                let field = self.receivers[c].acting & 3;
                self.policy.el1_misbehaves && field == 0 && self.at_el1 >> c & 1 == 1
            });
            let offer = &mut self.offers[at];
            let masked = cpu.is_some_and(|c| self.masked >> c & 1 == 1);
            if !masked {
                offer.refused_since = None;
            } else if cpu != offer.cpu || offer.refused_since.is_none() {
                offer.refused_since = Some(now);
            }
            offer.cpu = cpu;
            offer.below |= low.is_some() && cpu == low;
        }
        if self.departures.is_some() {
            self.offers.retain(|o| !o.lost);
        }
        self.refresh_lines();
    }

    fn place(&mut self, at: usize, now: Ps) -> Option<usize> {
        let Offer {
            cpu,
            refused_since,
            bound,
            prefers_nobody,
            ..
        } = self.offers[at];
        let runs = |c: usize| self.alive >> c & 1 == 1;
        if let Some(to) = bound.filter(|&c| runs(c)) {
            return Some(to);
        }
        let moves = self.policy.on_masked == OnMasked::Move;
        let patience = self.patience;
        let keeps = |c: usize| {
            let stays = self.policy.offered == Offered::Stays || self.class(c) != Class::Never;
            runs(c) && stays
        };
        match cpu.filter(|&c| keeps(c)) {
            Some(current) => {
                let since = refused_since.filter(|_| self.masked >> current & 1 == 1);
                let refused = |patience| since.is_some_and(|since| now >= since + patience);
                if moves && refused(patience) {
                    let open = self.acceptors(self.asked(now) & !self.masked, prefers_nobody);
                    if let Some(next) = self.choose(open) {
                        self.moved(at, current);
                        return Some(next);
                    }
                }
                if self.sole_patience().is_some_and(refused)
                    && let Some(next) = self.choose(self.alive & !self.masked)
                {
                    self.offers[at].bound = Some(next);
                    return Some(next);
                }
                Some(current)
            }
            None => {
                let asked = self.asked(now);
                let open = if moves && patience == 0 {
                    self.acceptors(asked & !self.masked, prefers_nobody)
                } else {
                    0
                };
                let set = if open != 0 {
                    open
                } else {
                    self.acceptors(asked, prefers_nobody)
                };
                self.choose(set)
            }
        }
    }

    pub(super) fn refresh_lines(&mut self) {
        let lines = self
            .offers
            .iter()
            .filter_map(|o| o.cpu)
            .fold(self.ghosts, |lines, c| lines | 1 << c);
        self.irq_lines = self.exchange(lines);
    }
}
