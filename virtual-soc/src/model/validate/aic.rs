//! Ranges of the interrupt controller.

use super::{Check, hex};
use crate::model::{ModelError, SocModel};

const AIC_DIES_MAX: u32 = 4;
/// End of the global registers of versions 2 and 3 that have a name (third party).
const GLOBAL_END: u32 = 0x344;
/// Ten seconds.
const HALF_PERIOD_MAX: u64 = 10_000_000_000;

impl SocModel {
    pub(super) fn validate_aic(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let aic = &self.aic;
        check.that(
            matches!(aic.generation, 1..=3),
            "aic.generation",
            aic.generation,
            "1, 2 or 3",
        )?;
        if aic.generation == 1 {
            self.validate_aic_1(check)?;
        }
        check.that(
            aic.max_irq.is_multiple_of(32) && (32..=0x1000).contains(&aic.max_irq),
            "aic.max_irq",
            hex(aic.max_irq),
            "a multiple of 32 from 0x20 to 0x1000",
        )?;
        check.range("aic.nr_irq", aic.nr_irq.into(), 1, aic.max_irq.into())?;
        check.range("aic.dies", aic.dies.into(), 1, AIC_DIES_MAX.into())?;
        check.range("aic.max_dies", aic.max_dies.into(), 1, 15)?;
        check.that(
            aic.banks == 0 || (aic.dies..=AIC_DIES_MAX).contains(&aic.banks),
            "aic.banks",
            aic.banks,
            &format!("0 (as many as dies) or {} to {AIC_DIES_MAX}", aic.dies),
        )?;
        let banks = if aic.banks == 0 { aic.dies } else { aic.banks };
        if let Some(first) = aic.alias_from {
            check.that(
                (1..banks).contains(&first) && !aic.bank_alias,
                "aic.alias_from",
                first,
                &format!(
                    "1 to {} with {banks} banks, without aic.bank_alias",
                    banks.saturating_sub(1)
                ),
            )?;
        }
        let end = self.aic_layout().end();
        check.that(
            end <= aic.size,
            "aic.size",
            hex(aic.size),
            &format!("at least {}, where the last die bank ends", hex(end)),
        )?;
        check.that(
            u64::from(aic.event) + 4 <= aic.size && aic.event.is_multiple_of(4),
            "aic.event",
            hex(aic.event),
            "a multiple of 4 inside aic.size",
        )?;
        for (key, lines) in [
            ("aic.high", &aic.high),
            ("aic.left_set", &aic.left_set),
            ("aic.left_unmasked", &aic.left_unmasked),
        ] {
            for (i, line) in lines.iter().enumerate() {
                check.that(
                    line.die < aic.dies && line.number < aic.nr_irq,
                    &format!("{key}[{i}]"),
                    format!("die {}, number {}", line.die, line.number),
                    &format!("die below {}, number below {}", aic.dies, aic.nr_irq),
                )?;
            }
        }
        self.validate_toggles(check)?;
        self.validate_places(check)
    }

    fn validate_toggles(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let aic = &self.aic;
        for (i, t) in aic.toggles.iter().enumerate() {
            let key = format!("aic.toggles[{i}]");
            check.that(
                t.die < aic.dies && t.number < aic.nr_irq,
                &key,
                format!("die {}, number {}", t.die, t.number),
                &format!("die below {}, number below {}", aic.dies, aic.nr_irq),
            )?;
            // Shorter ones change more often than guests look.
            let half = t.half_period_ns;
            check.range(
                &format!("{key}.half_period_ns"),
                half,
                1000,
                HALF_PERIOD_MAX,
            )?;
            let same = |die, number| (die, number) == (t.die, t.number);
            let twice = aic.toggles[..i].iter().any(|o| same(o.die, o.number))
                || aic.high.iter().any(|o| same(o.die, o.number));
            check.that(
                !twice,
                &key,
                format!("die {}, number {}", t.die, t.number),
                "a line that is named once in aic.toggles and not in aic.high",
            )?;
        }
        Ok(())
    }

    /// No register hides another.
    fn validate_places(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let event = self.aic.event;
        check.that(
            event > GLOBAL_END || event != 0 && self.aic.generation == 1,
            "aic.event",
            hex(event),
            &format!("beyond the global registers, which end at {GLOBAL_END:#x}"),
        )?;
        check.that(
            self.aic.irq_cfg >= GLOBAL_END && self.aic.irq_cfg.is_multiple_of(4),
            "aic.irq_cfg",
            hex(self.aic.irq_cfg),
            &format!("a multiple of 4 beyond the global registers, which end at {GLOBAL_END:#x}"),
        )?;
        let layout = self.aic_layout();
        let mut banks: Vec<_> = layout.banks().collect();
        banks.sort_unstable_by_key(|range| range.start);
        if let Some(two) = banks.windows(2).find(|two| two[0].end > two[1].start) {
            check.that(
                false,
                "aic strides",
                format!(
                    "a bank at {:#x} and one at {:#x}",
                    two[0].start, two[1].start
                ),
                "strides that keep the banks of all dies apart",
            )?;
        }
        let inside = banks.iter().find(|range| range.contains(&event.into()));
        check.that(
            inside.is_none(),
            "aic.event",
            hex(event),
            "an offset outside every bank",
        )
    }

    /// The places of version 1 are fixed.
    fn validate_aic_1(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let aic = &self.aic;
        for (key, value, fixed) in [
            ("aic.irq_cfg", aic.irq_cfg, 0x3000),
            ("aic.event", aic.event, 0x2004),
            ("aic.max_irq", aic.max_irq, 0x400),
            ("aic.dies", aic.dies, 1),
        ] {
            let allowed = format!("{fixed:#x} with aic.generation = 1");
            check.that(value == fixed, key, hex(value), &allowed)?;
        }
        check.that(
            aic.banks <= 1,
            "aic.banks",
            aic.banks,
            "0 or 1 with aic.generation = 1",
        )?;
        check.range("aic.v1.targets", aic.v1.targets.into(), 1, 32)?;
        let number = |i: usize| self.cpu[i].aic_number.unwrap_or(self.cpu[i].adt_id);
        for i in 0..self.cpu.len() {
            let key = format!("cpu[{i}].aic_number");
            check.range(&key, number(i).into(), 0, 31)?;
            if let Some(j) = (0..i).find(|&j| number(j) == number(i)) {
                let allowed = format!("a number that cpu[{j}] does not have");
                check.that(false, &key, number(i), &allowed)?;
            }
        }
        Ok(())
    }
}
