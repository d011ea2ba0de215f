//! Rules about registers.

use crate::verify::{Purpose, Record, Setup};

use super::{Found, V1, landed, running};

fn number(hex: &str) -> Option<u64> {
    u64::from_str_radix(hex.strip_prefix("0x")?, 16).ok()
}

/// REG-01.
pub fn readable(record: &Record) -> Found {
    let mut found = Found::default();
    if let Setup::SiqCfg(why) = &record.setup {
        found.count(0, 1, || why.clone());
        return found;
    }
    if record.aic.generation == 1 && running(record).all(|c| c.siq_cfg.is_none()) {
        return Found::nothing("AICv1 routes by TARGET_CPU, and no CPU has a SIQ_CFG");
    }
    for cpu in running(record) {
        let reads = u64::from(cpu.siq_cfg.is_some());
        found.count(reads, 1 - reads, || {
            format!("SIQ_CFG of CPU {} traps", cpu.id)
        });
    }
    found
}

/// REG-02.
pub fn reads_back(record: &Record) -> Found {
    if record.aic.generation == 1 {
        return Found::nothing(V1);
    }
    let mut found = Found::default();
    for of in &record.cells {
        let c = &of.cell;
        if c.refused.as_deref().is_some_and(|r| r.contains("SIQ_CFG")) {
            let why = c.refused.clone().unwrap_or_default();
            found.count(0, 1, || format!("cell {}: {why}", c.id));
            continue;
        }
        let asked = (0u32..).zip(c.fields_requested.iter().zip(&c.fields));
        for (cpu, (asked, read)) in asked {
            if let (Some(asked), Some(read)) = (asked, read) {
                let same = u64::from(asked == read);
                found.count(same, 1 - same, || {
                    format!(
                        "cell {}: CPU {cpu} reads {read} where {asked} was written",
                        c.id
                    )
                });
            }
        }
    }
    found
}

/// REG-03.
pub fn reserved_bits(record: &Record) -> Found {
    if record.aic.generation == 1 {
        return Found::nothing("on AICv1 it is not written");
    }
    let mut found = Found::default();
    let reads = record.registers.iter().filter(|r| r.register == "SiqCfg");
    for read in reads {
        let before = record.head.cpus.get(usize::from(read.cpu));
        let before = before.and_then(|c| c.siq_cfg.as_deref()).and_then(number);
        let after = read.value.as_deref().and_then(number);
        let (Some(before), Some(after)) = (before, after) else {
            found.count(0, 1, || format!("CPU {}: not read", read.cpu));
            continue;
        };
        let same = u64::from(before & !3 == after & !3);
        found.count(same, 1 - same, || {
            format!("CPU {}: found {before:#x}, now {after:#x}", read.cpu)
        });
    }
    if record.registers.is_empty() {
        found.open = Some("the registers were not read again".to_owned());
    }
    found
}

/// REG-04.
pub fn as_table(record: &Record) -> Found {
    if record.table.fields.is_empty() {
        return Found::nothing("no table says how SIQ_CFG of this SoC is found");
    }
    let mut found = Found::default();
    for cpu in running(record) {
        let listed = record
            .table
            .fields
            .iter()
            .find(|(mpidr, _)| *mpidr == cpu.mpidr);
        let value = cpu.siq_cfg.as_deref().and_then(number);
        let (Some((_, field)), Some(value)) = (listed, value) else {
            found.count(0, 1, || {
                format!(
                    "CPU {} ({}) is not in the table of {}",
                    cpu.id, cpu.mpidr, record.table.soc
                )
            });
            continue;
        };
        let same = u64::from(value & 3 == u64::from(*field));
        found.count(same, 1 - same, || {
            format!("CPU {}: found {value:#x}, the table says {field}", cpu.id)
        });
    }
    found
}

/// REG-05.
pub fn layout(record: &Record) -> Found {
    let mut found = Found::default();
    match &record.setup {
        Setup::Layout(why) => found.count(0, 1, || why.clone()),
        Setup::Fine | Setup::SiqCfg(_) | Setup::NotRestored(_) => {
            found.count(record.aic.dies.into(), 0, String::new)
        }
    }
    found
}

/// REG-06.
pub fn info(record: &Record) -> Found {
    let (aic, table) = (&record.aic, &record.table);
    let mut found = Found::default();
    let room =
        u64::from(aic.dies.saturating_sub(1)) * u64::from(aic.max_irq) + u64::from(aic.nr_irq);
    let enough = room >= u64::from(record.least_nr_irq);
    found.count(enough.into(), (!enough).into(), || {
        format!(
            "the device tree names line {}, the controller has {} a die on {} dies",
            record.least_nr_irq.saturating_sub(1),
            aic.nr_irq,
            aic.dies
        )
    });
    for (name, read, listed) in [
        ("lines a die", aic.nr_irq, table.nr_irq),
        ("dies", aic.dies, table.dies),
    ] {
        if let Some(listed) = listed {
            let same = u64::from(read == listed);
            found.count(same, 1 - same, || {
                format!("{read} {name}, the table of {} says {listed}", table.soc)
            });
        }
    }
    let mut last = false;
    for of in record
        .cells
        .iter()
        .filter(|of| of.purpose == Purpose::LastLine)
    {
        match &of.cell.refused {
            _ if of.cell.fired > 0 => {
                last = true;
                // That it is there, wherever it is taken: who takes it is the matter of other rules.
                let there = landed(of, |_| true) > 0;
                found.cell(there.into(), (!there).into(), of);
            }
            Some(why) => {
                last = true;
                found.count(0, 1, || format!("cell {}: {why}", of.cell.id));
            }
            None => {}
        }
    }
    if !last && !record.head.complete {
        found.open = Some("the run did not come to the last line".to_owned());
    } else if !last {
        found.note = Some("the last line is not spare and was not tried".to_owned());
    }
    found
}

/// REG-07.
pub fn enable(record: &Record) -> Found {
    let mut found = Found::default();
    for of in &record.cells {
        let refused = of.cell.refused.as_deref().unwrap_or_default();
        let stuck = u64::from(refused.contains("ENABLE"));
        found.count(1 - stuck, stuck, || refused.to_owned());
    }
    found
}
