//! `docs`: the pages that the tool makes of its own data, renewed where they are checked in.

use crate::{
    process::{self, Error, Result},
    tasks, workspace,
};
use std::{fs, path::PathBuf};

/// Virtual SoCs whose observations are shown: one of each generation of the controller, and one with two dies.
const MODELS: [&str; 4] = ["t8103", "t6020", "t6022", "t8140"];

/// Saved results of machines are kept here; those of models are made anew.
const SAVED: &str = "docs/observed";

/// Observes every one of [`MODELS`] with the firmware of these sources, then writes the pages to `docs/`.
///
/// # Errors
/// A build or a run that fails; files that cannot be written.
pub fn run() -> Result<()> {
    let root = workspace::root();
    let firmware = tasks::built_firmware()?;
    let made = root.join("target").join("docs");
    fs::create_dir_all(&made).map_err(Error::io("make", &made))?;
    let aicprobe = || {
        let mut tool = tasks::dev_tool();
        firmware.give_to(&mut tool);
        tool
    };
    let mut files = saved(&root.join(SAVED))?;
    for model in MODELS {
        let file = made.join(format!("{model}.json"));
        let mut observe = aicprobe();
        observe
            .args(["observe", "--quiet", "--seed", "1", "--format", "json"])
            .args(["--target", &format!("vm:{model}"), "--output"])
            .arg(&file);
        process::run(&mut observe)?;
        files.push(file);
    }
    let mut docs = aicprobe();
    docs.args(["docs", "--dir"]).arg(root.join("docs"));
    process::run(docs.args(files))
}

/// JSON files of a folder by name; none where there is no folder.
fn saved(folder: &std::path::Path) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let path = entry.map_err(Error::io("read", folder))?.path();
        if path.extension().is_some_and(|kind| kind == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
