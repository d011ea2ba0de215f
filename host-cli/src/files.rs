//! Files that the user names: only what has an end is read, and no more of it than makes sense.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

/// How long a pipe may stay silent.
const SILENCE: Duration = Duration::from_secs(10);

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system says no.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// It is no file that has an end.
    #[error("it is {what}; allowed are files and pipes of up to {most} bytes")]
    Kind {
        /// What it is.
        what: &'static str,
        /// Bytes that would be read.
        most: u64,
    },
    /// A pipe into which nobody writes.
    #[error("it is a pipe, and nobody has written to it for {} s", .0.as_secs_f64())]
    Silent(Duration),
    /// There is too much in it.
    #[error("it is too large: allowed are up to {most} bytes")]
    Size {
        /// Bytes that would be read.
        most: u64,
    },
}

/// The bytes of `path`, at most `most`.
///
/// # Errors
/// [`ReadError`]; never more than `most` + 1 bytes are read, whatever the file says of its size.
pub fn read_limited(path: &Path, most: u64) -> Result<Vec<u8>, ReadError> {
    let about = std::fs::metadata(path)?;
    if let Some(what) = refused(&about) {
        return Err(ReadError::Kind { what, most });
    }
    if about.is_file() && about.len() > most {
        return Err(ReadError::Size { most });
    }
    let mut bytes = Vec::new();
    if is_pipe(&about) {
        read_pipe(path, most, SILENCE, &mut bytes)?;
    } else {
        File::open(path)?
            .take(most.saturating_add(1))
            .read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > most {
        return Err(ReadError::Size { most });
    }
    Ok(bytes)
}

/// Reads a pipe to its end, or a little more than `most` bytes of it. Neither its opening nor a read waits longer than
/// `silence`, and a signal ends the wait.
#[cfg(unix)]
fn read_pipe(
    path: &Path,
    most: u64,
    silence: Duration,
    bytes: &mut Vec<u8>,
) -> Result<(), ReadError> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let mut file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path)?;
    let mut piece = [0; 4096];
    while bytes.len() as u64 <= most {
        let mut wanted = [PollFd::new(&file, PollFlags::IN)];
        let seen = poll(&mut wanted, Timespec::try_from(silence).ok().as_ref());
        if seen.map_err(std::io::Error::from)? == 0 {
            return Err(ReadError::Silent(silence));
        }
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(n) => bytes.extend(&piece[..n]),
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn read_pipe(_: &Path, _: u64, silence: Duration, _: &mut Vec<u8>) -> Result<(), ReadError> {
    Err(ReadError::Silent(silence))
}

/// What it is, if it is not to be read.
fn refused(about: &Metadata) -> Option<&'static str> {
    if about.is_file() || is_pipe(about) {
        None
    } else if about.is_dir() {
        Some("a folder")
    } else {
        Some("a device or a socket")
    }
}

#[cfg(unix)]
fn is_pipe(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    about.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("five");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_limited(&path, 5).unwrap(), b"12345");
        let why = read_limited(&path, 4).unwrap_err().to_string();
        assert_eq!(why, "it is too large: allowed are up to 4 bytes");
        let why = read_limited(folder.path(), 9).unwrap_err().to_string();
        assert!(why.starts_with("it is a folder; allowed are"), "{why}");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_read_to_their_end_and_not_waited_for_without_one() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let mut bytes = Vec::new();
        let why = read_pipe(&path, 9, Duration::from_millis(20), &mut bytes).unwrap_err();
        assert!(matches!(why, ReadError::Silent(_)), "{why}");
        let there = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = std::fs::OpenOptions::new().write(true).open(there).unwrap();
            pipe.write_all(&[7; 10_000]).unwrap();
        });
        assert_eq!(read_limited(&path, 1 << 20).unwrap(), [7; 10_000]);
        writer.join().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_read() {
        let why = read_limited(Path::new("/dev/zero"), 1 << 40).unwrap_err();
        assert!(matches!(why, ReadError::Kind { .. }), "{why}");
    }

    /// Files of the kernel say that they are empty.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_says_it_is_empty_is_limited_too() {
        let path = Path::new("/proc/self/status");
        assert!(!read_limited(path, 1 << 20).unwrap().is_empty());
        let why = read_limited(path, 10).unwrap_err();
        assert!(matches!(why, ReadError::Size { most: 10 }), "{why}");
    }
}
