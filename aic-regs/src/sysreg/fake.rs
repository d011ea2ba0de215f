// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system registers of one CPU in memory, for tests on the host.

use super::{
    CNTPCT, Encoding, GuardedWritable, IPI_SR, Readable, SysRegs, SystemRegister, Writable,
};
use crate::guard::Trap;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

/// One access, as [`FakeSysRegs::take_log`] reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SysRegAccess {
    /// A read and what it answered; `None` is a trap.
    Read(Encoding, Option<u64>),
    /// A write and whether it was done; `false` is a trap.
    Write(Encoding, u64, bool),
    /// ISB.
    Isb,
    /// DSB SY.
    Dsb,
}

/// The system registers of one CPU, with programmable values and traps. Clones share them.
///
/// A register that was never set reads 0. CNTPCT advances by a programmable step at every read; writing 1 to IPI_SR
/// clears its pending bit; everything else is a plain cell.
#[derive(Clone, Debug, Default)]
pub struct FakeSysRegs {
    shared: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    values: HashMap<Encoding, u64>,
    read_traps: HashMap<Encoding, Trap>,
    write_traps: HashMap<Encoding, Trap>,
    counter_step: u64,
    log: Vec<SysRegAccess>,
}

impl FakeSysRegs {
    /// All registers 0, no traps, a counter that stands still.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a register from outside, whatever its access rights.
    pub fn set<R: SystemRegister>(&self, value: R::Value) {
        self.state().values.insert(R::ENCODING, value.into());
    }

    /// Looks at a register from outside.
    pub fn get<R: SystemRegister>(&self) -> R::Value {
        self.state()
            .values
            .get(&R::ENCODING)
            .copied()
            .unwrap_or(0)
            .into()
    }

    /// Makes every read of `R` trap with `esr`; `None` makes it readable again.
    pub fn trap_reads<R: SystemRegister>(&self, esr: Option<u64>) {
        let mut state = self.state();
        match esr {
            Some(esr) => state.read_traps.insert(R::ENCODING, Trap { esr }),
            None => state.read_traps.remove(&R::ENCODING),
        };
    }

    /// Makes every write of `R` trap with `esr`; `None` makes it writable again.
    pub fn trap_writes<R: SystemRegister>(&self, esr: Option<u64>) {
        let mut state = self.state();
        match esr {
            Some(esr) => state.write_traps.insert(R::ENCODING, Trap { esr }),
            None => state.write_traps.remove(&R::ENCODING),
        };
    }

    /// Ticks by which CNTPCT advances at every read of it.
    pub fn set_counter_step(&self, ticks: u64) {
        self.state().counter_step = ticks;
    }

    /// The accesses since the last call, oldest first.
    pub fn take_log(&self) -> Vec<SysRegAccess> {
        core::mem::take(&mut self.state().log)
    }

    fn access_read(&self, encoding: Encoding) -> Result<u64, Trap> {
        let mut state = self.state();
        if let Some(trap) = state.read_traps.get(&encoding).copied() {
            state.log.push(SysRegAccess::Read(encoding, None));
            return Err(trap);
        }
        let value = state.values.get(&encoding).copied().unwrap_or(0);
        if encoding == CNTPCT::ENCODING {
            let next = value.wrapping_add(state.counter_step);
            state.values.insert(encoding, next);
        }
        state.log.push(SysRegAccess::Read(encoding, Some(value)));
        Ok(value)
    }

    fn access_write(&self, encoding: Encoding, value: u64) -> Result<(), Trap> {
        let mut state = self.state();
        if let Some(trap) = state.write_traps.get(&encoding).copied() {
            state.log.push(SysRegAccess::Write(encoding, value, false));
            return Err(trap);
        }
        let cell = state.values.entry(encoding).or_default();
        *cell = if encoding == IPI_SR::ENCODING {
            *cell & !(value & 1)
        } else {
            value
        };
        state.log.push(SysRegAccess::Write(encoding, value, true));
        Ok(())
    }
}

macro_rules! is_readable {
    ($($name:ident),* $(,)?) => {
        fn is_readable(encoding: Encoding) -> bool {
            [$(<super::$name as SystemRegister>::ENCODING),*].contains(&encoding)
        }
    };
}
super::readable_registers!(is_readable);

impl SysRegs for FakeSysRegs {
    /// # Panics
    ///
    /// When the register traps: on the target this would be a crash.
    fn read<R: Readable>(&self) -> R::Value {
        match self.access_read(R::ENCODING) {
            Ok(value) => value.into(),
            Err(trap) => panic!("unguarded read of {}: {trap}", R::NAME),
        }
    }

    /// # Panics
    ///
    /// When the register traps: on the target this would be a crash.
    unsafe fn write<R: Writable>(&self, value: R::Value) {
        if let Err(trap) = self.access_write(R::ENCODING, value.into()) {
            panic!("unguarded write of {}: {trap}", R::NAME);
        }
    }

    fn read_guarded<R: Readable>(&self) -> Result<R::Value, Trap> {
        self.access_read(R::ENCODING).map(R::Value::from)
    }

    unsafe fn write_guarded<R: GuardedWritable>(&self, value: R::Value) -> Result<(), Trap> {
        self.access_write(R::ENCODING, value.into())
    }

    fn read_guarded_by_encoding(&self, encoding: Encoding) -> Option<Result<u64, Trap>> {
        is_readable(encoding).then(|| self.access_read(encoding))
    }

    fn isb(&self) {
        self.state().log.push(SysRegAccess::Isb);
    }

    fn dsb(&self) {
        self.state().log.push(SysRegAccess::Dsb);
    }
}
