//! Builds the firmware and packs its image.

use crate::{
    image,
    process::{self, Error, Result},
    toolchain::{TARGET, Toolchain},
    workspace,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Cargo profile of the firmware.
const PROFILE: &str = "fw";

/// A built firmware.
#[derive(Debug)]
pub struct Firmware {
    /// The image file.
    pub image: PathBuf,
    /// The linked file that it was packed from: the host needs its table of log messages.
    pub elf: PathBuf,
    /// Size of the image in bytes.
    pub size: usize,
    /// Build id, in hexadecimal.
    pub build_id: String,
}

/// Builds and packs. Nothing is written to standard output.
///
/// # Errors
/// No toolchain, a failed build, or a linked file that is not fit to be an image.
pub fn build() -> Result<Firmware> {
    let toolchain = Toolchain::get()?;
    let mut cargo = toolchain.cargo("build");
    cargo.args(["--bin", "probe-fw", "--profile", PROFILE]);
    process::run_quiet(&mut cargo)?;

    let folder = workspace::firmware_target_dir();
    let linked = folder.join(TARGET).join(PROFILE).join("probe-fw");
    let bytes = fs::read(&linked).map_err(Error::io("read", &linked))?;
    let packed = image::pack(&bytes).map_err(|source| Error::Image {
        elf: linked.display().to_string(),
        source,
    })?;
    // Own copies, changed only when their bytes change: the host tool includes them and rebuilds when they do.
    let firmware = Firmware {
        image: folder.join("probe-fw.img"),
        elf: folder.join("probe-fw.elf"),
        size: packed.bytes.len(),
        build_id: hex(&packed.header.build_id),
    };
    replace(&firmware.elf, &bytes)?;
    replace(&firmware.image, &packed.bytes)?;
    Ok(firmware)
}

impl Firmware {
    /// Hands image and linked file to the build of the host tool, which carries both.
    pub fn give_to<'a>(&self, cargo: &'a mut Command) -> &'a mut Command {
        cargo
            .env("AICPROBE_FW_IMAGE", &self.image)
            .env("AICPROBE_FW_ELF", &self.elf)
    }

    /// One line for a person.
    pub fn summary(&self) -> String {
        format!(
            "{} ({} bytes, build id {})",
            self.image.display(),
            self.size,
            self.build_id
        )
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a file at once as a whole, unless it already holds these bytes.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&new, bytes).map_err(Error::io("write", &new))?;
    fs::rename(&new, path).map_err(Error::io("rename", &new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_file_keeps_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file.img");
        replace(&path, b"one").unwrap();
        let past = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(past)
            .unwrap();
        replace(&path, b"one").unwrap();
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(time(&path), past);
        replace(&path, b"two").unwrap();
        assert_ne!(time(&path), past);
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn build_ids_are_written_in_hexadecimal() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5]), "000fa5");
    }
}
