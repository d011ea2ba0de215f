//! Fast IPIs: requests by system register, delivery as FIQ.
//!
//! Registers and request types are third party (system-register documentation); delays, and what deferred, no-wake and retract
//! do in detail, are model only.

use crate::model::{IpiModel, LocalReach, SocModel};

/// Picoseconds of a 24 MHz tick, rounded.
const REFCLK_PS: u64 = 41_667;

/// Request types, bits \[29:28\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Immediate,
    Retract,
    Deferred,
    NoWake,
}

#[derive(Debug, Clone)]
struct Request {
    target: usize,
    sender: usize,
    kind: Kind,
    due: u64,
}

/// State of the fast-IPI network.
#[derive(Debug, Clone)]
pub(crate) struct FastIpi {
    model: IpiModel,
    /// MPIDR affinity, Aff2 to Aff0, by logical id.
    affinity: Vec<u64>,
    pending: u64,
    /// CPUs whose acknowledgement waits for their next context synchronisation.
    acknowledged: u64,
    waiting: u64,
    senders: Vec<u8>,
    queue: Vec<Request>,
    countdown: u64,
    pub(crate) sent: u64,
    pub(crate) merged: u64,
    lose_every: u64,
    queued: u64,
}

impl FastIpi {
    pub(crate) fn new(model: &SocModel, order: &[usize]) -> Self {
        Self {
            model: model.ipi.clone(),
            affinity: order
                .iter()
                .map(|&i| model.cpu[i].mpidr & 0xff_ffff)
                .collect(),
            pending: 0,
            acknowledged: 0,
            waiting: 0,
            senders: vec![0; order.len()],
            queue: Vec::new(),
            countdown: model.ipi.countdown.into(),
            sent: 0,
            merged: 0,
            lose_every: model.defect.lose_ipi_every,
            queued: 0,
        }
    }

    pub(crate) const fn has_local(&self) -> bool {
        self.model.local
    }

    /// FIQ inputs, bit i = CPU i.
    pub(crate) const fn lines(&self) -> u64 {
        self.pending
    }

    /// IPI_RR_LOCAL: Aff0 in \[7:0\], the sender's own cluster.
    pub(crate) fn send_local(&mut self, sender: usize, value: u64, now: u64) {
        let own = self.affinity[sender];
        let elsewhere = value >> 16 & 0xff != 0 && value >> 16 & 0xff != own >> 8 & 0xff;
        if elsewhere && self.model.local_reach == LocalReach::Nobody {
            self.sent += 1;
            return;
        }
        let wanted = own & 0xffff00 | value & 0xff;
        self.send(sender, value, now, |affinity| affinity == wanted);
    }

    /// IPI_RR_GLOBAL: Aff0 in \[7:0\], Aff1 in \[23:16\]; Aff2 is not part of the request.
    pub(crate) fn send_global(&mut self, sender: usize, value: u64, now: u64) {
        let wanted = value & 0xff | (value >> 16 & 0xff) << 8;
        self.send(sender, value, now, |affinity| affinity & 0xffff == wanted);
    }

    fn send(&mut self, sender: usize, value: u64, now: u64, hit: impl Fn(u64) -> bool) {
        self.sent += 1;
        let kind = match value >> 28 & 3 {
            0 => Kind::Immediate,
            1 => Kind::Retract,
            2 => Kind::Deferred,
            _ => Kind::NoWake,
        };
        for target in 0..self.affinity.len() {
            if !hit(self.affinity[target]) {
                continue;
            }
            if kind == Kind::Retract {
                self.queue
                    .retain(|r| r.target != target || r.kind == Kind::Immediate);
                continue;
            }
            self.queued += 1;
            if self.lose_every != 0 && self.queued.is_multiple_of(self.lose_every) {
                continue;
            }
            let delay = if kind == Kind::Deferred {
                self.countdown * REFCLK_PS
            } else {
                self.model.delivery_ns * 1000
            };
            self.queue.push(Request {
                target,
                sender,
                kind,
                due: now + delay,
            });
        }
        self.tick(self.waiting, now);
    }

    /// IPI_SR: bit 0 pending.
    pub(crate) fn status(&self, cpu: usize) -> u64 {
        let sender = if self.model.sender_in_sr {
            u64::from(self.senders[cpu]) << 8
        } else {
            0
        };
        if self.pending >> cpu & 1 == 1 {
            1 | sender
        } else {
            0
        }
    }

    /// Write to IPI_SR: 1 clears, where the model says so at the next [`FastIpi::synchronize`].
    pub(crate) fn acknowledge(&mut self, cpu: usize, value: u64) {
        if value & 1 == 1 {
            self.acknowledged |= 1 << cpu;
            if !self.model.ack_needs_isb {
                self.synchronize(cpu);
            }
        }
    }

    /// What the CPU wrote to IPI_SR takes effect.
    pub(crate) fn synchronize(&mut self, cpu: usize) {
        self.pending &= !(self.acknowledged & 1 << cpu);
        self.acknowledged &= !(1 << cpu);
    }

    /// IPI_CR \[15:0\], one for the whole system.
    pub(crate) const fn countdown(&self) -> u64 {
        self.countdown
    }

    pub(crate) const fn set_countdown(&mut self, value: u64) {
        self.countdown = value & 0xffff;
    }

    /// Deliver what is due. No-wake requests stay behind while their target waits.
    pub(crate) fn tick(&mut self, waiting: u64, now: u64) {
        self.waiting = waiting;
        let mut at = 0;
        while at < self.queue.len() {
            let r = &self.queue[at];
            let held = r.kind == Kind::NoWake && waiting >> r.target & 1 == 1;
            if r.due > now || held {
                at += 1;
                continue;
            }
            let r = self.queue.remove(at);
            if self.pending >> r.target & 1 == 1 {
                self.merged += 1;
            }
            self.pending |= 1 << r.target;
            self.senders[r.target] = r.sender as u8;
        }
    }

    pub(crate) fn next_event(&self, now: u64) -> Option<u64> {
        self.queue
            .iter()
            .map(|r| r.due)
            .filter(|due| *due > now)
            .min()
    }
}
