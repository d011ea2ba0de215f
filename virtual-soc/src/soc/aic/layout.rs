//! Where the registers of AIC 2 and 3 lie.
//!
//! Facts (third party: Linux and loader drivers): the block starts with global registers; from IRQ_CFG on, each die has MAX_IRQ
//! words of configuration, then SW_SET, SW_CLR, MASK_SET, MASK_CLR and HW_STATE of MAX_IRQ/32 words each; the next die
//! follows at once unless the device tree gives strides. EVENT lies elsewhere in the window.

use crate::model::SocModel;

/// Offsets of the global registers (third party). INFO2 (0x8) has no known meaning and reads 0.
pub(crate) mod global {
    pub(crate) const VERSION: u32 = 0x0000;
    pub(crate) const INFO1: u32 = 0x0004;
    pub(crate) const INFO3: u32 = 0x000c;
    pub(crate) const RESET: u32 = 0x0010;
    pub(crate) const CONFIG: u32 = 0x0014;
    pub(crate) const TIMEOUT: u32 = 0x0028;
    pub(crate) const CLUSTER_PRIO: u32 = 0x0030;
    /// Table indexed by the delay field of IRQ_CFG, eight words (the field has three bits).
    pub(crate) const DELAY: core::ops::Range<u32> = 0x0100..0x0120;
    pub(crate) const LATENCY: u32 = 0x0204;
    pub(crate) const IDLE_CLUSTERS: u32 = 0x0340;
}

/// A register bank of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bank {
    IrqCfg,
    SwSet,
    SwClear,
    MaskSet,
    MaskClear,
    HwState,
}

/// What lies at an offset beyond the global registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) bank: Bank,
    pub(crate) die: usize,
    /// Index of the word: a line for IRQ_CFG, 32 lines for the others.
    pub(crate) word: usize,
}

/// Offsets of one controller.
#[derive(Debug, Clone)]
pub struct AicLayout {
    max_irq: u64,
    dies: usize,
    base: [u64; 6],
    stride: [u64; 6],
    length: [u64; 6],
}

const BANKS: [Bank; 6] = [
    Bank::IrqCfg,
    Bank::SwSet,
    Bank::SwClear,
    Bank::MaskSet,
    Bank::MaskClear,
    Bank::HwState,
];

impl AicLayout {
    /// Dies whose banks answer.
    pub(crate) const fn dies(&self) -> usize {
        self.dies
    }

    /// Words of a bit bank of one die.
    pub(crate) const fn words(&self) -> usize {
        (self.max_irq / 32) as usize
    }

    /// First offset after the last bank.
    #[must_use]
    pub fn end(&self) -> u64 {
        (0..6)
            .map(|b| self.base[b] + self.stride[b] * (self.dies as u64 - 1) + self.length[b])
            .max()
            .unwrap_or(0)
    }

    /// Where the banks of all dies lie.
    pub(crate) fn banks(&self) -> impl Iterator<Item = core::ops::Range<u64>> {
        (0..self.dies as u64).flat_map(move |die| {
            (0..6).map(move |b| {
                let start = self.base[b] + self.stride[b] * die;
                start..start + self.length[b]
            })
        })
    }

    /// Bank, die and word at an offset, if a bank lies there.
    pub(crate) fn place(&self, offset: u32) -> Option<Place> {
        let offset = u64::from(offset);
        (0..6).find_map(|b| {
            let within = offset.checked_sub(self.base[b])?;
            let die = (within / self.stride[b]).min(self.dies as u64 - 1);
            let rest = within - die * self.stride[b];
            (rest < self.length[b]).then_some(Place {
                bank: BANKS[b],
                die: die as usize,
                word: (rest / 4) as usize,
            })
        })
    }
}

impl SocModel {
    /// The offsets that the model's `aic` table describes.
    #[must_use]
    pub fn aic_layout(&self) -> AicLayout {
        let aic = &self.aic;
        let max_irq = u64::from(aic.max_irq);
        let (cfg_len, bits_len) = (4 * max_irq, max_irq / 8);
        let computed = cfg_len + 5 * bits_len;
        let or_computed = |stride: u32| {
            if stride == 0 {
                computed
            } else {
                u64::from(stride)
            }
        };
        let (cfg, set, clear, hw) = (
            or_computed(aic.cfg_stride),
            or_computed(aic.set_stride),
            or_computed(aic.clear_stride),
            or_computed(aic.hw_state_stride),
        );
        let first = u64::from(aic.irq_cfg) + cfg_len;
        AicLayout {
            max_irq,
            dies: if aic.banks == 0 {
                aic.dies as usize
            } else {
                aic.banks as usize
            },
            base: [
                aic.irq_cfg.into(),
                first,
                first + bits_len,
                first + 2 * bits_len,
                first + 3 * bits_len,
                first + 4 * bits_len,
            ],
            stride: [cfg, set, clear, set, clear, hw],
            length: [cfg_len, bits_len, bits_len, bits_len, bits_len, bits_len],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(layout: &AicLayout, offset: u32) -> Option<(Bank, usize, usize)> {
        layout.place(offset).map(|p| (p.bank, p.die, p.word))
    }

    /// Offsets written out in the facts, not computed here.
    #[test]
    fn offsets_of_version_2_with_4096_lines() {
        let mut model = SocModel::builtin("t8140").unwrap();
        model.aic.irq_cfg = 0x2000;
        model.aic.dies = 2;
        (
            model.aic.cfg_stride,
            model.aic.set_stride,
            model.aic.clear_stride,
            model.aic.hw_state_stride,
        ) = (0, 0, 0, 0);
        let l = model.aic_layout();
        assert_eq!(at(&l, 0x2000), Some((Bank::IrqCfg, 0, 0)));
        assert_eq!(at(&l, 0x5ffc), Some((Bank::IrqCfg, 0, 4095)));
        assert_eq!(at(&l, 0x6000), Some((Bank::SwSet, 0, 0)));
        assert_eq!(at(&l, 0x6204), Some((Bank::SwClear, 0, 1)));
        assert_eq!(at(&l, 0x6400), Some((Bank::MaskSet, 0, 0)));
        assert_eq!(at(&l, 0x67fc), Some((Bank::MaskClear, 0, 127)));
        assert_eq!(at(&l, 0x6800), Some((Bank::HwState, 0, 0)));
        assert_eq!(at(&l, 0x6a00), Some((Bank::IrqCfg, 1, 0)));
        assert_eq!(at(&l, 0xaa00), Some((Bank::SwSet, 1, 0)));
        assert_eq!(at(&l, 0xac00), Some((Bank::SwClear, 1, 0)));
        assert_eq!(at(&l, 0xae00), Some((Bank::MaskSet, 1, 0)));
        assert_eq!(at(&l, 0xb000), Some((Bank::MaskClear, 1, 0)));
        assert_eq!(at(&l, 0xb200), Some((Bank::HwState, 1, 0)));
        assert_eq!(at(&l, 0xb400), None);
        assert_eq!(at(&l, 0x1ffc), None);
        assert_eq!(l.end(), 0xb400);
    }

    #[test]
    fn offsets_of_version_3() {
        let l = SocModel::builtin("t8140").unwrap().aic_layout();
        assert_eq!(at(&l, 0x10000), Some((Bank::IrqCfg, 0, 0)));
        assert_eq!(at(&l, 0x14000), Some((Bank::SwSet, 0, 0)));
        assert_eq!(at(&l, 0x14200), Some((Bank::SwClear, 0, 0)));
        assert_eq!(at(&l, 0x14400), Some((Bank::MaskSet, 0, 0)));
        assert_eq!(at(&l, 0x14600), Some((Bank::MaskClear, 0, 0)));
        assert_eq!(at(&l, 0x14800), Some((Bank::HwState, 0, 0)));
        assert_eq!(at(&l, 0x14a00), None);
    }

    #[test]
    fn strides_may_leave_gaps() {
        let mut model = SocModel::builtin("t8140").unwrap();
        model.aic.dies = 2;
        (
            model.aic.cfg_stride,
            model.aic.set_stride,
            model.aic.clear_stride,
            model.aic.hw_state_stride,
        ) = (0x8000, 0x8000, 0x8000, 0x8000);
        let l = model.aic_layout();
        assert_eq!(at(&l, 0x14a00), None);
        assert_eq!(at(&l, 0x18000), Some((Bank::IrqCfg, 1, 0)));
        assert_eq!(at(&l, 0x1c400), Some((Bank::MaskSet, 1, 0)));
    }
}
