//! The computer that is looked at: this one, or a made-up one.

use std::io;
use std::path::{Path, PathBuf};

/// What is in which place differs by system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
    /// Something else.
    Other,
}

impl System {
    /// The one this program was built for.
    #[must_use]
    pub const fn here() -> Self {
        if cfg!(target_os = "linux") {
            Self::Linux
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Other
        }
    }

    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux",
            Self::MacOs => "macos",
            Self::Windows => "windows",
            Self::Other => "other",
        }
    }
}

/// Who runs this program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Login name, where it is known.
    pub name: Option<String>,
    /// User id.
    pub uid: u32,
    /// Groups that this process has: what was added since login is not among them.
    pub gids: Vec<u32>,
}

/// Owner and mode of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Whether it is a character device.
    pub device: bool,
    /// Permission bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// A computer.
pub struct Host {
    /// Folder in which `sys`, `dev`, `etc`, `run`, `proc` and `usr` are.
    pub root: PathBuf,
    /// Its system.
    pub system: System,
    /// Who asks.
    pub user: User,
    /// Owner and mode of a node.
    pub node: fn(&Path) -> io::Result<Node>,
    /// Whether this process may read and write a node; lists of access rights count, so the mode alone does not tell.
    pub permitted: fn(&Path, &User) -> bool,
    /// Names of the serial ports, where the system has no folder of them.
    pub ports: Vec<crate::link::Port>,
}

impl Host {
    /// This computer.
    #[must_use]
    pub fn here() -> Self {
        Self {
            root: PathBuf::from("/"),
            system: System::here(),
            user: user(),
            node,
            permitted,
            ports: if cfg!(target_os = "linux") {
                Vec::new()
            } else {
                crate::link::ports()
            },
        }
    }

    /// A file or folder below the root.
    #[must_use]
    pub fn at(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Text of a file below the root; nothing if it cannot be read.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.at(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// The path of `path` on the computer itself.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(rest) => format!("/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Whether the word after `NAME=` of os-release is `value`, or it is among those of `ID_LIKE`.
    #[must_use]
    pub fn is_like(&self, distribution: &str) -> bool {
        let text = self
            .text("etc/os-release")
            .or_else(|| self.text("usr/lib/os-release"));
        text.unwrap_or_default().lines().any(|line| {
            let Some((name, value)) = line.split_once('=') else {
                return false;
            };
            let mut words = value.trim_matches(['"', '\'']).split(' ');
            matches!(name, "ID" | "ID_LIKE" | "VARIANT_ID") && words.any(|w| w == distribution)
        })
    }
}

#[cfg(unix)]
fn user() -> User {
    use rustix::process::{getegid, geteuid, getgroups};
    let mut gids: Vec<u32> = getgroups()
        .unwrap_or_default()
        .into_iter()
        .map(rustix::process::Gid::as_raw)
        .collect();
    gids.push(getegid().as_raw());
    let name = ["USER", "LOGNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|name| !name.is_empty());
    User {
        name,
        uid: geteuid().as_raw(),
        gids,
    }
}

#[cfg(not(unix))]
fn user() -> User {
    User::default()
}

#[cfg(unix)]
fn node(path: &Path) -> io::Result<Node> {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let about = std::fs::metadata(path)?;
    Ok(Node {
        device: about.file_type().is_char_device(),
        mode: about.mode() & 0o7777,
        uid: about.uid(),
        gid: about.gid(),
    })
}

#[cfg(not(unix))]
fn node(path: &Path) -> io::Result<Node> {
    let _ = std::fs::metadata(path)?;
    Ok(Node {
        device: true,
        mode: 0,
        uid: 0,
        gid: 0,
    })
}

#[cfg(unix)]
fn permitted(path: &Path, _: &User) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    // With the ids that an open would go by.
    accessat(
        CWD,
        path,
        Access::READ_OK | Access::WRITE_OK,
        AtFlags::EACCESS,
    )
    .is_ok()
}

#[cfg(not(unix))]
fn permitted(_: &Path, _: &User) -> bool {
    true
}
