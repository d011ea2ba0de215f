//! The state of a die's lines: software and hardware levels, masks, and what EVENT does to them. All versions share it.
//!
//! Rules (third party: drivers, documentation): a line is high if hardware or software holds it; reading EVENT masks the line it
//! takes; writing ones to a SET or CLR register sets or clears, zeros do nothing. Everything else is a defect of a test machine.

use crate::model::{Beyond, LineModel, SocModel};

/// Deliberate departures from the rules; 0 and false = none.
#[derive(Debug, Clone, Copy)]
struct Departures {
    lose_every: u64,
    forgets_masked: bool,
    ignores_mask: bool,
    clear_drops_level: bool,
    eoi_lost: bool,
    mask_leak_every: u64,
}

/// Bit words of one die.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    sw: Vec<u32>,
    mask: Vec<u32>,
    hw: Vec<u32>,
    /// Lines that have bits in the banks.
    stored: Vec<u32>,
    /// Lines that can be delivered.
    wired: Vec<u32>,
    /// Lines whose offer exists because the banks say so.
    live: Vec<u32>,
    /// Taken and not unmasked since.
    in_service: Vec<u32>,
    /// MASK_SET was written while in service.
    masked_in_service: Vec<u32>,
    rules: Departures,
    swallowed: u64,
    unmasked: u64,
    /// Bits of SW_SET that went from 0 to 1.
    pub(super) triggers: u64,
}

impl Lines {
    /// The lines of a die; one that the controller does not claim keeps bits and delivers nothing.
    pub(super) fn new(model: &SocModel, claimed: bool) -> Self {
        let aic = &model.aic;
        let words = aic.max_irq as usize / 32;
        let up_to = |limit: u32| (0..words as u32).map(|w| below(limit, w * 32)).collect();
        let stored: Vec<u32> = match aic.beyond {
            Beyond::Absent => up_to(aic.nr_irq),
            Beyond::Stored | Beyond::Delivered => up_to(aic.max_irq),
        };
        Self {
            sw: vec![0; words],
            mask: if aic.masked {
                stored.clone()
            } else {
                vec![0; words]
            },
            hw: vec![0; words],
            stored,
            wired: match aic.beyond {
                _ if !claimed => up_to(0),
                Beyond::Delivered => up_to(aic.max_irq),
                Beyond::Stored | Beyond::Absent => up_to(aic.nr_irq),
            },
            live: vec![0; words],
            in_service: vec![0; words],
            masked_in_service: vec![0; words],
            rules: Departures {
                lose_every: model.faults.lose_trigger_every,
                forgets_masked: model.defect.forgets_masked,
                ignores_mask: model.defect.ignores_line_mask,
                clear_drops_level: model.defect.clear_drops_level,
                eoi_lost: model.defect.eoi_lost,
                mask_leak_every: model.defect.mask_leak_every,
            },
            swallowed: 0,
            unmasked: 0,
            triggers: 0,
        }
    }

    /// What firmware left of the lines of this die.
    pub(super) fn as_found(&mut self, model: &SocModel, die: usize) {
        let aic = &model.aic;
        let here = |l: &&LineModel| l.die as usize == die;
        let place = |l: &LineModel| (l.number as usize / 32, bit(l.number));
        for (word, bit) in aic.high.iter().filter(here).map(place) {
            self.hw[word] |= bit;
        }
        for (word, bit) in aic.left_set.iter().filter(here).map(place) {
            self.sw[word] |= bit;
        }
        for (word, bit) in aic.left_unmasked.iter().filter(here).map(place) {
            self.mask[word] &= !bit;
        }
    }

    pub(super) fn words(&self) -> usize {
        self.mask.len()
    }

    pub(super) fn mask(&self) -> &[u32] {
        &self.mask
    }

    pub(super) fn software(&self) -> &[u32] {
        &self.sw
    }

    pub(super) fn hardware(&self) -> &[u32] {
        &self.hw
    }

    /// The line has bits in the banks.
    pub(super) fn has(&self, number: usize) -> bool {
        self.stored
            .get(number / 32)
            .is_some_and(|w| w & bit(number as u32) != 0)
    }

    /// Drive the hardware level of a line; false if there is no such line.
    pub(super) fn drive(&mut self, number: u32, high: bool) -> bool {
        let Some(level) = self.hw.get_mut(number as usize / 32) else {
            return false;
        };
        *level = if high {
            *level | bit(number)
        } else {
            *level & !bit(number)
        };
        true
    }

    pub(super) fn software_set(&mut self, word: usize, value: u32) {
        let value = value & self.stored[word];
        let fresh = value & !self.sw[word];
        self.triggers += u64::from(fresh.count_ones());
        let mut keep = value;
        if self.rules.lose_every != 0 && fresh != 0 {
            self.swallowed += 1;
            if self.swallowed.is_multiple_of(self.rules.lose_every) {
                keep &= !fresh;
            }
        }
        if self.rules.forgets_masked {
            keep &= !self.mask[word];
        }
        self.sw[word] |= keep;
    }

    pub(super) fn software_clear(&mut self, word: usize, value: u32) {
        self.sw[word] &= !value;
        if self.rules.clear_drops_level {
            self.hw[word] &= !value;
        }
    }

    pub(super) fn mask_set(&mut self, word: usize, value: u32) {
        let value = value & self.stored[word];
        self.mask[word] |= value;
        self.masked_in_service[word] |= value & self.in_service[word];
    }

    pub(super) fn mask_clear(&mut self, word: usize, value: u32) {
        let mut open = value;
        if self.rules.eoi_lost {
            open &= !self.masked_in_service[word];
        }
        if self.rules.mask_leak_every != 0 && open & self.in_service[word] != 0 {
            self.unmasked += 1;
            if self.unmasked.is_multiple_of(self.rules.mask_leak_every) {
                open &= !self.in_service[word];
            }
        }
        self.mask[word] &= !open;
        self.in_service[word] &= !open;
        if !self.rules.eoi_lost {
            self.masked_in_service[word] &= !open;
        }
    }

    /// EVENT takes a line.
    pub(super) fn take(&mut self, number: u32) {
        let (word, bit) = (number as usize / 32, bit(number));
        self.mask[word] |= bit;
        self.in_service[word] |= bit;
        self.live[word] &= !bit;
    }

    /// The line lost what made it high by software (a defect of the controller's routing).
    pub(super) fn forget(&mut self, number: u32) {
        self.sw[number as usize / 32] &= !bit(number);
    }

    pub(super) fn mask_all(&mut self) {
        self.mask.copy_from_slice(&self.stored);
        self.in_service.fill(0);
        self.masked_in_service.fill(0);
    }

    pub(super) fn clear_software(&mut self) {
        self.sw.fill(0);
    }

    /// Work out which lines of a word are deliverable; `open` = those the controller lets through. Gives the lines of the word that
    /// became deliverable and those that ceased to be.
    pub(super) fn sync(&mut self, word: usize, open: u32) -> (u32, u32) {
        let high = self.hw[word] | self.sw[word];
        let mask = if self.rules.ignores_mask {
            self.mask[word] & self.in_service[word]
        } else {
            self.mask[word]
        };
        let want = high & !mask & self.wired[word] & open;
        let was = std::mem::replace(&mut self.live[word], want);
        (want & !was, was & !want)
    }
}

/// Numbers of the lines whose bits are set in a word.
pub(super) fn numbers(word: usize, mut bits: u32) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let at = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (at < 32).then_some(word as u32 * 32 + at)
    })
}

/// A line's bit in its word.
pub(super) const fn bit(number: u32) -> u32 {
    1 << (number % 32)
}

/// Bits of the word that starts at line `first` which are below `limit`.
pub(super) fn below(limit: u32, first: u32) -> u32 {
    match limit.saturating_sub(first) {
        0 => 0,
        n if n >= 32 => u32::MAX,
        n => (1 << n) - 1,
    }
}
