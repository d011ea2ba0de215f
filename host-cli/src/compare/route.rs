//! A result of `route` as a run.

use std::collections::BTreeMap;

use crate::result::{Cell, MarkKind, RouteResult};

use super::run::{Key, Measure, Metric, Run, Sample, Scope};

/// The run of a result; says what in it cannot be, and where.
pub fn run(result: &RouteResult, origin: &str) -> Result<Run, String> {
    let model = result
        .marks
        .iter()
        .find(|m| m.kind == MarkKind::ModelOnly)
        .map(|m| m.text.clone());
    // Values are whole nanoseconds, so two of the same tick can differ by one.
    let resolution = result.counter.step_ns.max(0.0) + 1.0;
    let mut samples = Vec::new();
    let mut seen: BTreeMap<Key, u32> = BTreeMap::new();
    for (i, cell) in result.cells.iter().enumerate() {
        check(cell, result.cpus.len()).map_err(|what| format!("cells[{i}].{what}"))?;
        let key = key(cell);
        let times = seen.entry(key.clone()).or_default();
        *times += 1;
        if cell.fired == 0 {
            continue;
        }
        let repeat = if *times > 1 {
            times.to_string()
        } else {
            String::new()
        };
        samples.push(sample(cell, key.with("repeat", repeat), resolution));
    }
    let board = if result.soc.board.is_empty() {
        String::new()
    } else {
        format!(" {}", result.soc.board)
    };
    Ok(Run {
        origin: origin.to_owned(),
        schema: RouteResult::SCHEMA,
        target: result.target.clone(),
        seed: result.seed,
        chip: format!("{}{board}", result.soc.name),
        firmware: result.build.firmware.clone(),
        model,
        complete: result.complete,
        restored: result.restored,
        samples,
        whole: Vec::new(),
    })
}

/// What a damaged or hand-made file could get wrong in a way that the comparison would take for an answer.
fn check(cell: &Cell, cpus: usize) -> Result<(), String> {
    if let Some(latency) = cell.latency_ns {
        latency.checked().map_err(|e| format!("latency_ns: {e}"))?;
    }
    for (name, found) in [
        ("landed", cell.landed.len()),
        ("fields", cell.fields.len()),
        ("fields_requested", cell.fields_requested.len()),
    ] {
        if found != cpus {
            return Err(format!("{name}: {found} entries for {cpus} CPUs"));
        }
    }
    if cell.masked_cpus.len() != cell.masked_us.len() {
        let (cpus, windows) = (cell.masked_cpus.len(), cell.masked_us.len());
        return Err(format!("masked_us: {windows} windows of {cpus} CPUs"));
    }
    // In 128 bits: the numbers of a file may be anything.
    let landed: u128 = cell.landed.iter().map(|n| u128::from(*n)).sum();
    if landed + u128::from(cell.lost) > u128::from(cell.fired) {
        let (lost, fired) = (cell.lost, cell.fired);
        return Err(format!(
            "landed: {landed} landed and {lost} lost of {fired} fired"
        ));
    }
    if cell.late > cell.lost {
        return Err(format!("late: {} of {} lost", cell.late, cell.lost));
    }
    if cell.fired > u64::from(cell.triggers) {
        return Err(format!("fired: {} of {}", cell.fired, cell.triggers));
    }
    Ok(())
}

fn key(cell: &Cell) -> Key {
    let join = |parts: Vec<String>| parts.join(",");
    let fields = (0..).zip(&cell.fields_requested).filter_map(|(cpu, f)| {
        let cpu: u32 = cpu;
        f.map(|f| format!("{cpu}={f}"))
    });
    let mut masks: Vec<(u8, u32)> = cell
        .masked_cpus
        .iter()
        .copied()
        .zip(cell.masked_us.iter().copied())
        .collect();
    masks.sort_unstable();
    let masks = masks
        .iter()
        .map(|(cpu, us)| format!("{cpu}:{}ms", f64::from(*us) / 1e3));
    let routing = match (&cell.target_cpus, &cell.irq_cfg) {
        (Some(cpus), _) => format!("cpus:{}", join(cpus.iter().map(u8::to_string).collect())),
        (None, Some(word)) => format!("irq_cfg:{word}"),
        (None, None) => String::new(),
    };
    Key::default()
        .with("line", format!("{}:{}", cell.line.die, cell.line.number))
        .with("fire_cpu", cell.fire_cpu)
        .with("fields", join(fields.collect()))
        .with("masked", join(masks.collect()))
        .with("routing", routing)
}

fn sample(cell: &Cell, key: Key, resolution: f64) -> Sample {
    let mut states: Vec<(String, u64)> = (0..)
        .zip(&cell.landed)
        .map(|(cpu, n)| {
            let cpu: u32 = cpu;
            (format!("lands on CPU {cpu}"), *n)
        })
        .collect();
    states.push(("lost".to_owned(), cell.lost - cell.late));
    states.push(("late".to_owned(), cell.late));
    states.push(("duplicate".to_owned(), cell.duplicate));
    let read: Vec<String> = cell
        .fields
        .iter()
        .map(|f| f.map_or_else(|| ".".to_owned(), |f| f.to_string()))
        .collect();
    let conditions = [
        ("fields read back", read.concat()),
        ("timeout_us", cell.timeout_us.to_string()),
        ("grace_us", cell.grace_us.to_string()),
        ("triggers", cell.triggers.to_string()),
    ];
    Sample {
        key,
        fired: cell.fired,
        states,
        metrics: metrics(cell, resolution),
        conditions: conditions.map(|(n, v)| (n.to_owned(), v)).into(),
    }
}

fn metrics(cell: &Cell, resolution: f64) -> Vec<Metric> {
    let share = |name: &str, scope, count| Metric {
        name: name.to_owned(),
        basis: String::new(),
        scope,
        measure: Measure::Share {
            count,
            of: cell.fired,
        },
    };
    // How often something came that was not asked for; one trigger can bring several.
    let each = |name: &str, count: u64| Metric {
        name: name.to_owned(),
        basis: String::new(),
        scope: Scope::Whole,
        measure: if count <= cell.fired {
            Measure::Share {
                count,
                of: cell.fired,
            }
        } else {
            Measure::Value {
                value: count as f64 / cell.fired as f64,
                resolution: 0.0,
            }
        },
    };
    let mut metrics = vec![
        share("delivered", Scope::Cell, cell.landed.iter().sum()),
        share("miss_rate", Scope::Whole, cell.lost),
        each("duplicates", cell.duplicate),
        each("spurious", cell.spurious),
    ];
    for (cpu, n) in cell.landed.iter().enumerate() {
        metrics.push(share(&format!("landed_{cpu}"), Scope::Both, *n));
    }
    if let Some(l) = cell.latency_ns {
        for (name, value) in [
            ("p50_ns", l.p50),
            ("p95_ns", l.p95),
            ("p99_ns", l.p99),
            ("max_ns", l.max),
        ] {
            metrics.push(Metric {
                name: name.to_owned(),
                basis: cell.latency_from.clone(),
                scope: Scope::Both,
                measure: Measure::Value {
                    value: value as f64,
                    resolution,
                },
            });
        }
    }
    metrics
}
