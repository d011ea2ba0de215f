//! Many CPUs send IPIs to each other.

use core::sync::atomic::Ordering::{Acquire, Relaxed};

use aic_regs::aic::Generation;
use heapless::Vec;
use protocol::Message;
use protocol::command::{Pattern, StormCell, Via};
use protocol::message::{Reading, Refusal, StormResult};

use super::{BOOT, Context};
use crate::block::Block;
use crate::mailbox::{self, Operation};
use crate::platform::{Platform, pause};
use crate::storm::{self, Step};

/// Longest storm, in microseconds: the boot CPU is not back before, and no worker answers.
const LONGEST_US: u32 = 50_000;
/// From the first request until everybody begins, in microseconds: long enough for the last worker to wake.
const LEAD_US: u64 = 200;
/// Nothing is on its way any more when nobody counted for so long, in microseconds.
const QUIET_US: u64 = 50;
/// How often that is looked at.
const LOOKS: usize = 200;

impl<P: Platform> Context<'_, '_, P> {
    #[cold]
    #[inline(never)]
    pub(super) fn storm_cell(&mut self, cell: &StormCell) {
        let mut result = StormResult {
            id: cell.id,
            refusal: None,
            trapped: None,
            elapsed: 0,
            sent: Vec::new(),
            sent_to: Vec::new(),
            received: Vec::new(),
            counted: 0,
            missed: 0,
        };
        let (cpus, refusal) = self.who_storms(cell);
        result.refusal = refusal;
        if refusal.is_none() {
            let storm = &self.block.shared().storm;
            storm.how.store(storm::how(cell), Relaxed);
            storm.cpus.store(cpus.into(), Relaxed);
            storm.counted.store(0, Relaxed);
            self.storm_step(cpus, Step::Open, &mut result.refusal);
            if result.refusal.is_none() {
                self.rage(cell.us, cpus, &mut result);
            }
            self.storm_step(cpus, Step::Close, &mut result.refusal);
            storm.how.store(0, Relaxed);
        }
        self.say(&Message::Storm(result));
    }

    /// CPUs that take part, or why none does.
    fn who_storms(&self, cell: &StormCell) -> (u32, Option<Refusal>) {
        let mut cpus = 0u32;
        for cpu in 0..self.block.cpus() {
            cpus |= cell.cpus & u32::from(self.present(cpu)) << cpu;
        }
        let missing = cell.cpus & !cpus;
        let v1 = self.platform.aic().geometry().generation == Generation::V1;
        let one = match cell.pattern {
            Pattern::ToOne(to) => to,
            // Any of the set.
            _ => cpus.trailing_zeros() as u8,
        };
        let refusal = if !self.me.open {
            Refusal::NotOpen
        } else if !(1..=LONGEST_US).contains(&cell.us) || cell.via == Via::Mmio && !v1 {
            Refusal::Triggers
        } else if cpus.count_ones() < 2 && missing != 0 {
            Refusal::Cpu(missing.trailing_zeros() as u8)
        } else if cpus.count_ones() < 2 {
            Refusal::Triggers
        } else if one >= 32 || cpus >> one & 1 == 0 {
            Refusal::Cpu(one)
        } else {
            return (cpus, None);
        };
        (0, Some(refusal))
    }

    /// The storm itself, and its counts.
    fn rage(&self, us: u32, cpus: u32, result: &mut StormResult) {
        let (block, platform) = (self.block, self.platform);
        let storm = &block.shared().storm;
        for cpu in 0..block.cpus() {
            // As many as there is room for.
            let _ = result.received.push(taken(block, cpu));
        }
        let start = platform.now() + platform.ticks(LEAD_US);
        storm.start.store(start, Relaxed);
        let end = start + platform.ticks(us.into());
        storm.end.store(end, Relaxed);
        self.storm_step(cpus, Step::Send, &mut result.refusal);
        self.settle();
        let _ = result.sent_to.resize(block.cpus(), 0);
        for (cpu, received) in result.received.iter_mut().enumerate() {
            *received = taken(block, cpu).wrapping_sub(*received);
            let part = storm.part(cpu);
            let mut sent = 0;
            if cpus >> cpu & 1 != 0 {
                sent = part.sent.load(Relaxed) as u32;
                result.missed += part.missed.load(Relaxed) as u32;
                let took = part.finish.load(Relaxed).wrapping_sub(start);
                result.elapsed = result.elapsed.max(took);
                let trap = part.trap.load(Relaxed);
                if trap != 0 {
                    result.trapped = Some(trap & !(1 << 63));
                }
                let targets = part.targets.load(Relaxed) as u32;
                let (round, mut target) = (targets.count_ones(), cpu);
                for i in 0..round {
                    target = storm::next(targets, target);
                    if let Some(to) = result.sent_to.get_mut(target) {
                        *to += sent / round + u32::from(i < sent % round);
                    }
                }
            }
            let _ = result.sent.push(sent);
        }
        result.counted = storm.counted.load(Relaxed) as u32;
    }

    /// Waits until nobody counts any more.
    fn settle(&self) {
        let mut last = 0;
        for _ in 0..LOOKS {
            let mut counted = 0u32;
            for cpu in 0..self.block.cpus() {
                counted = counted.wrapping_add(taken(self.block, cpu));
            }
            if counted == last {
                return;
            }
            last = counted;
            let quiet = self.platform.ticks(QUIET_US);
            pause(self.platform, self.platform.now() + quiet);
        }
    }

    /// Lets every CPU of a set carry out a step, all at once. What goes wrong is noted.
    #[inline(never)]
    fn storm_step(&self, cpus: u32, step: Step, refusal: &mut Option<Refusal>) {
        let (block, step) = (self.block, step as u64);
        let workers = || (1..block.cpus()).filter(|cpu| cpus >> cpu & 1 != 0);
        for cpu in workers() {
            if let Err(why) = mailbox::post(block, cpu, Operation::Storm, step) {
                *refusal = Some(why);
            }
        }
        if cpus & 1 != 0 {
            storm::serve(block, self.platform, BOOT, step);
        }
        for cpu in workers() {
            match mailbox::collect(block, self.platform, mailbox::posted(block, cpu)) {
                Ok(Reading::Value(1)) => {}
                Ok(_) => *refusal = Some(Refusal::Cpu(cpu as u8)),
                Err(why) => *refusal = Some(why),
            }
        }
    }
}

/// IPIs that a CPU has taken so far.
#[inline(never)]
fn taken(block: Block<'_>, cpu: usize) -> u32 {
    block.private(cpu).ipis.load(Acquire) as u32
}
