//! Implementation-defined system registers: SIQ_CFG, those of fast IPIs, and the lists of the model.

use std::collections::BTreeMap;

use super::SocBus;
use crate::cpu::{SysReg, SysRegFault};
use crate::model::{RegisterAccess, SocModel};
use crate::soc::parse_sysreg;

/// Encodings (third party: loader sources and system-register documentation).
const SIQ_CFG: SysReg = SysReg::new(3, 4, 15, 10, 4);
const IPI_RR_LOCAL: SysReg = SysReg::new(3, 5, 15, 0, 0);
const IPI_RR_GLOBAL: SysReg = SysReg::new(3, 5, 15, 0, 1);
const IPI_SR: SysReg = SysReg::new(3, 5, 15, 1, 1);
const IPI_CR: SysReg = SysReg::new(3, 5, 15, 3, 1);

/// How one listed register behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listed {
    Zero,
    Storage,
    Trap,
    WriteUndefined,
}

/// The model's lists.
pub(super) fn listed(model: &SocModel) -> BTreeMap<SysReg, Listed> {
    let named = |list: &[String], kind: Listed| -> Vec<(SysReg, Listed)> {
        list.iter()
            .filter_map(|name| Some((parse_sysreg(name)?, kind)))
            .collect()
    };
    let mut listed = BTreeMap::new();
    listed.extend(named(&model.sysregs.zero, Listed::Zero));
    listed.extend(named(&model.sysregs.storage, Listed::Storage));
    listed.extend(named(&model.sysregs.trap, Listed::Trap));
    listed.extend(named(
        &model.sysregs.write_undefined,
        Listed::WriteUndefined,
    ));
    listed
}

impl SocBus {
    pub(super) fn read_register(&self, cpu: usize, reg: SysReg) -> Result<u64, SysRegFault> {
        match reg {
            SIQ_CFG => match self.siq_access[cpu] {
                RegisterAccess::Undefined => Err(SysRegFault::Undefined),
                RegisterAccess::Trap => Err(SysRegFault::Trap),
                RegisterAccess::Zero => Ok(0),
                _ => Ok(self.siq_cfg(cpu)),
            },
            IPI_SR => Ok(self.ipi.status(cpu)),
            IPI_CR => Ok(self.ipi.countdown()),
            IPI_RR_GLOBAL => Ok(0),
            IPI_RR_LOCAL if self.ipi.has_local() => Ok(0),
            _ => match self.listed.get(&reg) {
                Some(Listed::Zero | Listed::WriteUndefined) => Ok(0),
                Some(Listed::Storage) => Ok(self.stored.get(&(cpu, reg)).copied().unwrap_or(0)),
                Some(Listed::Trap) => Err(SysRegFault::Trap),
                None => Err(SysRegFault::Undefined),
            },
        }
    }

    pub(super) fn write_register(
        &mut self,
        cpu: usize,
        reg: SysReg,
        value: u64,
        now: u64,
    ) -> Result<(), SysRegFault> {
        match reg {
            SIQ_CFG => match self.siq_access[cpu] {
                RegisterAccess::Undefined | RegisterAccess::WriteUndefined => {
                    return Err(SysRegFault::Undefined);
                }
                RegisterAccess::Trap => return Err(SysRegFault::Trap),
                RegisterAccess::ReadOnly | RegisterAccess::Zero => {}
                RegisterAccess::ReadWrite => {
                    if let Some((stuck, after)) = self.siq_stuck
                        && stuck == cpu
                    {
                        self.siq_writes += 1;
                        if self.siq_writes > after {
                            return Ok(());
                        }
                    }
                    self.store_siq_cfg(cpu, value, now);
                    if let Some((from, to)) = self.siq_spills
                        && from == cpu
                    {
                        self.store_siq_cfg(to, value, now);
                    }
                }
            },
            IPI_SR => self.ipi.acknowledge(cpu, value),
            IPI_CR => self.ipi.set_countdown(value),
            IPI_RR_GLOBAL => self.ipi.send_global(cpu, value, now),
            IPI_RR_LOCAL if self.ipi.has_local() => self.ipi.send_local(cpu, value, now),
            _ => match self.listed.get(&reg) {
                Some(Listed::Zero) => {}
                Some(Listed::Storage) => {
                    self.stored.insert((cpu, reg), value);
                }
                Some(Listed::Trap) => return Err(SysRegFault::Trap),
                Some(Listed::WriteUndefined) | None => return Err(SysRegFault::Undefined),
            },
        }
        Ok(())
    }

    /// A write of SIQ_CFG that reaches the register of this CPU.
    fn store_siq_cfg(&mut self, cpu: usize, value: u64, now: u64) {
        let kept =
            (self.siq_cfg(cpu) ^ self.siq_write_flips | self.siq_write_sets) & !self.siq_writable;
        self.aic
            .write_siq_cfg(cpu, kept | value & self.siq_writable, now);
    }
}
