//! Reading of the files.

use std::path::Path;

use crate::files::{ReadError, read_limited};

use super::schema::Soc;

/// Most bytes of a file.
pub const MOST_BYTES: u64 = 1 << 20;

/// Most files of a folder.
const MOST_FILES: usize = 1000;

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {}{what}", if at.is_empty() { String::new() } else { format!("{at}: ") })]
pub struct SocsError {
    /// The file, or the folder.
    pub file: String,
    /// Where in it: a line, or a key like `cpu[2].mpidr`; empty = all of it.
    pub at: String,
    /// What, and what is allowed.
    pub what: String,
}

impl SocsError {
    fn new(file: &str, at: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            at: at.into(),
            what: what.into(),
        }
    }
}

/// One file; `file` names it in errors, and the last part of it has to be the SoC's.
///
/// # Errors
/// [`SocsError`] for what is no TOML, an unknown or missing key, and what contradicts itself.
pub fn parse(file: &str, text: &str) -> Result<Soc, SocsError> {
    let soc: Soc = toml::from_str(text).map_err(|e| {
        let at = e.span().map_or_else(String::new, |span| {
            let before = text.get(..span.start).unwrap_or(text);
            format!("line {}", before.matches('\n').count() + 1)
        });
        SocsError::new(file, at, e.message().replace('\n', ", "))
    })?;
    super::check::check(&soc).map_err(|(at, what)| SocsError::new(file, at, what))?;
    let named = Path::new(file).file_name().and_then(|n| n.to_str());
    if named != Some(soc.file_name().as_str()) {
        let what = format!(
            "it is about {}: allowed is the name {}",
            soc.soc,
            soc.file_name()
        );
        return Err(SocsError::new(file, "soc", what));
    }
    Ok(soc)
}

/// Every file `*.toml` of a folder, by chip id. Other files are left alone.
///
/// # Errors
/// [`SocsError`] for a folder that cannot be read or has no such file, and as [`parse`].
pub fn load(folder: &Path) -> Result<Vec<Soc>, SocsError> {
    let name = folder.display().to_string();
    let bad = |e: std::io::Error| SocsError::new(&name, "", e.to_string());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(bad)? {
        let path = entry.map_err(bad)?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
        if files.len() > MOST_FILES {
            let what = format!("too many files: allowed are up to {MOST_FILES}");
            return Err(SocsError::new(&name, "", what));
        }
    }
    if files.is_empty() {
        let what = "no file of a SoC in it: needed is at least one like t8140.toml";
        return Err(SocsError::new(&name, "", what));
    }
    files.sort();
    let mut texts = Vec::with_capacity(files.len());
    for path in &files {
        let name = path.display().to_string();
        texts.push((read_text(path)?, name));
    }
    all_of(
        texts
            .iter()
            .map(|(text, name)| (name.as_str(), text.as_str())),
    )
}

/// Text of one file.
pub(crate) fn read_text(path: &Path) -> Result<String, SocsError> {
    let name = path.display().to_string();
    let bytes = read_limited(path, MOST_BYTES)
        .map_err(|e: ReadError| SocsError::new(&name, "", e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| {
        let at = format!("byte {}", e.utf8_error().valid_up_to());
        SocsError::new(&name, at, "no UTF-8: a file is text")
    })
}

/// Files by name and text, each SoC once.
pub(super) fn all_of<'a>(
    files: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Soc>, SocsError> {
    let mut socs: Vec<Soc> = Vec::new();
    for (name, text) in files {
        // Its name says what a file is about, so two of a folder are never about one SoC.
        socs.push(parse(name, text)?);
    }
    socs.sort_by_key(|soc| soc.chip_id);
    Ok(socs)
}
