//! The dashboard on its terminal, drawn by a thread of its own.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{Clear, ClearType};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use crate::session::Event;

use super::terminal::{self, Key, Unusable};
use super::{About, State, draw};

/// Shortest time between two frames.
const FRAME: Duration = Duration::from_millis(100);
/// How long a key is waited for before the next look at everything else.
const TURN: Duration = Duration::from_millis(25);

/// How the dashboard stops what it shows.
#[derive(Clone, Copy)]
pub struct Control {
    /// The user wants to stop.
    pub stop: fn(),
    /// Whether the user does, by whatever way.
    pub stopping: fn() -> bool,
}

/// A dashboard that is open. Dropped, it closes.
pub struct Dashboard {
    handle: Handle,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What tells it something, from any thread. Telling costs a lock and no system call.
#[derive(Clone)]
pub struct Handle {
    state: Arc<Mutex<State>>,
    begun: Instant,
}

impl Dashboard {
    /// Takes the terminal of standard error.
    ///
    /// # Errors
    /// [`Unusable`]; then nothing has changed.
    pub fn open(about: About, control: Control) -> Result<Self, Unusable> {
        let handle = Handle::new(about);
        terminal::take()?;
        let closing = Arc::new(AtomicBool::new(false));
        let (shown, closed) = (handle.clone(), Arc::clone(&closing));
        let thread = std::thread::Builder::new()
            .name("dashboard".to_owned())
            .spawn(move || show(&shown, &closed, control));
        let Ok(thread) = thread else {
            terminal::give_back();
            return Err(Unusable::Refused);
        };
        Ok(Self {
            handle,
            closing,
            thread: Some(thread),
        })
    }

    /// What tells it something.
    #[must_use]
    pub const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Gives the terminal back; every line that was said meanwhile, for standard error. It takes a moment, and about a
    /// second where the terminal takes nothing any more: then there are no lines, for they would keep the result waiting.
    pub fn close(mut self) -> Vec<String> {
        if self.end() {
            self.handle.lock().take_held()
        } else {
            Vec::new()
        }
    }

    fn end(&mut self) -> bool {
        self.closing.store(true, Ordering::Relaxed);
        let takes = terminal::give_back();
        if let Some(thread) = self.thread.take() {
            // It waits for nothing longer than a turn. If it has panicked that was told.
            let _ = thread.join();
        }
        takes
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.end();
    }
}

impl Handle {
    pub(super) fn new(about: About) -> Self {
        Self {
            state: Arc::new(Mutex::new(State::new(about, Duration::ZERO))),
            begun: Instant::now(),
        }
    }

    /// Something happened in the session.
    pub fn on(&self, event: &Event<'_>) {
        let now = self.now();
        self.lock().on(event, now);
    }

    /// A line that would have gone to standard error.
    pub fn say(&self, line: &str) {
        self.lock().say(line);
    }

    /// A line for the screen alone.
    pub fn log(&self, line: &str) {
        self.lock().log_line(line);
    }

    /// A line about the link, from which an answer is missing.
    pub fn notice(&self, line: &str) {
        let now = self.now();
        self.lock().notice(line, now);
    }

    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Draws and listens until it is told to close.
fn show(handle: &Handle, closing: &AtomicBool, control: Control) {
    let mut canvas: Option<Canvas> = None;
    let mut drawn: Option<Instant> = None;
    let mut keys = terminal::keys();
    while !closing.load(Ordering::Relaxed) {
        match keys.as_ref().map(|keys| keys.wait(TURN)) {
            Some(Key::Quit) => (control.stop)(),
            Some(Key::Gone) => keys = None,
            Some(Key::None) => {}
            None => std::thread::sleep(TURN),
        }
        if drawn.is_some_and(|t| t.elapsed() < FRAME) {
            continue;
        }
        match terminal::is_ready() {
            None => return,
            // A slow terminal gets as many frames as it takes.
            Some(false) => continue,
            Some(true) => {}
        }
        let size = terminal::size();
        if canvas.as_ref().is_none_or(|c| c.size != size) {
            canvas = Canvas::new(size);
        }
        let Some(canvas) = &mut canvas else { return };
        let mut state = handle.lock().clone();
        state.stopping = (control.stopping)();
        drawn = Some(Instant::now());
        terminal::show(&canvas.frame(&state, handle.now()));
    }
}

/// Makes frames, each from the difference to the one before.
struct Canvas {
    terminal: Terminal<CrosstermBackend<Bytes>>,
    bytes: Bytes,
    size: (u16, u16),
}

impl Canvas {
    /// `None` if memory cannot be written to, which does not happen.
    fn new(size: (u16, u16)) -> Option<Self> {
        let mut bytes = Bytes::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, size.0, size.1));
        let backend = CrosstermBackend::new(bytes.clone());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport }).ok()?;
        // Not by the terminal's own `clear`: that asks on standard output where the cursor is.
        queue!(&mut bytes, Clear(ClearType::All)).ok()?;
        Some(Self {
            terminal,
            bytes,
            size,
        })
    }

    fn frame(&mut self, state: &State, now: Duration) -> Vec<u8> {
        // It is drawn to memory.
        let _ = self
            .terminal
            .draw(|frame| draw(state, now, frame.area(), frame.buffer_mut()));
        self.bytes.take()
    }
}

/// Bytes that go where their reader is.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
