//! The picture: a function of what is known, of the time, and of the room there is.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Sparkline, Widget};

use super::counts::Counts;
use super::state::Link;
use super::words::{bar, clock, short, ticks};
use super::{State, cell, cpus, storm};

/// What every height has: title, progress, link, counts, keys.
const FIXED: u16 = 5;

/// What else there should be beside all CPUs: the cell and latencies.
const BESIDE: u16 = 4;

/// Places where a line may stay free.
const GAPS: u16 = 4;

/// Heights of the parts that give way where room is short.
struct Heights {
    gap: u16,
    cpus: u16,
    latency: u16,
    cell: u16,
    log: u16,
}

impl Heights {
    /// For an area so high, of which the CPUs want so much: they first, then the cell, latencies, the log; then room between
    /// all of them.
    fn of(height: u16, cpus: u16) -> Self {
        let mut left = height.saturating_sub(FIXED);
        let mut take = |least: u16, most: u16| {
            let got = if left < least { 0 } else { most.min(left) };
            left -= got;
            got
        };
        // The cell has a line wherever there is room for two.
        let cpus = take(1, cpus.min(height.saturating_sub(FIXED + 1).max(1)));
        let cell = take(1, 2);
        let latency = take(2, 2);
        let log = take(1, 5);
        let gap = take(GAPS, GAPS) / GAPS;
        Self {
            gap,
            cpus,
            latency,
            cell,
            log: log + left,
        }
    }
}

/// Draws it. Any area will do; below some 40 columns and 12 rows parts are missing.
pub fn draw(state: &State, now: Duration, area: Rect, buffer: &mut Buffer) {
    let most = area.height.saturating_sub(FIXED + BESIDE);
    let mut h = Heights::of(area.height, cpus::rows(state, area.width, most));
    if state.storms.newest.is_some() {
        // There is no cell: its room shows storms before the last one.
        h.log += std::mem::take(&mut h.cell);
    }
    let mut rest = area;
    let mut next = |height: u16| {
        let height = height.min(rest.height);
        let part = Rect { height, ..rest };
        rest.y += height;
        rest.height -= height;
        part
    };
    let total = state.total();
    title(state, area.width).render(next(1), buffer);
    progress(state, &total, now, area.width).render(next(1), buffer);
    link(state, now, area.width).render(next(1), buffer);
    next(h.gap);
    cpus::draw(state, next(h.cpus), buffer);
    next(h.gap);
    latency(state, next(h.latency), buffer);
    next(h.gap);
    now_measured(state, next(h.cell), buffer);
    match &state.storms.newest {
        Some(_) => storm::counts(state),
        None => counts(&total, area.width),
    }
    .render(next(1), buffer);
    next(h.gap);
    log(state, next(h.log), buffer);
    keys(state).render(next(1), buffer);
}

fn title(state: &State, width: u16) -> Line<'static> {
    let about = &state.about;
    let mut line = Line::from(Span::from(about.target.clone()).bold());
    if about.model {
        // A model's answer is never shown as hardware's.
        let text = match width {
            70.. => "  MODEL ONLY: no number is hardware's",
            _ => "  MODEL ONLY",
        };
        line.push_span(Span::from(text).fg(Color::Magenta));
    }
    if !about.run.is_empty() {
        line.push_span(Span::from(format!("  {}", about.run)).bold());
    }
    line.push_span(Span::from(format!("  {}", about.machine)));
    line
}

fn progress(state: &State, total: &Counts, now: Duration, width: u16) -> Line<'static> {
    let done = state.fraction();
    let mut parts = vec![format!("{:>3.0} %", done * 100.0)];
    if let Some((over, of)) = state.target_time() {
        let clocks = format!("{} of {} target time", clock(over), clock(of));
        return gauge(
            done,
            format!("{}  {clocks}, {} left", parts[0], clock(of - over)),
            width,
        );
    }
    match state.question {
        Some((at, of, kind)) => parts.push(format!("question {} of {of}: {kind}", at + 1)),
        None if state.cells.1 > 0 => {
            parts.push(format!("{}/{} cells", state.cells.0, state.cells.1));
        }
        None => parts.push(state.step.clone()),
    }
    let left = state
        .left(now)
        .map_or_else(String::new, |left| format!(", {} left", clock(left)));
    parts.push(format!("{}{left}", clock(state.elapsed(now))));
    if width >= 70 {
        let planned = match state.about.triggers {
            0 => String::new(),
            n => format!(" of {}", short(n)),
        };
        parts.push(format!("{}{planned} triggers", short(total.fired)));
    }
    gauge(done, parts.join("  "), width)
}

/// A bar where there is room for one, and what is beside it.
fn gauge(done: f64, text: String, width: u16) -> Line<'static> {
    let room = usize::from(width)
        .saturating_sub(text.chars().count() + 1)
        .min(40);
    if room < 6 {
        return Line::from(text);
    }
    Line::from(vec![
        Span::styled(bar(room, done), Style::new().fg(Color::Cyan)),
        Span::from(format!(" {text}")),
    ])
}

fn link(state: &State, now: Duration, width: u16) -> Line<'static> {
    let seconds = |t: Duration| format!("{:.0} s", t.as_secs_f64());
    let (text, style) = match state.link(now) {
        Link::Connected => ("connected".to_owned(), Style::new()),
        Link::Asking(t) => (
            format!("no answer, retrying for {}", seconds(t)),
            Style::new().fg(Color::Yellow),
        ),
        Link::Silent(t) => (
            format!("silent for {}", seconds(t)),
            Style::new().fg(Color::Yellow),
        ),
        Link::Lost => ("LOST".to_owned(), Style::new().fg(Color::Red)),
    };
    let rate = match &state.storms.newest {
        Some(storm) => storm.speed(),
        None => {
            let rate = state.rate(now);
            let rate = rate.map_or_else(|| "-".to_owned(), |r| short(r.round() as u64));
            let per = if width < 60 { "/s" } else { " triggers/s" };
            format!("{rate}{per}")
        }
    };
    let mut line = Line::from(vec![
        Span::from(format!("{rate}  link ")),
        Span::styled(text, style),
    ]);
    if state.retries > 0 {
        line.push_span(Span::styled(
            format!(", {} retries", short(state.retries)),
            Style::new().fg(Color::Yellow),
        ));
    }
    line
}

/// p50 and p99 of the last parts of cells, as many as there is room for; both by the same measure.
fn latency(state: &State, area: Rect, buffer: &mut Buffer) {
    if area.height < 2 {
        return;
    }
    if state.storms.newest.is_some() {
        return storm::rates(state, area, buffer);
    }
    let label = 22.min(area.width);
    let room = area.width - label;
    let most = state.latencies.last(room.into()).map(|(_, p99)| *p99).max();
    for (row, name, of) in [
        (0, "p50", (|l| l.0) as fn(&(u64, u64)) -> u64),
        (1, "p99", |l| l.1),
    ] {
        let at = Rect {
            y: area.y + row,
            height: 1,
            ..area
        };
        let value = state.latencies.newest();
        let value = value.map_or_else(|| "-".to_owned(), |l| ticks(of(l), state.counter_hz));
        let text = format!("latency {name} {value}");
        Line::from(text).render(Rect { width: label, ..at }, buffer);
        let values: Vec<u64> = state.latencies.last(room.into()).map(of).collect();
        let style = Style::new().fg(Color::Blue);
        let line = Sparkline::default()
            .data(values)
            .max(most.unwrap_or(0).max(1));
        let at = Rect {
            x: at.x + label,
            width: room,
            ..at
        };
        line.style(style).render(at, buffer);
    }
}

fn now_measured(state: &State, area: Rect, buffer: &mut Buffer) {
    let lines = match &state.current {
        Some(current) => [
            cell::heading(current, area.width),
            cell::conditions(current),
        ],
        None => [state.step.clone(), String::new()],
    };
    for (row, text) in (0..area.height).zip(lines) {
        let at = Rect {
            y: area.y + row,
            height: 1,
            ..area
        };
        Line::from(text).render(at, buffer);
    }
}

fn counts(total: &Counts, width: u16) -> Line<'static> {
    let (duplicate, spurious) = match width {
        60.. => ("duplicate", "spurious"),
        _ => ("dup", "spur"),
    };
    let count = |text: String, n: u64| match n {
        0 => Span::from(text),
        _ => Span::from(text).fg(Color::Red).bold(),
    };
    let late = match total.late {
        0 => String::new(),
        n => format!(" ({} late)", short(n)),
    };
    Line::from(vec![
        count(format!("lost {}{late}", short(total.lost)), total.lost),
        count(
            format!("  {duplicate} {}", short(total.duplicate)),
            total.duplicate,
        ),
        count(
            format!("  {spurious} {}", short(total.spurious)),
            total.spurious,
        ),
    ])
}

fn log(state: &State, area: Rect, buffer: &mut Buffer) {
    for (row, text) in (0..area.height).zip(state.log.last(area.height.into())) {
        let at = Rect {
            y: area.y + row,
            height: 1,
            ..area
        };
        Line::from(text.as_str()).dim().render(at, buffer);
    }
}

fn keys(state: &State) -> Line<'static> {
    if state.stopping {
        return Line::from("stopping: the target is put back").bold();
    }
    Line::from("q stops; the target is put back")
}
