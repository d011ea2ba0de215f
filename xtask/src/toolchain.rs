//! Which compiler builds the firmware.
//!
//! In this order: the target that is installed; the private toolchain in the cache; a private toolchain made now from
//! Debian's packages; `rustup target add`. rustup is never asked to download where `RUSTUP_AUTO_INSTALL=0`.

use crate::{
    debian,
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

/// What `FW_TOOLCHAIN` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Unset or `auto`: the order of this module.
    Auto,
    /// `rustup`: only the user's own toolchain.
    Rustup,
    /// `debian`: only the private toolchain, even where the target is installed.
    Debian,
}

/// What is there to choose from.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What the user asks for.
    pub choice: Choice,
    /// The user's compiler has a `core` for [`TARGET`].
    pub installed: bool,
    /// A complete private toolchain lies in the cache.
    pub cached: bool,
    /// `RUSTUP_AUTO_INSTALL=0`: rustup must not download.
    pub downloads_off: bool,
    /// rustup is there.
    pub rustup: bool,
    /// Debian's tools are there.
    pub apt: bool,
}

/// What follows from the facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Use the user's compiler as it is.
    Installed,
    /// Use the private toolchain that is there.
    Cached,
    /// Make the private toolchain, then use it.
    MakeDebian,
    /// `rustup target add`, then use the user's compiler.
    RustupAdd,
    /// Nothing can be done; the text says what the user can do.
    Stop(&'static str),
}

impl Facts {
    /// Looks at this machine.
    ///
    /// # Errors
    /// [`Error::Usage`] for a wrong `FW_TOOLCHAIN`; an unusable cache folder.
    pub fn find() -> Result<Self> {
        let choice = match env::var("FW_TOOLCHAIN").as_deref() {
            Err(_) | Ok("" | "auto") => Choice::Auto,
            Ok("rustup") => Choice::Rustup,
            Ok("debian") => Choice::Debian,
            Ok(other) => {
                return Err(Error::Usage(format!(
                    "FW_TOOLCHAIN={other}: allowed are auto, rustup and debian"
                )));
            }
        };
        Ok(Self {
            choice,
            installed: installed(),
            cached: has_core(&lib_dir(&debian::prefix()?)),
            downloads_off: env::var("RUSTUP_AUTO_INSTALL").as_deref() == Ok("0"),
            rustup: workspace::in_path(&["rustup"]).is_some(),
            apt: debian::tools_present(),
        })
    }

    /// The order of this module, as a function of the facts alone.
    pub fn plan(&self) -> Plan {
        let own = self.choice != Choice::Debian;
        let private = self.choice != Choice::Rustup;
        if own && self.installed {
            Plan::Installed
        } else if private && self.cached {
            Plan::Cached
        } else if private && self.apt && (self.downloads_off || !own) {
            Plan::MakeDebian
        } else if own && self.rustup && !self.downloads_off {
            Plan::RustupAdd
        } else if !own {
            Plan::Stop(
                "FW_TOOLCHAIN=debian needs apt-get, apt-cache, dpkg-deb and tar (Debian 12 or later)",
            )
        } else if self.rustup && self.downloads_off {
            Plan::Stop(
                "RUSTUP_AUTO_INSTALL=0 forbids a download: run `rustup target add aarch64-unknown-none-softfloat`, or unset it",
            )
        } else if self.apt && private {
            Plan::Stop(
                "run `FW_TOOLCHAIN=debian cargo xtask firmware`, or install rustup and run `rustup target add aarch64-unknown-none-softfloat`",
            )
        } else {
            Plan::Stop(
                "install rustup and run `rustup target add aarch64-unknown-none-softfloat`, or install your system's package of that target",
            )
        }
    }
}

/// A compiler that can build the firmware.
#[derive(Debug)]
pub struct Toolchain {
    /// Folder of the private toolchain; none: the user's own compiler.
    pub prefix: Option<PathBuf>,
    /// Linker to use instead of the compiler's default.
    pub linker: Option<PathBuf>,
}

impl Toolchain {
    /// Finds a toolchain, making or installing one where the order of this module allows it.
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
fn installed() -> bool {
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

    const NOTHING: Facts = Facts {
        choice: Choice::Auto,
        installed: false,
        cached: false,
        downloads_off: false,
        rustup: false,
        apt: false,
    };

    #[test]
    fn the_installed_target_comes_first() {
        let all = Facts {
            installed: true,
            cached: true,
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(all.plan(), Plan::Installed);
        let debian = Facts {
            choice: Choice::Debian,
            ..all
        };
        assert_eq!(debian.plan(), Plan::Cached);
        let uncached = Facts {
            cached: false,
            ..debian
        };
        assert_eq!(uncached.plan(), Plan::MakeDebian);
    }

    #[test]
    fn rustup_downloads_only_where_it_may() {
        let may = Facts {
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(may.plan(), Plan::RustupAdd);
        let off = Facts {
            downloads_off: true,
            ..may
        };
        assert_eq!(off.plan(), Plan::MakeDebian);
        let no_apt = Facts { apt: false, ..off };
        assert!(matches!(no_apt.plan(), Plan::Stop(text) if text.contains("RUSTUP_AUTO_INSTALL")));
        let only_rustup = Facts {
            choice: Choice::Rustup,
            cached: true,
            ..off
        };
        assert!(matches!(only_rustup.plan(), Plan::Stop(_)));
    }

    #[test]
    fn a_cached_toolchain_is_used_before_anything_is_fetched() {
        let cached = Facts {
            cached: true,
            rustup: true,
            apt: true,
            ..NOTHING
        };
        assert_eq!(cached.plan(), Plan::Cached);
    }

    #[test]
    fn without_anything_it_stops_with_advice() {
        assert!(matches!(NOTHING.plan(), Plan::Stop(text) if text.contains("rustup target add")));
        let debian = Facts {
            choice: Choice::Debian,
            rustup: true,
            ..NOTHING
        };
        assert!(matches!(debian.plan(), Plan::Stop(text) if text.contains("apt-get")));
        let apt = Facts {
            apt: true,
            ..NOTHING
        };
        assert!(matches!(apt.plan(), Plan::Stop(text) if text.contains("FW_TOOLCHAIN=debian")));
    }

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
