//! Where things lie, and how cargo is called.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Root folder of the workspace.
///
/// Asked of cargo at run time: two checkouts with one target folder share this program.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let mut own = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        own.pop();
        own
    })
}

/// Target folder of the firmware: its own, since a build script or task that calls cargo in the host's folder waits for
/// the lock that its caller holds.
pub fn firmware_target_dir() -> PathBuf {
    root().join("target").join("fw")
}

/// The cargo that runs this task.
pub fn cargo_program() -> PathBuf {
    env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// `cargo SUBCOMMAND` on this workspace. The working directory stays the user's, so that paths in further arguments
/// mean what they say.
pub fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new(cargo_program());
    on_workspace(&mut command, subcommand);
    command
}

/// Adds `SUBCOMMAND --locked --manifest-path ...` to a cargo or cargo-clippy command.
pub fn on_workspace(command: &mut Command, subcommand: &str) {
    command
        .args([subcommand, "--locked", "--manifest-path"])
        .arg(root().join("Cargo.toml"));
}

/// The user's compiler as cargo would find it.
pub fn host_rustc() -> PathBuf {
    env::var_os("RUSTC").map_or_else(|| "rustc".into(), PathBuf::from)
}

/// The first of `names` that lies in a folder of PATH.
pub fn in_path(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .flat_map(|folder| {
            names
                .iter()
                .map(move |name| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
        })
        .find(|candidate| candidate.is_file())
}
