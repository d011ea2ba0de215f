//! The parts of the picture that are about storms of IPIs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::{Sparkline, Widget as _};

use super::State;
use super::words::short;

/// The rates of the last storms, as many as there is room for, and what the last one was.
pub fn rates(state: &State, area: Rect, buffer: &mut Buffer) {
    let Some(newest) = &state.storms.newest else {
        return;
    };
    let label = 22.min(area.width);
    let room = area.width - label;
    let line = Rect { height: 1, ..area };
    let at = Rect {
        width: label,
        ..line
    };
    Line::from(newest.speed()).render(at, buffer);
    let rates: Vec<u64> = state.storms.rates.last(room.into()).copied().collect();
    let most = rates.iter().copied().max().unwrap_or(0).max(1);
    let at = Rect {
        x: line.x + label,
        width: room,
        ..line
    };
    let style = Style::new().fg(Color::Blue);
    let bars = Sparkline::default().data(rates).max(most).style(style);
    bars.render(at, buffer);
    let second = Rect {
        y: area.y + 1,
        ..line
    };
    Line::from(newest.title.clone()).render(second, buffer);
}

/// IPIs of all storms.
pub fn counts(state: &State) -> Line<'static> {
    let received = state.storms.received.iter().sum();
    let (sent, received) = (short(state.storms.sent), short(received));
    Line::from(format!(
        "IPIs of all storms: sent {sent}, received {received}"
    ))
}
