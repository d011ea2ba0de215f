//! Whether what was measured is what the SoC's file says.

use crate::result::CpuState;
use crate::socs::Soc;
use crate::verify::Record;

use super::measured::{class, field};

/// What differs, and in which words.
pub(super) fn differences(record: &Record, soc: &Soc) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut differs = |about: String, measured: String, table: String| {
        if measured != table {
            let text = format!("{measured} in the run, {table} in the file of {}", soc.soc);
            all.push((about, text));
        }
    };
    for (at, cpu) in record.head.cpus.iter().enumerate() {
        let known = soc.cpu.iter().find(|c| c.mpidr.to_string() == cpu.mpidr);
        let Some(known) = known else {
            differs(
                format!("CPU {}", cpu.id),
                format!("MPIDR {}", cpu.mpidr),
                "no such CPU".to_owned(),
            );
            continue;
        };
        let about = |what: &str| format!("{what} of CPU {} (MPIDR {})", cpu.id, cpu.mpidr);
        differs(
            about("place"),
            if cpu.boot { "boot CPU" } else { "secondary" }.to_owned(),
            if known.boot { "boot CPU" } else { "secondary" }.to_owned(),
        );
        // Where the machine has all CPUs the ids have to be the file's too.
        if record.head.cpus.len() == soc.cpu.len() {
            let id = soc.cpu.iter().position(|c| c == known).unwrap_or(at);
            differs(about("logical id"), cpu.id.to_string(), id.to_string());
        }
        if cpu.state == CpuState::Running {
            let read = field(cpu).map_or_else(|| "nothing".to_owned(), |f| f.to_string());
            differs(about("field"), read, known.field.to_string());
        }
    }
    for (value, known) in soc.values.by_value().into_iter().enumerate() {
        let used = record.table.classes[value];
        differs(
            format!("class of {value}"),
            class(used).name().to_owned(),
            known.class.name().to_owned(),
        );
    }
    let aic = &record.aic;
    let text = |n: u32| n.to_string();
    differs(
        "generation of the controller".to_owned(),
        text(aic.generation.into()),
        text(soc.aic.generation.into()),
    );
    differs("dies".to_owned(), text(aic.dies), text(soc.aic.dies.into()));
    if let Some(nr_irq) = soc.aic.nr_irq {
        differs("lines of a die".to_owned(), text(aic.nr_irq), text(nr_irq));
    }
    all
}
