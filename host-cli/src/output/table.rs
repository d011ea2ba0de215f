//! A result as tables for people.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use crate::result::{Cell, MarkKind, RouteResult};

/// The whole result.
pub(super) fn to_table(result: &RouteResult) -> String {
    let mut out = String::new();
    heading(&mut out, result);
    let _ = writeln!(out, "\n{}", lines(&cpus(result)));
    let _ = writeln!(out, "\n{}", lines(&cells(result)));
    summary(&mut out, result);
    marks(&mut out, result);
    out
}

/// A table's lines without the spaces at their ends.
fn lines(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|l| l.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// The same table as Markdown.
pub(super) fn markdown(mut table: Table) -> String {
    table.load_style(presets::ASCII_MARKDOWN);
    // A star is a field that was set, no emphasis.
    lines(&table).replace('*', "\\*")
}

pub(super) fn heading(out: &mut String, r: &RouteResult) {
    let soc = &r.soc;
    let chip = soc
        .chip_id
        .map_or_else(String::new, |id| format!(" (chip {id:#x})"));
    let name = soc.title();
    let _ = writeln!(
        out,
        "{name}{chip}, board {}, model {}",
        or_dash(&soc.board),
        or_dash(&soc.model)
    );
    for mark in r.marks.iter().filter(|m| m.kind == MarkKind::ModelOnly) {
        let _ = writeln!(out, "MODEL ONLY: {}", mark.text);
    }
    let a = &r.aic;
    let _ = writeln!(
        out,
        "AICv{} at {}: {} of {} lines per die, {} {}",
        a.generation,
        a.base,
        a.nr_irq,
        a.max_irq,
        a.dies,
        plural(a.dies, "die", "dies"),
    );
    let c = &r.counter;
    let _ = write!(
        out,
        "counter {} Hz, step {} {} = {} ns",
        c.hz,
        c.step_ticks,
        plural(c.step_ticks, "tick", "ticks"),
        c.step_ns
    );
    if let Some(ns) = c.slice_ns {
        let _ = write!(out, "; virtual CPUs take turns of {ns} ns");
    }
    let b = &r.build;
    let _ = writeln!(
        out,
        "\naicprobe {}, firmware {}, target {}, seed {}",
        b.tool, b.firmware, r.target, r.seed
    );
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

/// The word for so many.
pub(super) const fn plural(n: u32, one: &'static str, many: &'static str) -> &'static str {
    if n == 1 { one } else { many }
}

/// A table without lines; columns from `right` on are aligned to the right.
fn table(header: &[&str], right: std::ops::Range<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header.to_vec());
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if right.contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

pub(super) fn cpus(r: &RouteResult) -> Table {
    let mut t = table(
        &[
            "CPU", "ADT id", "MPIDR", "cluster", "core", "boot", "state", "SIQ_CFG",
        ],
        0..0,
    );
    for c in &r.cpus {
        t.add_row([
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
    t
}

pub(super) fn cells(r: &RouteResult) -> Table {
    let mut header = vec![
        "cell", "line", "fire", "fields", "masked", "landed", "offered", "fired", "lost", "late",
        "dup", "spur", "min ns", "p50", "p95", "p99", "max", "from", "",
    ];
    let routed = r.cells.iter().any(|c| target(c).is_some());
    if routed {
        header.insert(3, "target");
    }
    let first = 7 + usize::from(routed);
    let mut t = table(&header, first..first + 10);
    for c in &r.cells {
        let mut row = row(c);
        if routed {
            row.insert(3, target(c).unwrap_or_default());
        }
        t.add_row(row);
    }
    t
}

/// Where the line was sent by its own word, if that was set.
fn target(c: &Cell) -> Option<String> {
    let set = c.target_cpus.as_ref().map(|set| {
        let ids: Vec<String> = set.iter().map(u8::to_string).collect();
        ids.join(",")
    });
    set.or_else(|| c.irq_cfg.clone())
}

fn row(c: &Cell) -> Vec<String> {
    let masked: Vec<String> = c
        .masked_cpus
        .iter()
        .zip(&c.masked_us)
        .map(|(cpu, us)| format!("{cpu}:{}ms", f64::from(*us) / 1e3))
        .collect();
    let latency = c.latency_ns.map_or_else(
        || vec!["-".to_owned(); 5],
        |l| {
            [l.min, l.p50, l.p95, l.p99, l.max]
                .map(|v| v.to_string())
                .to_vec()
        },
    );
    let mut row = vec![
        c.id.to_string(),
        format!("{}:{}", c.line.die, c.line.number),
        c.fire_cpu.to_string(),
        fields(c),
        masked.join(" "),
        by_cpu(&c.landed),
        by_cpu(&c.offered),
    ];
    row.extend([c.fired, c.lost, c.late, c.duplicate, c.spurious].map(|n| n.to_string()));
    row.extend(latency);
    row.push(c.latency_from.clone());
    row.push(
        c.refused
            .as_ref()
            .map_or_else(String::new, |why| format!("stopped: {why}")),
    );
    row
}

/// One digit a CPU; `.` for a CPU that does not run, `*` behind a field that was set.
fn fields(c: &Cell) -> String {
    c.fields
        .iter()
        .zip(&c.fields_requested)
        .map(|(read, asked)| {
            let digit = read.map_or_else(|| ".".to_owned(), |f| f.to_string());
            if asked.is_some() { digit + "*" } else { digit }
        })
        .collect()
}

/// Counts that are not 0, as `CPU:count`.
fn by_cpu(counts: &[u64]) -> String {
    let some: Vec<String> = counts
        .iter()
        .enumerate()
        .filter(|(_, n)| **n != 0)
        .map(|(cpu, n)| format!("{cpu}:{n}"))
        .collect();
    if some.is_empty() {
        "-".to_owned()
    } else {
        some.join(" ")
    }
}

pub(super) fn summary(out: &mut String, r: &RouteResult) {
    let s = &r.summary;
    let _ = writeln!(
        out,
        "\n{} triggers: landed {}; {} lost ({} late), {} duplicate, {} spurious",
        s.fired,
        by_cpu(&s.landed),
        s.lost,
        s.late,
        s.duplicate,
        s.spurious
    );
    let m = &s.miss_rate;
    if let Some(bound) = m.upper_95 {
        let _ = writeln!(
            out,
            "miss rate where some CPU accepts: {} of {}, at most {} (95 %)",
            m.misses,
            m.triggers,
            rate(bound)
        );
    }
    let state = if r.restored && r.restore.checked > 0 {
        format!("as found ({} values read back)", r.restore.checked)
    } else if r.restored {
        "as found (nothing was changed)".to_owned()
    } else if r.restore.different > 0 {
        format!("NOT as found: {}", r.restore.differences.join("; "))
    } else {
        "NOT known to be as found".to_owned()
    };
    let _ = writeln!(out, "state of the target: {state}");
    if !r.complete {
        let _ = writeln!(out, "PARTIAL: not every cell of the plan ran to its end");
    }
    let _ = writeln!(
        out,
        "\nfields: SIQ_CFG bits [1:0] by CPU, as read back; * = set for the cell, . = CPU not running\n\
         landed, offered: CPU:count, CPUs without any left out; latencies in ns from the SW_SET store or the unmask"
    );
}

/// A small rate in a unit that shows it.
fn rate(r: f64) -> String {
    if r >= 1e-3 {
        format!("{:.2} %", r * 100.0)
    } else {
        format!("{:.2} ppm", r * 1e6)
    }
}

fn marks(out: &mut String, r: &RouteResult) {
    for m in r.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        let _ = writeln!(out, "{}: {}: {}", m.kind.name(), m.about, m.text);
    }
}
