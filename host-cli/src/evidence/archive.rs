//! Evidence as one file: a `.tar.zst` of a folder with the files.
//!
//! Nothing is ever unpacked to a disk. An archive may come from anybody: of its entries only plain files with plain names are
//! taken, in one folder at most, and no more bytes than evidence has.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use ruzstd::decoding::StreamingDecoder;
use tar::{Archive, EntryType};

use super::manifest::is_plain;

/// End of an archive's name.
const END: &str = ".tar.zst";
/// First bytes of a Zstandard frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Most files.
pub const FILES: usize = 64;
/// Most bytes of all files together.
pub const BYTES: u64 = 1 << 30;

/// Whether a name is an archive's.
#[must_use]
pub fn is_name(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    name.is_some_and(|n| n.ends_with(END))
}

/// Where an archive's files are until it is packed.
#[must_use]
pub fn working_folder(archive: &Path) -> PathBuf {
    let mut name = OsString::from(archive.as_os_str());
    name.push(".part");
    name.into()
}

/// Name of the folder in an archive.
#[must_use]
pub fn inner_folder(archive: &Path) -> String {
    let name = archive
        .file_name()
        .map(|n| n.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let stem = name.strip_suffix(END).unwrap_or(&name);
    match is_plain(stem) {
        true => stem.to_owned(),
        false => "evidence".to_owned(),
    }
}

/// Bytes by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The files of an archive by name, and what is wrong with it if not all of it could be read.
///
/// # Errors
/// In words: entries that no evidence has.
pub fn read(input: impl Read) -> Result<(Files, Option<String>), String> {
    let mut files = BTreeMap::new();
    let mut left = BYTES;
    let cut = |why: io::Error| Some(format!("the archive is damaged or cut: {why}"));
    let decoder = match StreamingDecoder::new(input) {
        Ok(decoder) => decoder,
        Err(why) => return Ok((files, cut(io::Error::other(why)))),
    };
    // Headers and padding are not endless either.
    let mut archive = Archive::new(decoder.take(BYTES + BYTES / 4));
    let entries = match archive.entries() {
        Ok(entries) => entries,
        Err(why) => return Ok((files, cut(why))),
    };
    let mut top: Option<String> = None;
    for entry in entries {
        let mut entry = match entry {
            Ok(entry) => entry,
            Err(why) => return Ok((files, cut(why))),
        };
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let shown = path.escape_debug();
        let kind = entry.header().entry_type();
        let place = place(&path).ok_or_else(|| {
            format!("\"{shown}\" is no name in evidence; allowed are plain files in one folder")
        })?;
        let name = match (kind, place) {
            (EntryType::Directory, Place::Top(folder)) => {
                same_top(&mut top, &folder)?;
                continue;
            }
            // "./".
            (EntryType::Directory, Place::Here) => continue,
            (EntryType::Regular, Place::Top(file)) => file,
            (EntryType::Regular, Place::Inner(folder, file)) => {
                same_top(&mut top, &folder)?;
                file
            }
            _ => {
                return Err(format!(
                    "\"{shown}\" is a {kind:?}; allowed are plain files in one folder"
                ));
            }
        };
        if entry.size() > left || files.len() == FILES {
            return Err(format!(
                "more than {FILES} files or {BYTES} bytes; no evidence has so much"
            ));
        }
        left -= entry.size();
        let mut bytes = Vec::new();
        let read = entry.read_to_end(&mut bytes);
        let short = (bytes.len() as u64) < entry.size();
        if files.insert(name, bytes).is_some() {
            return Err(format!("\"{shown}\" is there twice"));
        }
        match read {
            Ok(_) if !short => {}
            Ok(_) => return Ok((files, cut(io::ErrorKind::UnexpectedEof.into()))),
            Err(why) => return Ok((files, cut(why))),
        }
    }
    Ok((files, None))
}

enum Place {
    Here,
    Top(String),
    Inner(String, String),
}

/// Where a path leads; `None` if not into the archive's own folder.
fn place(path: &str) -> Option<Place> {
    let mut names = Vec::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => {
                let name = name.to_str()?;
                if !is_plain(name) {
                    return None;
                }
                names.push(name.to_owned());
            }
            _ => return None,
        }
    }
    let mut names = names.into_iter();
    match (names.next(), names.next(), names.next()) {
        (None, ..) => Some(Place::Here),
        (Some(name), None, _) => Some(Place::Top(name)),
        (Some(folder), Some(name), None) => Some(Place::Inner(folder, name)),
        _ => None,
    }
}

fn same_top(top: &mut Option<String>, folder: &str) -> Result<(), String> {
    let known = top.get_or_insert_with(|| folder.to_owned());
    match known == folder {
        true => Ok(()),
        false => Err(format!("folders {known} and {folder}; allowed is one")),
    }
}
