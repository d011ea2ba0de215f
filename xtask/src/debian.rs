//! A private toolchain for the firmware, made from Debian's packages.
//!
//! For machines where rustup cannot fetch the target. Debian's `rustc-web` and `rust-web-src` are of the same version,
//! so `core` and `alloc` can be built from source, offline. apt works on a state of its own: no root, nothing installed,
//! nothing written outside the cache folder. The toolchain is made in a folder beside its place, under a lock, and
//! renamed into place when it is complete: a partly made one is never used.

use crate::{
    process::{self, Error, Result},
    toolchain, workspace,
};
use std::{
    env,
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Name of the toolchain in the cache; another number after a change of what is laid there.
const NAME: &str = "debian-1";
/// How long to wait for another process that makes the toolchain.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20 * 60);
/// Packages whose files are always taken, installed or not: they must fit each other.
const OWN_PACKAGES: [&str; 3] = ["rustc-web", "libstd-rust-web", "libllvm"];
/// Added to what `rustc-web` depends on.
const EXTRA_PACKAGES: [&str; 2] = ["rust-web-src", "rust-web-clippy"];

/// Cache folder: `FW_TOOLCHAIN_DIR`, else `aicprobe-fw` in the user's cache.
///
/// # Errors
/// Where no folder can be named.
pub fn cache_dir() -> Result<PathBuf> {
    let given = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = given("FW_TOOLCHAIN_DIR") {
        return std::path::absolute(&folder).map_err(Error::io("use", Path::new(&folder)));
    }
    let cache = given("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(Path::new(&given("HOME")?).join(".cache")));
    cache
        .map(|folder| folder.join("aicprobe-fw"))
        .ok_or_else(|| {
            Error::Other(
                "no folder for the firmware's toolchain: set FW_TOOLCHAIN_DIR or HOME".into(),
            )
        })
}

/// Folder of the finished toolchain.
///
/// # Errors
/// Those of [`cache_dir`].
pub fn prefix() -> Result<PathBuf> {
    Ok(cache_dir()?.join(NAME))
}

/// Whether the programs are there that [`provision`] calls.
pub fn tools_present() -> bool {
    ["apt-get", "apt-cache", "dpkg-deb", "dpkg-query", "tar"]
        .iter()
        .all(|name| workspace::in_path(&[name]).is_some())
}

/// Makes the toolchain unless another process has just made it.
///
/// # Errors
/// What failed, with the program's own words.
pub fn provision() -> Result<()> {
    let cache = cache_dir()?;
    fs::create_dir_all(&cache).map_err(Error::io("create", &cache))?;
    let lock_path = cache.join("lock");
    let file = File::create(&lock_path).map_err(Error::io("create", &lock_path))?;
    let mut lock = fd_lock::RwLock::new(file);
    let deadline = Instant::now() + LOCK_TIMEOUT;
    let mut told = false;
    let _guard = loop {
        match lock.try_write() {
            Ok(guard) => break guard,
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < deadline => {}
            Err(error) => return Err(Error::io("lock", &lock_path)(error)),
        }
        if !told {
            eprintln!("xtask: waiting for another process that prepares the firmware's toolchain");
            told = true;
        }
        thread::sleep(Duration::from_millis(250));
    };
    let place = cache.join(NAME);
    if toolchain::has_core(&toolchain::lib_dir(&place)) {
        return Ok(());
    }
    eprintln!(
        "xtask: preparing a private toolchain for {} in {} (about 90 s and 600 MB, once)",
        toolchain::TARGET,
        place.display()
    );
    let started = Instant::now();
    // Left by a process that was killed: the lock says that nobody works on it.
    let making = cache.join(format!("{NAME}.making"));
    remove(&making)?;
    remove(&place)?;
    fetch(&making)?;
    wrappers(&making)?;
    check_versions(&making)?;
    crate::stdlib::build(&making)?;
    remove(&making.join("usr/src"))?;
    // The wrappers and the compiler find their files by their own place, so the folder can be renamed.
    fs::rename(&making, &place).map_err(Error::io("rename", &making))?;
    eprintln!(
        "xtask: toolchain ready after {} s",
        started.elapsed().as_secs()
    );
    Ok(())
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("remove", folder)(error))
        }
        _ => Ok(()),
    }
}

/// Downloads and unpacks the packages.
fn fetch(making: &Path) -> Result<()> {
    let apt = making.join("apt");
    for folder in ["lists/partial", "cache/archives/partial", "debs"] {
        let folder = apt.join(folder);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    }
    let configuration = apt.join("conf");
    let text = format!(
        "Dir::State::lists \"{0}/lists\";\n\
         Dir::Cache \"{0}/cache\";\n\
         Dir::State::extended_states \"/dev/null\";\n\
         Debug::NoLocking \"1\";\n\
         APT::Sandbox::User \"\";\n\
         Acquire::Retries \"3\";\n\
         #clear APT::Update::Pre-Invoke;\n\
         #clear APT::Update::Post-Invoke;\n\
         #clear APT::Update::Post-Invoke-Success;\n",
        apt.display()
    );
    fs::write(&configuration, text).map_err(Error::io("write", &configuration))?;
    let debs = apt.join("debs");
    let tool = |program: &str| {
        let mut command = Command::new(program);
        command
            .env("APT_CONFIG", &configuration)
            .env("LC_ALL", "C")
            .current_dir(&debs);
        command
    };
    if let Err(error) = process::run_quiet(tool("apt-get").args(["update", "-qq"])) {
        // One broken source among several is no reason to stop: the next step tells whether the packages are known.
        eprintln!("xtask: {error}; going on with the sources that answered");
    }
    let listing = process::capture(tool("apt-cache").args([
        "depends",
        "--recurse",
        "--no-recommends",
        "--no-suggests",
        "--no-conflicts",
        "--no-breaks",
        "--no-replaces",
        "--no-enhances",
        OWN_PACKAGES[0],
    ]))
    .map_err(|error| {
        Error::Other(format!(
            "apt offers no `rustc-web` (Debian 12 has it in its main archive): {error}"
        ))
    })?;
    let installed = process::capture(Command::new("dpkg-query").args([
        "-W",
        "-f",
        "${Package} ${db:Status-Status}\n",
    ]))?;
    let packages = needed_packages(&listing, &installed);
    process::run_quiet(tool("apt-get").args(["download", "-qq"]).args(&packages))?;
    for entry in fs::read_dir(&debs).map_err(Error::io("read", &debs))? {
        let path = entry.map_err(Error::io("read", &debs))?.path();
        unpack(&path, making)?;
    }
    remove(&apt)
}

/// Names of the packages to take, from `apt-cache depends --recurse` and the list of what is installed: the compiler's
/// own, and libraries that this machine lacks.
fn needed_packages<'a>(listing: &'a str, installed: &str) -> Vec<&'a str> {
    let is_installed = |name: &str| {
        installed
            .lines()
            .any(|line| line.strip_suffix(" installed") == Some(name))
    };
    let mut packages: Vec<&str> = listing
        .lines()
        // Packages start their lines; dependencies are indented, virtual packages in angle brackets.
        .filter(|line| !line.starts_with([' ', '|', '<']) && !line.contains(':'))
        .filter(|name| {
            OWN_PACKAGES.iter().any(|own| name.starts_with(own))
                || (name.starts_with("lib") && !name.ends_with("-dev") && !is_installed(name))
        })
        .collect();
    packages.extend(EXTRA_PACKAGES);
    packages
}

/// Unpacks a package; of the compiler's sources (430 MB) only the library.
fn unpack(package: &Path, into: &Path) -> Result<()> {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    if !name.starts_with("rust-web-src") {
        return process::run_quiet(Command::new("dpkg-deb").arg("-x").arg(package).arg(into));
    }
    let mut reader = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(package)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| Error::Spawn {
            program: "dpkg-deb".into(),
            source,
        })?;
    let archive = reader.stdout.take().map_or_else(Stdio::null, Stdio::from);
    let result = process::run_quiet(
        Command::new("tar")
            .args(["-x", "--wildcards", "-C"])
            .arg(into)
            .args(["./usr/src/rustc-*/library", "./usr/lib/rustlib/src"])
            .stdin(archive),
    );
    let status = reader.wait().map_err(Error::io("read", package))?;
    result?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "dpkg-deb cannot read {}: {status}",
        package.display()
    )))
}

/// Scripts that start the programs with the libraries that were unpacked beside them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_compiler_and_the_libraries_that_are_missing() {
        let listing = "rustc-web\n  Depends: libc6\n |Depends: libz3-4\n<virtual>\nlibstd-rust-web-1.96\nlibllvm22\n\
                       libc6\nlibz3-4\nlibc6-dev\ngcc\nlibfoo:i386\n";
        let installed = "libc6 installed\nlibllvm22 installed\nlibz3-4 config-files\n";
        assert_eq!(
            needed_packages(listing, installed),
            [
                "rustc-web",
                "libstd-rust-web-1.96",
                "libllvm22",
                "libz3-4",
                "rust-web-src",
                "rust-web-clippy"
            ]
        );
    }
}
