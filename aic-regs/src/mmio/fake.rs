// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AIC block in memory, for tests on the host.

use super::{GuardedMmio, Mmio};
use crate::aic::{Bank, EventWord, Geometry, Info1, Info3, Line};
use crate::guard::Trap;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

/// One access, as [`FakeMmio::take_log`] reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A read and what it answered.
    Read {
        /// Byte offset.
        off: u32,
        /// The answer.
        value: u32,
    },
    /// A write.
    Write {
        /// Byte offset.
        off: u32,
        /// What was written.
        value: u32,
    },
}

/// An AIC block in memory: cells, SET/CLR pairs that read back their state, a destructive EVENT and a log.
///
/// Clones share the block, so that a test can look on from outside. EVENT answers, in this order: words queued by
/// [`FakeMmio::queue_event`]; then, while CONFIG.ENABLE is set, the lowest die's lowest unmasked line that is high (by
/// its hardware input or by software), which it masks; then 0. There is no routing: any reader gets the event.
#[derive(Clone, Debug)]
pub struct FakeMmio {
    shared: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    geometry: Geometry,
    cells: HashMap<u32, u32>,
    queued: VecDeque<u32>,
    traps: HashMap<u32, Trap>,
    log: Vec<Access>,
}

impl FakeMmio {
    /// A block after reset: everything unmasked, nothing pending, CONFIG.ENABLE clear, INFO1 and INFO3 as `geometry`
    /// says.
    pub fn new(geometry: Geometry) -> Self {
        let mut info1 = Info1(0);
        info1.set_nr_irq(geometry.nr_irq as u16);
        info1.set_last_die(geometry.dies.saturating_sub(1) as u8);
        let mut info3 = Info3(0);
        info3.set_max_irq(geometry.max_irq as u16);
        info3.set_max_die(geometry.dies as u8);
        let cells = HashMap::from([(geometry.info1, info1.0), (geometry.info3, info3.0)]);
        Self {
            shared: Arc::new(Mutex::new(State {
                geometry,
                cells,
                queued: VecDeque::new(),
                traps: HashMap::new(),
                log: Vec::new(),
            })),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the level of a line's hardware input. A line that does not exist is ignored.
    pub fn set_hw_level(&self, line: Line, high: bool) {
        let mut state = self.state();
        let word = u32::from(line.number / 32);
        if let Some(off) = state.geometry.bank_offset(Bank::HwState, line.die, word) {
            let bit = 1 << (line.number % 32);
            let cell = state.cells.entry(off).or_default();
            *cell = if high { *cell | bit } else { *cell & !bit };
        }
    }

    /// Makes the next reads of EVENT answer `word`, whatever the lines say.
    pub fn queue_event(&self, word: EventWord) {
        self.state().queued.push_back(word.0);
    }

    /// Makes every access at `off` trap with `esr`; `None` makes it work again. A trapped access is not logged.
    pub fn trap_accesses(&self, off: u32, esr: Option<u64>) {
        let mut state = self.state();
        match esr {
            Some(esr) => state.traps.insert(off, Trap { esr }),
            None => state.traps.remove(&off),
        };
    }

    /// Whether a read of EVENT would answer something: the level of the controller's output.
    pub fn irq_pending(&self) -> bool {
        let state = self.state();
        !state.queued.is_empty() || state.next_line().is_some()
    }

    /// The cell at `off`, without an access: SW and mask state are at their SET offsets.
    pub fn peek(&self, off: u32) -> u32 {
        let state = self.state();
        state.cells.get(&state.cell(off)).copied().unwrap_or(0)
    }

    /// Sets the cell at `off`, without an access.
    pub fn poke(&self, off: u32, value: u32) {
        let mut state = self.state();
        let cell = state.cell(off);
        state.cells.insert(cell, value);
    }

    /// The accesses since the last call, oldest first.
    pub fn take_log(&self) -> Vec<Access> {
        core::mem::take(&mut self.state().log)
    }
}

impl State {
    /// Which bank, die and word `off` is in.
    fn locate(&self, off: u32) -> Option<(Bank, u8, u32)> {
        for die in 0..self.geometry.dies as u8 {
            for bank in Bank::ALL {
                let Some(start) = self.geometry.bank_offset(bank, die, 0) else {
                    continue;
                };
                let word = off.wrapping_sub(start) / 4;
                if off >= start && word < self.geometry.words_per_die() {
                    return Some((bank, die, word));
                }
            }
        }
        None
    }

    /// Where the state behind `off` is kept: SET and CLR share one cell.
    fn cell(&self, off: u32) -> u32 {
        let home = match self.locate(off) {
            Some((Bank::SwClr, die, word)) => self.geometry.bank_offset(Bank::SwSet, die, word),
            Some((Bank::MaskClr, die, word)) => self.geometry.bank_offset(Bank::MaskSet, die, word),
            _ => None,
        };
        home.unwrap_or(off)
    }

    fn bank(&self, bank: Bank, die: u8, word: u32) -> u32 {
        self.geometry
            .bank_offset(bank, die, word)
            .and_then(|off| self.cells.get(&off))
            .copied()
            .unwrap_or(0)
    }

    fn next_line(&self) -> Option<Line> {
        if self.cells.get(&self.geometry.config).copied().unwrap_or(0) & 1 == 0 {
            return None;
        }
        for die in 0..self.geometry.dies as u8 {
            for word in 0..self.geometry.words_per_die() {
                let high = self.bank(Bank::SwSet, die, word) | self.bank(Bank::HwState, die, word);
                let open = high & !self.bank(Bank::MaskSet, die, word);
                if open != 0 {
                    return Some(Line {
                        die,
                        number: (word * 32 + open.trailing_zeros()) as u16,
                    });
                }
            }
        }
        None
    }

    fn take_event(&mut self) -> u32 {
        if let Some(word) = self.queued.pop_front() {
            return word;
        }
        let Some(line) = self.next_line() else {
            return 0;
        };
        if let Some(off) =
            self.geometry
                .bank_offset(Bank::MaskSet, line.die, u32::from(line.number / 32))
        {
            *self.cells.entry(off).or_default() |= 1 << (line.number % 32);
        }
        line.hwirq()
    }
}

impl GuardedMmio for FakeMmio {
    fn read32_guarded(&self, off: u32) -> Result<u32, Trap> {
        let mut state = self.state();
        if let Some(trap) = state.traps.get(&off) {
            return Err(*trap);
        }
        let value = if off == state.geometry.event {
            state.take_event()
        } else {
            let cell = state.cell(off);
            state.cells.get(&cell).copied().unwrap_or(0)
        };
        state.log.push(Access::Read { off, value });
        Ok(value)
    }

    fn write32_guarded(&self, off: u32, value: u32) -> Result<(), Trap> {
        let mut state = self.state();
        if let Some(trap) = state.traps.get(&off) {
            return Err(*trap);
        }
        state.log.push(Access::Write { off, value });
        let located = state.locate(off);
        let home = state.cell(off);
        match located {
            Some((Bank::SwSet | Bank::MaskSet, ..)) => {
                *state.cells.entry(home).or_default() |= value
            }
            Some((Bank::SwClr | Bank::MaskClr, ..)) => {
                *state.cells.entry(home).or_default() &= !value
            }
            Some((Bank::HwState, ..)) => {}
            None if off == state.geometry.event => {}
            None => {
                state.cells.insert(off, value);
            }
        }
        Ok(())
    }
}

impl Mmio for FakeMmio {
    /// # Panics
    ///
    /// When the access traps: on the target this would be a crash.
    fn read32(&self, off: u32) -> u32 {
        match self.read32_guarded(off) {
            Ok(value) => value,
            Err(trap) => panic!("unguarded read at {off:#x}: {trap}"),
        }
    }

    /// # Panics
    ///
    /// When the access traps: on the target this would be a crash.
    fn write32(&self, off: u32, value: u32) {
        if let Err(trap) = self.write32_guarded(off, value) {
            panic!("unguarded write at {off:#x}: {trap}");
        }
    }
}
