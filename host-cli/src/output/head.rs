//! What the tables of every run on a target begin and end with.

use crate::result::{Head, MarkKind};

use super::Grid;
use super::table::plural;

/// The lines that every run on a target begins with.
#[must_use]
pub fn head_lines(head: &Head) -> Vec<String> {
    let mut lines = vec![format!(
        "{} board {}, target {}, seed {}",
        head.soc.title(),
        if head.soc.board.is_empty() {
            "-"
        } else {
            &head.soc.board
        },
        head.target,
        head.seed
    )];
    for mark in head.marks.iter().filter(|m| m.kind == MarkKind::ModelOnly) {
        lines.push(format!("MODEL ONLY: {}", mark.text));
    }
    let c = &head.counter;
    let turns = c.slice_ns.map_or_else(String::new, |ns| {
        format!("; virtual CPUs take turns of {ns} ns")
    });
    lines.push(format!(
        "counter {} Hz, step {} {} = {} ns{turns}",
        c.hz,
        c.step_ticks,
        plural(c.step_ticks, "tick", "ticks"),
        c.step_ns
    ));
    let b = &head.build;
    lines.push(format!("aicprobe {}, firmware {}", b.tool, b.firmware));
    lines
}

/// And those that it ends with.
#[must_use]
pub fn head_notes(head: &Head) -> Vec<String> {
    let mut lines = Vec::new();
    if !head.complete {
        lines.push("not everything that was planned ran to its end".to_owned());
    }
    lines.push(if head.restored {
        "state of the target: as found".to_owned()
    } else {
        "state of the target: NOT known to be as found".to_owned()
    });
    for m in head.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        lines.push(format!("{}: {}: {}", m.kind.name(), m.about, m.text));
    }
    lines
}

/// The table of CPUs.
#[must_use]
pub fn cpu_grid(head: &Head) -> Grid {
    let mut grid = Grid::new(
        "",
        [
            "CPU", "ADT id", "MPIDR", "cluster", "core", "boot", "state", "SIQ_CFG",
        ],
    );
    for c in &head.cpus {
        grid.row([
            c.id.to_string(),
            c.adt_id.to_string(),
            c.mpidr.clone(),
            c.cluster.to_string(),
            c.core.letter().to_owned(),
            if c.boot { "boot" } else { "" }.to_owned(),
            c.state.name().to_owned(),
            c.siq_cfg.clone().unwrap_or_else(|| "-".into()),
        ]);
    }
    grid
}
