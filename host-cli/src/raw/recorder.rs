//! Keeps every event of a session.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use protocol::MAX_CPUS;
use protocol::command::STEPS;
use protocol::message::{Batch, CellResult, Refusal};
use serde_json::Value;

use crate::error::Error;
use crate::result::Head;
use crate::session::{Event, Measured, Observer};

use super::Writer;
use super::format::{Ending, Opening, Trailer};
use super::recount::missing;

/// Where events go.
pub(super) trait Store {
    fn started(&mut self, head: &Head) -> io::Result<()>;
    fn batch(&mut self, cell: u32, before: u64, batch: &Batch) -> io::Result<()>;
    fn part(&mut self, counts: &CellResult, dropped: u64) -> io::Result<()>;
    fn end(self: Box<Self>, ending: &Ending) -> io::Result<Trailer>;
}

impl Store for Writer<BufWriter<File>> {
    fn started(&mut self, head: &Head) -> io::Result<()> {
        Writer::started(self, head)
    }

    fn batch(&mut self, cell: u32, before: u64, batch: &Batch) -> io::Result<()> {
        Writer::batch(self, cell, before, batch)
    }

    fn part(&mut self, counts: &CellResult, dropped: u64) -> io::Result<()> {
        Writer::part(self, counts, dropped)
    }

    fn end(self: Box<Self>, ending: &Ending) -> io::Result<Trailer> {
        Writer::end(*self, ending)
    }
}

/// A file that events are to go to, opened before anything runs: its old content stays until there is a run.
pub struct RawFile {
    path: PathBuf,
    file: File,
}

impl RawFile {
    /// Opens `path`. The name says which form: Parquet for `.parquet`, else `aicprobe.events/1`.
    ///
    /// # Errors
    /// [`Error::OutputFile`]; [`Error::Usage`] for Parquet in a program that was built without it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if is_parquet(path) && cfg!(not(feature = "parquet")) {
            return Err(Error::Usage(format!(
                "--raw {}: this program was built without Parquet; build it with --features parquet (release packages have it), \
                 or give a name that does not end in .parquet",
                path.display()
            )));
        }
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|why| failed(path, why))?;
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Begins a run.
    ///
    /// # Errors
    /// [`Error::OutputFile`].
    pub fn start(self, opening: Opening) -> Result<Recorder, Error> {
        let Self { path, file } = self;
        let head = opening.head.clone();
        let store = store(&path, file, &opening).map_err(|why| failed(&path, why))?;
        Ok(Recorder {
            path,
            store,
            head,
            of_part: 0,
            why: None,
        })
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "parquet")
}

fn store(path: &Path, file: File, opening: &Opening) -> io::Result<Box<dyn Store>> {
    // Pipes and devices have no length to cut.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    #[cfg(feature = "parquet")]
    if is_parquet(path) {
        return Ok(Box::new(super::parquet::Columns::new(file, opening)?));
    }
    let _ = path;
    Ok(Box::new(Writer::new(BufWriter::new(file), opening)?))
}

/// Writes what a session tells to a file.
pub struct Recorder {
    path: PathBuf,
    store: Box<dyn Store>,
    head: Head,
    /// Events of the part that is going on.
    of_part: u64,
    /// Why it cannot write any more.
    why: Option<io::Error>,
}

impl Recorder {
    /// The run is over with this result; `extra`: see [`Ending`]. The totals of the file.
    ///
    /// # Errors
    /// [`Error::OutputFile`] if anything could not be written.
    pub fn end(self, head: Head, extra: Value) -> Result<Trailer, Error> {
        let Self {
            path, store, why, ..
        } = self;
        match why {
            Some(why) => Err(failed(&path, why)),
            None => store
                .end(&Ending { head, extra })
                .map_err(|why| failed(&path, why)),
        }
    }

    fn told(&mut self, event: Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { answers, cpus, .. } => {
                self.head.heard(answers, cpus);
                self.store.started(&self.head)
            }
            Event::Raw {
                cell,
                before,
                batch,
            } => {
                self.of_part += u64::from(batch.count);
                self.store.batch(cell.id, before, batch)
            }
            // One that was given back before it began says nothing.
            Event::Part { counts, .. } if counts.fields.is_empty() && counts.fired == 0 => Ok(()),
            Event::Part { cell, counts } => {
                let came = std::mem::take(&mut self.of_part);
                let part = as_message(cell.id, counts);
                let (dropped, _) = missing(&part, came);
                self.store.part(&part, dropped)
            }
            _ => Ok(()),
        }
    }
}

impl Observer for Recorder {
    fn on(&mut self, event: Event<'_>) {
        if self.why.is_none() {
            self.why = self.told(event).err();
        }
    }

    /// A run whose events cannot be kept is not what was asked for.
    fn stop(&self) -> bool {
        self.why.is_some()
    }
}

fn failed(path: &Path, why: io::Error) -> Error {
    Error::OutputFile {
        what: format!("--raw {}", path.display()),
        why,
    }
}

/// The counts of a part as the message that they were made of.
pub(super) fn as_message(id: u32, m: &Measured) -> CellResult {
    let word = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let words = |counts: &[u64]| counts.iter().take(MAX_CPUS).map(|n| word(*n)).collect();
    CellResult {
        id,
        refusal: m.refusal.filter(|r| *r != Refusal::Aborted),
        fields: m.fields.iter().copied().take(MAX_CPUS).collect(),
        fired: word(m.fired),
        landed: words(&m.landed),
        offered: words(&m.offered),
        lost: word(m.lost),
        late: word(m.late),
        duplicate: word(m.duplicate),
        spurious: word(m.spurious),
        latencies: word(m.latencies),
        from_unmask: word(m.from_unmask),
        min_ticks: m.min_ticks,
        max_ticks: m.max_ticks,
        hits: m.hits.iter().take(STEPS).map(|n| word(*n)).collect(),
        left_masked: word(m.left_masked),
        elapsed: m.elapsed,
        seconds: word(m.seconds),
        min_second: m.min_second,
        max_second: m.max_second,
        busy: words(&m.busy),
        served: words(&m.served),
    }
}
