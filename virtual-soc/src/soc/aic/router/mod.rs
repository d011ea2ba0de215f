//! Routing policy: which CPU a deliverable line is offered to.
//!
//! What is known of the hardware is little: every CPU says in a field of its own SIQ_CFG whether it takes interrupts
//! (silicon), a sole acceptor keeps an interrupt while it masks it, a fallback gets it meanwhile (silicon, T8140), and the controller
//! asks cores, which can refuse while masked (third party: a remark in XNU). Everything beyond is a choice of the model file.

mod choice;
mod departures;
mod settle;

use crate::cpu::CpuView;
use crate::model::{Class, ClusterType, OnMasked, SiqModel, SocModel, TakesEffect};
use crate::soc::rng::Rng;
use departures::Departures;

/// Picoseconds since power-on.
type Ps = u64;

/// With the fault `spurious_every`: the true interrupt comes this long after the false one.
pub(super) const SPURIOUS_GAP: Ps = 2_000_000;
/// With the fault `duplicate_every`: the second delivery comes this long after the first.
pub(super) const DUPLICATE_GAP: Ps = 1_000_000;

/// A line that waits to be taken.
#[derive(Debug, Clone)]
struct Offer {
    /// die << 16 | number: ordered as EVENT gives them out.
    key: u32,
    /// From when on a CPU can see it.
    ready: Ps,
    /// The CPU whose IRQ input it holds high.
    cpu: Option<usize>,
    /// Since when that CPU has had it while masked.
    refused_since: Option<Ps>,
    /// Given out once more by a fault, whatever the banks say.
    forced: bool,
    /// Its CPU had it while at EL1 with field 0.
    below: bool,
    /// A defect gives it to this CPU whatever the fields say.
    bound: Option<usize>,
    /// "Preferred" counts as "normal" for it.
    prefers_nobody: bool,
    /// A defect loses it.
    lost: bool,
}

impl Offer {
    const fn new(key: u32, ready: Ps) -> Self {
        Self {
            key,
            ready,
            cpu: None,
            refused_since: None,
            forced: false,
            below: false,
            bound: None,
            prefers_nobody: false,
            lost: false,
        }
    }
}

/// What the policy needs to know of a CPU.
#[derive(Debug, Clone)]
struct Receiver {
    /// What a read gives.
    siq_cfg: u64,
    /// What routing goes by; differs where a write has not acted yet.
    acting: u64,
    mpidr: u64,
    performance: bool,
}

impl Receiver {
    /// Everything above the core's own number.
    const fn cluster(&self) -> u64 {
        self.mpidr & !0xff
    }
}

/// Offers of all deliverable lines to CPUs.
#[derive(Debug, Clone)]
pub(crate) struct Router {
    policy: SiqModel,
    /// Picoseconds an interrupt stays with a CPU that masks it.
    patience: Ps,
    lose_every: u64,
    hides_from_masked: bool,
    /// CPUs whose inputs are exchanged.
    swapped: u64,
    spurious_every: u64,
    duplicate_every: u64,
    /// What a machine does wrong that does not keep the rules.
    departures: Option<Box<Departures>>,
    receivers: Vec<Receiver>,
    offers: Vec<Offer>,
    /// CPUs that the rest of the system takes for running.
    alive: u64,
    masked: u64,
    /// CPUs at EL1, or at EL0 below it.
    at_el1: u64,
    /// CPUs whose IRQ input is high although EVENT will read 0.
    ghosts: u64,
    irq_lines: u64,
    last: Option<usize>,
    raised: u64,
    taken: u64,
    rng: Rng,
}

impl Router {
    pub(crate) fn new(model: &SocModel, order: &[usize], seed: u64) -> Self {
        let mut policy = model.siq.clone();
        if model.defect.ignores_never {
            for class in policy.classes.iter_mut().filter(|c| **c == Class::Never) {
                *class = Class::Normal;
            }
        }
        let swapped = model.defect.swap_cpus.map_or(0, |ids| {
            let logical = |id| order.iter().position(|&i| model.cpu[i].adt_id == id);
            let [a, b] = ids.map(|id| logical(id).map_or(0, |cpu| 1 << cpu));
            a | b
        });
        let receivers: Vec<Receiver> = order
            .iter()
            .map(|&i| Receiver {
                siq_cfg: model.cpu[i].siq_cfg,
                acting: model.cpu[i].siq_cfg,
                mpidr: model.cpu[i].mpidr,
                performance: model.cpu[i].cluster_type == ClusterType::P,
            })
            .collect();
        Self {
            patience: match model.defect.move_after_ms {
                0 => policy.move_after_ns * 1000,
                ms => ms * 1_000_000_000,
            },
            policy,
            lose_every: model.defect.lose_delivery_every,
            hides_from_masked: model.defect.hides_from_masked,
            swapped,
            spurious_every: model.faults.spurious_every,
            duplicate_every: model.faults.duplicate_every,
            departures: Departures::new(model, order, &receivers),
            receivers,
            offers: Vec::new(),
            alive: 1,
            masked: 0,
            at_el1: 0,
            ghosts: 0,
            irq_lines: 0,
            last: None,
            raised: 0,
            taken: 0,
            rng: Rng::new(seed ^ 0x5349_515f_4346_4700),
        }
    }

    /// IRQ inputs, bit i = CPU i.
    pub(crate) const fn irq_lines(&self) -> u64 {
        self.irq_lines
    }

    /// A set of CPUs with the exchanged ones exchanged.
    const fn exchange(&self, set: u64) -> u64 {
        let these = set & self.swapped;
        if these == 0 || these == self.swapped {
            set
        } else {
            set ^ self.swapped
        }
    }

    pub(crate) fn siq_cfg(&self, cpu: usize) -> u64 {
        self.receivers[cpu].siq_cfg
    }

    /// The register has this value, and routing goes by it, whatever the model says of writes.
    pub(crate) fn set_siq_cfg(&mut self, cpu: usize, value: u64, now: Ps) {
        self.receivers[cpu].siq_cfg = value;
        self.act(1 << cpu);
        self.settle(now);
    }

    /// The CPU writes the register.
    pub(crate) fn write_siq_cfg(&mut self, cpu: usize, value: u64, now: Ps) {
        self.receivers[cpu].siq_cfg = value;
        if self.policy.takes_effect == TakesEffect::AtOnce {
            self.act(1 << cpu);
            self.settle(now);
        }
    }

    /// A context synchronisation of the CPU.
    pub(crate) fn synchronize(&mut self, cpu: usize, now: Ps) {
        if self.policy.takes_effect == TakesEffect::Isb && self.act(1 << cpu) {
            self.settle(now);
        }
    }

    pub(crate) fn set_alive(&mut self, cpu: usize, alive: bool, now: Ps) {
        if alive {
            self.alive |= 1 << cpu;
        } else {
            self.alive &= !(1 << cpu);
        }
        self.settle(now);
    }

    /// A line became deliverable; `by` = the CPU that set it by software just now.
    pub(crate) fn raise(&mut self, key: u32, by: Option<usize>, now: Ps) {
        self.raised += 1;
        if self.lose_every != 0 && self.raised.is_multiple_of(self.lose_every) {
            return;
        }
        let jitter = if self.policy.jitter_ns == 0 {
            0
        } else {
            self.rng.below(self.policy.jitter_ns * 1000 + 1)
        };
        let mut ready = now + self.policy.delivery_ns * 1000 + jitter;
        if self.spurious_every != 0
            && self.raised.is_multiple_of(self.spurious_every)
            && let Some(cpu) = self.choose(self.acceptors(self.alive, false))
        {
            self.ghosts |= 1 << cpu;
            ready += SPURIOUS_GAP;
        }
        let mut offer = Offer::new(key, ready);
        if self.departures.is_some() {
            self.depart(&mut offer, by);
        }
        self.insert(offer);
        self.settle(now);
    }

    /// A line is no longer deliverable.
    pub(crate) fn withdraw(&mut self, key: u32, now: Ps) {
        self.offers.retain(|o| o.key != key || o.forced);
        self.settle(now);
    }

    /// Masks changed or time passed.
    pub(crate) fn tick(&mut self, view: &CpuView, now: Ps) {
        let masked = self.exchange(view.irq_masked);
        if let Some(departures) = &mut self.departures {
            departures.masks(self.masked, masked, now);
        }
        self.masked = masked;
        self.at_el1 = self.exchange(view.at_el1);
        self.settle(now);
    }

    /// When an offer will change by itself, if later than `now`.
    pub(crate) fn next_event(&self, now: Ps) -> Option<Ps> {
        let moves = |o: &Offer| {
            let since = o.refused_since?;
            let open = self.alive & !self.masked;
            let elsewhere = self.acceptors(open, o.prefers_nobody) != 0;
            let moves = self.policy.on_masked == OnMasked::Move && elsewhere;
            let anywhere = self.sole_patience().filter(|_| open != 0);
            let waits = [moves.then_some(self.patience), anywhere];
            let left = waits.into_iter().flatten().map(|wait| since + wait);
            left.filter(|t| *t > now).min()
        };
        self.offers
            .iter()
            .filter_map(|o| {
                if o.cpu.is_none() {
                    Some(o.ready)
                } else {
                    moves(o)
                }
            })
            .filter(|t| *t > now)
            .min()
    }

    /// `cpu` takes the lowest line offered to it (with `anybody`: the lowest at all if none is).
    /// The flag tells whether the banks still hold the line as deliverable.
    pub(crate) fn take(&mut self, cpu: usize, anybody: bool, now: Ps) -> Option<u32> {
        self.settle(now);
        let cpu = self.exchange(1 << cpu).trailing_zeros() as usize;
        let own = self.offers.iter().position(|o| o.cpu == Some(cpu));
        let at = own.or_else(|| {
            if anybody {
                self.offers.iter().position(|o| o.ready <= now)
            } else {
                None
            }
        });
        let Some(at) = at else {
            self.ghosts &= !(1 << cpu);
            self.refresh_lines();
            return None;
        };
        let offer = self.offers.remove(at);
        self.last = Some(cpu);
        self.taken += 1;
        if self.policy.takes_effect == TakesEffect::NextIrq {
            self.act(u64::MAX);
        }
        let twice = self.duplicate_every != 0 && self.taken.is_multiple_of(self.duplicate_every);
        if !offer.forced && (twice || offer.below) {
            self.insert(Offer {
                forced: true,
                ..Offer::new(offer.key, now + DUPLICATE_GAP)
            });
        }
        if !offer.forced && self.departures.is_some() {
            self.after_event(offer.key, now);
        }
        self.settle(now);
        Some(offer.key)
    }

    fn insert(&mut self, offer: Offer) {
        let at = self.offers.partition_point(|o| o.key <= offer.key);
        self.offers.insert(at, offer);
    }
}
