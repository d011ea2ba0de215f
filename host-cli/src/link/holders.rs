//! Who has a device node open.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

/// Looks for others before a port counts as held, and the pause between two: a daemon that only looks at a new port, or a
/// program that is just ending, is no holder.
const LOOKS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(60);
/// Where Linux shows its processes.
const PROC: &str = "/proc";

/// A process that has a node open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Holder {
    /// Process id.
    pub pid: u32,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

/// Processes that have `path` open, as far as this user may see them; only Linux shows any (`/proc`).
#[must_use]
pub fn holders(path: &Path) -> Vec<Holder> {
    holders_in(Path::new(PROC), path)
}

/// The same with the folder of processes somewhere else.
#[must_use]
pub fn holders_in(proc: &Path, path: &Path) -> Vec<Holder> {
    let found = look(proc, path).into_iter();
    found.map(|(holder, _)| holder).collect()
}

/// Other processes than this one that keep `path` open. The program at the far end of a pseudo-terminal is none of them,
/// whatever it has open.
#[must_use]
pub(super) fn others(path: &Path) -> Vec<Holder> {
    let own = std::process::id();
    let others = || -> Vec<Holder> {
        let found = look(Path::new(PROC), path).into_iter();
        let others = found.filter(|(holder, far_end)| holder.pid != own && !far_end);
        others.map(|(holder, _)| holder).collect()
    };
    let mut found = others();
    for _ in 1..LOOKS {
        if found.is_empty() {
            break;
        }
        std::thread::sleep(PAUSE);
        let again = others();
        found.retain(|h| again.contains(h));
    }
    found
}

/// Who has `path` open, and whether they are its far end.
fn look(proc: &Path, path: &Path) -> Vec<(Holder, bool)> {
    let (Ok(node), Ok(processes)) = (path.canonicalize(), proc.read_dir()) else {
        return Vec::new();
    };
    let terminal = pseudo_terminal(&node);
    let mut found: Vec<(Holder, bool)> = processes
        .flatten()
        .filter_map(|process| {
            let pid: u32 = process.file_name().to_str()?.parse().ok()?;
            let open = Open::of(&process.path())?;
            open.has(&node).then(|| {
                let name = name_of(&process.path());
                let far_end = terminal.is_some_and(|n| open.has_far_end(n));
                (Holder { pid, name }, far_end)
            })
        })
        .collect();
    found.sort_by_key(|(holder, _)| holder.pid);
    found
}

/// What a process has open: the folder of its descriptors, and where each leads.
struct Open {
    process: PathBuf,
    /// Descriptor and target.
    files: Vec<(std::ffi::OsString, PathBuf)>,
}

impl Open {
    fn of(process: &Path) -> Option<Self> {
        let fds = process.join("fd").read_dir().ok()?.flatten();
        let files =
            fds.filter_map(|fd| Some((fd.file_name(), std::fs::read_link(fd.path()).ok()?)));
        Some(Self {
            process: process.to_owned(),
            files: files.collect(),
        })
    }

    fn has(&self, node: &Path) -> bool {
        self.files.iter().any(|(_, to)| to == node)
    }

    /// Whether the process has the far end of pseudo-terminal `number`.
    fn has_far_end(&self, number: u32) -> bool {
        let masters = self.files.iter().filter(|(_, to)| to.ends_with("ptmx"));
        masters.into_iter().any(|(fd, _)| {
            let info = std::fs::read_to_string(self.process.join("fdinfo").join(fd));
            info.is_ok_and(|text| far_end_of(&text) == Some(number))
        })
    }
}

/// Number of the pseudo-terminal that a node is.
fn pseudo_terminal(node: &Path) -> Option<u32> {
    let number = node.strip_prefix("/dev/pts").ok()?;
    number.to_str()?.parse().ok()
}

/// Number of the pseudo-terminal whose far end a descriptor is, from what the system says of the descriptor.
fn far_end_of(fdinfo: &str) -> Option<u32> {
    let mut lines = fdinfo.lines();
    let index = lines.find_map(|line| line.strip_prefix("tty-index:"))?;
    index.trim().parse().ok()
}

/// A process chooses its own name: nothing in it may steer a terminal.
fn name_of(process: &Path) -> String {
    let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
    name.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_pseudo_terminals() {
        assert_eq!(pseudo_terminal(Path::new("/dev/pts/12")), Some(12));
        assert_eq!(pseudo_terminal(Path::new("/dev/pts/ptmx")), None);
        assert_eq!(pseudo_terminal(Path::new("/dev/ttyACM0")), None);
        let text = "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t91\ntty-index:\t7\n";
        assert_eq!(far_end_of(text), Some(7));
        assert_eq!(far_end_of("pos:\t0\n"), None);
    }
}
