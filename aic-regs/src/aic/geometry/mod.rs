// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the registers of one controller are.

mod check;
mod offsets;

pub use check::GeometryError;

use super::line::{Line, LineHandle};

/// Generation of the controller. Taken from the device tree's `compatible`, never from VERSION.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// AICv1 (A7 to A13, M1): CPU target per line, memory-mapped IPIs.
    V1,
    /// AICv2 (M1 Pro to M2 Ultra).
    V2,
    /// AICv3 (M3 and later, A18 Pro).
    V3,
}

/// A bank of one bit per line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bank {
    /// Write 1: raise the software state. Reads the software state.
    SwSet,
    /// Write 1: drop the software state. Reads the software state.
    SwClr,
    /// Write 1: mask. Reads the mask, 1 = masked.
    MaskSet,
    /// Write 1: unmask. Reads the mask, 1 = masked.
    MaskClr,
    /// Reads the level of the hardware inputs.
    HwState,
}

impl Bank {
    /// Every bank, in the order in which they follow each other in a die's block.
    pub const ALL: [Self; 5] = [
        Self::SwSet,
        Self::SwClr,
        Self::MaskSet,
        Self::MaskClr,
        Self::HwState,
    ];

    /// Whether writes to the bank are defined.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Self::HwState)
    }
}

/// Layout of a controller: byte offsets from its base for die 0, and byte strides from one die to the next.
///
/// The computed layout (source: drivers) is, from IRQ_CFG, for each die in turn: `max_irq` words of configuration,
/// then SW_SET, SW_CLR, MASK_SET, MASK_CLR, HW_STATE with `max_irq / 32` words each. AICv1 follows the same rule with
/// its TARGET_CPU words in the place of IRQ_CFG, always for 1024 lines of one die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    /// Generation.
    pub generation: Generation,
    /// Lines per die that exist: numbers are below it.
    pub nr_irq: u32,
    /// Lines per die that the layout has room for, a multiple of 32.
    pub max_irq: u32,
    /// Dies in use, 1 to 16.
    pub dies: u32,
    /// VERSION.
    pub version: u32,
    /// INFO1 (CAP0).
    pub info1: u32,
    /// INFO3 (MAXNUMIRQ). AICv1 has none: here it repeats `info1`, and nothing is read through it.
    pub info3: u32,
    /// CONFIG, on AICv1 GLB_CFG.
    pub config: u32,
    /// IRQ_CFG of line 0 of die 0, on AICv1 TARGET_CPU.
    pub irq_cfg: u32,
    /// SW_SET of die 0.
    pub sw_set: u32,
    /// SW_CLR of die 0.
    pub sw_clr: u32,
    /// MASK_SET of die 0.
    pub mask_set: u32,
    /// MASK_CLR of die 0.
    pub mask_clr: u32,
    /// HW_STATE of die 0.
    pub hw_state: u32,
    /// EVENT.
    pub event: u32,
    /// Die stride of IRQ_CFG.
    pub cfg_stride: u32,
    /// Die stride of SW_SET and MASK_SET.
    pub set_stride: u32,
    /// Die stride of SW_CLR and MASK_CLR.
    pub clr_stride: u32,
    /// Die stride of HW_STATE.
    pub hw_stride: u32,
}

impl Geometry {
    /// AICv1 with `nr_irq` lines: 896 on T8103. Everything else is the same on every SoC that has it.
    pub const fn v1(nr_irq: u32) -> Self {
        let info1 = 0x04;
        let mut v1 = Self::computed(
            Generation::V1,
            nr_irq,
            Self::V1_MAX_IRQ,
            1,
            Self::V1_EVENT,
            Self::V1_TARGET_CPU,
        )
        .with_header(0x00, info1, info1, Self::V1_GLB_CFG);
        // No second die, so no way to it.
        (v1.cfg_stride, v1.set_stride) = (0, 0);
        (v1.clr_stride, v1.hw_stride) = (0, 0);
        v1
    }

    /// AICv2: `event` is 0xc000 on T600x and T602x, 0x8000 on T8112 (device tree: `aic-iack-offset`).
    pub const fn v2(nr_irq: u32, max_irq: u32, dies: u32, event: u32) -> Self {
        Self::computed(
            Generation::V2,
            nr_irq,
            max_irq,
            dies,
            event,
            Self::V2_IRQ_CFG,
        )
    }

    /// AICv3: `event` is normally [`Geometry::V3_EVENT`].
    pub const fn v3(nr_irq: u32, max_irq: u32, dies: u32, event: u32) -> Self {
        Self::computed(
            Generation::V3,
            nr_irq,
            max_irq,
            dies,
            event,
            Self::V3_IRQ_CFG,
        )
    }

    const fn computed(
        generation: Generation,
        nr_irq: u32,
        max_irq: u32,
        dies: u32,
        event: u32,
        irq_cfg: u32,
    ) -> Self {
        let empty = Self {
            generation,
            nr_irq,
            max_irq,
            dies,
            version: 0x00,
            info1: 0x04,
            info3: 0x0c,
            config: 0x14,
            irq_cfg: 0,
            sw_set: 0,
            sw_clr: 0,
            mask_set: 0,
            mask_clr: 0,
            hw_state: 0,
            event,
            cfg_stride: 0,
            set_stride: 0,
            clr_stride: 0,
            hw_stride: 0,
        };
        empty.with_irq_cfg(irq_cfg).with_strides(0, 0, 0, 0)
    }

    /// The same with IRQ_CFG at `irq_cfg` (device tree: `extint-baseaddress`) and the banks of die 0 following it.
    pub const fn with_irq_cfg(mut self, irq_cfg: u32) -> Self {
        let bank = self.bank_size();
        self.irq_cfg = irq_cfg;
        self.sw_set = irq_cfg.wrapping_add(self.max_irq.wrapping_mul(4));
        self.sw_clr = self.sw_set.wrapping_add(bank);
        self.mask_set = self.sw_clr.wrapping_add(bank);
        self.mask_clr = self.mask_set.wrapping_add(bank);
        self.hw_state = self.mask_clr.wrapping_add(bank);
        self
    }

    /// The same with the given die strides (device tree: `extintrcfg-stride`, `intmaskset-stride`,
    /// `intmaskclear-stride`, `hwintmon-stride`). 0 stands for the computed stride, as drivers treat it: some
    /// single-die trees hold 0.
    pub const fn with_strides(mut self, cfg: u32, set: u32, clr: u32, hw: u32) -> Self {
        let computed = self.computed_stride();
        self.cfg_stride = if cfg == 0 { computed } else { cfg };
        self.set_stride = if set == 0 { computed } else { set };
        self.clr_stride = if clr == 0 { computed } else { clr };
        self.hw_stride = if hw == 0 { computed } else { hw };
        self
    }

    /// The same with the identification words and CONFIG at the given offsets (device tree: `rev-offset`,
    /// `cap0-offset`, `maxnumirq-offset`, `aicglbcfg-offset`).
    pub const fn with_header(mut self, version: u32, info1: u32, info3: u32, config: u32) -> Self {
        self.version = version;
        self.info1 = info1;
        self.info3 = info3;
        self.config = config;
        self
    }

    /// Size of one die's block in bytes when the dies follow each other: 0x4a00 for 4096 lines.
    pub const fn computed_stride(&self) -> u32 {
        self.max_irq
            .wrapping_mul(4)
            .wrapping_add(self.bank_size().wrapping_mul(5))
    }

    /// 32-line words in each bank of one die.
    #[inline]
    pub const fn words_per_die(&self) -> u32 {
        self.max_irq / 32
    }

    const fn bank_size(&self) -> u32 {
        (self.max_irq / 32).wrapping_mul(4)
    }

    /// Whether the line exists.
    #[inline]
    pub const fn contains(&self, line: Line) -> bool {
        (line.die as u32) < self.dies && (line.number as u32) < self.nr_irq
    }

    /// Validates a line and computes its place; `None` when its die or number does not exist.
    pub const fn line(&self, line: Line) -> Option<LineHandle> {
        if !self.contains(line) {
            return None;
        }
        let (die, number) = (line.die as u32, line.number as u32);
        let word = number / 32 * 4;
        let set = die.wrapping_mul(self.set_stride).wrapping_add(word);
        let clr = die.wrapping_mul(self.clr_stride).wrapping_add(word);
        Some(LineHandle {
            line,
            bit: 1 << (number % 32),
            sw_set: self.sw_set.wrapping_add(set),
            sw_clr: self.sw_clr.wrapping_add(clr),
            mask_set: self.mask_set.wrapping_add(set),
            mask_clr: self.mask_clr.wrapping_add(clr),
            hw_state: self
                .hw_state
                .wrapping_add(die.wrapping_mul(self.hw_stride))
                .wrapping_add(word),
            irq_cfg: self
                .irq_cfg
                .wrapping_add(die.wrapping_mul(self.cfg_stride))
                .wrapping_add(number * 4),
        })
    }

    /// Offset of word `word` of a bank of `die`; `None` past the last die or word.
    #[inline]
    pub const fn bank_offset(&self, bank: Bank, die: u8, word: u32) -> Option<u32> {
        if die as u32 >= self.dies || word >= self.words_per_die() {
            return None;
        }
        let (start, stride) = self.bank_place(bank);
        Some(
            start
                .wrapping_add((die as u32).wrapping_mul(stride))
                .wrapping_add(word * 4),
        )
    }

    /// Byte offset of a bank on die 0.
    #[inline]
    pub const fn bank_start(&self, bank: Bank) -> u32 {
        self.bank_place(bank).0
    }

    /// Byte stride of a bank from one die to the next.
    #[inline]
    pub const fn bank_stride(&self, bank: Bank) -> u32 {
        self.bank_place(bank).1
    }

    const fn bank_place(&self, bank: Bank) -> (u32, u32) {
        match bank {
            Bank::SwSet => (self.sw_set, self.set_stride),
            Bank::SwClr => (self.sw_clr, self.clr_stride),
            Bank::MaskSet => (self.mask_set, self.set_stride),
            Bank::MaskClr => (self.mask_clr, self.clr_stride),
            Bank::HwState => (self.hw_state, self.hw_stride),
        }
    }

    /// First byte after the highest register that this geometry reaches: what a window must hold at least. The page of
    /// [`super::Timebase`] is a window of its own.
    #[inline(never)]
    pub const fn extent(&self) -> u64 {
        let last_die = self.dies.saturating_sub(1) as u64;
        let mut end = match self.generation {
            Generation::V1 => Self::V1_VIEWS_END as u64,
            Generation::V2 | Generation::V3 => Self::TIMESTAMPS as u64 + 4,
        };
        let ends = [
            self.version as u64 + 4,
            self.info1 as u64 + 4,
            self.info3 as u64 + 4,
            self.config as u64 + 4,
            self.event as u64 + 4,
            self.irq_cfg as u64 + last_die * self.cfg_stride as u64 + self.max_irq as u64 * 4,
            self.bank_end(Bank::SwSet),
            self.bank_end(Bank::SwClr),
            self.bank_end(Bank::MaskSet),
            self.bank_end(Bank::MaskClr),
            self.bank_end(Bank::HwState),
        ];
        let mut i = 0;
        while i < ends.len() {
            if ends[i] > end {
                end = ends[i];
            }
            i += 1;
        }
        end
    }

    const fn bank_end(&self, bank: Bank) -> u64 {
        let (start, stride) = self.bank_place(bank);
        start as u64 + self.dies.saturating_sub(1) as u64 * stride as u64 + self.bank_size() as u64
    }
}
