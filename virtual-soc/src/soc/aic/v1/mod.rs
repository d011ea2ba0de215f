//! Version 1: the register block of A7 to M1.
//!
//! Rules (third party: documentation and drivers): a line is high if hardware or software holds it; it raises the interrupt of
//! every CPU in its TARGET_CPU mask while it is not masked; the first of them to read EVENT takes it, which masks it and drops it
//! everywhere; unmasking raises it again if it is still high; lower numbers go first. Each CPU has two IPIs besides ([`ipi`]).
//! Which of several target CPUs wins is not specified: here it is the one that reads first. SIQ_CFG is not consulted
//! (inference). IPIs go before lines (model only).

mod ipi;
mod offers;

use crate::cpu::Time;
use crate::cpu::timer::Clock;
use crate::model::{EventClaim, ResetEffect, SocModel};

use super::EVENT_TYPE_IRQ;
use super::lines::{Lines, below, numbers};
use ipi::Ipis;
use offers::{Offers, Raised};

/// Lines the banks have room for: their places are fixed.
pub(crate) const MAX_IRQ: usize = 0x400;

/// Offsets (third party: Linux and loader drivers, documentation).
mod reg {
    pub(super) const REV: u32 = 0x0000;
    pub(super) const CAP0: u32 = 0x0004;
    pub(super) const CAP1: u32 = 0x0008;
    pub(super) const RST: u32 = 0x000c;
    pub(super) const CONFIG: u32 = 0x0010;
    /// Without a name; M1 reads 0xf0 (silicon).
    pub(super) const UNNAMED_18: u32 = 0x0018;
    /// Without a name; went from 0 to 1 when a CPU sent itself an IPI (silicon).
    pub(super) const UNNAMED_30: u32 = 0x0030;
    /// The reading CPU's own block.
    pub(super) const OWN: u32 = 0x2000;
    pub(super) const TARGET: u32 = 0x3000;
    pub(super) const SW_SET: u32 = 0x4000;
    pub(super) const SW_CLEAR: u32 = 0x4080;
    pub(super) const MASK_SET: u32 = 0x4100;
    pub(super) const MASK_CLEAR: u32 = 0x4180;
    pub(super) const HW_STATE: u32 = 0x4200;
    pub(super) const BANKS_END: u32 = 0x4280;
    /// The same block of every CPU, one after the other.
    pub(super) const VIEWS: u32 = 0x5000;
    pub(super) const VIEW_SIZE: u32 = 0x80;
    pub(super) const VIEWS_END: u32 = VIEWS + 32 * VIEW_SIZE;
    pub(super) const COUNT_LOW: u32 = 0x8020;
    pub(super) const COUNT_HIGH: u32 = 0x8028;
}

/// Offsets within a CPU's block.
mod own {
    pub(super) const WHOAMI: u32 = 0x00;
    pub(super) const EVENT: u32 = 0x04;
    pub(super) const IPI_SEND: u32 = 0x08;
    pub(super) const IPI_ACK: u32 = 0x0c;
    pub(super) const IPI_MASK_SET: u32 = 0x24;
    pub(super) const IPI_MASK_CLEAR: u32 = 0x28;
}

/// The controller.
#[derive(Debug, Clone)]
pub(super) struct V1 {
    /// What each CPU is to the controller: its WHOAMI and its bit in TARGET_CPU, by logical id.
    numbers: Vec<u32>,
    pub(super) siq_cfg: Vec<u64>,
    rev: u32,
    cap: [u32; 2],
    config: u32,
    config_writable: u32,
    target_writable: u32,
    delivers_without_enable: bool,
    anybody: bool,
    counter: Option<Clock>,
    drops_on_retarget: bool,
    reset: ResetEffect,
    target: Vec<u32>,
    lines: Lines,
    offers: Offers,
    ipis: Ipis,
    /// CPUs that the rest of the system takes for running.
    alive: u64,
    /// CPUs whose IRQ input is high although EVENT will read 0.
    ghosts: u64,
    irq_lines: u64,
}

impl V1 {
    pub(super) fn new(model: &SocModel, order: &[usize], seed: u64) -> Self {
        let (m, one) = (&model.aic, &model.aic.v1);
        let cpus = || order.iter().map(|&i| &model.cpu[i]);
        let mut v1 = Self {
            numbers: cpus().map(|c| c.aic_number.unwrap_or(c.adt_id)).collect(),
            siq_cfg: cpus().map(|c| c.siq_cfg).collect(),
            rev: m.version.into(),
            cap: [m.nr_irq | u32::from(one.cap0_high) << 16, one.cap1],
            config: m.config,
            config_writable: one.config_writable,
            target_writable: below(one.targets, 0),
            delivers_without_enable: m.delivers_without_enable,
            anybody: m.event_claim == EventClaim::Anybody,
            counter: one
                .counter_mirror
                .then(|| Clock::new(model.counter.hz, model.counter.step)),
            drops_on_retarget: model.defect.drops_on_retarget,
            reset: m.reset,
            target: vec![one.target_as_found; MAX_IRQ],
            lines: Lines::new(model, true),
            offers: Offers::new(model, seed),
            ipis: Ipis::new(order.len()),
            alive: 1,
            ghosts: 0,
            irq_lines: 0,
        };
        if model.faults.config_stuck {
            v1.config_writable = 0;
        }
        v1.lines.as_found(model, 0);
        v1.sync_all(0);
        v1
    }

    pub(super) const fn event_offset(&self) -> u32 {
        reg::OWN + own::EVENT
    }

    /// The CPU whose EVENT lies at `offset` for `cpu`.
    pub(super) fn event_of(&self, cpu: usize, offset: u32) -> Option<usize> {
        let (cpu, within) = self.view(cpu, offset)?;
        (within == own::EVENT).then_some(cpu)
    }

    pub(super) const fn config(&self) -> u32 {
        self.config
    }

    pub(super) const fn lines(&self, _die: usize) -> &Lines {
        &self.lines
    }

    pub(super) fn ipis(&self) -> Vec<[u32; 2]> {
        (0..self.numbers.len())
            .map(|cpu| [self.ipis.pending(cpu), self.ipis.mask(cpu)])
            .collect()
    }

    /// IPIs sent by IPI_SEND, and merged.
    pub(super) const fn ipi_counts(&self) -> (u64, u64) {
        self.ipis.counts
    }

    pub(super) const fn triggers(&self) -> u64 {
        self.lines.triggers
    }

    pub(super) fn config_words(&self, _die: usize) -> &[u32] {
        &self.target
    }

    pub(super) const fn irq_lines(&self) -> u64 {
        self.irq_lines
    }

    pub(super) fn set_alive(&mut self, cpu: usize, alive: bool, now: u64) {
        self.alive = self.alive & !(1 << cpu) | u64::from(alive) << cpu;
        self.refresh(now);
    }

    pub(super) fn set_hw(&mut self, _die: usize, number: u32, high: bool, now: u64) {
        if self.lines.drive(number, high) {
            self.sync(number as usize / 32, now);
        }
    }

    /// Whose block an offset lies in, and where in it.
    fn view(&self, cpu: usize, offset: u32) -> Option<(usize, u32)> {
        if (reg::OWN..reg::OWN + reg::VIEW_SIZE).contains(&offset) {
            return Some((cpu, offset - reg::OWN));
        }
        if !(reg::VIEWS..reg::VIEWS_END).contains(&offset) {
            return None;
        }
        let number = (offset - reg::VIEWS) / reg::VIEW_SIZE;
        let cpu = self.numbers.iter().position(|n| *n == number)?;
        Some((cpu, (offset - reg::VIEWS) % reg::VIEW_SIZE))
    }

    pub(super) fn read(&mut self, cpu: usize, offset: u32, now: u64) -> u32 {
        if let Some((cpu, within)) = self.view(cpu, offset) {
            return match within {
                own::WHOAMI => self.numbers[cpu],
                own::EVENT => self.take(cpu, now),
                own::IPI_SEND | own::IPI_ACK => self.ipis.pending(cpu),
                own::IPI_MASK_SET | own::IPI_MASK_CLEAR => self.ipis.mask(cpu),
                _ => 0,
            };
        }
        let word = (offset % 0x80 / 4) as usize;
        match offset {
            reg::REV => self.rev,
            reg::CAP0 => self.cap[0],
            reg::CAP1 => self.cap[1],
            reg::CONFIG => self.config,
            reg::UNNAMED_18 => 0xf0,
            reg::UNNAMED_30 => self.ipis.used.into(),
            reg::TARGET..reg::SW_SET => self.target[((offset - reg::TARGET) / 4) as usize],
            reg::SW_SET..reg::MASK_SET => self.lines.software()[word],
            reg::MASK_SET..reg::HW_STATE => self.lines.mask()[word],
            reg::HW_STATE..reg::BANKS_END => self.lines.hardware()[word],
            reg::COUNT_LOW => self.count(now) as u32,
            reg::COUNT_HIGH => (self.count(now) >> 32) as u32,
            _ => 0,
        }
    }

    fn count(&self, now: u64) -> u64 {
        self.counter.map_or(0, |clock| clock.count(Time(now)))
    }

    pub(super) fn write(&mut self, cpu: usize, offset: u32, value: u32, now: u64) {
        if let Some((of, within)) = self.view(cpu, offset) {
            let through_view = offset >= reg::VIEWS;
            self.write_own(of, within, value, through_view);
            return self.refresh(now);
        }
        let word = (offset % 0x80 / 4) as usize;
        match offset {
            reg::RST if value & 1 == 1 => self.reset(now),
            reg::CONFIG => {
                self.config = self.config & !self.config_writable | value & self.config_writable;
                self.sync_all(now);
            }
            reg::TARGET..reg::SW_SET => self.retarget((offset - reg::TARGET) / 4, value, now),
            reg::SW_SET..reg::SW_CLEAR => {
                self.lines.software_set(word, value);
                self.sync(word, now);
            }
            reg::SW_CLEAR..reg::MASK_SET => {
                self.lines.software_clear(word, value);
                self.sync(word, now);
            }
            reg::MASK_SET..reg::MASK_CLEAR => {
                self.lines.mask_set(word, value);
                self.sync(word, now);
            }
            reg::MASK_CLEAR..reg::HW_STATE => {
                self.lines.mask_clear(word, value);
                self.sync(word, now);
            }
            _ => {}
        }
    }

    fn retarget(&mut self, line: u32, value: u32, now: u64) {
        if !self.lines.has(line as usize) {
            return;
        }
        let value = value & self.target_writable;
        let was = std::mem::replace(&mut self.target[line as usize], value);
        let pending = self.offers.has(line);
        if self.drops_on_retarget && pending && was != value {
            self.lines.forget(line);
            self.sync(line as usize / 32, now);
        }
        self.refresh(now);
    }

    /// RST bit 0. What it really does is not published: the model says.
    fn reset(&mut self, now: u64) {
        if self.reset != ResetEffect::Nothing {
            self.lines.mask_all();
        }
        if self.reset == ResetEffect::Clears {
            self.lines.clear_software();
            self.target.fill(0);
        }
        self.sync_all(now);
    }

    /// Through the view of a CPU its IPIs are set directly (model only: on M1 only the reading side was seen).
    fn write_own(&mut self, cpu: usize, within: u32, value: u32, through_view: bool) {
        match within {
            own::IPI_SEND if through_view => self.ipis.set(cpu, value),
            own::IPI_SEND => {
                let hit = |n: &u32| *n < 31 && value >> n & 1 == 1;
                let others = self.numbers.iter().enumerate();
                let others = others.filter(|(_, n)| hit(n)).map(|(cpu, _)| cpu);
                self.ipis.send(cpu, value, others);
            }
            own::IPI_ACK => self.ipis.acknowledge(cpu, value),
            own::IPI_MASK_SET => self.ipis.mask_set(cpu, value),
            own::IPI_MASK_CLEAR => self.ipis.mask_clear(cpu, value),
            _ => {}
        }
    }

    /// EVENT of a CPU: one of its IPIs, else the lowest of its lines, else 0.
    fn take(&mut self, cpu: usize, now: u64) -> u32 {
        if self.alive >> cpu & 1 == 1
            && let Some(word) = self.ipis.take(cpu)
        {
            self.refresh(now);
            return word;
        }
        let (numbers, target, alive) = (&self.numbers, &self.target, self.alive);
        let mine = |number: u32| {
            self.anybody || (targets(numbers, target[number as usize]) & alive) >> cpu & 1 == 1
        };
        let Some(number) = self.offers.take(now, mine) else {
            self.ghosts &= !(1 << cpu);
            self.refresh(now);
            return 0;
        };
        self.lines.take(number);
        self.refresh(now);
        EVENT_TYPE_IRQ | number
    }

    fn sync_all(&mut self, now: u64) {
        (0..self.lines.words()).for_each(|word| self.sync(word, now));
    }

    /// Make or drop the offers of a word's lines.
    fn sync(&mut self, word: usize, now: u64) {
        let enabled = self.config & 1 != 0 || self.delivers_without_enable;
        let (more, fewer) = self.lines.sync(word, if enabled { u32::MAX } else { 0 });
        for number in numbers(word, more) {
            if self.offers.raise(number, now) == Raised::AfterGhost {
                self.ghosts |= targets(&self.numbers, self.target[number as usize]);
            }
        }
        for number in numbers(word, fewer) {
            self.offers.withdraw(number);
        }
        self.refresh(now);
    }

    /// Work out the IRQ inputs.
    pub(super) fn refresh(&mut self, now: u64) {
        let of = |number: u32| targets(&self.numbers, self.target[number as usize]);
        let ready = self.offers.ready(now);
        let lines = ready.fold(self.ghosts, |set, number| set | of(number));
        let ipis = (0..self.numbers.len()).filter(|&cpu| self.ipis.raises(cpu));
        self.irq_lines = ipis.fold(lines, |set, cpu| set | 1 << cpu) & self.alive;
    }

    pub(super) fn next_event(&self, now: u64) -> Option<u64> {
        self.offers.next_event(now)
    }
}

/// CPUs whose numbers a target mask holds.
fn targets(numbers: &[u32], mask: u32) -> u64 {
    let hit = |n: &u32| u64::from(mask.checked_shr(*n).unwrap_or(0) & 1);
    numbers
        .iter()
        .enumerate()
        .fold(0, |set, (cpu, n)| set | hit(n) << cpu)
}
