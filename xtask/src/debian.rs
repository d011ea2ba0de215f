//! A private toolchain for the firmware, made from Debian's packages.
//!
//! For machines where rustup cannot fetch the target. Debian's `rustc-web` and `rust-web-src` are of the same version,
//! so `core` and `alloc` can be built from source, offline. The toolchain is made in a folder beside its place, under a
//! lock, and renamed into place when it is complete: a partly made one is never used.

use crate::{
    cache, packages,
    process::{self, Error, Result},
    stdlib, toolchain,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

/// Name of the toolchain in the cache; another number after a change of what is laid there.
const NAME: &str = "debian-1";

/// Folder of the finished toolchain.
///
/// # Errors
/// Where no cache folder can be named.
pub fn prefix() -> Result<PathBuf> {
    cache::place(NAME)
}

/// Makes the toolchain unless another process has just made it.
///
/// # Errors
/// What failed, with the program's own words.
pub fn provision() -> Result<()> {
    let done = |place: &Path| toolchain::has_core(&toolchain::lib_dir(place));
    cache::fill(NAME, done, |making| {
        eprintln!(
            "xtask: preparing a private toolchain for {} in {} (about 90 s and 500 MB, once)",
            toolchain::TARGET,
            cache::cache_dir()?.display()
        );
        let started = Instant::now();
        packages::fetch(making)?;
        wrappers(making)?;
        check_versions(making)?;
        stdlib::build(making)?;
        cache::remove(&making.join("usr/src"))?;
        eprintln!(
            "xtask: toolchain ready after {} s",
            started.elapsed().as_secs()
        );
        Ok(())
    })
}

/// Scripts that start the programs with the libraries that were unpacked beside them. They and the compiler find their
/// files by their own place, so the folder can be renamed.
fn wrappers(making: &Path) -> Result<()> {
    for program in ["rustc", "rustdoc", "cargo-clippy", "clippy-driver"] {
        let path = making.join(program);
        let script = format!(
            "#!/bin/sh\n\
             here=$(cd \"$(dirname \"$0\")\" && pwd)\n\
             for folder in \"$here\"/usr/lib/*-linux-gnu; do\n\
             \tLD_LIBRARY_PATH=$folder${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\n\
             done\n\
             export LD_LIBRARY_PATH\n\
             exec \"$here/usr/bin/{program}\" \"$@\"\n"
        );
        fs::write(&path, script).map_err(Error::io("write", &path))?;
        process::run_quiet(Command::new("chmod").arg("755").arg(&path))?;
    }
    Ok(())
}

/// The library's sources must be of the compiler's version.
fn check_versions(making: &Path) -> Result<()> {
    let release = rustc_release(&making.join("rustc"))?;
    let sources = making.join("usr/src").join(format!("rustc-{release}"));
    if sources.join("library").is_dir() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "Debian's rustc-web is {release}, but rust-web-src is of another version: try again when the archive is in step"
    )))
}

/// The number in `release:` of `rustc -vV`.
///
/// # Errors
/// Where the compiler does not run or does not tell.
pub fn rustc_release(rustc: &Path) -> Result<String> {
    let version = process::capture(Command::new(rustc).arg("-vV"))?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("release: "))
        .map(str::to_owned)
        .ok_or_else(|| Error::Other(format!("{} -vV: no release", rustc.display())))
}
