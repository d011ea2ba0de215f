//! Standard input and output as a serial port.

use std::io;
use std::os::fd::AsFd as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::port::{Port, Received};

/// A pipe that is ready takes this many bytes without blocking (POSIX: PIPE_BUF is at least 512).
const PIECE: usize = 512;

/// Standard input goes in, standard output comes out. A terminal keeps its own settings: lines, echo, Ctrl-C.
#[derive(Debug, Default)]
pub struct Stdio {
    ended: bool,
}

fn ready(fds: &mut [PollFd<'_>], limit: Duration) -> Result<(), Errno> {
    match poll(fds, Timespec::try_from(limit).ok().as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(e) => Err(e),
    }
}

impl Port for Stdio {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<Received> {
        if self.ended {
            return Ok(Received::Ended);
        }
        let stdin = io::stdin();
        let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        ready(&mut fds, Duration::ZERO)?;
        if fds[0].revents().is_empty() {
            return Ok(Received::Nothing);
        }
        match rustix::io::read(stdin.as_fd(), &mut *buf) {
            Ok(0) => {
                self.ended = true;
                Ok(Received::Ended)
            }
            Ok(n) => Ok(Received::Bytes(n)),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Received::Nothing),
            Err(e) => Err(e.into()),
        }
    }

    fn is_open(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = io::stdout();
        let mut fds = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::OUT)];
        ready(&mut fds, Duration::ZERO)?;
        if fds[0].revents().is_empty() {
            return Ok(0);
        }
        match rustix::io::write(stdout.as_fd(), &bytes[..bytes.len().min(PIECE)]) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            written => Ok(written?),
        }
    }

    fn wait(&mut self, room: bool, limit: Duration) -> io::Result<()> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let mut fds = Vec::with_capacity(2);
        // An input at its end is always ready.
        if !self.ended {
            fds.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN));
        }
        if room {
            fds.push(PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::OUT));
        }
        Ok(ready(&mut fds, limit)?)
    }
}
