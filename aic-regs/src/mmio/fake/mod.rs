// SPDX-License-Identifier: MIT OR Apache-2.0
//! An AIC block in memory, for tests on the host.

mod state;

use super::{GuardedMmio, Mmio};
use crate::aic::{Bank, EventWord, Geometry, Line};
use crate::guard::Trap;
use state::State;
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
/// its hardware input or by software), which it masks; then 0. On AICv2 and AICv3 there is no routing: any reader gets
/// the event.
///
/// AICv1 knows who accesses it ([`FakeMmio::as_cpu`], CPU 0 without it): a CPU is offered only lines whose TARGET_CPU
/// names it, and before them its own unmasked IPIs, "from itself" first (that order is an emulator's); the read masks the
/// IPI and leaves it pending. All else is a plain cell, RST too.
#[derive(Clone, Debug)]
pub struct FakeMmio {
    shared: Arc<Mutex<State>>,
    cpu: u8,
}

impl FakeMmio {
    /// A block after reset: everything unmasked, nothing pending, CONFIG.ENABLE clear, INFO1 and INFO3 as `geometry`
    /// says.
    pub fn new(geometry: Geometry) -> Self {
        Self {
            shared: Arc::new(Mutex::new(State::new(geometry))),
            cpu: 0,
        }
    }

    /// The same block, accessed by the CPU whose WHOAMI is `cpu`. Only AICv1 tells CPUs apart.
    pub fn as_cpu(&self, cpu: u8) -> Self {
        Self {
            cpu,
            ..self.clone()
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

    /// Whether a read of EVENT by this clone's CPU would answer something: the level of the controller's output to it.
    pub fn irq_pending(&self) -> bool {
        let state = self.state();
        state.is_pending(self.cpu)
    }

    /// The cell at `off`, without an access: SW and mask state are at their SET offsets.
    pub fn peek(&self, off: u32) -> u32 {
        let state = self.state();
        state.word(state.cell(off, self.cpu))
    }

    /// Sets the cell at `off`, without an access.
    pub fn poke(&self, off: u32, value: u32) {
        let mut state = self.state();
        let cell = state.cell(off, self.cpu);
        state.cells.insert(cell, value);
    }

    /// The accesses since the last call, oldest first.
    pub fn take_log(&self) -> Vec<Access> {
        core::mem::take(&mut self.state().log)
    }
}

impl GuardedMmio for FakeMmio {
    fn read32_guarded(&self, off: u32) -> Result<u32, Trap> {
        let mut state = self.state();
        if let Some(trap) = state.traps.get(&off) {
            return Err(*trap);
        }
        let value = state.read(off, self.cpu);
        state.log.push(Access::Read { off, value });
        Ok(value)
    }

    fn write32_guarded(&self, off: u32, value: u32) -> Result<(), Trap> {
        let mut state = self.state();
        if let Some(trap) = state.traps.get(&off) {
            return Err(*trap);
        }
        state.log.push(Access::Write { off, value });
        state.write(off, value, self.cpu);
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
