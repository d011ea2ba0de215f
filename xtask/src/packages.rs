//! Debian's packages of the compiler, fetched and unpacked privately.
//!
//! apt works on a state of its own: no root, nothing installed, nothing written outside the given folder.

use crate::{
    cache,
    process::{self, Error, Result},
    workspace,
};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

/// Packages whose files are always taken, installed or not: they must fit each other.
const OWN_PACKAGES: [&str; 3] = ["rustc-web", "libstd-rust-web", "libllvm"];
/// Added to what `rustc-web` depends on.
const EXTRA_PACKAGES: [&str; 2] = ["rust-web-src", "rust-web-clippy"];

/// Whether the programs are there that [`fetch`] calls.
pub fn tools_present() -> bool {
    ["apt-get", "apt-cache", "dpkg-deb", "dpkg-query", "tar"]
        .iter()
        .all(|name| workspace::in_path(&[name]).is_some())
}

/// Downloads the packages and unpacks them into `making`.
///
/// # Errors
/// What failed, with the program's own words.
pub fn fetch(making: &Path) -> Result<()> {
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
    cache::remove(&apt)
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
