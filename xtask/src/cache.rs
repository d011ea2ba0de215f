//! The cache folder, what lies there, and its lock.

use crate::process::{Error, Result};
use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Name of a folder in the making; the process id follows.
const MAKING: &str = "making";
/// How long to wait for another process that fills the cache.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20 * 60);

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

/// Folder of a finished thing in the cache, which need not be there.
///
/// # Errors
/// Those of [`cache_dir`].
pub fn place(name: &str) -> Result<PathBuf> {
    Ok(cache_dir()?.join(name))
}

/// Calls `make` with an empty folder that becomes [`place`]`(name)` when it succeeds, unless `done` says that another process has
/// just done that. One process at a time; the lock ends with its process.
///
/// # Errors
/// Those of `make`, a folder that cannot be used, or a lock that stays taken for [`LOCK_TIMEOUT`].
pub fn fill(
    name: &str,
    done: impl Fn(&Path) -> bool,
    make: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let cache = cache_dir()?;
    let place = place(name)?;
    fs::create_dir_all(&cache).map_err(Error::io("create", &cache))?;
    let lock_path = cache.join("lock");
    let file = File::create(&lock_path).map_err(Error::io("create", &lock_path))?;
    let mut lock = fd_lock::RwLock::new(file);
    let deadline = Instant::now() + LOCK_TIMEOUT;
    let mut told = false;
    let _guard = loop {
        match lock.try_write() {
            Ok(guard) => break guard,
            Err(error) if error.kind() != ErrorKind::WouldBlock => {
                return Err(Error::io("lock", &lock_path)(error));
            }
            Err(_) if Instant::now() > deadline => {
                return Err(Error::Other(format!(
                    "another process has held {} for {} minutes",
                    lock_path.display(),
                    LOCK_TIMEOUT.as_secs() / 60
                )));
            }
            Err(_) => {}
        }
        if !told {
            eprintln!(
                "xtask: waiting for another process that fills {}",
                cache.display()
            );
            told = true;
        }
        thread::sleep(Duration::from_millis(250));
    };
    if done(&place) {
        return Ok(());
    }
    remove_leftovers(&cache);
    remove(&place)?;
    let making = cache.join(format!("{MAKING}.{}", std::process::id()));
    fs::create_dir(&making).map_err(Error::io("create", &making))?;
    let result = make(&making)
        .and_then(|()| fs::rename(&making, &place).map_err(Error::io("rename", &making)));
    if result.is_err() {
        remove_leftovers(&cache);
    }
    result
}

/// Removes what a killed or failed process left, as far as possible: its children may still write there for a moment,
/// which is why every process has a folder of its own.
fn remove_leftovers(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.file_stem() == Some(OsStr::new(MAKING)) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Removes a folder, which need not be there.
///
/// # Errors
/// A folder that cannot be removed.
pub fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::io("remove", folder)(error))
        }
        _ => Ok(()),
    }
}
