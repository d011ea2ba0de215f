//! Registers before and after a run.
//!
//! Words of the controller are read by this program through the loader, before the firmware runs and after it has left. Registers
//! of the CPUs come from the firmware: what each CPU read when it was greeted, and the comparison that the firmware makes on the
//! target at the end.

use std::collections::BTreeMap;

use aic_regs::aic::Generation;
use protocol::LineId;
use protocol::message::{Item, Reading};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::proxy::{Proxy, ProxyError};
use crate::result::{Restore, hex};
use crate::session::{Answers, Outcome, Restoring};
use crate::target::AicFacts;

/// `registers.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RegistersFile {
    /// Words of the controller.
    pub aic: Vec<Word>,
    /// Registers of the CPUs that ran, by logical id.
    pub cpus: Vec<CpuRegisters>,
    /// The firmware's comparison: values found before and read back after everything was put back.
    pub restore: Restore,
    /// What there is to say about what is missing.
    pub notes: Vec<String>,
}

/// A word of the controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Name of the register, with what it is of: "MASK 0:32-63" is die 0, lines 32 to 63.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Read before the firmware ran; `null` where reading it faults.
    pub before: Option<String>,
    /// Read after it had left; `null` if nobody could.
    pub after: Option<String>,
}

/// Registers of a CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuRegisters {
    /// Logical id.
    pub cpu: u8,
    /// MPIDR_EL1.
    pub mpidr: String,
    /// MIDR_EL1.
    pub midr: String,
    /// Exception level of loader and firmware.
    pub el: u8,
    /// SCTLR of that level.
    pub sctlr: String,
    /// WHOAMI of AICv1.
    pub whoami: Option<u32>,
    /// SIQ_CFG_EL1 as found, or how reading it traps.
    pub siq_cfg_before: Option<String>,
    /// As compared on the target at the end; `null` if it was not.
    pub siq_cfg_after: Option<String>,
}

/// Registers that are being collected.
#[derive(Debug, Default)]
pub struct Registers {
    words: Vec<(u64, Word)>,
    notes: Vec<String>,
}

impl Registers {
    /// The controller as found: its head, and mask and software state of every line.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn look(&mut self, proxy: &mut Proxy<'_>, aic: &AicFacts) -> Result<(), Error> {
        for (name, offset) in places(aic) {
            self.before(proxy, name, aic.base + offset)?;
        }
        Ok(())
    }

    /// The words of the lines that are to be fired.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn look_at_lines(
        &mut self,
        proxy: &mut Proxy<'_>,
        aic: &AicFacts,
        lines: &[LineId],
    ) -> Result<(), Error> {
        let g = &aic.geometry;
        let word = match g.generation {
            Generation::V1 => "TARGET_CPU",
            Generation::V2 | Generation::V3 => "IRQ_CFG",
        };
        for LineId { die, number } in lines {
            let at = u64::from(g.irq_cfg) + u64::from(*die) * u64::from(g.cfg_stride);
            let at = aic.base + at + u64::from(*number) * 4;
            self.before(proxy, format!("{word} {die}:{number}"), at)?;
        }
        Ok(())
    }

    fn before(&mut self, proxy: &mut Proxy<'_>, name: String, at: u64) -> Result<(), Error> {
        let before = read(proxy, at)?;
        let word = Word {
            name,
            address: hex(at),
            before,
            after: None,
        };
        self.words.push((at, word));
        Ok(())
    }

    /// All of it again. What cannot be read any more stays open.
    pub fn look_again(&mut self, proxy: &mut Proxy<'_>) {
        for (at, word) in &mut self.words {
            match read(proxy, *at) {
                Ok(after) => word.after = after,
                Err(why) => {
                    self.notes
                        .push(format!("{} could not be read afterwards: {why}", word.name));
                    return;
                }
            }
        }
    }

    /// As the file has it.
    pub fn file(&self, answers: &Answers, outcome: Option<&Outcome>) -> RegistersFile {
        let mut notes = self.notes.clone();
        let restoring = outcome.map(|o| &o.restoring);
        let restore = match restoring {
            Some(Restoring::Checked {
                checked,
                different,
                differences,
            }) => Restore {
                checked: *checked,
                different: *different,
                differences: differences.clone(),
            },
            _ => Restore::default(),
        };
        match restoring {
            Some(Restoring::Untouched) => notes.push("nothing had been changed".to_owned()),
            Some(Restoring::Unknown) => {
                notes.push("nobody could look whether everything is as found".to_owned());
            }
            Some(Restoring::Checked { .. }) | None => {}
        }
        let changed = changed_siq(answers, &restore);
        let text = |value: &Reading| match value {
            Reading::Value(value) => hex(*value),
            Reading::Trapped(esr) => format!("traps, ESR {esr:#x}"),
        };
        let cpus = answers.cpus.iter().flatten().map(|info| {
            let before = text(&info.siq_cfg);
            let after = match (&changed, restoring) {
                (Some(changed), Some(Restoring::Checked { .. })) => {
                    let now = changed.get(&info.cpu).map(|now| hex(*now));
                    Some(now.unwrap_or_else(|| before.clone()))
                }
                _ => None,
            };
            CpuRegisters {
                cpu: info.cpu,
                mpidr: hex(info.mpidr),
                midr: hex(info.midr),
                el: info.el,
                sctlr: hex(info.sctlr),
                whoami: info.whoami,
                siq_cfg_before: Some(before),
                siq_cfg_after: after,
            }
        });
        RegistersFile {
            aic: self.words.iter().map(|(_, word)| word.clone()).collect(),
            cpus: cpus.collect(),
            restore,
            notes,
        }
    }
}

impl RegistersFile {
    /// Words of the controller that read otherwise after than before, as far as both could be read. The inputs of lines are
    /// nobody's to put back, and not among them.
    pub fn changed(&self) -> impl Iterator<Item = &Word> {
        self.aic
            .iter()
            .filter(|w| w.after.is_some() && w.after != w.before)
    }
}

/// SIQ_CFG of CPUs that is not as found; `None` if not every difference was listed.
fn changed_siq(answers: &Answers, restore: &Restore) -> Option<BTreeMap<u8, u64>> {
    let Some(restored) = &answers.restored else {
        return (restore.different == 0).then(BTreeMap::new);
    };
    if restored.different as usize > restored.differences.len() {
        return None;
    }
    let siq = restored
        .differences
        .iter()
        .filter(|d| d.item == Item::SiqCfg);
    siq.map(|d| Some((u8::try_from(d.index).ok()?, d.now)))
        .collect()
}

/// A word; `None` if reading it faults.
fn read(proxy: &mut Proxy<'_>, at: u64) -> Result<Option<String>, Error> {
    match proxy.read32(at) {
        Ok(value) => Ok(Some(format!("{value:#010x}"))),
        Err(ProxyError::AccessFault { .. }) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

/// Names and offsets of what is read on every controller. EVENT is not among them: reading it takes an interrupt.
fn places(aic: &AicFacts) -> Vec<(String, u64)> {
    let g = &aic.geometry;
    let mut places = vec![
        ("VERSION".to_owned(), u64::from(g.version)),
        ("INFO1".to_owned(), u64::from(g.info1)),
    ];
    if g.generation != Generation::V1 {
        places.push(("INFO3".to_owned(), u64::from(g.info3)));
    }
    places.push(("CONFIG".to_owned(), u64::from(g.config)));
    for (name, bank, stride) in [
        ("MASK", g.mask_set, g.set_stride),
        ("SW", g.sw_set, g.set_stride),
    ] {
        for die in 0..u64::from(g.dies) {
            for word in 0..u64::from(g.nr_irq.div_ceil(32)) {
                let lines = format!("{name} {die}:{}-{}", word * 32, word * 32 + 31);
                let offset = u64::from(bank) + die * u64::from(stride) + word * 4;
                places.push((lines, offset));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use aic_regs::aic::Geometry;

    #[test]
    fn event_is_never_read() {
        for geometry in [
            Geometry::v1(896),
            Geometry::v2(1960, 0x1000, 2, 0xc000),
            Geometry::v3(1504, 0x1000, 1, 0x4_0000),
        ] {
            let aic = AicFacts {
                base: 0,
                bus: None,
                size: 0x10_0000,
                geometry,
                strides: [0; 4],
            };
            let places = places(&aic);
            let event = u64::from(geometry.event);
            assert!(places.iter().all(|(_, at)| *at != event), "{geometry:?}");
            let lines = geometry.nr_irq.div_ceil(32) * geometry.dies;
            let banks = places.iter().filter(|(name, _)| name.contains(':'));
            assert_eq!(banks.count(), 2 * lines as usize);
        }
    }
}
