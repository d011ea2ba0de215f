//! The truth table as a picture.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::svg::{px, svg};
use super::truth::{NONE, Truth};

/// Rows up to which every value is written out.
const WRITTEN: usize = 192;
/// Rows of a block of that picture.
const COLUMN: usize = 32;
/// Least and most rows of a block of the dense picture, the blocks that fit beside each other on a page, and those that there are at
/// most: more than that is cut.
const BLOCK: std::ops::RangeInclusive<usize> = 32..=256;
const BESIDE: usize = 12;
const BLOCKS: usize = 40;

/// The picture. `id` is unique in the page.
pub fn picture(id: &str, truth: &Truth) -> Markup {
    if truth.rows.len() <= WRITTEN {
        written(id, truth)
    } else {
        dense(id, truth)
    }
}

/// A line that says how to read it.
pub fn key() -> Markup {
    html! {
        ul.legend {
            @for value in 0..4 {
                li { svg.swatch aria-hidden="true" width="16" height="12" viewBox="0 0 16 12" {
                    rect class=(format!("v{value}")) width="16" height="12" {}
                } "value " (value) }
            }
            li { svg.swatch aria-hidden="true" width="16" height="12" viewBox="0 0 16 12" {
                rect.v4 width="16" height="12" {}
            } "CPU does not run" }
            li { svg.swatch aria-hidden="true" width="16" height="12" viewBox="0 0 16 12" {
                rect.v3 width="16" height="12" {} circle.land cx="8" cy="6" r="4" {}
            } "took the interrupt" }
        }
    }
}

fn desc(truth: &Truth) -> String {
    format!(
        "{} combinations of fields, {}. Rows are combinations in the order of their values, columns are CPUs by logical id; a mark shows which CPU took the interrupt. The table of landings by value has the numbers.",
        truth.rows.len(),
        truth.title()
    )
}

fn written(id: &str, truth: &Truth) -> Markup {
    const W: f64 = 30.0;
    const H: f64 = 18.0;
    const TOP: f64 = 22.0;
    let cpus = truth.rows.first().map_or(0, |r| r.fields.len());
    // Room for what is lost stands behind each block.
    let lost = if truth.rows.iter().any(|r| r.lost > 0) {
        70.0
    } else {
        0.0
    };
    let pitch = W * cpus as f64 + 18.0 + lost;
    let blocks = truth.rows.chunks(COLUMN);
    let height = TOP + H * COLUMN.min(truth.rows.len()) as f64 + 4.0;
    let width = 6.0 + pitch * blocks.len() as f64;
    let body = html! {
        @for (b, rows) in blocks.enumerate() {
            @let left = 6.0 + pitch * b as f64;
            @for cpu in 0..cpus {
                text.t x=(px(left + W * (cpu as f64 + 0.5))) y="15" text-anchor="middle" { (cpu) }
            }
            @for (at, row) in rows.iter().enumerate() {
                @let y = TOP + H * at as f64;
                g {
                    title { (said(row)) }
                    @for (cpu, value) in row.fields.iter().enumerate() {
                        @let x = left + W * cpu as f64;
                        @let n = row.landed.get(cpu).copied().unwrap_or(0);
                        rect class=(format!("v{value}")) x=(px(x)) y=(px(y)) width=(px(W - 1.0)) height=(px(H - 1.0)) {}
                        text class=(format!("d{value}")) x=(px(x + 9.0)) y=(px(y + 13.0)) text-anchor="middle" {
                            @if *value < NONE { (value) } @else { "–" }
                        }
                        @if n > 0 { circle.land cx=(px(x + 21.0)) cy=(px(y + 8.5)) r=(px(radius(n, row.fired))) {} }
                    }
                    @if row.lost > 0 {
                        text.lost x=(px(left + W * cpus as f64 + 4.0)) y=(px(y + 13.0)) { (row.lost) " lost" }
                    }
                }
            }
        }
    };
    let title = format!("Truth table, {}", truth.title());
    svg(id, &title, &desc(truth), (width, height), &body)
}

fn radius(n: u64, of: u64) -> f64 {
    let share = n as f64 / of.max(1) as f64;
    (share.min(1.0).sqrt() * 5.5).max(1.8)
}

fn said(row: &super::truth::Combination) -> String {
    let digit = |v: &u8| if *v < NONE { v.to_string() } else { "-".into() };
    let fields: String = row.fields.iter().map(digit).collect();
    let on = row.landed.iter().enumerate().filter(|(_, n)| **n > 0);
    let on: Vec<String> = on.map(|(cpu, n)| format!("{cpu}:{n}")).collect();
    let on = if on.is_empty() {
        "nowhere".to_owned()
    } else {
        on.join(" ")
    };
    format!("{fields}: landed {on}, {} lost, of {}", row.lost, row.fired)
}

fn dense(id: &str, truth: &Truth) -> Markup {
    const W: f64 = 7.0;
    const H: f64 = 3.0;
    const TOP: f64 = 18.0;
    let cpus = truth.rows.first().map_or(0, |r| r.fields.len());
    let pitch = W * cpus as f64 + 12.0;
    let block = truth.rows.len().div_ceil(BESIDE);
    let block = block.clamp(*BLOCK.start(), *BLOCK.end());
    let blocks: Vec<_> = truth.rows.chunks(block).take(BLOCKS).collect();
    let height = TOP + H * block.min(truth.rows.len()) as f64 + 4.0;
    // A path for each value, and one for the marks: thousands of rectangles would be a large page.
    let mut values: [String; 5] = Default::default();
    let mut marks = String::new();
    for (b, rows) in blocks.iter().enumerate() {
        let left = 6.0 + pitch * b as f64;
        for cpu in 0..cpus {
            let x = left + W * cpu as f64;
            let value = |row: usize| rows[row].fields.get(cpu).copied().unwrap_or(NONE).min(NONE);
            let mut from = 0;
            for row in 1..=rows.len() {
                if row == rows.len() || value(row) != value(from) {
                    let (y, h) = (TOP + H * from as f64, H * (row - from) as f64);
                    rectangle(&mut values[usize::from(value(from))], x, y, W - 1.0, h);
                    from = row;
                }
            }
            for (at, row) in rows.iter().enumerate() {
                if row.landed.get(cpu).is_some_and(|n| *n > 0) {
                    rectangle(
                        &mut marks,
                        x + 1.0,
                        TOP + H * at as f64 + 0.5,
                        W - 3.0,
                        H - 1.0,
                    );
                }
            }
        }
    }
    let shown: usize = blocks.iter().map(|b| b.len()).sum();
    let body = html! {
        @for b in 0..blocks.len() {
            text.t x=(px(6.0 + pitch * b as f64)) y="13" { "0–" (cpus.saturating_sub(1)) }
        }
        @for (value, path) in values.iter().enumerate() {
            @if !path.is_empty() { path class=(format!("v{value}")) d=(path) {} }
        }
        path.land d=(marks) {}
    };
    let title = format!("Truth table, {}", truth.title());
    let size = (6.0 + pitch * blocks.len() as f64, height);
    html! {
        (svg(id, &title, &desc(truth), size, &body))
        p.small {
            "Blocks from left to right, rows from top to bottom; in each block a column for each CPU (0 to " (cpus.saturating_sub(1)) ")."
            @if shown < truth.rows.len() { " Shown are the first " (shown) " of " (truth.rows.len()) " combinations." }
        }
    }
}

fn rectangle(path: &mut String, x: f64, y: f64, w: f64, h: f64) {
    let _ = write!(path, "M{} {}h{}v{}h-{}z", px(x), px(y), px(w), px(h), px(w));
}
