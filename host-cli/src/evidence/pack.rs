//! Packs a folder of evidence: the same files give the same bytes.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tar::{Builder, EntryType, Header, HeaderMode};

use super::archive::{inner_folder, working_folder};
use super::name;

/// Packs `folder` as `archive` and removes it. Every entry has the time `seconds` (since 1970), the mode 0644, user and group 0;
/// names ascend.
///
/// # Errors
/// Whatever the system says; the folder stays then.
pub fn pack(folder: &Path, archive: &Path, seconds: i64) -> io::Result<()> {
    let inner = inner_folder(archive);
    let mtime = u64::try_from(seconds).unwrap_or(0);
    let mut names: Vec<&str> = name::ALL.to_vec();
    names.push(name::MANIFEST);
    names.sort_unstable();
    let mut tar = Builder::new(Vec::new());
    tar.mode(HeaderMode::Deterministic);
    let mut header = header(mtime, 0o755, 0);
    header.set_entry_type(EntryType::Directory);
    tar.append_data(&mut header, format!("{inner}/"), io::empty())?;
    for file in &names {
        let bytes = fs::read(folder.join(file))?;
        let mut header = self::header(mtime, 0o644, bytes.len() as u64);
        tar.append_data(&mut header, format!("{inner}/{file}"), &bytes[..])?;
    }
    let tar = tar.into_inner()?;
    let packed = compress_to_vec(&tar[..], CompressionLevel::Fastest);
    // Only the whole archive ever has its name.
    let new = working_folder(archive).join("packed.new");
    fs::write(&new, packed)?;
    File::open(&new)?.sync_all()?;
    fs::rename(&new, archive)?;
    for file in names {
        fs::remove_file(folder.join(file))?;
    }
    fs::remove_dir(folder)
}

fn header(mtime: u64, mode: u32, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mtime(mtime);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_size(size);
    header
}
