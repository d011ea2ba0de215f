//! Ranges that the shape of the file cannot express.

mod aic;
mod defect;

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
/// Characters of a name and of a title.
const NAME_MAX: usize = 64;
const TITLE_MAX: usize = 200;
/// Bytes of a UART's window.
const UART_SIZE: u64 = 0x4000;
/// Bytes of a watchdog's window.
const WDT_SIZE: u64 = 0x4000;

impl SocModel {
    /// Check every range; see [`SocModel::from_toml`].
    ///
    /// # Errors
    /// The first value that is not allowed.
    pub fn validate(&self, origin: &str) -> Result<(), ModelError> {
        let check = Check { origin };
        check.text("name", &self.name, NAME_MAX)?;
        check.text("title", &self.title, TITLE_MAX)?;
        check.range("counter.hz", self.counter.hz, 1000, 10_000_000_000)?;
        // A step lasts a millisecond at most.
        check.range("counter.step", self.counter.step, 1, self.counter.hz / 1000)?;
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
        self.validate_windows(&check)?;
        self.validate_defects(&check)?;
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

    /// What answers at physical addresses lies apart.
    fn validate_windows(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let mut windows = vec![
            ("ram", self.ram.base, self.ram.size),
            ("aic", self.aic.base, self.aic.size),
        ];
        windows.extend(self.uart.iter().map(|u| ("uart", u.base, UART_SIZE)));
        windows.extend(self.pmgr.iter().map(|p| ("pmgr", p.base, p.size)));
        windows.extend(self.wdt.iter().map(|w| ("wdt", w.base, WDT_SIZE)));
        for (i, (name, base, size)) in windows.iter().enumerate() {
            let place = format!("{base:#x}+{size:#x}");
            check.that(
                base.checked_add(*size).is_some_and(|end| end <= 1 << 48),
                &format!("{name}.base"),
                &place,
                "a window that ends below 0x1000000000000",
            )?;
            for (other, other_base, other_size) in &windows[..i] {
                let apart = base + size <= *other_base || other_base + other_size <= *base;
                let allowed = format!("apart from {other} at {other_base:#x}+{other_size:#x}");
                check.that(apart, &format!("{name}.base"), &place, &allowed)?;
            }
        }
        Ok(())
    }

    fn validate_rest(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let lists = [
            ("sysregs.zero", &self.sysregs.zero),
            ("sysregs.storage", &self.sysregs.storage),
            ("sysregs.trap", &self.sysregs.trap),
            ("sysregs.write_undefined", &self.sysregs.write_undefined),
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

/// Makes one error of what does not hold.
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

    /// One line that a terminal can show.
    fn text(&self, key: &str, value: &str, longest: usize) -> Result<(), ModelError> {
        let length = value.chars().count();
        self.that(
            (1..=longest).contains(&length) && !value.chars().any(char::is_control),
            key,
            value.escape_debug(),
            &format!("1 to {longest} characters, none of them a control character"),
        )
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
