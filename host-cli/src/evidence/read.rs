//! Reads evidence, whole or cut.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::plan::PlannedCell;
use crate::session::{Measured, Reply};

use super::archive;
use super::format::{Line, PlanFile, Run, SCHEMA};
use super::manifest::is_plain;
use super::name;

/// Why something cannot be read as evidence.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The system says no.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// It is something else.
    #[error("it is no evidence: {0}; allowed are a directory or .tar.zst that --evidence made")]
    Other(String),
    /// A file of it is damaged.
    #[error("{file}: it is damaged: {why}")]
    Damaged {
        /// The file.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A file that is needed is not there.
    #[error("{0} is missing: the run did not come so far")]
    Missing(&'static str),
    /// A file that the manifest names is not there.
    #[error("{0} is missing, and the manifest names it")]
    Gone(&'static str),
    /// Of another version.
    #[error("run.json holds {0:?}; allowed is {SCHEMA}")]
    Schema(String),
    /// Nothing can be computed again for this command.
    #[error("its command is \"{0}\"; computed again can be: {allowed}", allowed = super::replay::COMMANDS.join(", "))]
    Command(String),
    /// Counts that cannot be.
    #[error("its counts cannot be: {0}")]
    Counts(String),
}

impl EvidenceError {
    /// Whether it is evidence that was damaged (else it is something else, or cannot be read).
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Counts(_) | Self::Gone(_))
    }

    /// Whether a file is not there.
    #[must_use]
    pub const fn is_absence(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::Gone(_))
    }
}

/// The files of evidence.
#[derive(Clone, Debug, Default)]
pub struct Stored {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What else is there, with what is wrong about it.
    pub strange: Vec<(String, String)>,
    /// What is wrong with the archive, if it could not be read to its end.
    pub cut: Option<String>,
}

impl Stored {
    /// Reads `path`, a directory or an archive. Nothing is looked at yet.
    ///
    /// # Errors
    /// [`EvidenceError::System`], [`EvidenceError::Other`].
    pub fn read(path: &Path) -> Result<Self, EvidenceError> {
        let stored = match fs::metadata(path)?.is_dir() {
            true => Self::read_folder(path)?,
            false => Self::read_archive(path)?,
        };
        let known = |file: &str| stored.files.contains_key(file);
        if !known(name::RUN)
            && !known(name::MANIFEST)
            && !known(name::CELLS)
            && stored.cut.is_none()
        {
            return Err(EvidenceError::Other("run.json is missing".to_owned()));
        }
        Ok(stored)
    }

    fn read_folder(path: &Path) -> Result<Self, EvidenceError> {
        let mut stored = Self {
            path: path.to_owned(),
            ..Self::default()
        };
        let mut left = archive::BYTES;
        for (at, entry) in fs::read_dir(path)?.enumerate() {
            let entry = entry?;
            let file = entry.file_name().to_string_lossy().into_owned();
            if at >= archive::FILES {
                let what = format!("it has more than {} files", archive::FILES);
                return Err(EvidenceError::Other(what));
            }
            let about = fs::symlink_metadata(entry.path())?;
            let wrong = if about.is_symlink() {
                Some("a symbolic link")
            } else if !about.is_file() {
                Some("no plain file")
            } else if !is_plain(&file) {
                Some("a name that no file of evidence has")
            } else {
                None
            };
            if let Some(wrong) = wrong {
                let shown = file.escape_debug().to_string();
                stored.strange.push((shown, wrong.to_owned()));
                continue;
            }
            let mut bytes = Vec::new();
            let input = File::open(entry.path())?;
            input.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
            let size = bytes.len() as u64;
            if size > left {
                let what = format!("it has more than {} bytes", archive::BYTES);
                return Err(EvidenceError::Other(what));
            }
            left -= size;
            stored.files.insert(file, bytes);
        }
        stored.strange.sort();
        Ok(stored)
    }

    fn read_archive(path: &Path) -> Result<Self, EvidenceError> {
        let about = fs::metadata(path)?;
        if !about.is_file() {
            return Err(EvidenceError::Other("it is no plain file".to_owned()));
        }
        if about.len() > archive::BYTES {
            let what = format!("it has more than {} bytes", archive::BYTES);
            return Err(EvidenceError::Other(what));
        }
        let mut input = BufReader::new(File::open(path)?);
        let mut magic = [0; 4];
        let mut from = input.by_ref().take(4);
        let mut have = 0;
        while have < magic.len() {
            match from.read(&mut magic[have..])? {
                0 => break,
                n => have += n,
            }
        }
        if magic != archive::MAGIC {
            return Err(EvidenceError::Other("it is no Zstandard file".to_owned()));
        }
        let whole = (&magic[..]).chain(input);
        let (files, cut) = archive::read(whole).map_err(EvidenceError::Other)?;
        Ok(Self {
            path: path.to_owned(),
            files,
            strange: Vec::new(),
            cut,
        })
    }

    /// Whether the run came to its end, and its evidence with it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut.is_some() || !self.files.contains_key(name::MANIFEST)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`EvidenceError::Missing`], [`EvidenceError::Gone`].
    pub fn bytes(&self, file: &'static str) -> Result<&[u8], EvidenceError> {
        let bytes = self.files.get(file).map(Vec::as_slice);
        bytes.ok_or_else(|| match self.files.contains_key(name::MANIFEST) {
            // It names every file of a run that came to its end.
            true => EvidenceError::Gone(file),
            false => EvidenceError::Missing(file),
        })
    }

    /// A file of JSON.
    ///
    /// # Errors
    /// [`EvidenceError::Missing`], [`EvidenceError::Gone`], [`EvidenceError::Damaged`].
    pub fn json<T: DeserializeOwned>(&self, file: &'static str) -> Result<T, EvidenceError> {
        let mut reader = serde_json::Deserializer::from_slice(self.bytes(file)?);
        serde_path_to_error::deserialize(&mut reader)
            .map_err(|e| damaged(file, format!("at {}: {}", e.path(), e.inner())))
    }

    /// The same, if the file is there.
    ///
    /// # Errors
    /// [`EvidenceError::Damaged`].
    pub fn some<T: DeserializeOwned>(
        &self,
        file: &'static str,
    ) -> Result<Option<T>, EvidenceError> {
        match self.json(file) {
            Ok(value) => Ok(Some(value)),
            Err(why) if why.is_absence() => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// The run.
    ///
    /// # Errors
    /// Those of [`Stored::json`]; [`EvidenceError::Schema`].
    pub fn run(&self) -> Result<Run, EvidenceError> {
        let value: Value = self.json(name::RUN)?;
        match value.get("schema").and_then(Value::as_str) {
            Some(SCHEMA) => self.json(name::RUN),
            Some(other) => Err(EvidenceError::Schema(other.chars().take(80).collect())),
            None => Err(damaged(
                name::RUN,
                "it has no text field \"schema\"".to_owned(),
            )),
        }
    }

    /// What was counted, by cell of the plan and in its order, and the answers to its questions. A last line that is cut is left
    /// out in evidence that is cut.
    ///
    /// # Errors
    /// Those of [`Stored::json`].
    pub fn cells(&self) -> Result<Counted, EvidenceError> {
        let plan: PlanFile = self.json(name::PLAN)?;
        let bytes = self.bytes(name::CELLS)?;
        let whole = match bytes.iter().rposition(|b| *b == b'\n') {
            Some(end) => &bytes[..=end],
            None => &[],
        };
        let rest = bytes.len() - whole.len();
        if rest > 0 && !self.is_cut() {
            let why = format!("its last {rest} bytes are no whole line");
            return Err(damaged(name::CELLS, why));
        }
        let ids: BTreeSet<u32> = plan.plan.cells.iter().map(|c| c.id).collect();
        let mut counts = BTreeMap::new();
        let mut replies = BTreeMap::new();
        for (at, line) in (1..).zip(whole.split_inclusive(|b| *b == b'\n')) {
            let wrong = |why: String| damaged(name::CELLS, format!("line {at}: {why}"));
            let read = serde_json::from_slice(line).map_err(|e| wrong(e.to_string()))?;
            match read {
                Line::Cell(cell) => {
                    if !ids.contains(&cell.cell) {
                        return Err(wrong(format!("the plan has no cell {}", cell.cell)));
                    }
                    counts.insert(cell.cell, (cell.over, cell.counts));
                }
                Line::Reply { question, reply } => {
                    replies.insert(question, reply);
                }
            }
        }
        let cells = plan.plan.cells.iter();
        let cells =
            cells.filter_map(|c| counts.remove(&c.id).map(|(over, m)| (c.clone(), over, m)));
        Ok(Counted {
            cells: cells.collect(),
            replies: replies.into_values().collect(),
            plan,
        })
    }
}

/// What was counted.
#[derive(Clone, Debug)]
pub struct Counted {
    /// What was to be measured.
    pub plan: PlanFile,
    /// Cells of which there are counts, and whether they are over.
    pub cells: Vec<(PlannedCell, bool, Measured)>,
    /// Answers to the plan's questions.
    pub replies: Vec<Reply>,
}

impl Counted {
    /// Cells with their counts, as a session gives them.
    #[must_use]
    pub fn measured(&self) -> Vec<(PlannedCell, Measured)> {
        let cells = self.cells.iter();
        cells.map(|(c, _, m)| (c.clone(), m.clone())).collect()
    }
}

pub(super) fn damaged(file: &str, why: String) -> EvidenceError {
    EvidenceError::Damaged {
        file: file.to_owned(),
        why,
    }
}
