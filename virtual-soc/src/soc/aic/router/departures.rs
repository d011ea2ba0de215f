//! Departures from the rules of routing: what machines of `models/odd` do wrong on purpose (`[defect]` of the model file, which says what
//! each of them means). A router that keeps the rules has none of this.

use super::{DUPLICATE_GAP, Offer, Ps, Receiver, Router};
use crate::model::{Class, DefectModel, FirerTakes, SocModel, StrayLines};

const PS_PER_MS: Ps = 1_000_000_000;
const PS_PER_US: Ps = 1_000_000;

/// What a router does wrong, and what it has to remember for that.
#[derive(Debug, Clone)]
pub(super) struct Departures {
    late_every: u64,
    late_by: Ps,
    pub(super) stray_every: u64,
    stray_lines: Vec<(StrayLines, usize)>,
    pub(super) firer_takes: Option<FirerTakes>,
    boot_prefers_nobody: bool,
    /// How long an interrupt waits for CPUs that all mask it; none = for ever.
    pub(super) sole_patience: Option<Ps>,
    restores_late: Ps,
    pub(super) drops_unwanted: bool,
    lose_move_every: u64,
    stray_event_every: u64,
    drift_every: u64,
    /// SIQ_CFG as found.
    found: Vec<u64>,
    /// CPUs that something moved away from and that still mask.
    deserted: u64,
    /// Until when a CPU is not asked again.
    asked_from: Vec<Ps>,
    moves: u64,
    events: u64,
    nr_irq: u32,
}

impl Departures {
    /// `order` gives the model's CPUs by logical id. `None` if the model keeps the rules.
    pub(super) fn new(
        model: &SocModel,
        order: &[usize],
        receivers: &[Receiver],
    ) -> Option<Box<Self>> {
        let defect = &model.defect;
        if !departs(defect) {
            return None;
        }
        let logical = |id: u32| order.iter().position(|&i| model.cpu[i].adt_id == id);
        let ms = |ms: u64| ms * PS_PER_MS;
        Some(Box::new(Self {
            late_every: defect.late_every,
            late_by: defect.late_us * PS_PER_US,
            stray_every: defect.stray_every,
            stray_lines: defect
                .stray_lines
                .iter()
                .filter_map(|lines| Some((*lines, logical(lines.cpu)?)))
                .collect(),
            firer_takes: defect.firer_takes,
            boot_prefers_nobody: defect.boot_prefers_nobody,
            sole_patience: (defect.sole_moves_after_ms != 0)
                .then_some(ms(defect.sole_moves_after_ms)),
            restores_late: ms(defect.restores_late_ms),
            drops_unwanted: defect.drops_unwanted,
            lose_move_every: defect.lose_move_every,
            stray_event_every: defect.stray_event_every,
            drift_every: defect.siq_drift_every,
            found: receivers.iter().map(|r| r.siq_cfg).collect(),
            deserted: 0,
            asked_from: vec![0; receivers.len()],
            moves: 0,
            events: 0,
            nr_irq: model.aic.nr_irq,
        }))
    }

    /// How much later than others the n-th line comes.
    pub(super) const fn lateness(&self, raised: u64) -> Ps {
        if is_nth(raised, self.late_every) {
            self.late_by
        } else {
            0
        }
    }

    /// Who gets a line whatever the fields say, by its number.
    pub(super) fn stray(&self, key: u32) -> Option<usize> {
        let (die, number) = (key >> 16, key & 0xffff);
        let goes = |lines: &StrayLines| {
            lines.die.is_none_or(|only| only == die) && number % lines.every == lines.rest
        };
        let found = self.stray_lines.iter().find(|(lines, _)| goes(lines));
        found.map(|(_, cpu)| *cpu)
    }

    /// "Preferred" counts as "normal" for a line that this CPU set.
    pub(super) fn prefers_nobody(&self, by: Option<usize>) -> bool {
        self.boot_prefers_nobody && by == Some(0)
    }

    /// CPUs that are not asked yet.
    pub(super) fn unasked(&self, now: Ps) -> u64 {
        if self.restores_late == 0 {
            return 0;
        }
        let late = self.asked_from.iter().enumerate();
        late.filter(|(_, from)| **from > now)
            .fold(0, |set, (cpu, _)| set | 1 << cpu)
    }

    /// Interrupts have been masked, and are.
    pub(super) fn masks(&mut self, before: u64, after: u64, now: Ps) {
        if self.restores_late == 0 {
            return;
        }
        for (cpu, from) in self.asked_from.iter_mut().enumerate() {
            let unmasked = before & !after & 1 << cpu != 0;
            if unmasked && (self.deserted >> cpu & 1 == 1 || *from > now) {
                self.deserted &= !(1 << cpu);
                *from = now + self.restores_late;
            }
        }
    }

    /// An interrupt moves away from a CPU that masks it; true if it is lost on the way.
    pub(super) const fn moves(&mut self, from: usize) -> bool {
        self.deserted |= 1 << from;
        self.moves += 1;
        is_nth(self.moves, self.lose_move_every)
    }

    /// EVENT takes a line: what else comes, and whether the registers become what they were found with.
    pub(super) fn event(&mut self, key: u32) -> (Option<u32>, bool) {
        self.events += 1;
        let other = key ^ 1;
        let stray = is_nth(self.events, self.stray_event_every) && other & 0xffff < self.nr_irq;
        let drift = is_nth(self.events, self.drift_every);
        (stray.then_some(other), drift)
    }

    /// SIQ_CFG of a CPU as found.
    pub(super) fn found(&self, cpu: usize) -> u64 {
        self.found[cpu]
    }
}

const fn is_nth(count: u64, every: u64) -> bool {
    every != 0 && count.is_multiple_of(every)
}

/// The model departs from the rules in a way that lives here.
const fn departs(defect: &DefectModel) -> bool {
    defect.late_every != 0
        || defect.stray_every != 0
        || !defect.stray_lines.is_empty()
        || defect.firer_takes.is_some()
        || defect.boot_prefers_nobody
        || defect.sole_moves_after_ms != 0
        || defect.restores_late_ms != 0
        || defect.drops_unwanted
        || defect.lose_move_every != 0
        || defect.stray_event_every != 0
        || defect.siq_drift_every != 0
}

impl Router {
    /// What is wrong with a line that became deliverable, from the start.
    pub(super) fn depart(&mut self, offer: &mut Offer, by: Option<usize>) {
        let Some(departures) = &self.departures else {
            return;
        };
        offer.ready += departures.lateness(self.raised);
        offer.prefers_nobody = departures.prefers_nobody(by);
        let firer = by.filter(|&cpu| match departures.firer_takes {
            None => false,
            Some(how) => {
                self.receivers[cpu].cluster() != self.receivers[0].cluster()
                    && (how == FirerTakes::Always || self.class(cpu) != Class::Never)
            }
        });
        offer.bound = departures.stray(offer.key).or(firer);
        if is_nth(self.raised, departures.stray_every) {
            let never = (0..self.receivers.len())
                .filter(|&cpu| self.alive >> cpu & 1 == 1 && self.class(cpu) == Class::Never)
                .collect::<Vec<_>>();
            let any = self.rng.below(never.len() as u64) as usize;
            offer.bound = never.get(any).copied().or(offer.bound);
        }
    }

    /// EVENT took a line that was deliverable.
    pub(super) fn after_event(&mut self, key: u32, now: Ps) {
        let Some(departures) = &mut self.departures else {
            return;
        };
        let (stray, drift) = departures.event(key);
        if drift {
            for (cpu, receiver) in self.receivers.iter_mut().enumerate() {
                receiver.siq_cfg = departures.found(cpu);
                receiver.acting = receiver.siq_cfg;
            }
        }
        if let Some(other) = stray {
            self.insert(Offer {
                forced: true,
                ..Offer::new(other, now + DUPLICATE_GAP)
            });
        }
    }

    /// An interrupt moves away from a CPU that masks it.
    pub(super) fn moved(&mut self, at: usize, from: usize) {
        if let Some(departures) = &mut self.departures {
            self.offers[at].lost |= departures.moves(from);
        }
    }

    /// CPUs that are asked whether they take an interrupt: all that run, unless some that unmasked are asked later.
    pub(super) fn asked(&self, now: Ps) -> u64 {
        let Some(departures) = &self.departures else {
            return self.alive;
        };
        let asked = self.alive & !departures.unasked(now);
        if self.acceptors(asked, false) == 0 {
            self.alive
        } else {
            asked
        }
    }

    /// See [`Departures::sole_patience`].
    pub(super) fn sole_patience(&self) -> Option<Ps> {
        self.departures.as_ref().and_then(|d| d.sole_patience)
    }
}
