//! The files of evidence on the disk, while a run goes.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::Error;

use super::format::Line;
use super::{Redactor, archive, manifest, name, pack, sha256};

/// Shortest time between two times that what was counted is forced to the disk.
const SYNC: Duration = Duration::from_millis(200);
/// Longest line of the loader's console, in bytes.
const LINE: usize = 4096;

/// The place of evidence that is being written.
pub(super) struct Folder {
    /// As the user named it.
    given: PathBuf,
    path: PathBuf,
    /// The archive that it becomes.
    archive: Option<PathBuf>,
    log: File,
    cells: File,
    /// What is taken out of every text.
    pub redactor: Redactor,
    /// The end of the loader's console that is no whole line yet: what is to be removed may come in pieces.
    console: String,
    synced: Instant,
}

impl Folder {
    /// Opens `given`, which has to be free.
    ///
    /// # Errors
    /// [`Error::Usage`] for a place that holds something; [`Error::OutputFile`].
    pub fn open(given: &Path) -> Result<Self, Error> {
        let failed = |why| failed(given, why);
        let archive = archive::is_name(given).then(|| given.to_owned());
        let path = match &archive {
            None => given.to_owned(),
            Some(file) => archive::working_folder(file),
        };
        let taken = |place: &Path, allowed: &str| {
            let place = place.display();
            Err(Error::Usage(format!(
                "--evidence {place}: something is there; {allowed}"
            )))
        };
        if let Some(file) = &archive
            && fs::symlink_metadata(file).is_ok()
        {
            return taken(file, "allowed is a file that is not there yet");
        }
        match fs::read_dir(&path) {
            Ok(mut entries) => {
                if entries.next().is_some() {
                    return taken(
                        &path,
                        "allowed is a directory that is empty or not there yet",
                    );
                }
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&path).map_err(failed)?;
            }
            Err(why) if why.kind() == io::ErrorKind::NotADirectory => {
                return taken(
                    &path,
                    "allowed is a directory, or a name that ends in .tar.zst",
                );
            }
            Err(why) => return Err(failed(why)),
        }
        let file = |name: &str| {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            options.open(path.join(name)).map_err(failed)
        };
        let (log, cells) = (file(name::LOG)?, file(name::CELLS)?);
        Ok(Self {
            given: given.to_owned(),
            archive,
            log,
            cells,
            redactor: Redactor::default(),
            console: String::new(),
            synced: Instant::now(),
            path,
        })
    }

    /// An error of this place.
    pub fn failed(&self, why: io::Error) -> Error {
        failed(&self.given, why)
    }

    /// Writes a file of JSON in place of what it held: either the old one is there or the new one.
    pub fn replace(&self, file: &str, value: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.write(file, &text)
    }

    /// Writes a file of text in place of what it held.
    pub fn write(&self, file: &str, text: &str) -> io::Result<()> {
        self.write_as_is(file, &self.redactor.text(text))
    }

    fn write_as_is(&self, file: &str, text: &str) -> io::Result<()> {
        let new = self.path.join(format!("{file}.new"));
        let mut out = File::create(&new)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        fs::rename(new, self.path.join(file))
    }

    /// Adds to the log.
    pub fn say(&mut self, text: &str) -> io::Result<()> {
        let mut lines = String::new();
        for line in self.redactor.text(text).lines() {
            lines.push_str(line);
            lines.push('\n');
        }
        self.log.write_all(lines.as_bytes())
    }

    /// Adds what the loader said: whole lines only.
    pub fn console(&mut self, text: &str) -> io::Result<()> {
        self.console.push_str(text);
        while let Some(at) = self.console.find('\n') {
            let line: String = self.console.drain(..=at).collect();
            self.console_line(&line)?;
        }
        // Nobody ends this line any more.
        if self.console.len() > LINE {
            let line = std::mem::take(&mut self.console);
            self.console_line(&line)?;
        }
        Ok(())
    }

    fn console_line(&mut self, line: &str) -> io::Result<()> {
        match line.trim_end() {
            "" => Ok(()),
            line => self.say(&format!("loader: {}", line.escape_debug())),
        }
    }

    /// Adds a line of counts.
    pub fn line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.cells.write_all(&text)?;
        if self.synced.elapsed() >= SYNC {
            self.sync()?;
        }
        Ok(())
    }

    /// Forces the counts to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.synced = Instant::now();
        self.cells.sync_data()
    }

    /// Names every file and its hash, and packs the folder if it is to be.
    pub fn seal(&mut self, started: i64) -> io::Result<()> {
        let rest = std::mem::take(&mut self.console);
        self.console_line(&rest)?;
        self.log.sync_all()?;
        self.cells.sync_all()?;
        let mut hashes = BTreeMap::new();
        for file in name::ALL {
            let bytes = fs::read(self.path.join(file))?;
            hashes.insert(file.to_owned(), sha256(&bytes));
        }
        self.write_as_is(name::MANIFEST, &manifest::text(&hashes))?;
        match &self.archive {
            None => Ok(()),
            Some(file) => pack::pack(&self.path, file, started),
        }
    }
}

fn failed(path: &Path, why: io::Error) -> Error {
    Error::OutputFile {
        what: format!("--evidence {}", path.display()),
        why,
    }
}
