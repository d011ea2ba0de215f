//! Levels of the hardware inputs, over some time.

use std::collections::BTreeMap;
use std::time::Duration;

use aic_regs::aic::Bank;
use protocol::LineId;

use crate::error::Error;

use super::AicFacts;
use super::registers::Registers;

/// How long to look, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    /// From the first look to the last.
    pub time: Duration,
    /// Looks, at least 2.
    pub looks: u32,
}

impl Watch {
    /// Before a line is fired: long enough for what ticks every few milliseconds.
    pub const BEFORE_FIRING: Self = Self {
        time: Duration::from_millis(20),
        looks: 11,
    };
}

/// What a line's input did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Low at every look.
    Low,
    /// High at every look.
    High,
    /// Both.
    Toggles,
}

/// What one HW_STATE word was.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    ever_high: u32,
    ever_low: u32,
}

/// What the inputs did.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// By die and word.
    words: BTreeMap<(u8, u16), Word>,
}

impl Levels {
    /// Looks at the words of `lines`.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn of_lines(
        registers: &mut dyn Registers,
        aic: &AicFacts,
        lines: &[LineId],
        watch: Watch,
    ) -> Result<Self, Error> {
        let mut places: Vec<(u8, u16)> = lines.iter().map(|l| (l.die, l.number / 32)).collect();
        places.sort_unstable();
        places.dedup();
        Self::of_words(registers, aic, &places, watch, &mut || false)
    }

    /// Looks at every line of every die until `stop` says that the user has enough.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn of_all(
        registers: &mut dyn Registers,
        aic: &AicFacts,
        watch: Watch,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Error> {
        let g = &aic.geometry;
        // At most 16 dies and 2047 words of each.
        let words = u16::try_from(g.nr_irq.div_ceil(32)).unwrap_or(u16::MAX);
        let dies = u8::try_from(g.dies).unwrap_or(u8::MAX);
        let places: Vec<(u8, u16)> = (0..dies)
            .flat_map(|die| (0..words).map(move |word| (die, word)))
            .collect();
        Self::of_words(registers, aic, &places, watch, stop)
    }

    fn of_words(
        registers: &mut dyn Registers,
        aic: &AicFacts,
        places: &[(u8, u16)],
        watch: Watch,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Error> {
        let mut levels = Self::default();
        let pause = watch.time / watch.looks.saturating_sub(1).max(1);
        for look in 0..watch.looks.max(1) {
            if look > 0 {
                registers.pause(pause)?;
            }
            for (die, number) in places {
                let offset = aic
                    .geometry
                    .bank_offset(Bank::HwState, *die, u32::from(*number));
                let Some(offset) = offset else { continue };
                let value = registers.read32(aic.base + u64::from(offset))?;
                let word = levels.words.entry((*die, *number)).or_default();
                word.ever_high |= value;
                word.ever_low |= !value;
            }
            if stop() {
                break;
            }
        }
        Ok(levels)
    }

    /// What the input of `line` did; `None` if nobody looked.
    #[must_use]
    pub fn of(&self, line: LineId) -> Option<Level> {
        let word = self.words.get(&(line.die, line.number / 32))?;
        let bit = 1u32 << (line.number % 32);
        Some(
            match (word.ever_high & bit != 0, word.ever_low & bit != 0) {
                (true, true) => Level::Toggles,
                (true, false) => Level::High,
                _ => Level::Low,
            },
        )
    }

    /// Lines whose input was ever high.
    pub fn ever_high(&self) -> impl Iterator<Item = LineId> {
        self.words.iter().flat_map(|((die, number), word)| {
            let bits = (0..32u16).filter(|bit| word.ever_high >> bit & 1 != 0);
            bits.map(move |bit| LineId {
                die: *die,
                number: number * 32 + bit,
            })
        })
    }
}
