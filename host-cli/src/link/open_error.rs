//! Why a port could not be opened: each reason apart, with what to do about it.

use std::path::{Path, PathBuf};

use super::discover::Port;
use super::holders::{Holder, holders};

/// Why there is no link to a port.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No such node.
    #[error("{} does not exist: is the cable connected and m1n1 running? `aicprobe list` shows what is there", .0.display())]
    NotFound(PathBuf),
    /// The user may not open it.
    #[error("no permission to open {}: {advice}", path.display())]
    NoPermission {
        /// The node.
        path: PathBuf,
        /// What to do.
        advice: String,
    },
    /// Somebody else has it.
    #[error("{} is in use by {}", path.display(), listed(holders))]
    Busy {
        /// The node.
        path: PathBuf,
        /// Who, as far as it can be seen.
        holders: Vec<Holder>,
    },
    /// It is there and no serial port.
    #[error("{} is no serial port", .0.display())]
    NotSerial(PathBuf),
    /// The node is there and the device behind it is not.
    #[error("{} is there but its device does not answer: {why}", path.display())]
    Dead {
        /// The node.
        path: PathBuf,
        /// In the system's words.
        why: String,
    },
    /// No proxy port on any USB bus.
    #[error(
        "no m1n1 proxy port (USB 1209:316d, interface 0) found: m1n1 does not notice a cable that comes later, so connect it before m1n1 starts; a host in a virtual machine needs the device passed through"
    )]
    NoneFound,
    /// More than one.
    #[error("{} m1n1 proxy ports found, name one of them with --target: {}", .0.len(), paths(.0))]
    SeveralFound(Vec<Port>),
    /// The user stopped the waiting.
    #[error("interrupted while waiting for {0}")]
    Interrupted(String),
}

impl OpenError {
    /// Whether waiting may help.
    #[must_use]
    pub const fn may_appear(&self) -> bool {
        matches!(
            self,
            Self::NotFound(_) | Self::NoneFound | Self::Dead { .. }
        )
    }

    /// What stands in the way of opening `path`, where the attempt ended with `error`.
    pub(super) fn diagnose(path: &Path, error: &serialport::Error) -> Self {
        use serialport::ErrorKind;
        use std::io::ErrorKind as Io;
        let path = path.to_owned();
        let node = match std::fs::metadata(&path) {
            Ok(node) => node,
            Err(e) if e.kind() == Io::PermissionDenied => {
                let advice = "one of the folders above it is closed to you".to_owned();
                return Self::NoPermission { path, advice };
            }
            // On Windows a port is no file.
            Err(_) if cfg!(unix) => return Self::NotFound(path),
            Err(_) => return Self::elsewhere(path, error),
        };
        if !is_char_device(&node) {
            return Self::NotSerial(path);
        }
        match error.kind {
            ErrorKind::Io(Io::PermissionDenied) => Self::NoPermission {
                advice: advice(&node),
                path,
            },
            ErrorKind::Io(Io::NotFound) => Self::NotFound(path),
            // What the crate makes of EBUSY and of a lock that somebody else has.
            ErrorKind::NoDevice => Self::Busy {
                holders: holders(&path),
                path,
            },
            // ENOTTY, in the words of the crate below and of the system.
            ErrorKind::Unknown
                if ["Not a typewriter", "Inappropriate ioctl"]
                    .iter()
                    .any(|words| error.description.contains(words)) =>
            {
                Self::NotSerial(path)
            }
            _ => Self::Dead {
                path,
                why: error.description.clone(),
            },
        }
    }

    fn elsewhere(path: PathBuf, error: &serialport::Error) -> Self {
        use serialport::ErrorKind;
        use std::io::ErrorKind as Io;
        match error.kind {
            ErrorKind::Io(Io::PermissionDenied) => Self::Busy {
                path,
                holders: Vec::new(),
            },
            ErrorKind::NoDevice | ErrorKind::Io(Io::NotFound) => Self::NotFound(path),
            _ => Self::Dead {
                path,
                why: error.description.clone(),
            },
        }
    }
}

#[cfg(unix)]
fn is_char_device(node: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    node.file_type().is_char_device()
}

#[cfg(not(unix))]
const fn is_char_device(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(unix)]
fn advice(node: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let user = std::env::var("USER").unwrap_or_default();
    group_advice(node.mode(), node.gid(), &groups, &user)
}

#[cfg(not(unix))]
fn advice(_: &std::fs::Metadata) -> String {
    "another program may have it open".to_owned()
}

/// What a user does to get at a node of this mode and group. `groups` is the text of `/etc/group`.
#[cfg_attr(not(unix), allow(dead_code))]
fn group_advice(mode: u32, gid: u32, groups: &str, user: &str) -> String {
    const GROUP_READ_WRITE: u32 = 0o060;
    let entry = groups.lines().find_map(|line| {
        let mut parts = line.split(':');
        let (name, id) = (parts.next()?, parts.nth(1)?);
        (id.parse() == Ok(gid)).then(|| (name, parts.next().unwrap_or_default()))
    });
    let (Some((group, members)), false, GROUP_READ_WRITE) =
        (entry, gid == 0, mode & GROUP_READ_WRITE)
    else {
        return format!(
            "its group (gid {gid}) does not open it either: install the rules that `aicprobe udev` prints"
        );
    };
    if !user.is_empty() && members.split(',').any(|m| m == user) {
        return format!(
            "you are a member of its group {group} since you logged in: log out and in again"
        );
    }
    format!(
        "it belongs to the group {group}: run `sudo usermod -aG {group} $USER`, then log out and in again"
    )
}

fn listed(holders: &[Holder]) -> String {
    if holders.is_empty() {
        return "another program (of another user: its name cannot be seen from here)".to_owned();
    }
    let names: Vec<String> = holders.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn paths(ports: &[Port]) -> String {
    let paths: Vec<String> = ports.iter().map(|p| p.path.display().to_string()).collect();
    paths.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUPS: &str = "root:x:0:\ntty:x:5:\ndialout:x:20:alice,bob\nuucp:x:14:\n";

    #[test]
    fn the_group_comes_from_the_node() {
        let say = |mode, gid, user| group_advice(mode, gid, GROUPS, user);
        assert_eq!(
            say(0o20660, 20, "carol"),
            "it belongs to the group dialout: run `sudo usermod -aG dialout $USER`, then log out and in again"
        );
        assert!(say(0o20660, 14, "carol").contains("usermod -aG uucp"));
        // A name that is a part of a member's is none.
        assert!(say(0o20660, 20, "ali").contains("usermod"));
        assert_eq!(
            say(0o20660, 20, "bob"),
            "you are a member of its group dialout since you logged in: log out and in again"
        );
        for (mode, gid) in [(0o20600, 20), (0o20620, 20), (0o20660, 0), (0o20660, 999)] {
            let text = say(mode, gid, "bob");
            assert!(text.contains("aicprobe udev"), "{mode:o} {gid}: {text}");
        }
    }

    #[test]
    fn holders_are_named() {
        let path = PathBuf::from("/dev/m1n1");
        let holder = |pid| Holder {
            pid,
            name: "picocom".into(),
        };
        let busy = |holders| OpenError::Busy {
            path: path.clone(),
            holders,
        };
        assert_eq!(
            busy(vec![holder(7), holder(9)]).to_string(),
            "/dev/m1n1 is in use by picocom (pid 7), picocom (pid 9)"
        );
        assert!(busy(vec![]).to_string().contains("another program"));
    }
}
