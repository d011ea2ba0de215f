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
    File(Opened),
}

/// A file for a result. One that was not there before goes again if there is none.
pub struct Opened {
    path: PathBuf,
    file: File,
    /// It is ours, and nothing is in it.
    empty: bool,
}

impl Opened {
    fn open(path: &Path) -> std::io::Result<Self> {
        let mut options = OpenOptions::new();
        let (file, empty) = match options.write(true).create_new(true).open(path) {
            Ok(file) => (file, true),
            Err(why) if why.kind() == ErrorKind::AlreadyExists => {
                let mut options = OpenOptions::new();
                let there = options.write(true).create(true).truncate(false);
                (there.open(path)?, false)
            }
            Err(why) => return Err(why),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            empty,
        })
    }

    fn write(&mut self, text: &str) -> std::io::Result<()> {
        self.empty = false;
        self.file.write_all(text.as_bytes())?;
        // What the file held before may have been longer. Pipes and devices have no length to cut.
        match self.file.metadata() {
            Ok(about) if about.is_file() => self.file.set_len(text.len() as u64),
            _ => Ok(()),
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if self.empty {
            // Why there is no result is told already.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Refuses an output that would overwrite what it is made of: the same file, or one inside an input that is a folder.
///
/// # Errors
/// [`Error::Usage`].
pub fn no_input(output: Option<&Path>, inputs: &[&Path]) -> Result<(), Error> {
    // What is not there is none of them.
    let Some(output) = output.and_then(|path| path.canonicalize().ok().or_else(|| within(path)))
    else {
        return Ok(());
    };
    for input in inputs {
        let Ok(real) = input.canonicalize() else {
            continue;
        };
        if output == real || (real.is_dir() && output.starts_with(&real)) {
            return Err(Error::Usage(format!(
                "--output {} would overwrite the input {}; allowed is any file that is no part of it",
                output.display(),
                input.display()
            )));
        }
    }
    Ok(())
}

/// A file that is not there yet, in a folder that is.
fn within(path: &Path) -> Option<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.canonicalize().ok()?,
        _ => std::env::current_dir().ok()?.canonicalize().ok()?,
    };
    Some(folder.join(path.file_name()?))
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
        Opened::open(path)
            .map(Self::File)
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
            Self::File(mut opened) => opened.write(text).map_err(|why| failed(&opened.path, why)),
        }
    }
}

fn failed(path: &Path, why: std::io::Error) -> Error {
    Error::OutputFile {
        what: format!("--output {}", path.display()),
        why,
    }
}
