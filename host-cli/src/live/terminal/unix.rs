//! A terminal of Unix, under a file description of its own: it never blocks, and what others do with standard error and
//! standard input stays as it is.
//!
//! Keys are read here and not by crossterm, whose reader never returns from a terminal that has hung up.

use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, dup};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr,
    tcgetpgrp, tcgetwinsize, tcsetattr, ttyname,
};

use super::{Key, Unusable};

/// The terminal, and how it was.
pub struct Tty {
    fd: OwnedFd,
    found: Termios,
}

/// Its keyboard.
pub struct Keys(OwnedFd);

impl Tty {
    /// Opens and changes it. Ctrl-C goes on making a signal: that is heard whatever the screen does.
    pub fn take() -> Result<Self, Unusable> {
        let stderr = std::io::stderr();
        if !isatty(stderr.as_fd()) {
            return Err(Unusable::NotATerminal);
        }
        if std::env::var_os("TERM").is_none_or(|t| t == "dumb" || t.is_empty()) {
            return Err(Unusable::Dumb);
        }
        // Of a terminal that is not the controlling one nobody is in the background.
        if tcgetpgrp(stderr.as_fd()).is_ok_and(|group| group != rustix::process::getpgrp()) {
            return Err(Unusable::Background);
        }
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let by_name =
            ttyname(stderr.as_fd(), Vec::new()).and_then(|n| open(n, flags, Mode::empty()));
        let fd = by_name
            .or_else(|_| open("/dev/tty", flags, Mode::empty()))
            .map_err(|_| Unusable::Refused)?;
        let found = tcgetattr(&fd).map_err(|_| Unusable::Refused)?;
        let mut keys = found.clone();
        keys.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN;
        // Ctrl-S must not stop the screen, nor Ctrl-Z the session in the middle of a slice.
        keys.input_modes -= InputModes::IXON;
        keys.special_codes[SpecialCodeIndex::VSUSP] = 0;
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&fd, OptionalActions::Now, &keys).map_err(|_| Unusable::Refused)?;
        Ok(Self { fd, found })
    }

    /// What it takes at once of `bytes`.
    ///
    /// # Errors
    /// It is gone.
    pub fn write(&self, bytes: &[u8]) -> Result<usize, Errno> {
        let mut done = 0;
        while done < bytes.len() {
            match rustix::io::write(&self.fd, &bytes[done..]) {
                Ok(n) => done += n,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(done)
    }

    /// Until it takes something, or until `most` has passed.
    pub fn wait_to_write(&self, most: Duration) {
        wait(&self.fd, PollFlags::OUT, most);
    }

    pub fn size(&self) -> Option<(u16, u16)> {
        let size = tcgetwinsize(&self.fd).ok()?;
        Some((size.ws_col, size.ws_row))
    }

    pub fn keys(&self) -> Option<Keys> {
        dup(&self.fd).ok().map(Keys)
    }

    /// As it was found.
    pub fn give_back(&self) {
        // There is nothing to do about a terminal that is gone.
        let _ = tcsetattr(&self.fd, OptionalActions::Now, &self.found);
    }
}

impl Keys {
    pub fn wait(&self, most: Duration) -> Key {
        if !wait(&self.0, PollFlags::IN, most) {
            return Key::None;
        }
        let mut bytes = [0; 64];
        match rustix::io::read(&self.0, &mut bytes) {
            Ok(0) => Key::Gone,
            Ok(n) => meaning(&bytes[..n]),
            Err(Errno::AGAIN | Errno::INTR) => Key::None,
            Err(_) => Key::Gone,
        }
    }
}

/// What bytes of a keyboard mean. A sequence that begins with ESC is another key, whatever letters are in it.
fn meaning(bytes: &[u8]) -> Key {
    match bytes {
        [0x1b, ..] => Key::None,
        _ if bytes.iter().any(|b| matches!(b, b'q' | b'Q' | 3)) => Key::Quit,
        _ => Key::None,
    }
}

/// Whether it became ready in time (or is gone, which the next access tells).
fn wait(fd: &OwnedFd, what: PollFlags, most: Duration) -> bool {
    let most = Timespec {
        tv_sec: most.as_secs() as _,
        tv_nsec: most.subsec_nanos() as _,
    };
    matches!(poll(&mut [PollFd::new(fd, what)], Some(&most)), Ok(n) if n > 0)
}

#[cfg(test)]
mod unix_tests {
    use super::*;

    #[test]
    fn keys() {
        for quit in [&b"q"[..], b"Q", b"xq", b"\x03"] {
            assert_eq!(meaning(quit), Key::Quit, "{quit:?}");
        }
        for other in [&b""[..], b"x", b"\x1b", b"\x1b[q", b"\x1bq"] {
            assert_eq!(meaning(other), Key::None, "{other:?}");
        }
    }
}
