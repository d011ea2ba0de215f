//! A pseudo-terminal that outlives its clients.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, QueueSelector, tcflush, tcgetattr, tcsetattr};

use super::port::{Port, Received};

/// How often to look for a client while there is none; a hang-up makes waiting for one return at once.
const LOOK: Duration = Duration::from_millis(10);

/// More than the system keeps between the two ends, and how long it takes to move some of it on.
const MOST_LEFT: usize = 1 << 20;
const REFILL: Duration = Duration::from_millis(2);

/// Why there is no pseudo-terminal, or no link to it.
#[derive(Debug, thiserror::Error)]
pub enum PtyError {
    /// The system gives none.
    #[error("no pseudo-terminal: {0}")]
    None(#[from] Errno),
    /// The place of the link is taken.
    #[error("--link {}: is there and no symbolic link: not replaced", .0.display())]
    Taken(PathBuf),
    /// The link cannot be made.
    #[error("--link {}: {why}", path.display())]
    Link {
        /// Where it was to be.
        path: PathBuf,
        /// Why not.
        why: io::Error,
    },
}

/// A pseudo-terminal without line editing; clients open [`Pty::path`] one after the other.
#[derive(Debug)]
pub struct Pty {
    /// Ours of the two ends. The other one is open only while a client has it, or nobody could tell whether there is one.
    master: OwnedFd,
    path: PathBuf,
    link: Option<PathBuf>,
    client: bool,
}

impl Pty {
    /// A new one, and if asked a symbolic link to it; the link is removed at the end.
    ///
    /// # Errors
    /// [`PtyError`].
    pub fn new(link: Option<&Path>) -> Result<Self, PtyError> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        fcntl_setfd(&master, FdFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
        // A terminal edits and echoes lines; a wire does not. Opened and closed once, the far end counts as hung up.
        let far = open_far(&path)?;
        make_raw(&far)?;
        drop(far);
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK)?;
        let mut pty = Self {
            master,
            path,
            link: None,
            client: false,
        };
        if let Some(at) = link {
            place_link(&pty.path, at)?;
            pty.link = Some(at.to_owned());
        }
        Ok(pty)
    }

    /// What clients open.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn events(&self, what: PollFlags, limit: Duration) -> Result<PollFlags, Errno> {
        let mut fds = [PollFd::new(&self.master, what)];
        match poll(&mut fds, Timespec::try_from(limit).ok().as_ref()) {
            Ok(_) => Ok(fds[0].revents()),
            Err(Errno::INTR) => Ok(PollFlags::empty()),
            Err(e) => Err(e),
        }
    }

    /// The next client is to find a wire again, without what the last one has left unread.
    fn hung_up(&mut self) -> Received {
        if std::mem::take(&mut self.client) {
            // Nothing here can be done about a failure; serial programs make their own settings and flush at their start.
            let _ = self.clean();
        }
        Received::Nobody
    }

    fn clean(&self) -> Result<(), Errno> {
        let far = open_far(&self.path)?;
        make_raw(&far)?;
        tcflush(&self.master, QueueSelector::OFlush)?;
        tcflush(&far, QueueSelector::IFlush)?;
        // Flushing reaches not all of the buffers between the two ends; the rest comes when there is room, a little later.
        let mut left = [0; 4096];
        let mut quiet = 0;
        for _ in 0..MOST_LEFT / left.len() {
            match rustix::io::read(&far, &mut left) {
                Ok(n) if n > 0 => quiet = 0,
                _ if quiet == 2 => break,
                _ => {
                    quiet += 1;
                    std::thread::sleep(REFILL);
                }
            }
        }
        Ok(())
    }
}

fn open_far(path: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    open(path, flags, Mode::empty())
}

fn make_raw(fd: &OwnedFd) -> Result<(), Errno> {
    let mut settings = tcgetattr(fd)?;
    settings.make_raw();
    tcsetattr(fd, OptionalActions::Now, &settings)
}

/// A link at `at`; an older link there is replaced, in one step.
fn place_link(to: &Path, at: &Path) -> Result<(), PtyError> {
    let failed = |why| PtyError::Link {
        path: at.to_owned(),
        why,
    };
    match std::fs::symlink_metadata(at) {
        Ok(there) if !there.is_symlink() => return Err(PtyError::Taken(at.to_owned())),
        Ok(_) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(failed(e)),
    }
    let mut aside = at.as_os_str().to_owned();
    aside.push(format!(".{}", std::process::id()));
    std::os::unix::fs::symlink(to, &aside)
        .and_then(|()| {
            std::fs::rename(&aside, at).inspect_err(|_| {
                let _ = std::fs::remove_file(&aside);
            })
        })
        .map_err(failed)
}

impl Drop for Pty {
    fn drop(&mut self) {
        // Not one that somebody else has put there since.
        if let Some(at) = &self.link
            && std::fs::read_link(at).is_ok_and(|to| to == self.path)
        {
            let _ = std::fs::remove_file(at);
        }
    }
}

impl Port for Pty {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<Received> {
        match rustix::io::read(&self.master, &mut *buf) {
            Ok(0) | Err(Errno::IO) => Ok(self.hung_up()),
            Ok(n) => {
                self.client = true;
                Ok(Received::Bytes(n))
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                self.client = true;
                Ok(Received::Nothing)
            }
            Err(e) => Err(e.into()),
        }
    }

    fn is_open(&mut self) -> io::Result<bool> {
        let hung_up = self.events(PollFlags::IN, Duration::ZERO)?;
        if hung_up.contains(PollFlags::HUP) {
            self.hung_up();
            return Ok(false);
        }
        Ok(true)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.master, bytes) {
            Ok(n) => Ok(n),
            Err(Errno::AGAIN | Errno::INTR | Errno::IO) => Ok(0),
            Err(e) => Err(e.into()),
        }
    }

    fn wait(&mut self, room: bool, limit: Duration) -> io::Result<()> {
        let what = if room {
            PollFlags::IN | PollFlags::OUT
        } else {
            PollFlags::IN
        };
        let seen = self.events(what, limit)?;
        if seen.contains(PollFlags::HUP) && !seen.contains(PollFlags::IN) {
            std::thread::sleep(limit.min(LOOK));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_come_and_go_on_a_wire_without_echo() {
        let mut pty = Pty::new(None).expect("a pseudo-terminal");
        let mut buf = [0; 16];
        assert_eq!(pty.read(&mut buf).expect("a look"), Received::Nobody);
        for _ in 0..2 {
            let client = open(pty.path(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
            assert_eq!(pty.read(&mut buf).expect("a look"), Received::Nothing);
            // The last client's settings the next one's.
            let mut settings = tcgetattr(&client).unwrap();
            assert!(
                !settings
                    .local_modes
                    .contains(rustix::termios::LocalModes::ECHO)
            );
            settings.local_modes |= rustix::termios::LocalModes::ECHO;
            tcsetattr(&client, OptionalActions::Now, &settings).unwrap();
            rustix::io::write(&client, b"\x03\r\n\x04").unwrap();
            pty.wait(false, Duration::from_secs(10)).unwrap();
            assert_eq!(pty.read(&mut buf).expect("a look"), Received::Bytes(4));
            assert_eq!(&buf[..4], b"\x03\r\n\x04");
            drop(client);
            assert_eq!(pty.read(&mut buf).expect("a look"), Received::Nobody);
        }
    }

    #[test]
    fn what_a_client_leaves_unread_is_not_the_next_ones() {
        let mut pty = Pty::new(None).expect("a pseudo-terminal");
        let mut buf = [0; 16];
        for _ in 0..3 {
            let client = open_far(pty.path()).unwrap();
            assert_eq!(pty.read(&mut buf).unwrap(), Received::Nothing);
            assert_eq!(rustix::io::read(&client, &mut buf), Err(Errno::AGAIN));
            let mut written = 0;
            while let n @ 1.. = pty.write(&[0x55; 4096]).unwrap() {
                written += n;
            }
            assert!(written > 0);
            assert_eq!(rustix::io::read(&client, &mut buf), Ok(16));
            drop(client);
            assert_eq!(pty.read(&mut buf).unwrap(), Received::Nobody);
        }
    }

    #[test]
    fn a_link_replaces_only_links_and_goes_with_its_terminal() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("m1n1");
        std::os::unix::fs::symlink("/nowhere", &at).unwrap();
        let pty = Pty::new(Some(&at)).expect("a link");
        assert_eq!(std::fs::read_link(&at).unwrap(), pty.path());
        drop(pty);
        assert!(std::fs::symlink_metadata(&at).is_err());
        std::fs::write(&at, "mine").unwrap();
        assert!(matches!(Pty::new(Some(&at)), Err(PtyError::Taken(_))));
        assert_eq!(std::fs::read(&at).unwrap(), b"mine");
    }
}
