//! Rules for udev, and the daemon that they keep away.

use crate::link::{PRODUCT, VENDOR};

use super::host::{Host, System};
use super::ports::Found;
use super::report::Check;

/// Folders of rules; a file hides those of the same name in later ones.
const FOLDERS: [&str; 4] = [
    "etc/udev/rules.d",
    "run/udev/rules.d",
    "usr/lib/udev/rules.d",
    "lib/udev/rules.d",
];

/// A file with a rule for the loader's device.
pub struct Rule {
    /// The file, as the computer itself names it.
    pub file: String,
    /// It keeps ModemManager away.
    pub ignored: bool,
}

/// The first file with a rule for the loader's device.
pub fn find(host: &Host) -> Option<Rule> {
    let mut hidden = std::collections::BTreeSet::new();
    let mut first: Option<Rule> = None;
    for folder in FOLDERS {
        let Ok(files) = host.at(folder).read_dir() else {
            continue;
        };
        let mut names: Vec<_> = files.flatten().map(|file| file.file_name()).collect();
        names.sort();
        for name in names {
            let name = name.to_string_lossy().into_owned();
            if !name.ends_with(".rules") || !hidden.insert(name.clone()) {
                continue;
            }
            let text = host.text(&format!("{folder}/{name}")).unwrap_or_default();
            let rules: Vec<&str> = text
                .lines()
                .filter(|line| !line.trim_start().starts_with('#'))
                .collect();
            let text = rules.join("\n").to_ascii_lowercase();
            let ids = [VENDOR, PRODUCT].map(|id| format!("{id:04x}"));
            if ids.iter().all(|id| text.contains(id.as_str())) {
                let ignored = text.contains("id_mm_device_ignore");
                let file = format!("/{folder}/{name}");
                match &mut first {
                    None => first = Some(Rule { file, ignored }),
                    Some(rule) => rule.ignored |= ignored,
                }
            }
        }
    }
    first
}

/// Whether a rule is installed.
pub fn check(host: &Host, rule: &Option<Rule>) -> Check {
    const ID: &str = "udev-rule";
    if host.system != System::Linux {
        return Check::not_applicable(ID, "udev is a thing of Linux");
    }
    if !host.at("etc/udev").exists() && !host.at("run/udev").exists() {
        return Check::not_applicable(ID, "no udev here");
    }
    match rule {
        Some(rule) => Check::ok(ID, rule.file.clone()),
        None => Check::warning(
            ID,
            "no rule for the device is installed: no stable name, and access by group only",
            &[
                "sudo aicprobe udev --install /etc/udev/rules.d",
                "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty",
            ],
        ),
    }
}

/// Whether ModemManager runs and would take the port for a modem.
pub fn modem_manager(host: &Host, rule: &Option<Rule>, found: &[Found]) -> Check {
    const ID: &str = "modem-manager";
    if host.system != System::Linux {
        return Check::not_applicable(ID, "ModemManager is a thing of Linux");
    }
    let Some(pid) = running(host, "ModemManager") else {
        return Check::ok(ID, "ModemManager does not run");
    };
    let ignored = match device_says(host, found) {
        // What udev has done counts, not what a file would do at the next time.
        Some(ignored) => ignored,
        None => rule.as_ref().is_some_and(|rule| rule.ignored),
    };
    if ignored {
        return Check::ok(ID, "ModemManager runs and is told to leave the ports alone");
    }
    Check::warning(
        ID,
        format!(
            "ModemManager (pid {pid}) runs: it opens a new port for about 10 s and sends commands for modems to it"
        ),
        &[
            "sudo aicprobe udev --install /etc/udev/rules.d (its rule has ID_MM_DEVICE_IGNORE)",
            "sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty",
            "or for now: sudo systemctl stop ModemManager",
        ],
    )
}

/// Process id of a program.
fn running(host: &Host, name: &str) -> Option<u32> {
    let mut pids: Vec<u32> = host
        .at("proc")
        .read_dir()
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    pids.sort_unstable();
    let is = |pid: &u32| host.text(&format!("proc/{pid}/comm")).as_deref() == Some(name);
    pids.into_iter().find(is)
}

/// Whether udev has the ports marked; nothing where it has no record of one.
fn device_says(host: &Host, found: &[Found]) -> Option<bool> {
    let mut records = found.iter().filter_map(|port| {
        let name = port.path.file_name()?.to_str()?;
        let number = host.text(&format!("sys/class/tty/{name}/dev"))?;
        host.text(&format!("run/udev/data/c{number}"))
    });
    let first = records.next()?;
    let marked = |text: &str| {
        text.lines()
            .any(|line| matches!(line, "E:ID_MM_DEVICE_IGNORE=1" | "E:ID_MM_PORT_IGNORE=1"))
    };
    Some(marked(&first) && records.all(|text| marked(&text)))
}
