//! Storms of IPIs: how their rate grows with the number of CPUs.

use maud::{Markup, html};

use crate::output::{Document as _, storm_title};
use crate::storm::{Accounting, Pace, Row, StormReport, Target, Way};

use super::lines::{Lines, Series};
use super::svg::short;
use super::table::table;

/// Of `storm`.
pub fn of_storm(id: &str, s: &StormReport) -> Markup {
    let mut kinds: Vec<(Way, Pace)> = Vec::new();
    for row in &s.rows {
        if !kinds.contains(&(row.via, row.pace)) {
            kinds.push((row.via, row.pace));
        }
    }
    html! {
        @for v in &s.violations {
            p.bad {
                "Violation"
                @if let Some(row) = s.rows.get(v.row) { " in " (storm_title(row)) }
                ": " (v.text)
            }
        }
        @if s.violations.is_empty() { p { "No rule of the books is broken." } }
        @for (at, (via, pace)) in kinds.iter().enumerate() {
            @let rows: Vec<&Row> = s.rows.iter().filter(|r| r.via == *via && r.pace == *pace && r.runs > 0).collect();
            @if !rows.is_empty() {
                h4 { (way(*via)) ", " (pace_words(*pace)) }
                (chart(&format!("{id}-{at}"), &format!("IPIs taken a second, {}, {}", way(*via), pace_words(*pace)), &rows))
            }
        }
        @for grid in s.grids().iter().take(1) {
            (table(&format!("Storms of {} µs, each {} times", s.us, s.repeat), grid))
        }
    }
}

fn chart(id: &str, title: &str, rows: &[&Row]) -> Markup {
    let mut series: Vec<((Target, Accounting), Series)> = Vec::new();
    for row in rows {
        let key = (row.pattern, row.accounting);
        let at = series.iter().position(|s| s.0 == key).unwrap_or_else(|| {
            let name = format!("{}, {}", pattern(row.pattern), accounting(row.accounting));
            let fresh = Series {
                name,
                ..Series::default()
            };
            series.push((key, fresh));
            series.len() - 1
        });
        let n = row.cpus.len() as f64;
        let series = &mut series[at].1;
        series.points.push((n, row.m_received.mean));
        series
            .band
            .push((n, row.m_received.min, row.m_received.max));
    }
    let mut series: Vec<Series> = series.into_iter().map(|s| s.1).collect();
    for s in &mut series {
        s.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        s.band.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Lines {
        id,
        title,
        x: "CPUs that take part",
        y: "million IPIs taken a second",
        x_text: short,
        y_text: short,
        log: false,
        series: &series,
    }
    .draw()
}

const fn way(way: Way) -> &'static str {
    match way {
        Way::Local => "local fast IPIs",
        Way::Global => "global fast IPIs",
        Way::Mmio => "IPIs of AICv1",
    }
}

const fn pace_words(pace: Pace) -> &'static str {
    match pace {
        Pace::Flood => "as fast as they go",
        Pace::Paced => "one after the other was taken",
    }
}

const fn pattern(pattern: Target) -> &'static str {
    match pattern {
        Target::One => "all to one",
        Target::All => "each to all",
        Target::Pairs => "in pairs",
    }
}

const fn accounting(accounting: Accounting) -> &'static str {
    match accounting {
        Accounting::PerCpu => "a word per CPU",
        Accounting::Shared => "one shared word",
    }
}
