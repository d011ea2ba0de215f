//! The state that a run must leave as it found it, read from outside the firmware.

use core::fmt;

use crate::cpu::Core;
use crate::machine::Machine;
use crate::soc::SocBus;

use super::regs;

/// State of one CPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuSnapshot {
    /// SIQ_CFG.
    pub siq_cfg: u64,
    /// Architectural registers by name: VBAR, DAIF, TPIDR_EL0, CNTHCTL and what VHE code changes.
    pub registers: Vec<(&'static str, u64)>,
}

/// State of one die's banks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DieSnapshot {
    /// Mask words.
    pub mask: Vec<u32>,
    /// Software-set words.
    pub software: Vec<u32>,
    /// Configuration words, one a line.
    pub irq_cfg: Vec<u32>,
}

/// State of the machine; equal before and after a run that leaves it as found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSnapshot {
    /// By logical id.
    pub cpus: Vec<CpuSnapshot>,
    /// CONFIG of the interrupt controller.
    pub aic_config: u32,
    /// By die.
    pub dies: Vec<DieSnapshot>,
    /// AIC 1: pending and masked IPIs, by logical id; empty on later versions.
    pub aic_ipis: Vec<[u32; 2]>,
}

/// One thing that two snapshots do not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs, e.g. "CPU 3 VBAR_EL2".
    pub what: String,
    /// In the first snapshot.
    pub before: u64,
    /// In the second one.
    pub after: u64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {:#x} before, {:#x} after",
            self.what, self.before, self.after
        )
    }
}

impl CpuSnapshot {
    /// Take over what the loader changed between two snapshots of this CPU.
    pub(super) fn changed_by_loader(&mut self, before: &Self, after: &Self) {
        for ((own, (_, before)), (_, after)) in self
            .registers
            .iter_mut()
            .zip(&before.registers)
            .zip(&after.registers)
        {
            if before != after {
                own.1 = *after;
            }
        }
    }
}

impl StateSnapshot {
    pub(crate) fn take(machine: &Machine<SocBus>) -> Self {
        let aic = &machine.bus.aic;
        let die = |d: usize| DieSnapshot {
            mask: aic.mask_words(d).to_vec(),
            software: aic.software_words(d).to_vec(),
            irq_cfg: aic.config_words(d).to_vec(),
        };
        let cpu = |(i, core): (usize, &Core)| {
            let named = regs::SNAPSHOT
                .iter()
                .map(|(name, reg)| (*name, core.sysreg(*reg).unwrap_or(0)));
            CpuSnapshot {
                siq_cfg: machine.bus.siq_cfg(i),
                registers: named.chain([("DAIF", core.daif())]).collect(),
            }
        };
        Self {
            cpus: machine.cores.iter().enumerate().map(cpu).collect(),
            aic_config: aic.config(),
            dies: (0..aic.dies()).map(die).collect(),
            aic_ipis: aic.ipis(),
        }
    }

    /// What differs in `after`; empty if nothing does.
    #[must_use]
    pub fn differences(&self, after: &Self) -> Vec<Difference> {
        let mut out = Vec::new();
        let mut note = |what: String, before: u64, after: u64| {
            if before != after {
                out.push(Difference {
                    what,
                    before,
                    after,
                });
            }
        };
        note(
            "AIC CONFIG".into(),
            self.aic_config.into(),
            after.aic_config.into(),
        );
        for (i, (a, b)) in self.cpus.iter().zip(&after.cpus).enumerate() {
            note(format!("CPU {i} SIQ_CFG"), a.siq_cfg, b.siq_cfg);
            for ((name, x), (_, y)) in a.registers.iter().zip(&b.registers) {
                note(format!("CPU {i} {name}"), *x, *y);
            }
        }
        for (i, (a, b)) in self.aic_ipis.iter().zip(&after.aic_ipis).enumerate() {
            note(
                format!("CPU {i} AIC IPIs pending"),
                a[0].into(),
                b[0].into(),
            );
            note(format!("CPU {i} AIC IPIs masked"), a[1].into(), b[1].into());
        }
        for (die, (a, b)) in self.dies.iter().zip(&after.dies).enumerate() {
            for (name, x, y) in [
                ("mask", &a.mask, &b.mask),
                ("software", &a.software, &b.software),
                ("IRQ_CFG", &a.irq_cfg, &b.irq_cfg),
            ] {
                for (word, (x, y)) in x.iter().zip(y).enumerate() {
                    note(
                        format!("AIC die {die} {name} word {word}"),
                        (*x).into(),
                        (*y).into(),
                    );
                }
            }
        }
        out
    }
}
