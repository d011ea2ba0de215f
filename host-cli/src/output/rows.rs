//! A result of `route` as rows: CSV, JSON Lines, Markdown.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Error;
use crate::result::{Cell, MarkKind, RouteResult};

use super::table::{cells, cpus, heading, markdown, summary, to_table};
use super::{Form, refuse_falling, to_json};

/// Results of `route` in the form asked for, one after the other; JSON takes one.
///
/// # Errors
/// [`Error::Falling`] for percentiles that fall; [`Error::Internal`] if a result cannot be written (it goes to memory, so it
/// can).
pub fn render_routes(results: &[&RouteResult], form: Form) -> Result<String, Error> {
    refuse_falling(&results)?;
    let each = |text: fn(&RouteResult) -> String| {
        let parts: Vec<String> = results.iter().map(|r| text(r)).collect();
        Ok(parts.join("\n\n"))
    };
    match form {
        Form::Table => each(to_table),
        Form::Markdown => each(to_markdown),
        Form::Json => results.first().map_or(Ok(String::new()), to_json),
        Form::Jsonl => to_json_lines(results),
        Form::Csv => to_csv(results),
    }
}

/// One line per cell behind a line of names; CPUs' counts are columns `landed_0`, `landed_1`, … up to the most that any of the
/// results has. Nothing but numbers, names and lists with spaces between; an empty field is "nothing of the kind".
///
/// # Errors
/// [`Error::Internal`] if it cannot be written (it goes to memory, so it can).
pub(super) fn to_csv(results: &[&RouteResult]) -> Result<String, Error> {
    let bad = |e: &dyn std::fmt::Display| Error::Internal(e.to_string());
    let most = results.iter().map(|r| r.cpus.len()).max().unwrap_or(0);
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut names: Vec<String> = [
        "target",
        "seed",
        "cell",
        "group",
        "die",
        "line",
        "hwirq",
        "fire_cpu",
        "fields",
        "fields_requested",
        "target_cpus",
        "irq_cfg",
        "masked_cpus",
        "masked_us",
        "triggers",
        "fired",
        "lost",
        "late",
        "duplicate",
        "spurious",
        "min_ns",
        "p50_ns",
        "p95_ns",
        "p99_ns",
        "max_ns",
        "latency_from",
        "miss_rate_upper_95",
        "refused",
    ]
    .map(str::to_owned)
    .to_vec();
    for kind in ["landed", "offered"] {
        names.extend((0..most).map(|cpu| format!("{kind}_{cpu}")));
    }
    writer.write_record(&names).map_err(|e| bad(&e))?;
    for r in results {
        for c in &r.cells {
            writer
                .write_record(record(r, c, most))
                .map_err(|e| bad(&e))?;
        }
    }
    let bytes = writer.into_inner().map_err(|e| bad(&e))?;
    String::from_utf8(bytes).map_err(|e| bad(&e))
}

fn record(r: &RouteResult, c: &Cell, most: usize) -> Vec<String> {
    let list = |items: &[u8]| spaced(items.iter());
    let optional = |items: &[Option<u8>]| {
        let text = items
            .iter()
            .map(|f| f.map_or_else(|| "-".to_owned(), |f| f.to_string()));
        spaced(text)
    };
    let group = serde_json::to_value(c.group).ok();
    let group = group.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut record = vec![
        r.target.clone(),
        r.seed.to_string(),
        c.id.to_string(),
        group.to_owned(),
        c.line.die.to_string(),
        c.line.number.to_string(),
        c.line.hwirq.to_string(),
        c.fire_cpu.to_string(),
        optional(&c.fields),
        optional(&c.fields_requested),
        c.target_cpus.as_deref().map(list).unwrap_or_default(),
        c.irq_cfg.clone().unwrap_or_default(),
        list(&c.masked_cpus),
        spaced(c.masked_us.iter()),
    ];
    let counts = [
        u64::from(c.triggers),
        c.fired,
        c.lost,
        c.late,
        c.duplicate,
        c.spurious,
    ];
    record.extend(counts.map(|n| n.to_string()));
    let latency = c.latency_ns.map(|l| [l.min, l.p50, l.p95, l.p99, l.max]);
    record.extend((0..5).map(|i| latency.map_or_else(String::new, |l| l[i].to_string())));
    record.push(c.latency_from.clone());
    record.push(
        c.miss_rate
            .upper_95
            .map(|b| b.to_string())
            .unwrap_or_default(),
    );
    record.push(c.refused.clone().unwrap_or_default());
    for counts in [&c.landed, &c.offered] {
        let column = |cpu| counts.get(cpu).map(u64::to_string).unwrap_or_default();
        record.extend((0..most).map(column));
    }
    record
}

fn spaced<T: ToString>(items: impl Iterator<Item = T>) -> String {
    items.map(|i| i.to_string()).collect::<Vec<_>>().join(" ")
}

/// One JSON value a line: `{"run": …}` with everything but the cells, then `{"cell": …}` for each, with the target's name.
///
/// # Errors
/// [`Error::Internal`] if it cannot be written.
pub(super) fn to_json_lines(results: &[&RouteResult]) -> Result<String, Error> {
    let mut out = String::new();
    for r in results {
        let mut run = value(r)?;
        if let Some(run) = run.as_object_mut() {
            run.remove("cells");
        }
        let _ = writeln!(out, "{}", json!({ "run": run }));
        for c in &r.cells {
            let _ = writeln!(out, "{}", json!({ "target": r.target, "cell": value(c)? }));
        }
    }
    Ok(out)
}

fn value<T: Serialize>(of: &T) -> Result<Value, Error> {
    serde_json::to_value(of).map_err(|e| Error::Internal(e.to_string()))
}

/// The tables of a result as Markdown, for a pull request.
pub(super) fn to_markdown(r: &RouteResult) -> String {
    let mut text = String::new();
    heading(&mut text, r);
    let mut out = String::new();
    for line in text.lines() {
        let _ = writeln!(out, "{line}  ");
    }
    let _ = writeln!(out, "\n{}\n\n{}", markdown(cpus(r)), markdown(cells(r)));
    text.clear();
    summary(&mut text, r);
    for line in text.lines() {
        let _ = writeln!(out, "{line}  ");
    }
    for m in r.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        let _ = writeln!(out, "* {}: {}: {}", m.kind.name(), m.about, m.text);
    }
    out
}
