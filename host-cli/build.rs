//! Takes the firmware image into the program when the build was told where it is.
//!
//! `AICPROBE_FW_IMAGE` names the packed image, `AICPROBE_FW_ELF` the ELF file it was packed from (for the messages of
//! its log). `cargo xtask` sets both; without them the program builds and asks for `--firmware FILE`.
//!
//! The files of `socs/` are taken in too, each that is there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() {
    if let Err(e) = embed_socs() {
        println!("cargo::error=socs: {e}");
    }
    embed_firmware();
}

/// A table of names and texts for `src/socs/mod.rs`, by name.
fn embed_socs() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = root.join("../socs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder)? {
        files.push(entry?.path());
    }
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut out =
        String::from("/// Name and text of every file.\nstatic EMBEDDED: &[(&str, &str)] = &[\n");
    for path in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(out, "    ({name:?}, include_str!({:?})),", path.display());
    }
    out.push_str("];\n");
    let made = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&made).join("socs.rs"), out)
}

fn embed_firmware() {
    for (variable, cfg) in [
        ("AICPROBE_FW_IMAGE", "aicprobe_fw_image"),
        ("AICPROBE_FW_ELF", "aicprobe_fw_elf"),
    ] {
        println!("cargo::rerun-if-env-changed={variable}");
        println!("cargo::rustc-check-cfg=cfg({cfg})");
        let Some(value) = env::var_os(variable).filter(|v| !v.is_empty()) else {
            continue;
        };
        let path = PathBuf::from(value);
        let path = match path.canonicalize() {
            Ok(path) => path,
            Err(e) => {
                println!("cargo::error={variable}={}: {e}", path.display());
                continue;
            }
        };
        println!("cargo::rerun-if-changed={}", path.display());
        println!("cargo::rustc-env={variable}={}", path.display());
        println!("cargo::rustc-cfg={cfg}");
    }
}
