//! Who has a device node open.

use std::fmt;
use std::path::Path;

use serde::Serialize;

/// A process that has a node open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    let (Ok(node), Ok(processes)) = (path.canonicalize(), Path::new("/proc").read_dir()) else {
        return Vec::new();
    };
    let mut found: Vec<Holder> = processes
        .flatten()
        .filter_map(|process| {
            let pid: u32 = process.file_name().to_str()?.parse().ok()?;
            let mut open = process.path().join("fd").read_dir().ok()?.flatten();
            open.any(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == node))
                .then(|| Holder {
                    pid,
                    name: name_of(&process.path()),
                })
        })
        .collect();
    found.sort_by_key(|h| h.pid);
    found
}

/// A process chooses its own name: nothing in it may steer a terminal.
fn name_of(process: &Path) -> String {
    let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
    name.chars().filter(|c| !c.is_control()).collect()
}
