//! Latencies: of results that measure them, and of the cells of others.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::latency::{LatencyResult, Pair, Setting};
use crate::output::{Document as _, Grid};
use crate::result::Cell;
use crate::stats::Percentiles;

use super::boxes::{BoxRow, boxes, key};
use super::table::{fold, shade, table, table_with};

/// Rows of one picture: those of more are in pictures of their own, one for each firing CPU.
const ONE_PICTURE: usize = 40;

/// Of `latency`.
pub fn of_latency(id: &str, l: &LatencyResult) -> Markup {
    html! {
        p.small { (key(true)) }
        @for load in Setting::ALL {
            (of_load(id, load.name(), &sorted(l, load)))
        }
        @if let Some(spike) = &l.spike {
            p.bad { "Stopped: " (spike.moment.text) ": cell " (spike.cell) ", CPU " (spike.fire_cpu) " fires, CPU " (spike.land_cpu) " takes it" }
        }
        @for grid in l.grids().iter().filter(|g| !g.title.is_empty()) {
            (fold(&format!("Numbers: {}", grid.title), &table(&grid.title, grid)))
        }
    }
}

fn sorted(l: &LatencyResult, load: Setting) -> Vec<&Pair> {
    let mut pairs: Vec<&Pair> = l.pairs.iter().filter(|p| p.load == load).collect();
    pairs.sort_by_key(|p| (p.fire_cpu, p.land_cpu));
    pairs
}

fn of_load(id: &str, load: &str, pairs: &[&Pair]) -> Markup {
    if pairs.is_empty() {
        return html! {};
    }
    let picture = |name: String, title: String, pairs: &[&Pair]| {
        let mut rows = Vec::new();
        for p in pairs {
            if let Some(percentiles) = &p.entry_ns {
                rows.push(BoxRow {
                    buckets: &p.entry_histogram,
                    ..BoxRow::of(format!("{} → {}", p.fire_cpu, p.land_cpu), percentiles)
                });
            }
        }
        boxes(&name, &title, &rows)
    };
    let title = format!("Trigger to handler, other CPUs {load}: firing → landing CPU");
    let small = pairs.len() <= ONE_PICTURE;
    let mut by_fire: BTreeMap<u8, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        by_fire.entry(pair.fire_cpu).or_default().push(pair);
    }
    html! {
        h4 { "Other CPUs " (load) }
        (percentile_table(&format!("Trigger to handler, median, ns, other CPUs {load}"), pairs, |p| p.p50))
        (percentile_table(&format!("Trigger to handler, 99th percentile, ns, other CPUs {load}"), pairs, |p| p.p99))
        @if small {
            (picture(format!("{id}-{load}"), title, pairs))
        } @else {
            @for (fire, pairs) in &by_fire {
                @let title = format!("Trigger to handler, other CPUs {load}: CPU {fire} fires");
                (fold(&title.clone(), &picture(format!("{id}-{load}-{fire}"), title, pairs)))
            }
        }
    }
}

/// A percentile by firing and landing CPU; darker is slower.
fn percentile_table(caption: &str, pairs: &[&Pair], of: fn(&Percentiles) -> u64) -> Markup {
    let mut values: BTreeMap<(u8, u8), u64> = BTreeMap::new();
    for pair in pairs {
        if let Some(p) = &pair.entry_ns {
            values.insert((pair.fire_cpu, pair.land_cpu), of(p));
        }
    }
    let mut fires: Vec<u8> = values.keys().map(|k| k.0).collect();
    fires.dedup();
    let mut lands: Vec<u8> = values.keys().map(|k| k.1).collect();
    lands.sort_unstable();
    lands.dedup();
    let columns = lands.iter().map(|cpu| format!("on {cpu}"));
    let mut grid = Grid::new(caption, std::iter::once("fires".to_owned()).chain(columns));
    for fire in &fires {
        let row = lands.iter().map(|land| {
            let value = values.get(&(*fire, *land));
            value.map_or_else(|| "-".to_owned(), u64::to_string)
        });
        grid.row(std::iter::once(format!("CPU {fire}")).chain(row));
    }
    let low = values.values().min().copied().unwrap_or(0) as f64;
    let high = values.values().max().copied().unwrap_or(0) as f64;
    table_with(caption, &grid, |r, c| {
        let land = lands.get(c.checked_sub(1)?)?;
        let value = *values.get(&(*fires.get(r)?, *land))? as f64;
        // The slowest is not full: most differ by little.
        (value > low).then(|| shade((value - low) / (high - low) * 0.7))
    })
}

/// Of cells: for every firing and landing CPU the cell with the most triggers that all landed there.
pub fn of_cells<'c>(id: &str, cells: impl Iterator<Item = &'c Cell>) -> Markup {
    let mut best: BTreeMap<(u8, u8), &Cell> = BTreeMap::new();
    for cell in cells {
        let mut landed = (0u8..).zip(&cell.landed).filter(|(_, n)| **n > 0);
        let (Some((land, _)), None) = (landed.next(), landed.next()) else {
            continue;
        };
        if cell.latency_from != "sw_set" || cell.latency_ns.is_none() {
            continue;
        }
        let there = best.entry((cell.fire_cpu, land)).or_insert(cell);
        if cell.fired > there.fired {
            *there = cell;
        }
    }
    let columns = [
        "fires", "on", "cell", "triggers", "min", "p50", "p95", "p99", "max",
    ];
    let mut grid = Grid::new("Trigger to handler by pair of CPUs, ns", columns);
    let mut rows = Vec::new();
    for ((fire, land), cell) in &best {
        let Some(l) = &cell.latency_ns else { continue };
        rows.push(BoxRow::of_cell(format!("{fire} → {land}"), l));
        let numbers = [
            u64::from(*fire),
            u64::from(*land),
            u64::from(cell.id),
            cell.fired,
        ];
        grid.row(
            numbers
                .into_iter()
                .chain([l.min, l.p50, l.p95, l.p99, l.max]),
        );
    }
    if rows.is_empty() {
        return html! {};
    }
    let title = "Trigger to handler: firing → landing CPU";
    let drawn = boxes(id, title, &rows[..rows.len().min(3 * ONE_PICTURE)]);
    html! {
        p.small { "For every firing and landing CPU the cell with the most triggers that all landed there, nobody masked. " (key(false)) }
        @if rows.len() > ONE_PICTURE {
            (fold(&format!("{title} ({} pairs)", rows.len()), &drawn))
        } @else {
            (drawn)
        }
        (table(&grid.title, &grid))
    }
}
