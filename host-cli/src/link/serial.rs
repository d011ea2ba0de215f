//! A real serial port: USB (CDC ACM), a cable to a UART, or a pseudo-terminal.
//!
//! Tested on Linux over pseudo-terminals. What macOS and Windows have of their own here and in [`super::discover`] is
//! type-checked at most: nobody has run it.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serialport::{ClearBuffer, SerialPort};

use super::holders::others;
use super::{Link, LinkError, OpenError};

/// Speed of the loader's UART after a reset (third party: m1n1 `src/uart.c` leaves what the firmware set).
pub const BOOT_BAUD: u32 = 115_200;
/// A port that takes no byte for this long has nobody at its far end. A UART at 115200 baud takes one every 87 us, and a
/// loader that is busy takes some of what is sent meanwhile into its buffers.
const STALL: Duration = Duration::from_millis(400);
/// Longest single wait for room, between looks at what came in.
const TURN: Duration = Duration::from_millis(20);
/// Bytes taken in at a time while sending.
const CHUNK: usize = 4096;

/// An open serial port, locked against other programs as far as the system allows.
pub struct SerialLink {
    port: Box<dyn SerialPort>,
    path: PathBuf,
    /// Which device the node was when it was opened.
    identity: Option<u64>,
    /// `None` where the far end ignores the speed.
    baud: Option<u32>,
    /// What came in while something was sent.
    pending: VecDeque<u8>,
    start: Instant,
    salt: u64,
}

impl SerialLink {
    /// Opens `path` for this program alone. Never waits: not for a carrier, not for another program.
    ///
    /// `baud` is where the line starts, [`BOOT_BAUD`] without it. The loader's USB port has no such speed, a
    /// pseudo-terminal only if one is named.
    ///
    /// # Errors
    /// [`OpenError`], each reason apart.
    pub fn open(path: &Path, baud: Option<u32>) -> Result<Self, OpenError> {
        let has_speed = !(is_loaders_usb(path) || baud.is_none() && is_pseudo_terminal(path));
        let baud = baud.unwrap_or(BOOT_BAUD);
        let name = path.to_string_lossy();
        // macOS: the tty.* node of a port waits for a carrier; its cu.* twin is the same port.
        #[cfg(target_os = "macos")]
        let name = name.replacen("/dev/tty.", "/dev/cu.", 1);
        let builder = serialport::new(name, baud)
            .timeout(TURN)
            .exclusive(true)
            .dtr_on_open(true);
        let port = open_native(&builder).map_err(|e| OpenError::diagnose(path, &e))?;
        // Locks and the exclusive mode keep out who comes later and who asks for them; who has the port open already may
        // do neither, and two programs would share its bytes.
        let holders = others(path);
        if !holders.is_empty() {
            let path = path.to_owned();
            return Err(OpenError::Busy { path, holders });
        }
        let identity = identity(path);
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Self {
            port,
            path: path.to_owned(),
            identity,
            baud: has_speed.then_some(baud),
            pending: VecDeque::new(),
            start: Instant::now(),
            salt: since.as_nanos() as u64 ^ u64::from(std::process::id()) << 32,
        })
    }

    fn gone(&self, why: &std::io::Error) -> LinkError {
        let path = self.path.display();
        let what = match identity(&self.path) {
            None if cfg!(unix) => "is gone: the cable came off, or the target restarts",
            now if now != self.identity => "went and came back: the target restarted",
            _ => "is gone",
        };
        LinkError::Closed(format!("{path} {what} ({why})"))
    }

    /// One read; `Ok(0)` if nothing came within `timeout`.
    fn read(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let end = Instant::now() + timeout;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let read = self
                .port
                .set_timeout(left)
                .map_err(std::io::Error::from)
                .and_then(|()| self.port.read(buf));
            match read {
                Ok(0) => return Err(self.gone(&ErrorKind::UnexpectedEof.into())),
                Ok(n) => return Ok(n),
                Err(e) if is_no_loss(e.kind()) => {
                    if left.is_zero() {
                        return Ok(0);
                    }
                }
                Err(e) => return Err(self.gone(&e)),
            }
        }
    }
}

/// What tells a node from another of the same name that takes its place.
fn identity(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        use std::os::unix::fs::MetadataExt as _;
        let node = std::fs::metadata(path).ok()?;
        let mut hash = DefaultHasher::new();
        (
            node.dev(),
            node.ino(),
            node.rdev(),
            node.ctime(),
            node.ctime_nsec(),
        )
            .hash(&mut hash);
        Some(hash.finish())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// Nothing happened (yet): no byte, no room, or a signal came.
fn is_no_loss(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted
    )
}

#[cfg(unix)]
fn open_native(
    builder: &serialport::SerialPortBuilder,
) -> Result<Box<dyn SerialPort>, serialport::Error> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use std::os::fd::{AsRawFd as _, BorrowedFd};
    let port = builder.clone().open_native()?;
    // The crate waits for room and then writes everything in one blocking call, which has no deadline.
    // SAFETY: `port` owns the descriptor and outlives this borrow, which ends with the block.
    let fd = unsafe { BorrowedFd::borrow_raw(port.as_raw_fd()) };
    fcntl_getfl(fd)
        .and_then(|flags| fcntl_setfl(fd, flags | OFlags::NONBLOCK))
        .map_err(std::io::Error::from)?;
    Ok(Box::new(port))
}

#[cfg(not(unix))]
fn open_native(
    builder: &serialport::SerialPortBuilder,
) -> Result<Box<dyn SerialPort>, serialport::Error> {
    builder.clone().open()
}

/// The loader's own USB port ignores the speed; everything else may be a line.
fn is_loaders_usb(path: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use super::discover::{PRODUCT, VENDOR};
        super::sysfs::usb_ids(Path::new("/sys"), path) == Some((VENDOR, PRODUCT))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let mut ports = super::discover::ports().into_iter();
        ports.any(|p| p.path == path && p.role != super::Role::Other)
    }
}

/// Whether the far end of `path` is a program, not a cable.
#[must_use]
pub fn is_pseudo_terminal(path: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|p| p.starts_with("/dev/pts") || p.starts_with("/dev/ttys"))
}

impl Link for SerialLink {
    fn send(&mut self, mut bytes: &[u8]) -> Result<(), LinkError> {
        let mut last = Instant::now();
        while !bytes.is_empty() {
            let written = self
                .port
                .set_timeout(TURN)
                .map_err(std::io::Error::from)
                .and_then(|()| self.port.write(bytes));
            match written {
                Ok(n) if n > 0 => {
                    bytes = &bytes[n..];
                    last = Instant::now();
                    continue;
                }
                Err(e) if !is_no_loss(e.kind()) => return Err(self.gone(&e)),
                _ => {}
            }
            // A far end that talks before it listens goes on listening only when somebody listens to it.
            let mut chunk = [0; CHUNK];
            let n = self.read(&mut chunk, Duration::ZERO)?;
            self.pending.extend(&chunk[..n]);
            if last.elapsed() >= STALL {
                let path = self.path.display();
                let ms = STALL.as_millis();
                return Err(LinkError::Stalled(format!(
                    "{path} took no byte for {ms} ms"
                )));
            }
        }
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        if self.pending.is_empty() {
            return self.read(buf, timeout);
        }
        let n = self.pending.read(buf).unwrap_or_default();
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn salt(&self) -> u64 {
        self.salt
    }

    fn bytes_per_second(&self) -> Option<u64> {
        // A start bit, eight data bits, a stop bit.
        self.baud.map(|baud| u64::from(baud / 10).max(1))
    }

    fn baud(&self) -> Option<u32> {
        self.baud
    }

    fn set_baud(&mut self, baud: u32) -> Result<(), LinkError> {
        // Not the system's own waiting for the end of output: that has no deadline.
        let start = Instant::now();
        while start.elapsed() < STALL && self.port.bytes_to_write().is_ok_and(|n| n > 0) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let set = self
            .port
            .set_baud_rate(baud)
            .and_then(|()| self.port.clear(ClearBuffer::Input));
        self.pending.clear();
        match set {
            Ok(()) => {
                self.baud = self.baud.map(|_| baud);
                Ok(())
            }
            Err(e) => Err(LinkError::Closed(format!(
                "{} does not take {baud} baud ({e})",
                self.path.display()
            ))),
        }
    }
}
