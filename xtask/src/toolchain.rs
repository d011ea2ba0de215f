//! The compiler that builds the firmware, found or made as [`crate::plan`] says.

use crate::{
    debian,
    plan::{Facts, Plan},
    process::{self, Error, Result},
    workspace,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The firmware's target: no operating system, no FP or vector registers.
pub const TARGET: &str = "aarch64-unknown-none-softfloat";

/// A compiler that can build the firmware.
#[derive(Debug)]
pub struct Toolchain {
    /// Folder of the private toolchain; none: the user's own compiler.
    pub prefix: Option<PathBuf>,
    /// Linker to use instead of the compiler's default.
    pub linker: Option<PathBuf>,
}

impl Toolchain {
    /// Finds a toolchain, making or installing one where the plan says so.
    ///
    /// # Errors
    /// Where that is not possible: one line that says what the user can do.
    pub fn get() -> Result<Self> {
        let facts = Facts::find()?;
        match facts.plan() {
            Plan::Installed => Ok(Self::own()),
            Plan::Cached => Self::private(),
            Plan::MakeDebian => {
                debian::provision()?;
                Self::private()
            }
            Plan::RustupAdd => {
                rustup_add()?;
                Ok(Self::own())
            }
            Plan::Stop(advice) => Err(Error::Other(format!("no `core` for {TARGET}: {advice}"))),
        }
    }

    fn own() -> Self {
        Self {
            prefix: None,
            linker: None,
        }
    }

    fn private() -> Result<Self> {
        // Debian's compiler comes without a linker of its own for this target.
        let linker = find_linker().ok_or_else(|| {
            Error::Other(
                "no linker for the firmware: neither rustup's rust-lld nor ld.lld is there; install the package `lld`"
                    .into(),
            )
        })?;
        Ok(Self {
            prefix: Some(debian::prefix()?),
            linker: Some(linker),
        })
    }

    /// `cargo SUBCOMMAND` for the firmware with this toolchain; nothing of the user's compiler flags gets through.
    pub fn cargo(&self, subcommand: &str) -> Command {
        let mut command = match (&self.prefix, subcommand) {
            (Some(prefix), "clippy") => {
                // Clippy must be of the compiler's own version; it finds cargo through CARGO.
                let mut command = Command::new(prefix.join("cargo-clippy"));
                command.env("CARGO", workspace::cargo_program());
                command
            }
            _ => Command::new(workspace::cargo_program()),
        };
        workspace::on_workspace(&mut command, subcommand);
        command
            .args(["--package", "probe-fw", "--target", TARGET, "--target-dir"])
            .arg(workspace::firmware_target_dir())
            .env_remove("RUSTFLAGS")
            .env("CARGO_ENCODED_RUSTFLAGS", remap_flags().join("\u{1f}"))
            .env("RUSTC_WRAPPER", "")
            .env("RUSTC_WORKSPACE_WRAPPER", "");
        if let Some(prefix) = &self.prefix {
            command
                .env("RUSTC", prefix.join("rustc"))
                .env("RUSTDOC", prefix.join("rustdoc"));
        }
        if let Some(linker) = &self.linker {
            let name = TARGET.to_uppercase().replace('-', "_");
            command.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
        }
        command
    }
}

/// Folder of the target's libraries inside a toolchain.
pub fn lib_dir(prefix: &Path) -> PathBuf {
    prefix.join("usr/lib/rustlib").join(TARGET).join("lib")
}

/// Whether a folder of libraries holds a `core`.
pub fn has_core(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libcore-") && name.ends_with(".rlib")
        })
    })
}

/// Whether the user's compiler can build for [`TARGET`].
pub fn installed() -> bool {
    let mut ask = Command::new(workspace::host_rustc());
    ask.args(["--print", "target-libdir", "--target", TARGET]);
    process::capture(&mut ask).is_ok_and(|folder| has_core(Path::new(folder.trim())))
}

fn rustup_add() -> Result<()> {
    let mut add = Command::new("rustup");
    add.args(["target", "add", TARGET]);
    // Set by rustup's own cargo: the toolchain that runs this very task.
    if let Some(toolchain) = env::var_os("RUSTUP_TOOLCHAIN") {
        add.arg("--toolchain").arg(toolchain);
    }
    eprintln!("xtask: adding {TARGET} to your rustup toolchain (`rustup target add`)");
    process::run_quiet(&mut add)?;
    if installed() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "`rustup target add {TARGET}` succeeded, but `{} --print target-libdir` shows no `core` for it: RUSTC or PATH name another compiler",
        workspace::host_rustc().display()
    )))
}

/// rust-lld of the user's toolchain, else an LLVM linker in PATH.
pub fn find_linker() -> Option<PathBuf> {
    let ask = |arguments: &[&str]| {
        process::capture(Command::new(workspace::host_rustc()).args(arguments)).ok()
    };
    let beside_rustc = || {
        let version = ask(&["-vV"])?;
        let host = version.lines().find_map(|l| l.strip_prefix("host: "))?;
        let folder = PathBuf::from(ask(&["--print", "sysroot"])?.trim())
            .join("lib/rustlib")
            .join(host)
            .join("bin/rust-lld");
        folder.is_file().then_some(folder)
    };
    beside_rustc().or_else(|| workspace::in_path(&["rust-lld", "ld.lld"]))
}

/// Keeps this machine's folders out of the image, so that the same sources give the same build id elsewhere.
fn remap_flags() -> Vec<String> {
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    let mut flags = vec![remap(workspace::root(), "/aicprobe")];
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| {
        let home = env::var_os("HOME")?;
        Some(Path::new(&home).join(".cargo"))
    });
    let sources = home.map(|home| home.join("registry/src"));
    let registries = sources.and_then(|folder| fs::read_dir(folder).ok());
    for registry in registries.into_iter().flatten().flatten() {
        flags.push(remap(&registry.path(), "/crates"));
    }
    flags.sort();
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_core_is_no_toolchain() {
        let folder = tempfile::tempdir().unwrap();
        let libraries = lib_dir(folder.path());
        assert!(!has_core(&libraries));
        fs::create_dir_all(&libraries).unwrap();
        fs::write(libraries.join("liballoc-1.rlib"), "").unwrap();
        assert!(!has_core(&libraries));
        fs::write(libraries.join("libcore-1.rlib"), "").unwrap();
        assert!(has_core(&libraries));
    }
}
