//! A terminal elsewhere (Windows), through crossterm.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use ratatui::crossterm::event::{Event, KeyCode, KeyModifiers, poll, read};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};

use super::{Key, Unusable};

/// The console.
pub struct Tty;

/// Its keyboard.
pub struct Keys;

impl Tty {
    pub fn take() -> Result<Self, Unusable> {
        if !std::io::stderr().is_terminal() {
            return Err(Unusable::NotATerminal);
        }
        enable_raw_mode().map_err(|_| Unusable::Refused)?;
        Ok(Self)
    }

    pub fn write(&self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut stderr = std::io::stderr();
        stderr.write_all(bytes)?;
        stderr.flush()?;
        Ok(bytes.len())
    }

    pub fn wait_to_write(&self, most: Duration) {
        std::thread::sleep(most);
    }

    pub fn size(&self) -> Option<(u16, u16)> {
        size().ok()
    }

    pub fn keys(&self) -> Option<Keys> {
        Some(Keys)
    }

    pub fn give_back(&self) {
        // There is nothing to do about a console that is gone.
        let _ = disable_raw_mode();
    }
}

impl Keys {
    pub fn wait(&self, most: Duration) -> Key {
        match poll(most) {
            Ok(false) => return Key::None,
            Ok(true) => {}
            Err(_) => return Key::Gone,
        }
        match read() {
            Ok(Event::Key(key)) => match key.code {
                KeyCode::Char('q' | 'Q') => Key::Quit,
                KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Key::Quit,
                _ => Key::None,
            },
            Ok(_) => Key::None,
            Err(_) => Key::Gone,
        }
    }
}
