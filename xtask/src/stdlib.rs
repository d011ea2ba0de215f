//! `core`, `alloc` and `compiler_builtins` for the firmware's target, built once from the library's sources.

use crate::{
    process::{self, Error, Result},
    toolchain::{self, TARGET},
    workspace,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Variables that get through to this build; all others (compiler flags, wrappers, profiles) could spoil it.
const PASSED_ON: [&str; 5] = ["PATH", "HOME", "TMPDIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"];

/// Builds the libraries with the compiler under `prefix` and lays them where `rustup target add` would.
///
/// # Errors
/// What cargo reported, or a file that could not be used.
pub fn build(prefix: &Path) -> Result<()> {
    let library = prefix.join("usr/lib/rustlib/src/rust/library");
    let scratch = prefix.join("scratch");
    let sources = scratch.join("src");
    fs::create_dir_all(&sources).map_err(Error::io("create", &sources))?;
    let write =
        |path: PathBuf, text: &str| fs::write(&path, text).map_err(Error::io("write", &path));
    write(
        scratch.join("Cargo.toml"),
        "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n\
         [profile.release]\npanic = \"abort\"\n",
    )?;
    write(sources.join("lib.rs"), "#![no_std]\n")?;

    let mut cargo = Command::new(workspace::cargo_program());
    cargo
        .current_dir(&scratch)
        .args(["build", "-q", "--offline", "--release", "--target", TARGET])
        .args([
            // `mem` gives memcpy and friends.
            "-Zbuild-std=core,alloc,compiler_builtins",
            "-Zbuild-std-features=compiler-builtins-mem",
            "--config",
            "source.crates-io.replace-with=\"vendor\"",
            "--config",
        ])
        .arg(format!(
            "source.vendor.directory={:?}",
            library.join("vendor")
        ))
        .env_clear()
        .envs(
            PASSED_ON
                .iter()
                .filter_map(|name| Some((name, env::var_os(name)?))),
        )
        .env("RUSTC", prefix.join("rustc"))
        // A stable compiler builds its own library: the one use of unstable options.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_HOME", scratch.join("home"))
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        // Empty rather than absent: that also overrides a wrapper in a configuration file.
        .env("RUSTC_WRAPPER", "")
        .env("RUSTC_WORKSPACE_WRAPPER", "")
        .env("CARGO_ENCODED_RUSTFLAGS", flags(&library)?.join("\u{1f}"));
    process::run_quiet(&mut cargo)?;

    let built = scratch.join("target").join(TARGET).join("release/deps");
    let place = toolchain::lib_dir(prefix);
    fs::create_dir_all(&place).map_err(Error::io("create", &place))?;
    for entry in fs::read_dir(&built).map_err(Error::io("read", &built))? {
        let path = entry.map_err(Error::io("read", &built))?.path();
        let name = path.file_name().unwrap_or_default();
        let text = name.to_string_lossy();
        let wanted = ["libcore-", "liballoc-", "libcompiler_builtins-"]
            .iter()
            .any(|prefix| text.starts_with(prefix));
        if wanted && text.ends_with(".rlib") {
            fs::copy(&path, place.join(name)).map_err(Error::io("copy", &path))?;
        }
    }
    fs::remove_dir_all(&scratch).map_err(Error::io("remove", &scratch))
}

/// Bitcode, so that the firmware can use LTO; and panic messages with the same paths wherever the cache lies.
fn flags(library: &Path) -> Result<Vec<String>> {
    let linked = library.parent().unwrap_or(library);
    let real = fs::canonicalize(linked).map_err(Error::io("resolve", linked))?;
    let remap = |from: &Path| format!("--remap-path-prefix={}=/rustc", from.display());
    Ok(vec![
        "-Cembed-bitcode=yes".to_owned(),
        remap(linked),
        remap(&real),
    ])
}
