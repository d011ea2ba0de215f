//! `--intervals FILE`.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::soak::Interval;

/// A file that every interval is written to.
pub struct Stream {
    path: PathBuf,
    file: BufWriter<File>,
    failed: Option<String>,
}

impl Stream {
    /// Opens it.
    ///
    /// # Errors
    /// [`Error::OutputFile`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|why| Error::OutputFile {
            what: format!("--intervals {}", path.display()),
            why,
        })?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
            failed: None,
        })
    }

    /// Writes a line. After one that could not be written there are no more: the run goes on, and it is told at its end.
    pub fn write(&mut self, interval: &Interval) {
        if self.failed.is_some() {
            return;
        }
        let written = serde_json::to_writer(&mut self.file, interval)
            .map_err(std::io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"))
            .and_then(|()| self.file.flush());
        if let Err(why) = written {
            let path = self.path.display();
            self.failed = Some(format!(
                "--intervals {path}: {why}: intervals from {} on are missing there",
                interval.index
            ));
        }
    }

    /// Writes the last interval; what went wrong, if anything did.
    pub fn end(mut self, last: Option<&Interval>) -> Option<String> {
        if let Some(last) = last {
            self.write(last);
        }
        self.failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_once_at_the_end() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            return;
        }
        let mut stream = Stream::open(full).expect("it can be opened");
        let interval = |index| Interval {
            index,
            from_ns: 0,
            elapsed_ns: 1,
            fired: 1,
            rate_per_s: 1,
            landed: vec![1],
            lost: 0,
            late: 0,
            duplicate: 0,
            spurious: 0,
            latency_ns: None,
            busy_ppm: vec![0],
        };
        stream.write(&interval(3));
        let said = stream.end(Some(&interval(4))).expect("it failed");
        assert!(said.contains("from 3 on"), "{said}");
    }
}
