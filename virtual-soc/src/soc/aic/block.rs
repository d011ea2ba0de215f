//! Versions 2 and 3: the register block.
//!
//! Rules (third party: drivers; see the model's marks): a line is deliverable if it is high, not masked, has TARGET 0, exists, and the
//! controller is enabled. Reading EVENT takes a line and masks it. Either register of a SET/CLR pair reads the state. What an
//! unnamed offset does is model only: it reads 0 and ignores writes.

use crate::model::{EventClaim, ResetEffect, SocModel};

use super::EVENT_TYPE_IRQ;
use super::layout::{AicLayout, Bank, Place, global};
use super::lines::{Lines, bit, numbers};
use super::router::Router;

const CONFIG_ENABLE: u32 = 1 << 0;
const TARGET_MASK: u32 = 0xf;

/// Registers of one die.
#[derive(Debug, Clone)]
struct Die {
    cfg: Vec<u32>,
    lines: Lines,
    /// Lines whose TARGET lets them through to CPUs.
    to_cpus: Vec<u32>,
}

/// The controller.
#[derive(Debug, Clone)]
pub(super) struct Block {
    layout: AicLayout,
    event: u32,
    delivers_without_enable: bool,
    enable_inverted: bool,
    target_ignored: bool,
    target_inverted: bool,
    anybody: bool,
    config_stuck: bool,
    /// Bits of CONFIG that stay set.
    config_sticky: u32,
    /// Bits that EVENT sets in the line's IRQ_CFG, for good.
    event_sets_cfg: u32,
    /// Dies whose banks are another name of die 0's come after this many.
    true_banks: usize,
    reset: ResetEffect,
    version: u32,
    info1: u32,
    info3: u32,
    config: u32,
    timeout: u32,
    cluster_prio: u32,
    latency: u32,
    idle_clusters: u32,
    delay: [u32; 8],
    dies: Vec<Die>,
    pub(super) router: Router,
}

impl Block {
    pub(super) fn new(model: &SocModel, order: &[usize], seed: u64) -> Self {
        let m = &model.aic;
        let layout = model.aic_layout();
        // Every word of IRQ_CFG is 0 at first.
        let through = if model.defect.target_inverted {
            0
        } else {
            u32::MAX
        };
        let die = |index: usize| {
            let mut lines = Lines::new(model, index < m.dies as usize);
            lines.as_found(model, index);
            Die {
                cfg: vec![0; m.max_irq as usize],
                to_cpus: vec![through; layout.words()],
                lines,
            }
        };
        let mut aic = Self {
            event: m.event,
            delivers_without_enable: m.delivers_without_enable,
            enable_inverted: model.defect.enable_inverted,
            target_ignored: model.defect.target_ignored,
            target_inverted: model.defect.target_inverted,
            anybody: m.event_claim == EventClaim::Anybody,
            config_stuck: model.faults.config_stuck,
            config_sticky: model.defect.config_sticky,
            event_sets_cfg: model.defect.event_sets_cfg,
            true_banks: match m.alias_from {
                Some(first) => first as usize,
                None if m.bank_alias => m.dies as usize,
                None => layout.dies(),
            },
            reset: m.reset,
            version: m.version.into(),
            info1: model.defect.info_nr_irq.unwrap_or(m.nr_irq)
                | (model.defect.info_dies.unwrap_or(m.dies) - 1) << 24,
            info3: if m.info3_zero {
                0
            } else {
                m.max_irq | m.max_dies << 24
            },
            config: m.config,
            timeout: 0,
            cluster_prio: 0,
            latency: 0,
            idle_clusters: 0,
            delay: [0; 8],
            dies: (0..layout.dies()).map(die).collect(),
            router: Router::new(model, order, seed),
            layout,
        };
        for route in &model.adt.ext_routes {
            if (route.die as usize) < aic.dies.len() && route.number < m.max_irq {
                aic.set_cfg(
                    route.die as usize,
                    route.number as usize,
                    route.target.into(),
                    0,
                );
            }
        }
        aic.sync_all(0);
        aic
    }

    /// Offset of EVENT.
    pub(super) const fn event_offset(&self) -> u32 {
        self.event
    }

    pub(super) const fn config(&self) -> u32 {
        self.config
    }

    pub(super) fn dies(&self) -> usize {
        self.dies.len()
    }

    pub(super) fn lines(&self, die: usize) -> &Lines {
        &self.dies[die].lines
    }

    pub(super) fn config_words(&self, die: usize) -> &[u32] {
        &self.dies[die].cfg
    }

    pub(super) fn triggers(&self) -> u64 {
        self.dies.iter().map(|d| d.lines.triggers).sum()
    }

    pub(super) fn set_hw(&mut self, die: usize, number: u32, high: bool, now: u64) {
        if self
            .dies
            .get_mut(die)
            .is_some_and(|d| d.lines.drive(number, high))
        {
            self.sync(die, number as usize / 32, now);
        }
    }

    /// What lies at an offset, with another name of a bank made the bank.
    fn place(&self, offset: u32) -> Option<Place> {
        let place = self.layout.place(offset)?;
        let die = if place.die < self.true_banks {
            place.die
        } else {
            0
        };
        Some(Place { die, ..place })
    }

    pub(super) fn read(&mut self, cpu: usize, offset: u32, now: u64) -> u32 {
        if offset == self.event {
            return self.take(cpu, now);
        }
        if let Some(Place { bank, die, word }) = self.place(offset) {
            let d = &self.dies[die];
            return match bank {
                Bank::IrqCfg => d.cfg[word],
                Bank::SwSet | Bank::SwClear => d.lines.software()[word],
                Bank::MaskSet | Bank::MaskClear => d.lines.mask()[word],
                Bank::HwState => d.lines.hardware()[word],
            };
        }
        match offset {
            global::VERSION => self.version,
            global::INFO1 => self.info1,
            global::INFO3 => self.info3,
            global::CONFIG => self.config,
            global::TIMEOUT => self.timeout,
            global::CLUSTER_PRIO => self.cluster_prio,
            global::LATENCY => self.latency,
            global::IDLE_CLUSTERS => self.idle_clusters,
            o if global::DELAY.contains(&o) => self.delay[((o - global::DELAY.start) / 4) as usize],
            // INFO2, RESET and everything without a name.
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, cpu: usize, offset: u32, value: u32, now: u64) {
        if let Some(Place { bank, die, word }) = self.place(offset) {
            let lines = &mut self.dies[die].lines;
            match bank {
                Bank::IrqCfg => return self.set_cfg(die, word, value, now),
                Bank::SwSet => lines.software_set(word, value),
                Bank::SwClear => lines.software_clear(word, value),
                Bank::MaskSet => lines.mask_set(word, value),
                Bank::MaskClear => lines.mask_clear(word, value),
                Bank::HwState => return,
            }
            let by = (bank == Bank::SwSet).then_some(cpu);
            return self.sync_set_by(die, word, by, now);
        }
        match offset {
            global::RESET if value & 1 == 1 => self.reset(now),
            global::CONFIG if !self.config_stuck => {
                self.config = value | self.config & self.config_sticky;
                self.sync_all(now);
            }
            global::TIMEOUT => self.timeout = value,
            global::CLUSTER_PRIO => self.cluster_prio = value,
            global::LATENCY => self.latency = value,
            global::IDLE_CLUSTERS => self.idle_clusters = value,
            o if global::DELAY.contains(&o) => {
                self.delay[((o - global::DELAY.start) / 4) as usize] = value
            }
            _ => {}
        }
    }

    /// EVENT: die in \[31:24\], type 1 in \[23:16\], number in \[15:0\]; 0 if nothing is offered to the reader.
    fn take(&mut self, cpu: usize, now: u64) -> u32 {
        let Some(key) = self.router.take(cpu, self.anybody, now) else {
            return 0;
        };
        let (die, number) = ((key >> 16) as usize, key & 0xffff);
        // The router has already dropped the offer.
        self.dies[die].lines.take(number);
        if self.event_sets_cfg != 0 {
            let value = self.dies[die].cfg[number as usize] | self.event_sets_cfg;
            self.set_cfg(die, number as usize, value, now);
        }
        (die as u32) << 24 | EVENT_TYPE_IRQ | number
    }

    fn set_cfg(&mut self, die: usize, line: usize, value: u32, now: u64) {
        let zero = value & TARGET_MASK == 0;
        let through = self.target_ignored || zero != self.target_inverted;
        let d = &mut self.dies[die];
        if !d.lines.has(line) {
            return;
        }
        let (word, bit) = (line / 32, bit(line as u32));
        d.cfg[line] = value | d.cfg[line] & self.event_sets_cfg;
        if through {
            d.to_cpus[word] |= bit;
        } else {
            d.to_cpus[word] &= !bit;
        }
        self.sync(die, word, now);
    }

    /// RESET bit 0. What it really does is not published: the model says.
    fn reset(&mut self, now: u64) {
        let through = if self.target_inverted { 0 } else { u32::MAX };
        for d in &mut self.dies {
            if self.reset != ResetEffect::Nothing {
                d.lines.mask_all();
            }
            if self.reset == ResetEffect::Clears {
                d.lines.clear_software();
                d.cfg.fill(0);
                d.to_cpus.fill(through);
            }
        }
        self.sync_all(now);
    }

    fn sync_all(&mut self, now: u64) {
        for die in 0..self.dies.len() {
            for word in 0..self.layout.words() {
                self.sync(die, word, now);
            }
        }
    }

    fn sync(&mut self, die: usize, word: usize, now: u64) {
        self.sync_set_by(die, word, None, now);
    }

    /// Tell the router which lines of a word became deliverable or ceased to be; `by` = the CPU that set them by software just now.
    fn sync_set_by(&mut self, die: usize, word: usize, by: Option<usize>, now: u64) {
        let on = self.config & CONFIG_ENABLE != 0;
        let enabled = on != self.enable_inverted || self.delivers_without_enable;
        let d = &mut self.dies[die];
        let open = if enabled { d.to_cpus[word] } else { 0 };
        let (more, fewer) = d.lines.sync(word, open);
        let key = |number: u32| (die as u32) << 16 | number;
        for number in numbers(word, more) {
            self.router.raise(key(number), by, now);
        }
        for number in numbers(word, fewer) {
            self.router.withdraw(key(number), now);
        }
    }
}
