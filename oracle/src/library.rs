//! The emulator library, loaded at run time: the few functions of Unicorn's C API (version 2) that are used.
//!
//! Signatures and numbers are facts of the public interface, taken from the headers and the Python constants that the
//! package `unicorn` 2.1.4 carries (`unicorn.h`, `arm64.h`, `unicorn_const.py`, `arm64_const.py`).

use std::{
    env,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    path::{Path, PathBuf},
};

/// Environment variable with the path of the library.
pub const VARIABLE: &str = "ORACLE_LIBRARY";

/// Why there is no oracle.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library cannot be loaded.
    #[error(
        "cannot load the emulator library {} (`cargo xtask oracle` fetches it; {VARIABLE} or --library name another libunicorn.so.2 of Unicorn 2.1)",
        path.display()
    )]
    Load {
        /// What was tried.
        path: PathBuf,
        /// The loader's words.
        source: libloading::Error,
    },
    /// The library is of another interface version.
    #[error("{}: version {major}.{minor} of Unicorn; 2.1 or a later 2 is needed", path.display())]
    Version {
        /// What was loaded.
        path: PathBuf,
        /// Its interface version.
        major: u32,
        /// Its interface version.
        minor: u32,
    },
    /// A call failed.
    #[error("emulator: {call}: {message} (code {code})")]
    Call {
        /// Name of the function.
        call: &'static str,
        /// `uc_err`.
        code: c_int,
        /// The library's text for it.
        message: String,
    },
}

/// `uc_engine *`.
pub type Engine = *mut c_void;
/// `uc_context *`.
pub type Context = *mut c_void;

/// Functions of the library.
pub struct Library {
    /// Interface version, for reports.
    pub version: (u32, u32),
    /// Where it came from.
    pub path: PathBuf,
    pub(crate) open: unsafe extern "C" fn(c_int, c_int, *mut Engine) -> c_int,
    pub(crate) close: unsafe extern "C" fn(Engine) -> c_int,
    pub(crate) ctl: unsafe extern "C" fn(Engine, c_uint, ...) -> c_int,
    pub(crate) strerror: unsafe extern "C" fn(c_int) -> *const c_char,
    pub(crate) reg_write: unsafe extern "C" fn(Engine, c_int, *const c_void) -> c_int,
    pub(crate) reg_write_batch:
        unsafe extern "C" fn(Engine, *const c_int, *const *mut c_void, c_int) -> c_int,
    pub(crate) reg_read_batch:
        unsafe extern "C" fn(Engine, *const c_int, *const *mut c_void, c_int) -> c_int,
    pub(crate) mem_map_ptr: unsafe extern "C" fn(Engine, u64, u64, u32, *mut c_void) -> c_int,
    pub(crate) emu_start: unsafe extern "C" fn(Engine, u64, u64, u64, usize) -> c_int,
    pub(crate) emu_stop: unsafe extern "C" fn(Engine) -> c_int,
    pub(crate) hook_add: unsafe extern "C" fn(
        Engine,
        *mut usize,
        c_int,
        *mut c_void,
        *mut c_void,
        u64,
        u64,
        ...
    ) -> c_int,
    pub(crate) context_alloc: unsafe extern "C" fn(Engine, *mut Context) -> c_int,
    pub(crate) context_save: unsafe extern "C" fn(Engine, Context) -> c_int,
    pub(crate) context_restore: unsafe extern "C" fn(Engine, Context) -> c_int,
    pub(crate) context_free: unsafe extern "C" fn(Context) -> c_int,
    /// Keeps the functions above valid.
    _library: libloading::Library,
}

impl Library {
    /// Loads the library that is named, else the one of the environment, else the system's.
    ///
    /// # Errors
    /// If it cannot be loaded, lacks a function or is of another version.
    pub fn load(named: Option<&Path>) -> Result<Self, Error> {
        let path = named
            .map(Path::to_owned)
            .or_else(|| {
                env::var_os(VARIABLE)
                    .filter(|value| !value.is_empty())
                    .map(PathBuf::from)
            })
            .unwrap_or_else(|| PathBuf::from(SYSTEM_NAME));
        Self::load_from(&path)
            .map_err(|source| Error::Load {
                path: path.clone(),
                source,
            })?
            .checked()
    }

    fn load_from(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: the user names this file as Unicorn; loading it runs its initialisers, which do nothing but set up
        // the library's own data.
        let library = unsafe { libloading::Library::new(path) }?;
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the type is that of the function in version 2 of the interface (the version is checked
                // before any other call), and the library outlives the pointer: both live in one structure.
                *unsafe { library.get($name) }?
            };
        }
        let version: unsafe extern "C" fn(*mut c_uint, *mut c_uint) -> c_uint =
            function!(b"uc_version");
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        unsafe { version(&raw mut major, &raw mut minor) };
        Ok(Library {
            version: (major, minor),
            path: path.to_owned(),
            open: function!(b"uc_open"),
            close: function!(b"uc_close"),
            ctl: function!(b"uc_ctl"),
            strerror: function!(b"uc_strerror"),
            reg_write: function!(b"uc_reg_write"),
            reg_write_batch: function!(b"uc_reg_write_batch"),
            reg_read_batch: function!(b"uc_reg_read_batch"),
            mem_map_ptr: function!(b"uc_mem_map_ptr"),
            emu_start: function!(b"uc_emu_start"),
            emu_stop: function!(b"uc_emu_stop"),
            hook_add: function!(b"uc_hook_add"),
            context_alloc: function!(b"uc_context_alloc"),
            context_save: function!(b"uc_context_save"),
            context_restore: function!(b"uc_context_restore"),
            context_free: function!(b"uc_context_free"),
            _library: library,
        })
    }

    fn checked(self) -> Result<Self, Error> {
        let (major, minor) = self.version;
        if major == 2 && minor >= 1 {
            return Ok(self);
        }
        Err(Error::Version {
            path: self.path,
            major,
            minor,
        })
    }

    /// Turns a `uc_err` into a result.
    pub(crate) fn check(&self, call: &'static str, code: c_int) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function takes any code and returns a static string.
        let text = unsafe { (self.strerror)(code) };
        let message = if text.is_null() {
            String::new()
        } else {
            // SAFETY: not null, and a static zero-terminated string by the interface.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        };
        Err(Error::Call {
            call,
            code,
            message,
        })
    }
}

#[cfg(target_os = "macos")]
const SYSTEM_NAME: &str = "libunicorn.2.dylib";
#[cfg(not(target_os = "macos"))]
const SYSTEM_NAME: &str = "libunicorn.so.2";
