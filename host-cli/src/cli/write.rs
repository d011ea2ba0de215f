//! Where the result goes.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Standard output, or a file that was opened before anything ran.
pub enum Sink {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf, File),
}

impl Sink {
    /// Opens `path`; its old content stays until there is a result.
    ///
    /// # Errors
    /// [`Error::OutputFile`].
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self::Stdout);
        };
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map(|file| Self::File(path.to_owned(), file))
            .map_err(|why| failed(path, why))
    }

    /// Writes the result. That nobody reads standard output to its end is no error.
    ///
    /// # Errors
    /// [`Error::Output`], [`Error::OutputFile`].
    pub fn write(self, text: &str) -> Result<(), Error> {
        match self {
            Self::Stdout => {
                let mut out = std::io::stdout().lock();
                match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                    Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::Output {
                        what: "standard output".to_owned(),
                        why: e,
                    }),
                    _ => Ok(()),
                }
            }
            Self::File(path, mut file) => file
                .write_all(text.as_bytes())
                // What the file held before may have been longer. Pipes and devices have no length to cut.
                .and_then(|()| match file.metadata() {
                    Ok(about) if about.is_file() => file.set_len(text.len() as u64),
                    _ => Ok(()),
                })
                .map_err(|why| failed(&path, why)),
        }
    }
}

fn failed(path: &Path, why: std::io::Error) -> Error {
    Error::OutputFile {
        what: format!("--output {}", path.display()),
        why,
    }
}
