//! A soak over time.

use maud::{Markup, html};

use crate::output::Document as _;
use crate::soak::{Interval, SoakResult};

use super::lines::{Lines, MOST, Series};
use super::svg::{short, time};
use super::table::{fold, table};

/// Points of a line: intervals beyond that are joined, their smallest and largest kept as a band.
const POINTS: usize = 400;

/// Of `soak`.
pub fn of_soak(id: &str, s: &SoakResult) -> Markup {
    let rate = series("triggers a second", s, |i| Some(i.rate_per_s as f64));
    let p95 = series("95th percentile", s, |i| i.latency_ns.map(|l| l.p95 as f64));
    let max = series("largest", s, |i| i.latency_ns.map(|l| l.max as f64));
    let busiest = busiest(s);
    let busy: Vec<Series> = busiest
        .iter()
        .map(|cpu| {
            series(&format!("CPU {cpu}"), s, |i| {
                i.busy_ppm.get(*cpu).map(|ppm| *ppm as f64 / 1e4)
            })
        })
        .collect();
    let draw = |name: &str, title: &str, y: &str, y_text, log, series: &[Series]| {
        Lines {
            id: &format!("{id}-{name}"),
            title,
            x: "measured time, s",
            y,
            x_text: short,
            y_text,
            log,
            series,
        }
        .draw()
    };
    let grids = s.grids();
    let others = grids.iter().skip(1).filter(|g| !g.title.is_empty());
    html! {
        @if let Some(v) = &s.violation {
            p.bad { "Stopped after " (time(v.at_ns as f64)) ": " (v.moment.text) }
        }
        @if s.intervals.is_empty() {
            p { "No interval came to its end." }
        } @else {
            h4 { "Rate" }
            (draw("rate", "Triggers a second over time", "triggers a second", short, false, &[rate]))
            h4 { "Latency" }
            (draw("latency", "Latency over time", "trigger to handler", time, true, &[p95, max]))
            @if !busy.is_empty() {
                h4 { "Time in the handler" }
                (draw("busy", "Share of time in the handler", "% of a CPU's time", short, false, &busy))
            }
            @if s.intervals.len() > POINTS {
                p.small { "Points join several intervals: lines are means (of the largest: the largest), bands go from the smallest to the largest." }
            }
        }
        @for grid in others { (table(&grid.title, grid)) }
        (fold("Numbers: every interval that was kept", &table("Intervals", &s.rows())))
    }
}

/// CPUs that spent time in the handler, the busiest first; as many as lines can be told apart.
fn busiest(s: &SoakResult) -> Vec<usize> {
    let busy = s.totals.busy_ppm.iter().enumerate();
    let mut busy: Vec<(usize, u64)> = busy.map(|(cpu, n)| (cpu, *n)).filter(|b| b.1 > 0).collect();
    busy.sort_by_key(|(cpu, n)| (u64::MAX - n, *cpu));
    busy.truncate(MOST);
    busy.into_iter().map(|b| b.0).collect()
}

fn series(name: &str, s: &SoakResult, of: impl Fn(&Interval) -> Option<f64>) -> Series {
    let mut out = Series {
        name: name.to_owned(),
        ..Series::default()
    };
    let join = s.intervals.len().div_ceil(POINTS).max(1);
    for some in s.intervals.chunks(join) {
        let values: Vec<f64> = some.iter().filter_map(&of).collect();
        if values.is_empty() {
            continue;
        }
        let x = some[0].from_ns as f64 / 1e9;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        // A maximum that is averaged would be hidden.
        out.points
            .push((x, if name == "largest" { high } else { mean }));
        if join > 1 {
            out.band.push((x, low, high));
        }
    }
    out
}
