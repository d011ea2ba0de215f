//! Whether this computer is itself a guest: then USB devices come only where they are passed through.

use super::host::{Host, System};
use super::report::Check;

const ID: &str = "machine";

/// Words in the DMI names of guests, in lower case, and what they are called.
const GUESTS: &[(&str, &str)] = &[
    ("vmware", "VMware"),
    ("virtualbox", "VirtualBox"),
    ("innotek", "VirtualBox"),
    ("qemu", "QEMU"),
    ("kvm", "KVM"),
    ("parallels", "Parallels"),
    ("xen", "Xen"),
    ("bochs", "Bochs"),
    ("bhyve", "bhyve"),
    ("virtual machine", "Hyper-V"),
    ("amazon ec2", "Amazon EC2"),
    ("google compute engine", "Google Compute Engine"),
    ("apple virtualization", "Apple Virtualization"),
];

/// Whether this computer is a guest or a container.
pub fn check(host: &Host) -> Check {
    if host.system != System::Linux {
        return Check::not_applicable(ID, "looked for on Linux only");
    }
    if let Some(container) = container(host) {
        return Check::warning(
            ID,
            format!("a container ({container})"),
            &[
                "give the container the port when it is started: --device /dev/ttyACM0 and the group of the node",
                "a port that appears after that does not appear in the container: run aicprobe outside, or start the container again",
            ],
        );
    }
    match guest(host) {
        Some(name) => Check::warning(
            ID,
            format!("a virtual machine ({name})"),
            &[
                "pass USB device 1209:316d through to this guest, by its ids and not by its port: m1n1 comes again under another address after each restart",
                "connect the cable and pass the device through before m1n1 starts: it does not notice a cable that comes later",
            ],
        ),
        None => Check::ok(ID, "no virtual machine and no container"),
    }
}

fn guest(host: &Host) -> Option<String> {
    // WSL is a guest that has no DMI.
    let kernel = host.text("proc/sys/kernel/osrelease").unwrap_or_default();
    if kernel.to_lowercase().contains("microsoft") {
        return Some("WSL: attach the device with usbipd on Windows".to_owned());
    }
    let files = ["sys_vendor", "product_name", "board_vendor", "bios_vendor"];
    let names: Vec<String> = files
        .iter()
        .filter_map(|name| host.text(&format!("sys/class/dmi/id/{name}")))
        .map(|text| text.to_lowercase())
        .collect();
    let known = GUESTS
        .iter()
        .find(|(word, _)| names.iter().any(|name| name.contains(word)));
    if let Some((_, name)) = known {
        return Some((*name).to_owned());
    }
    let hypervisor = host
        .text("sys/hypervisor/type")
        .filter(|kind| !kind.is_empty());
    if hypervisor.is_some() {
        return hypervisor;
    }
    let tree = host.text("proc/device-tree/hypervisor/compatible");
    if let Some(tree) = tree {
        return Some(tree.trim_matches('\0').to_owned());
    }
    // The processor says so where nothing else does.
    let cpu = host.text("proc/cpuinfo").unwrap_or_default();
    let mut flags = cpu.lines().filter(|line| line.starts_with("flags"));
    let flag = flags.any(|line| line.split_whitespace().any(|word| word == "hypervisor"));
    flag.then(|| "a hypervisor, by the processor's flag".to_owned())
}

fn container(host: &Host) -> Option<String> {
    for (path, name) in [
        (".dockerenv", "Docker"),
        ("run/.containerenv", "Podman or Toolbox"),
    ] {
        if host.at(path).exists() {
            return Some(name.to_owned());
        }
    }
    host.text("run/systemd/container")
        .filter(|name| !name.is_empty() && name != "wsl")
}
