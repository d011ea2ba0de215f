//! Versions 2 and 3: the register block.
//!
//! Rules (third party: drivers; see the model's marks): a line is high if hardware or software holds it; it is deliverable if it is
//! high, not masked, has TARGET 0, exists, and the controller is enabled. Reading EVENT takes a line and masks it. Either
//! register of a SET/CLR pair reads the state. What an unnamed offset does is model only: it reads 0 and ignores writes.

use crate::model::{EventClaim, LineModel, SocModel};

use super::layout::{AicLayout, Bank, Place, global};
use super::router::Router;
use super::{EVENT_TYPE_IRQ, below};

const CONFIG_ENABLE: u32 = 1 << 0;
const TARGET_MASK: u32 = 0xf;

/// Registers of one die.
#[derive(Debug, Clone)]
struct Die {
    cfg: Vec<u32>,
    sw: Vec<u32>,
    mask: Vec<u32>,
    hw: Vec<u32>,
    /// Lines that exist and have TARGET 0.
    routable: Vec<u32>,
    /// Lines the router knows as deliverable.
    live: Vec<u32>,
}

/// The controller.
#[derive(Debug, Clone)]
pub(super) struct Block {
    layout: AicLayout,
    event: u32,
    nr_irq: u32,
    delivers_without_enable: bool,
    anybody: bool,
    config_stuck: bool,
    lose_every: u64,
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
    swallowed: u64,
    pub(super) router: Router,
    /// Bits of SW_SET that went from 0 to 1.
    pub(super) triggers: u64,
}

impl Block {
    pub(super) fn new(model: &SocModel, order: &[usize], seed: u64) -> Self {
        let m = &model.aic;
        let layout = model.aic_layout();
        let words = layout.words();
        let die = |index: usize| {
            let exists = index < m.dies as usize;
            let routable = (0..words as u32)
                .map(|w| if exists { below(m.nr_irq, w * 32) } else { 0 })
                .collect();
            let initial_mask = if m.masked { u32::MAX } else { 0 };
            Die {
                cfg: vec![0; m.max_irq as usize],
                sw: vec![0; words],
                mask: vec![initial_mask; words],
                hw: vec![0; words],
                routable,
                live: vec![0; words],
            }
        };
        let mut aic = Self {
            event: m.event,
            nr_irq: m.nr_irq,
            delivers_without_enable: m.delivers_without_enable,
            anybody: m.event_claim == EventClaim::Anybody,
            config_stuck: model.faults.config_stuck,
            lose_every: model.faults.lose_trigger_every,
            version: m.version.into(),
            info1: m.nr_irq | (m.dies - 1) << 24,
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
            swallowed: 0,
            router: Router::new(model, order, seed),
            triggers: 0,
            layout,
        };
        let bit = |l: &LineModel| {
            (
                l.die as usize,
                l.number as usize / 32,
                1u32 << (l.number % 32),
            )
        };
        for (die, word, bit) in m.high.iter().map(bit) {
            aic.dies[die].hw[word] |= bit;
        }
        for (die, word, bit) in m.left_set.iter().map(bit) {
            aic.dies[die].sw[word] |= bit;
        }
        for (die, word, bit) in m.left_unmasked.iter().map(bit) {
            aic.dies[die].mask[word] &= !bit;
        }
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

    pub(super) fn mask_words(&self, die: usize) -> &[u32] {
        &self.dies[die].mask
    }

    pub(super) fn software_words(&self, die: usize) -> &[u32] {
        &self.dies[die].sw
    }

    pub(super) fn config_words(&self, die: usize) -> &[u32] {
        &self.dies[die].cfg
    }

    /// Drive the hardware level of a line.
    pub(super) fn set_hw(&mut self, die: usize, number: u32, high: bool, now: u64) {
        let (word, bit) = (number as usize / 32, 1 << (number % 32));
        if let Some(level) = self.dies.get_mut(die).and_then(|d| d.hw.get_mut(word)) {
            *level = if high { *level | bit } else { *level & !bit };
            self.sync(die, word, now);
        }
    }

    pub(super) fn read(&mut self, cpu: usize, offset: u32, now: u64) -> u32 {
        if offset == self.event {
            return self.take(cpu, now);
        }
        if let Some(Place { bank, die, word }) = self.layout.place(offset) {
            let d = &self.dies[die];
            return match bank {
                Bank::IrqCfg => d.cfg[word],
                Bank::SwSet | Bank::SwClear => d.sw[word],
                Bank::MaskSet | Bank::MaskClear => d.mask[word],
                Bank::HwState => d.hw[word],
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

    pub(super) fn write(&mut self, _cpu: usize, offset: u32, value: u32, now: u64) {
        if let Some(Place { bank, die, word }) = self.layout.place(offset) {
            match bank {
                Bank::IrqCfg => self.set_cfg(die, word, value, now),
                Bank::SwSet => self.software_set(die, word, value),
                Bank::SwClear => self.dies[die].sw[word] &= !value,
                Bank::MaskSet => self.dies[die].mask[word] |= value,
                Bank::MaskClear => self.dies[die].mask[word] &= !value,
                Bank::HwState => {}
            }
            if bank != Bank::IrqCfg {
                self.sync(die, word, now);
            }
            return;
        }
        match offset {
            global::RESET if value & 1 == 1 => self.reset(now),
            global::CONFIG if !self.config_stuck => {
                self.config = value;
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
        let (word, bit) = (number as usize / 32, 1 << (number % 32));
        let d = &mut self.dies[die];
        d.mask[word] |= bit;
        // The router has already dropped the offer.
        d.live[word] &= !bit;
        (die as u32) << 24 | EVENT_TYPE_IRQ | number
    }

    fn software_set(&mut self, die: usize, word: usize, value: u32) {
        let fresh = value & !self.dies[die].sw[word];
        self.triggers += u64::from(fresh.count_ones());
        let mut keep = value;
        if self.lose_every != 0 && fresh != 0 {
            self.swallowed += 1;
            if self.swallowed.is_multiple_of(self.lose_every) {
                keep &= !fresh;
            }
        }
        self.dies[die].sw[word] |= keep;
    }

    fn set_cfg(&mut self, die: usize, line: usize, value: u32, now: u64) {
        let (word, bit) = (line / 32, 1u32 << (line % 32));
        let d = &mut self.dies[die];
        d.cfg[line] = value;
        if value & TARGET_MASK == 0 && (line as u32) < self.nr_irq {
            d.routable[word] |= bit;
        } else {
            d.routable[word] &= !bit;
        }
        self.sync(die, word, now);
    }

    /// RESET bit 0. What it really clears is not published; the model masks and clears everything (model only).
    fn reset(&mut self, now: u64) {
        for die in 0..self.dies.len() {
            let d = &mut self.dies[die];
            d.mask.fill(u32::MAX);
            d.sw.fill(0);
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

    /// Tell the router which lines of a word became deliverable or ceased to be.
    fn sync(&mut self, die: usize, word: usize, now: u64) {
        let enabled = self.config & CONFIG_ENABLE != 0 || self.delivers_without_enable;
        let d = &mut self.dies[die];
        let want = if enabled {
            (d.hw[word] | d.sw[word]) & !d.mask[word] & d.routable[word]
        } else {
            0
        };
        let mut changed = want ^ d.live[word];
        d.live[word] = want;
        while changed != 0 {
            let bit = changed.trailing_zeros();
            changed &= changed - 1;
            let key = (die as u32) << 16 | (word as u32 * 32 + bit);
            if want >> bit & 1 == 1 {
                self.router.raise(key, now);
            } else {
                self.router.withdraw(key, now);
            }
        }
    }
}
