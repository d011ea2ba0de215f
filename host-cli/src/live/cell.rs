//! The cell that is measured, in words.

use protocol::command::{Handover, Load};

use crate::plan::{PlannedCell, Routing};

use super::state::Current;
use super::words::{short, us};

/// Which cell it is, and how far.
pub fn heading(current: &Current, width: u16) -> String {
    let cell = &current.cell;
    if width < 60 {
        return format!(
            "cell {} {}:{} from CPU {}, {}/{}",
            cell.id,
            cell.line.die,
            cell.line.number,
            cell.fire_cpu,
            short(current.counts.fired),
            short(cell.triggers.into()),
        );
    }
    format!(
        "cell {}: line {}:{} fired from CPU {}, {} of {}",
        cell.id,
        cell.line.die,
        cell.line.number,
        cell.fire_cpu,
        short(current.counts.fired),
        short(cell.triggers.into()),
    )
}

/// What holds in it.
pub fn conditions(current: &Current) -> String {
    let cell = &current.cell;
    let mut parts = vec![format!("fields {}", fields(current))];
    let masked: Vec<String> = cell
        .masked
        .iter()
        .map(|m| format!("CPU {} for {}", m.cpu, us(m.us)))
        .collect();
    parts.push(if masked.is_empty() {
        "nobody masked".to_owned()
    } else {
        format!("masked {}", masked.join(", "))
    });
    parts.extend(routing(cell));
    parts.extend(special(cell));
    parts.push(format!("timeout {}", us(cell.timeout_us)));
    parts.join("; ")
}

/// A digit per CPU as in the tables: as read back, `*` behind one that was set; `-` is as found and not read yet.
fn fields(current: &Current) -> String {
    let asked = current.cell.fields.iter().enumerate();
    asked
        .map(|(cpu, asked)| {
            let read = current.fields.get(cpu).filter(|f| **f <= 3).copied();
            match (read.or(*asked), asked) {
                (Some(value), Some(_)) => format!("{value}*"),
                (Some(value), None) => value.to_string(),
                (None, _) => "-".to_owned(),
            }
        })
        .collect()
}

fn routing(cell: &PlannedCell) -> Option<String> {
    match &cell.routing {
        Routing::AsFound => None,
        Routing::Cpus(cpus) => {
            let cpus: Vec<String> = cpus.iter().map(ToString::to_string).collect();
            Some(format!("targeted at CPU {}", cpus.join(",")))
        }
        Routing::Word(word) => Some(format!("IRQ_CFG {word:#x}")),
    }
}

fn special(cell: &PlannedCell) -> impl Iterator<Item = String> {
    let special = &cell.special;
    let load = match special.load {
        _ if special.loaded == 0 => None,
        Load::Idle => None,
        Load::Spin => Some("others compute".to_owned()),
        Load::Memory => Some("others load memory".to_owned()),
    };
    let served = special.handover.map(|handover| match handover {
        Handover::Direct => "served where it landed".to_owned(),
        Handover::Store(cpu) => format!("served by CPU {cpu} (store)"),
        Handover::Event(cpu) => format!("served by CPU {cpu} (SEV)"),
        Handover::Ipi(cpu) => format!("served by CPU {cpu} (fast IPI)"),
        Handover::Floating(_) => "served by the first that sees it".to_owned(),
    });
    let limit = (special.limit_us > 0).then(|| format!("parts of {}", us(special.limit_us)));
    load.into_iter().chain(served).chain(limit)
}
