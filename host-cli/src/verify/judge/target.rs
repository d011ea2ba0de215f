//! Rules about the target as a whole.

use crate::result::{Cpu, CpuState};
use crate::verify::{Class, Purpose, Record, Setup};

use super::{Found, open_cells, running};

/// STATE-01.
pub fn restored(record: &Record) -> Found {
    let (head, restore) = (&record.head, &record.restore);
    let mut found = Found::default();
    let same = restore.checked.saturating_sub(restore.different);
    found.count(same.into(), restore.different.into(), || {
        restore.differences.join("; ")
    });
    if let Setup::NotRestored(why) = &record.setup {
        found.count(0, 1, || why.clone());
    } else if record.setup != Setup::Fine {
        found.open = Some("nothing was changed".to_owned());
    } else if !head.restored && restore.different == 0 {
        found.open = Some("nobody could look whether the target is as it was found".to_owned());
    }
    found
}

/// CPU-01.
pub fn every_cpu(record: &Record) -> Found {
    if record.setup != Setup::Fine {
        return Found {
            open: Some("no CPU was started".to_owned()),
            ..Found::default()
        };
    }
    let mut found = Found::default();
    let away: Vec<&Cpu> = record
        .head
        .cpus
        .iter()
        .filter(|c| c.state != CpuState::Running)
        .collect();
    found.held = (record.head.cpus.len() - away.len()) as u64;
    if !away.is_empty() {
        // A CPU that does not start says nothing against the routing of the others, and nothing for its own.
        let words = away
            .iter()
            .map(|c| format!("CPU {} is {}", c.id, c.state.name()));
        found.open = Some(words.collect::<Vec<_>>().join(", "));
    }
    found
}

/// ONLINE-01.
pub fn online(record: &Record) -> Found {
    let mut found = Found::default();
    let as_found = open_cells(record).find(|(of, _)| of.purpose == Purpose::AsFound);
    let Some((of, takers)) = as_found else {
        return found;
    };
    if record.aic.generation == 1 {
        return Found::nothing("AICv1 has a target mask for every line");
    }
    let mut took: Vec<u8> = Vec::new();
    let cells = open_cells(record).filter(|(of, _)| of.purpose == Purpose::AsFound);
    for (of, _) in cells {
        took.extend(
            (0u8..)
                .zip(&of.cell.landed)
                .filter(|(_, n)| **n > 0)
                .map(|(c, _)| c),
        );
    }
    took.sort_unstable();
    took.dedup();
    let accepting = of.cell.fields.iter().flatten();
    let accepting = accepting
        .filter(|f| record.table.class(**f) != Class::Never)
        .count();
    let single = accepting <= 1 && took.len() <= 1;
    let names = |cpus: &[u8]| {
        cpus.iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let seen = format!(
        "as found CPUs {} accept, interrupts landed on {}",
        names(&takers.acceptors),
        names(&took)
    );
    if took.is_empty() {
        found.open = Some("nothing is delivered in the state as found".to_owned());
        return found;
    }
    match (single, record.table.online_refresh) {
        (true, Some(true)) | (false, Some(false)) => {
            found.count(0, 1, || {
                let says = if single {
                    "a refresh is needed"
                } else {
                    "no refresh is needed"
                };
                format!("{seen}, the table of {} says that {says}", record.table.soc)
            });
        }
        (false, None) => {
            found.open = Some(format!(
                "{seen}: a kernel needs a refresh when a CPU comes online, and no table says so"
            ));
        }
        _ => {
            found.count(1, 0, String::new);
            found.note = Some(if single {
                format!("{seen}: no refresh is needed")
            } else {
                format!("{seen}: needs a refresh when a CPU comes online")
            });
        }
    }
    found
}

/// FIQ-01.
pub fn fast_ipis(record: &Record) -> Found {
    let mut found = Found::default();
    for f in &record.fiqs {
        let (sent, taken) = (u64::from(f.ipis_sent), u64::from(f.ipis_taken));
        found.count(taken.min(sent), sent.saturating_sub(taken), || {
            format!("CPU {} with field {}: {taken} of {sent}", f.cpu, f.field)
        });
    }
    for i in &record.ipis {
        let missed = u64::from(i.missed);
        let held = u64::from(i.sent).saturating_sub(missed);
        found.count(held, missed + u64::from(i.elsewhere), || {
            format!(
                "from CPU {} to CPU {}: {missed} of {} missed, {} taken elsewhere",
                i.from, i.to, i.sent, i.elsewhere
            )
        });
    }
    nothing_asked(found, record)
}

/// FIQ-02.
pub fn timers(record: &Record) -> Found {
    let mut found = Found::default();
    for f in &record.fiqs {
        let (armed, taken) = (u64::from(f.timers_armed), u64::from(f.timers_taken));
        found.count(taken.min(armed), armed.saturating_sub(taken), || {
            format!("CPU {} with field {}: {taken} of {armed}", f.cpu, f.field)
        });
    }
    nothing_asked(found, record)
}

fn nothing_asked(mut found: Found, record: &Record) -> Found {
    if found.held + found.against > 0 {
        return found;
    }
    if running(record).count() < 2 {
        return Found::nothing("one CPU runs: nobody could send");
    }
    if record.aic.generation == 1 {
        return Found::nothing("on AICv1 the field is not written");
    }
    found.open = Some("none was asked for".to_owned());
    found
}
