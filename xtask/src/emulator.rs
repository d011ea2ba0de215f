//! The emulator library that `oracle` compares with: Unicorn, as a wheel with a prebuilt library, in the cache.

use crate::{
    cache,
    process::{self, Error, Result},
    workspace,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Variable that names the library to `oracle`; set by the user, it is used as it is.
pub const VARIABLE: &str = "ORACLE_LIBRARY";

/// Path of the library, fetched into the cache if it is not there yet.
///
/// # Errors
/// No pip, or what pip reported.
pub fn library() -> Result<PathBuf> {
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let requirements = workspace::root().join("oracle/requirements.txt");
    let text = fs::read_to_string(&requirements).map_err(Error::io("read", &requirements))?;
    let name = folder_name(&text).ok_or_else(|| {
        Error::Other(format!(
            "{}: no line `unicorn==VERSION`",
            requirements.display()
        ))
    })?;
    let place = cache::place(&name)?;
    if !library_in(&place).is_file() {
        cache::fill(
            &name,
            |place| library_in(place).is_file(),
            |making| fetch(&requirements, making),
        )?;
    }
    Ok(library_in(&place))
}

/// Where the wheel has its library.
fn library_in(place: &Path) -> PathBuf {
    let name = if cfg!(target_os = "macos") {
        "libunicorn.2.dylib"
    } else {
        "libunicorn.so.2"
    };
    place.join("unicorn/lib").join(name)
}

/// Name of the folder in the cache, from the requirement with its exact version.
fn folder_name(requirements: &str) -> Option<String> {
    let version = requirements
        .lines()
        .find_map(|line| line.strip_prefix("unicorn=="))?
        .split([' ', ';', '\\'])
        .next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    (!version.is_empty() && version.chars().all(plain)).then(|| format!("unicorn-{version}"))
}

fn fetch(requirements: &Path, making: &Path) -> Result<()> {
    let python = ["python3", "python"]
        .into_iter()
        .find(|python| {
            process::capture(Command::new(python).args(["-m", "pip", "--version"])).is_ok()
        })
        .ok_or_else(|| {
            Error::Other(format!(
                "the emulator library is fetched with pip, which is not here: install python3-pip, or name libunicorn.so.2 of Unicorn 2 in {VARIABLE}"
            ))
        })?;
    eprintln!("xtask: fetching the emulator library with pip (20 MB, once)");
    // The hashes in the file are the only ones accepted; nothing is built and nothing outside the folder is written.
    process::run_quiet(
        Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps"])
            .args([
                "--only-binary",
                ":all:",
                "--require-hashes",
                "--no-cache-dir",
            ])
            .args(["--no-compile", "--disable-pip-version-check"])
            .args(["--root-user-action", "ignore", "--target"])
            .arg(making)
            .arg("--requirement")
            .arg(requirements),
    )?;
    let library = library_in(making);
    if library.is_file() {
        return Ok(());
    }
    Err(Error::Other(format!(
        "the wheel of {} has no {}",
        requirements.display(),
        library.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_carries_the_exact_version() {
        let text = "# about\nunicorn==2.1.4 \\\n    --hash=sha256:00\n";
        assert_eq!(folder_name(text).as_deref(), Some("unicorn-2.1.4"));
        assert_eq!(folder_name("unicorn>=2\n"), None);
        assert_eq!(folder_name("unicorn==../x\n"), None);
    }

    #[test]
    fn this_requirement_is_exact() {
        let path = workspace::root().join("oracle/requirements.txt");
        assert!(folder_name(&fs::read_to_string(path).unwrap()).is_some());
    }
}
