//! The terminal of standard error: taken, written to, and given back in every case.
//!
//! There is one, so its state is the process's: whoever comes first, the end of the dashboard or a panic anywhere, puts it
//! back as it was.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};

#[cfg(not(unix))]
pub use other::Keys;
#[cfg(not(unix))]
use other::Tty;
#[cfg(unix)]
pub use unix::Keys;
#[cfg(unix)]
use unix::Tty;

/// How long a terminal that takes nothing is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(1);
/// The size of a terminal that does not know its own.
const USUAL: (u16, u16) = (80, 24);

/// The largest size that is drawn to: a terminal may say anything.
const LARGEST: (u16, u16) = (400, 200);

static TAKEN: Mutex<Option<Taken>> = Mutex::new(None);

/// Why there can be no dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Standard error goes elsewhere.
    #[error("standard error is no terminal")]
    NotATerminal,
    /// `TERM` says so.
    #[error("this terminal cannot place text (TERM)")]
    Dumb,
    /// To change a terminal's mode from the background stops the program.
    #[error("the program runs in the background")]
    Background,
    /// It cannot be opened, or not changed.
    #[error("the terminal cannot be set up")]
    Refused,
}

/// What a user did at the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `q`, or Ctrl-C where that makes no signal.
    Quit,
    /// Nothing that means anything.
    None,
    /// There is no keyboard any more.
    Gone,
}

/// A terminal that shows the dashboard.
struct Taken {
    tty: Tty,
    /// What it has not taken yet.
    pending: Vec<u8>,
}

impl Taken {
    /// Hands over what it takes at once; `true` if that is everything, or if it is gone and never takes anything again.
    fn flush(&mut self) -> bool {
        let n = self.tty.write(&self.pending).unwrap_or(self.pending.len());
        self.pending.drain(..n);
        self.pending.is_empty()
    }

    fn give_back(mut self) -> bool {
        // These write to memory.
        let _ = queue!(
            self.pending,
            EndSynchronizedUpdate,
            Show,
            LeaveAlternateScreen
        );
        let end = Instant::now() + PATIENCE;
        while !self.flush() && Instant::now() < end {
            self.tty.wait_to_write(PATIENCE / 20);
        }
        self.tty.give_back();
        self.pending.is_empty()
    }
}

/// Takes the terminal: alternate screen, keys as they come, nothing echoed.
///
/// # Errors
/// [`Unusable`]; then nothing has changed.
pub fn take() -> Result<(), Unusable> {
    static HOOK: Once = Once::new();
    let mut taken = lock();
    if taken.is_some() {
        return Err(Unusable::Refused);
    }
    let tty = Tty::take()?;
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
    });
    let mut start = Taken {
        tty,
        pending: Vec::new(),
    };
    let _ = queue!(start.pending, EnterAlternateScreen, Hide);
    start.flush();
    *taken = Some(start);
    Ok(())
}

/// Puts it back as it was; once, however often it is called. Whether it still takes what is written to it.
pub fn give_back() -> bool {
    let taken = lock().take();
    taken.is_none_or(Taken::give_back)
}

/// Whether it has taken everything and may get more; `None` when it was given back.
pub fn is_ready() -> Option<bool> {
    lock().as_mut().map(Taken::flush)
}

/// A whole frame. What the terminal does not take at once is kept, see [`is_ready`].
pub fn show(frame: &[u8]) {
    if let Some(taken) = lock().as_mut() {
        // These write to memory.
        let _ = queue!(taken.pending, BeginSynchronizedUpdate);
        let _ = taken.pending.write_all(frame);
        let _ = queue!(taken.pending, EndSynchronizedUpdate);
        taken.flush();
    }
}

/// Columns and rows.
pub fn size() -> (u16, u16) {
    match lock().as_ref().and_then(|t| t.tty.size()) {
        Some((columns, rows)) if columns > 0 && rows > 0 => {
            (columns.min(LARGEST.0), rows.min(LARGEST.1))
        }
        _ => USUAL,
    }
}

/// Its keyboard, if it can be read.
pub fn keys() -> Option<Keys> {
    lock().as_ref().and_then(|t| t.tty.keys())
}

fn lock() -> MutexGuard<'static, Option<Taken>> {
    TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
}
