//! Distributions of latencies, one below the other on one logarithmic axis.

use maud::{Markup, html};

use crate::latency::Bucket;
use crate::stats::{Latency, Percentiles};

use super::svg::{Scale, px, svg, time};

/// Height of a row.
const ROW: f64 = 26.0;
/// Width of the picture without the names of the rows.
const WIDTH: f64 = 620.0;
const TOP: f64 = 8.0;
const AXIS: f64 = 42.0;

/// One distribution, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct BoxRow<'r> {
    /// Whose.
    pub label: String,
    /// Smallest, median, 95th and 99th percentile, largest.
    pub five: [u64; 5],
    /// Counts, where they are known.
    pub buckets: &'r [Bucket],
}

impl BoxRow<'_> {
    /// Of percentiles of a pair.
    pub const fn of(label: String, p: &Percentiles) -> Self {
        Self {
            label,
            five: [p.min, p.p50, p.p95, p.p99, p.max],
            buckets: &[],
        }
    }

    /// Of those of a cell.
    pub const fn of_cell(label: String, l: &Latency) -> Self {
        Self {
            label,
            five: [l.min, l.p50, l.p95, l.p99, l.max],
            buckets: &[],
        }
    }
}

/// How to read such a picture.
pub fn key(histograms: bool) -> &'static str {
    if histograms {
        "Each row: bars = how many triggers took so long (height: square root of the count, of the row's highest); line = smallest to largest, box = median to 95th percentile, tall tick = median, short tick = 99th percentile. Logarithmic axis."
    } else {
        "Each row: line = smallest to largest, box = median to 95th percentile, tall tick = median, short tick = 99th percentile. Logarithmic axis."
    }
}

/// The picture.
pub fn boxes(id: &str, title: &str, rows: &[BoxRow<'_>]) -> Markup {
    let lowest = rows.iter().map(|r| r.five[0]).min().unwrap_or(0);
    let highest = rows.iter().map(|r| r.five[4]).max().unwrap_or(0);
    let longest = rows.iter().map(|r| r.label.chars().count()).max();
    let left = 14.0 + 6.4 * longest.unwrap_or(0).min(48) as f64;
    let scale = Scale::log(lowest as f64, highest as f64, left, left + WIDTH);
    let bottom = TOP + ROW * rows.len() as f64;
    let desc = format!(
        "{} rows, from {} to {}; the table below has the numbers.",
        rows.len(),
        time(lowest as f64),
        time(highest as f64)
    );
    let body = html! {
        @for tick in scale.ticks() {
            @let x = px(scale.at(tick));
            line.grid x1=(x) x2=(x) y1=(px(TOP)) y2=(px(bottom)) {}
            text.t x=(x) y=(px(bottom + 16.0)) text-anchor="middle" { (time(tick)) }
        }
        text.t x=(px(left + WIDTH / 2.0)) y=(px(bottom + 34.0)) text-anchor="middle" { "latency, logarithmic" }
        @for (at, row) in rows.iter().enumerate() {
            (one(row, &scale, TOP + ROW * at as f64, left))
        }
    };
    svg(
        id,
        title,
        &desc,
        (left + WIDTH + 30.0, bottom + AXIS),
        &body,
    )
}

fn one(row: &BoxRow<'_>, scale: &Scale, top: f64, left: f64) -> Markup {
    let [min, p50, p95, p99, max] = row.five.map(|ns| scale.at(ns as f64));
    let (base, middle) = (top + ROW - 3.0, top + ROW * 0.5 + 1.0);
    let label: String = row.label.chars().take(48).collect();
    let values = format!(
        "{}: min {}, p50 {}, p95 {}, p99 {}, max {} ns",
        row.label, row.five[0], row.five[1], row.five[2], row.five[3], row.five[4]
    );
    html! {
        g {
            title { (values) }
            text.t x=(px(left - 8.0)) y=(px(middle + 4.0)) text-anchor="end" { (label) }
            path.hist d=(bars(row.buckets, scale, base)) {}
            line.whisker x1=(px(min)) x2=(px(max)) y1=(px(middle)) y2=(px(middle)) {}
            rect.box x=(px(p50)) y=(px(middle - 5.0)) width=(px((p95 - p50).max(1.0))) height="10" {}
            line.median x1=(px(p50)) x2=(px(p50)) y1=(px(middle - 8.0)) y2=(px(middle + 8.0)) {}
            line.whisker x1=(px(p99)) x2=(px(p99)) y1=(px(middle - 4.0)) y2=(px(middle + 4.0)) {}
        }
    }
}

/// A path of bars. Buckets that fall on the same pixel are one bar.
fn bars(buckets: &[Bucket], scale: &Scale, base: f64) -> String {
    let mut columns: Vec<(i64, i64, u64)> = Vec::new();
    for b in buckets {
        let from = scale.at(b.from_ns as f64).round() as i64;
        let to = (scale.at(b.to_ns as f64).round() as i64).max(from + 2);
        match columns.last_mut() {
            Some((start, end, count)) if *start == from => {
                *end = to.max(*end);
                *count += b.count;
            }
            _ => columns.push((from, to, b.count)),
        }
    }
    let most = columns.iter().map(|c| c.2).max().unwrap_or(0).max(1) as f64;
    let mut path = String::new();
    for (from, to, count) in columns {
        let height = ((count as f64 / most).sqrt() * (ROW - 5.0)).max(1.0);
        path += &format!(
            "M{from} {}V{}H{to}V{}z",
            px(base),
            px(base - height),
            px(base)
        );
    }
    path
}
