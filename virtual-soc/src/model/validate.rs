//! Ranges that the shape of the file cannot express.

use super::{ModelError, SocModel};

const RAM_STEP: u64 = 32 << 20;
const RAM_MIN: u64 = 128 << 20;
/// The host has to hold it.
const RAM_MAX: u64 = 4 << 30;
/// Largest number of CPUs the machine's bit sets hold, and the loader's own limit (third party).
const CPUS_MAX: usize = 24;
/// Highest `reg` of a CPU: die, cluster and core fields (third party: loader).
const CPU_REG_MAX: u32 = 0x7fff;
const CORES_PER_CLUSTER: u32 = 32;
const AIC_DIES_MAX: u32 = 4;

impl SocModel {
    /// Check every range; see [`SocModel::from_toml`].
    ///
    /// # Errors
    /// The first value that is not allowed.
    pub fn validate(&self, origin: &str) -> Result<(), ModelError> {
        let check = Check { origin };
        check.that(!self.name.is_empty(), "name", &self.name, "a word")?;
        check.range("counter.hz", self.counter.hz, 1, 1_000_000_000)?;
        check.range("counter.step", self.counter.step, 1, self.counter.hz)?;
        check.range("timing.slice", self.timing.slice.into(), 1, 100_000)?;
        check.range(
            "timing.ps_per_insn",
            self.timing.ps_per_insn.into(),
            1,
            1_000_000,
        )?;
        check.that(
            self.ram.base.is_multiple_of(RAM_STEP) && self.ram.base < 1 << 42,
            "ram.base",
            hex(self.ram.base),
            "a multiple of 0x2000000 below 0x40000000000",
        )?;
        check.that(
            self.ram.size.is_multiple_of(RAM_STEP) && (RAM_MIN..=RAM_MAX).contains(&self.ram.size),
            "ram.size",
            hex(self.ram.size),
            "a multiple of 0x2000000 from 0x8000000 to 0x100000000",
        )?;
        self.validate_cpus(&check)?;
        self.validate_aic(&check)?;
        self.validate_rest(&check)
    }

    fn validate_cpus(&self, check: &Check<'_>) -> Result<(), ModelError> {
        check.that(
            (1..=CPUS_MAX).contains(&self.cpu.len()),
            "cpu",
            format!("{} tables", self.cpu.len()),
            "1 to 24 tables",
        )?;
        for (i, cpu) in self.cpu.iter().enumerate() {
            check.range(
                &format!("cpu[{i}].adt_id"),
                cpu.adt_id.into(),
                0,
                CPUS_MAX as u64 - 1,
            )?;
            check.that(
                cpu.reg <= CPU_REG_MAX,
                &format!("cpu[{i}].reg"),
                hex(cpu.reg),
                "core in [7:0], cluster in [10:8], die in [14:11]: at most 0x7fff",
            )?;
            check.that(
                cpu.reg & 0xff < CORES_PER_CLUSTER,
                &format!("cpu[{i}].reg"),
                hex(cpu.reg),
                "a core number below 32 in [7:0]: the start block has a bit for each",
            )?;
            for (j, other) in self.cpu.iter().enumerate().take(i) {
                check.that(
                    other.reg != cpu.reg,
                    &format!("cpu[{i}].reg"),
                    hex(cpu.reg),
                    &format!("a place that cpu[{j}] does not have"),
                )?;
                let key = format!("cpu[{i}].adt_id");
                check.that(
                    other.adt_id != cpu.adt_id,
                    &key,
                    cpu.adt_id,
                    &format!("an id that cpu[{j}] does not have"),
                )?;
                let key = format!("cpu[{i}].mpidr");
                check.that(
                    other.mpidr != cpu.mpidr,
                    &key,
                    hex(cpu.mpidr),
                    &format!("an MPIDR that cpu[{j}] does not have"),
                )?;
            }
        }
        let boots = self.cpu.iter().filter(|c| c.boot && c.present).count();
        check.that(
            boots == 1,
            "cpu[].boot",
            format!("{boots} present CPUs with boot = true"),
            "exactly one",
        )
    }

    fn validate_aic(&self, check: &Check<'_>) -> Result<(), ModelError> {
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
        Ok(())
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

    fn validate_rest(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let lists = [
            ("sysregs.zero", &self.sysregs.zero),
            ("sysregs.storage", &self.sysregs.storage),
            ("sysregs.trap", &self.sysregs.trap),
        ];
        for (key, list) in lists {
            for (i, name) in list.iter().enumerate() {
                check.that(
                    crate::soc::parse_sysreg(name).is_some(),
                    &format!("{key}[{i}]"),
                    name,
                    "a name like S3_5_C15_C5_0 with C11 or C15 in the first place",
                )?;
            }
        }
        for (i, region) in self.mmio.iter().enumerate() {
            let ends = region.base.checked_add(region.size);
            check.that(
                region.size != 0 && ends.is_some_and(|e| e <= self.ram.base),
                &format!("mmio[{i}]"),
                format!("{:#x}+{:#x}", region.base, region.size),
                "a range below ram.base",
            )?;
        }
        for (i, device) in self.adt.device.iter().enumerate() {
            for parent in &device.interrupt_parents {
                let known = parent == "aic"
                    || parent == "self"
                    || self.adt.device.iter().any(|d| d.name == *parent);
                check.that(
                    known,
                    &format!("adt.device[{i}].interrupt_parents"),
                    parent,
                    "\"aic\", \"self\" or a device's name",
                )?;
            }
        }
        check.range(
            "loader.bytes_per_second",
            self.loader.bytes_per_second,
            1000,
            10_000_000_000,
        )?;
        check.range(
            "loader.request_ns",
            self.loader.request_ns,
            1,
            1_000_000_000,
        )?;
        check.range(
            "siq.move_after_ns",
            self.siq.move_after_ns,
            0,
            1_000_000_000,
        )?;
        check.range("siq.delivery_ns", self.siq.delivery_ns, 0, 1_000_000_000)?;
        check.range("siq.jitter_ns", self.siq.jitter_ns, 0, 1_000_000_000)?;
        check.range("ipi.delivery_ns", self.ipi.delivery_ns, 0, 1_000_000_000)
    }
}

struct Check<'a> {
    origin: &'a str,
}

impl Check<'_> {
    fn that(
        &self,
        ok: bool,
        key: &str,
        value: impl ToString,
        allowed: &str,
    ) -> Result<(), ModelError> {
        if ok {
            return Ok(());
        }
        Err(ModelError::Value {
            origin: self.origin.to_owned(),
            key: key.to_owned(),
            value: value.to_string(),
            allowed: allowed.to_owned(),
        })
    }

    fn range(&self, key: &str, value: u64, low: u64, high: u64) -> Result<(), ModelError> {
        self.that(
            (low..=high).contains(&value),
            key,
            value,
            &format!("{low} to {high}"),
        )
    }
}

fn hex(value: impl Into<u64>) -> String {
    format!("{:#x}", value.into())
}
