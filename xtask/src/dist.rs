//! The release package: the tool with every feature, and what has to come with it.

use crate::{
    process::{self, Error, Result},
    tasks, workspace,
};
use std::{fs, path::Path, process::Command};

/// Features of the tool that packages have and the default build has not: they cost build time that tests need not pay.
pub const FEATURES: &str = "parquet";

/// Files of the workspace's root that come with the tool.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Folders that come with it: what README and messages point to, and what `allow-list add` writes into.
const FOLDERS: [&str; 4] = ["docs", "schemas", "socs", "tables"];

/// `dist`: makes `target/dist` anew and prints what is in it.
///
/// # Errors
/// A build that fails; files that cannot be copied.
pub fn run() -> Result<()> {
    let root = workspace::root();
    // Named, so that its place is known whatever the user has set.
    let built = root.join("target");
    let firmware = tasks::built_firmware()?;
    let mut cargo = workspace::cargo("build");
    cargo
        .args(["--release", "--package", "host-cli", "--bin", "aicprobe"])
        .args(["--features", FEATURES, "--target-dir"])
        .arg(&built);
    process::run(firmware.give_to(&mut cargo))?;
    let program = format!("aicprobe{}", std::env::consts::EXE_SUFFIX);
    let folder = built.join("dist");
    let program = built.join("release").join(program);
    collect(root, &program, &folder)?;
    papers(&program, &folder)?;
    println!("{}", folder.display());
    Ok(())
}

/// Shells whose completions come with the tool.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Completions and manual pages, as `program` itself makes them.
fn papers(program: &Path, folder: &Path) -> Result<()> {
    let scripts = folder.join("completions");
    fs::create_dir_all(&scripts).map_err(Error::io("make", &scripts))?;
    for shell in SHELLS {
        let mut run = Command::new(program);
        run.args(["--no-config", "completions", shell, "--output"])
            .arg(scripts.join(format!("aicprobe.{shell}")));
        process::run(&mut run)?;
    }
    let mut run = Command::new(program);
    run.args(["--no-config", "man", "--dir"])
        .arg(folder.join("man").join("man1"));
    process::run(&mut run)
}

/// Makes `folder` anew with `program`, [`FILES`] and [`FOLDERS`] of `root`.
fn collect(root: &Path, program: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Error::io("remove", folder))?;
    }
    fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
    let files = FILES.iter().map(|name| root.join(name));
    for from in files.chain([program.to_owned()]) {
        let Some(name) = from.file_name() else {
            continue;
        };
        let to = folder.join(name);
        fs::copy(&from, &to).map_err(Error::io("copy", &from))?;
    }
    for name in FOLDERS {
        let (from, to) = (root.join(name), folder.join(name));
        fs::create_dir(&to).map_err(Error::io("make", &to))?;
        for entry in fs::read_dir(&from).map_err(Error::io("read", &from))? {
            let entry = entry.map_err(Error::io("read", &from))?;
            let file = entry.path();
            fs::copy(&file, to.join(entry.file_name())).map_err(Error::io("copy", &file))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_holds_the_program_and_its_papers_and_nothing_old() {
        let place = tempfile::tempdir().unwrap();
        let program = place.path().join("aicprobe");
        fs::write(&program, b"program").unwrap();
        let folder = place.path().join("dist");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("old"), b"").unwrap();
        collect(workspace::root(), &program, &folder).unwrap();
        let mut names: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let mut wanted: Vec<&str> = FILES
            .into_iter()
            .chain(FOLDERS)
            .chain(["aicprobe"])
            .collect();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
        assert!(folder.join("socs/t8140.toml").is_file());
        let missing = collect(place.path(), &program, &folder).unwrap_err();
        assert!(missing.to_string().contains("README.md"), "{missing}");
    }
}
