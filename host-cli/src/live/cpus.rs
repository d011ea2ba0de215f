//! Where interrupts land: a bar for every CPU.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;

use crate::result::CpuState;
use crate::target::CpuFacts;

use super::State;
use super::words::{bar, share, short};

/// Narrowest column that shows anything of use.
const NARROWEST: u16 = 19;
/// Width from which facts are written out and the current cell gets bars of its own.
const WIDE: u16 = 64;

/// Rows that all CPUs take, with a heading where they stand one below the other: side by side if there are not `most`.
pub fn rows(state: &State, width: u16, most: u16) -> u16 {
    let cpus = state.about.cpus.len();
    let columns = 1..=usize::from(width / NARROWEST).max(1);
    let rows = columns.map(|c| if c == 1 { cpus + 1 } else { cpus.div_ceil(c) });
    let fits = rows.clone().find(|r| *r <= usize::from(most));
    u16::try_from(fits.or_else(|| rows.min()).unwrap_or(0)).unwrap_or(u16::MAX)
}

/// All CPUs, in as many columns as the height asks for and the width allows.
pub fn draw(state: &State, area: Rect, buffer: &mut Buffer) {
    let cpus = &state.about.cpus;
    if area.height == 0 || cpus.is_empty() {
        return;
    }
    let taken = Taken::of(state);
    let heading = usize::from(area.height) > cpus.len() && area.width >= WIDE;
    let rows = area.height - u16::from(heading);
    let columns = cpus
        .len()
        .div_ceil(usize::from(rows))
        .min(usize::from(area.width / NARROWEST).max(1));
    // What does not fit is told in the last place.
    let room = columns * usize::from(rows);
    let shown = if room < cpus.len() {
        room - 1
    } else {
        cpus.len()
    };
    let width = area.width / columns as u16;
    if heading {
        let at = Rect { height: 1, ..area };
        title(width, &taken).dim().render(at, buffer);
    }
    let place = |i: usize| {
        let (column, row) = (i / usize::from(rows), i % usize::from(rows));
        let x = area.x + column as u16 * width;
        let y = area.y + u16::from(heading) + row as u16;
        // A column's last cell stays free.
        Rect::new(x, y, width - u16::from(columns > 1), 1)
    };
    for (i, cpu) in cpus.iter().take(shown).enumerate() {
        let at = place(i);
        line(state, cpu, &taken, at.width).render(at, buffer);
    }
    if shown < cpus.len() {
        let landed: u64 = taken.all.iter().skip(shown).sum();
        let text = format!("+{} CPUs: {}", cpus.len() - shown, short(landed));
        Line::from(text).dim().render(place(shown), buffer);
    }
}

/// Widths of the two bars, where there are two.
fn bars(width: u16) -> (usize, usize) {
    let left = usize::from(width).saturating_sub(if width >= WIDE { 53 } else { 16 });
    if width >= WIDE {
        (left * 3 / 5, left - left * 3 / 5)
    } else {
        (left, 0)
    }
}

/// What the bars show, by logical CPU.
struct Taken {
    /// Over the run.
    all: Vec<u64>,
    /// In the cell or the storm; `None` before the first.
    this: Option<Vec<u64>>,
    /// Headings of both.
    titles: [&'static str; 2],
}

impl Taken {
    /// Interrupts that landed, or IPIs that were taken.
    fn of(state: &State) -> Self {
        if let Some(storm) = &state.storms.newest {
            return Self {
                all: state.storms.received.clone(),
                this: Some(storm.received.clone()),
                titles: ["received, all storms", "the last storm"],
            };
        }
        Self {
            all: state.total().landed,
            this: state.current.as_ref().map(|c| c.counts.landed.clone()),
            titles: ["landed, all cells", "this cell"],
        }
    }
}

fn title(width: u16, taken: &Taken) -> Line<'static> {
    let (all, _) = bars(width);
    let [first, second] = taken.titles;
    Line::from(format!(
        "CPU core cluster boot       {first:<w$}{second}",
        w = all + 16
    ))
}

fn line(state: &State, cpu: &CpuFacts, taken: &Taken, width: u16) -> Line<'static> {
    let wide = width >= WIDE;
    let facts = if wide {
        let boot = if cpu.boot { "boot" } else { "" };
        format!(
            "{:>3} {:<4} {:<7} {boot:<4} ",
            cpu.id,
            cpu.core.letter(),
            cpu.cluster
        )
    } else {
        let boot = if cpu.boot { '*' } else { ' ' };
        format!(
            "{:>2}{boot}{}{:<2} ",
            cpu.id,
            cpu.core.letter(),
            cpu.cluster
        )
    };
    let mut line = Line::from(vec![Span::raw(facts), role(state, cpu.id, wide)]);
    let cpu_state = state.cpus.get(usize::from(cpu.id));
    if let Some(other) = cpu_state.filter(|s| **s != CpuState::Running) {
        line.push_span(Span::from(other.name()).dim());
        return line;
    }
    let of = |counts: &[u64]| {
        let mine = counts.get(usize::from(cpu.id)).copied().unwrap_or(0);
        (mine, share(mine, counts.iter().sum()))
    };
    let (all, room) = bars(width);
    let (landed, part) = of(&taken.all);
    line.push_span(Span::styled(bar(all, part), color(cpu)));
    if !wide {
        line.push_span(Span::from(format!(" {:<6}", short(landed))));
        return line;
    }
    line.push_span(Span::from(format!(
        " {:>6} {:>5.1} % ",
        short(landed),
        part * 100.0
    )));
    if let Some(this) = &taken.this {
        let (landed, part) = of(this);
        line.push_span(Span::styled(bar(room, part), color(cpu)));
        line.push_span(Span::from(format!(" {}", short(landed))));
    }
    line
}

/// What the CPU does in the current cell.
fn role(state: &State, cpu: u8, wide: bool) -> Span<'static> {
    let cell = state.current.as_ref().map(|c| &c.cell);
    let fires = cell.is_some_and(|c| c.fire_cpu == cpu);
    let masked = cell.is_some_and(|c| c.masked.iter().any(|m| m.cpu == cpu));
    let (long, short) = match (fires, masked) {
        (true, true) => ("f+m", '!'),
        (true, false) => ("fires", 'f'),
        (false, true) => ("masked", 'm'),
        (false, false) => ("", ' '),
    };
    if wide {
        Span::raw(format!("{long:<7}"))
    } else {
        Span::raw(format!("{short} "))
    }
}

fn color(cpu: &CpuFacts) -> Style {
    let color = match cpu.core {
        crate::target::Core::P => Color::Yellow,
        crate::target::Core::M => Color::Magenta,
        _ => Color::Green,
    };
    Style::new().fg(color)
}
