//! Ranges of deliberate misbehaviour.

use super::Check;
use crate::model::{ModelError, SocModel};

/// Ten seconds.
const MS_MAX: u64 = 10_000;
/// Lines that a die has room for.
const LINES_MAX: u64 = 0x1000;

impl SocModel {
    pub(super) fn validate_defects(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let known = |id: u32, key: &str| {
            let here = self.cpu.iter().any(|c| c.adt_id == id && c.present);
            check.that(here, key, id, "the adt_id of a present CPU")
        };
        let defect = &self.defect;
        for (key, ids) in [
            ("defect.swap_cpus", &defect.swap_cpus),
            ("defect.siq_spills", &defect.siq_spills),
        ] {
            for id in ids.iter().flatten() {
                known(*id, key)?;
            }
        }
        for (i, lines) in defect.stray_lines.iter().enumerate() {
            known(lines.cpu, &format!("defect.stray_lines[{i}].cpu"))?;
            let every = u64::from(lines.every);
            check.range(
                &format!("defect.stray_lines[{i}].every"),
                every,
                1,
                LINES_MAX,
            )?;
            check.range(
                &format!("defect.stray_lines[{i}].rest"),
                lines.rest.into(),
                0,
                every - 1,
            )?;
            check.range(
                &format!("defect.stray_lines[{i}].die"),
                lines.die.unwrap_or(0).into(),
                0,
                u64::from(self.aic.dies) - 1,
            )?;
        }
        for (key, ids) in [
            ("loader.leaves_inactive", &self.loader.leaves_inactive),
            ("loader.leaves_down", &self.loader.leaves_down),
            ("loader.leaves_mmu_off", &self.loader.leaves_mmu_off),
        ] {
            for id in ids {
                known(*id, key)?;
            }
        }
        if let Some(id) = self.faults.siq_stuck_cpu {
            known(id, "faults.siq_stuck_cpu")?;
        }
        if let Some(claimed) = defect.info_nr_irq {
            check.range("defect.info_nr_irq", claimed.into(), 0, 0xffff)?;
        }
        if let Some(claimed) = defect.info_dies {
            check.range("defect.info_dies", claimed.into(), 1, 16)?;
        }
        check.that(
            (defect.late_every == 0) == (defect.late_us == 0),
            "defect.late_us",
            defect.late_us,
            "given together with defect.late_every",
        )?;
        check.range("defect.late_us", defect.late_us, 0, MS_MAX * 1000)?;
        for (key, ms) in [
            ("defect.move_after_ms", defect.move_after_ms),
            ("defect.sole_moves_after_ms", defect.sole_moves_after_ms),
            ("defect.restores_late_ms", defect.restores_late_ms),
        ] {
            check.range(key, ms, 0, MS_MAX)?;
        }
        Ok(())
    }
}
