//! The ports of the loader: there, open to this user, and free.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::link::{Holder, Role, holders_in};

use super::Wanted;
use super::group;
use super::host::{Host, System};
use super::report::Check;

/// A port that may be used.
pub struct Found {
    /// The node, below the root.
    pub path: PathBuf,
    /// What it is for; a named port need not be known.
    pub role: Option<Role>,
}

/// Ports that the checks are about: the one named, or the loader's.
pub fn find(host: &Host, wanted: &Wanted) -> Vec<Found> {
    if let Wanted::Port(name) = wanted {
        let path = match host.system {
            System::Linux if name.starts_with('/') => host.at(name),
            _ => PathBuf::from(name),
        };
        return vec![Found { path, role: None }];
    }
    let mut ports = host.ports.clone();
    #[cfg(target_os = "linux")]
    if host.system == System::Linux {
        ports = crate::link::ports_in(&host.at("sys"), &host.at("dev"));
    }
    let mut found: Vec<Found> = ports
        .into_iter()
        .filter(|port| port.role != Role::Other)
        .map(|port| Found {
            path: port.path,
            role: Some(port.role),
        })
        .collect();
    found.sort_by_key(|port| port.role.map(|role| role as u8));
    found
}

/// Whether the node of the proxy is there.
pub fn present(host: &Host, wanted: &Wanted, found: &[Found]) -> Check {
    const ID: &str = "port";
    let named: Vec<String> = found
        .iter()
        .map(|port| {
            let path = host.shown(&port.path);
            match port.role {
                Some(role) => format!("{path} ({})", role.name()),
                None => path,
            }
        })
        .collect();
    let seen = named.join(", ");
    if let (Wanted::Port(name), [port]) = (wanted, found) {
        return named_port(host, name, port);
    }
    let proxies = found
        .iter()
        .filter(|port| port.role == Some(Role::Proxy))
        .count();
    match (proxies, *wanted == Wanted::Usb) {
        (1, _) => {}
        (0, _) if found.is_empty() => return absent(host, wanted),
        (0, _) => {
            return Check::problem(
                ID,
                format!("{seen}, but no port with interface 0, the proxy's"),
                &[
                    "look for the cdc_acm driver's messages: sudo dmesg | grep -i acm",
                    "disconnect the cable, restart the Mac into m1n1 with it connected",
                ],
            );
        }
        (n, true) => {
            return Check::problem(
                ID,
                format!("{n} proxy ports: {seen}"),
                &["name one of them: --target PORT"],
            );
        }
        (n, false) => {
            return Check::warning(
                ID,
                format!("{n} proxy ports: {seen}"),
                &["name one of them: --target PORT; --target usb takes only the only one"],
            );
        }
    }
    // The system may know of a port whose node is not (yet) there.
    if host.system == System::Linux
        && let Some(gone) = found.iter().find(|port| !port.path.exists())
    {
        let path = host.shown(&gone.path);
        return Check::problem(
            ID,
            format!("the kernel has {path}, but there is no such node"),
            &[
                "wait for udev: udevadm settle",
                "in a container: give it the device when it is started",
            ],
        );
    }
    Check::ok(ID, seen)
}

fn named_port(host: &Host, name: &str, port: &Found) -> Check {
    const ID: &str = "port";
    if host.system == System::Windows {
        let known = host
            .ports
            .iter()
            .any(|p| p.path.as_os_str().eq_ignore_ascii_case(name));
        return if known {
            Check::ok(ID, name)
        } else {
            let list = "aicprobe list shows what is there";
            Check::problem(ID, format!("{name} is not there"), &[list])
        };
    }
    match (host.node)(&port.path) {
        Ok(node) if node.device => Check::ok(ID, name),
        Ok(_) => Check::problem(
            ID,
            format!("{name} is no device"),
            &["aicprobe list shows the serial ports"],
        ),
        Err(e) if e.kind() == ErrorKind::PermissionDenied => Check::problem(
            ID,
            format!("{name}: one of the folders above it is closed to you"),
            &["name the node below /dev"],
        ),
        Err(e) if e.kind() == ErrorKind::NotFound => Check::problem(
            ID,
            format!("{name} does not exist"),
            &[
                "aicprobe list shows what is there; numbers of nodes change when a device comes again",
                "or wait for it: --wait SECONDS with the command",
            ],
        ),
        Err(e) => Check::problem(ID, format!("{name}: {e}"), &["aicprobe list"]),
    }
}

fn absent(host: &Host, wanted: &Wanted) -> Check {
    const ID: &str = "port";
    let device = super::usb::check(host, &Wanted::Usb).state == super::State::Ok;
    if device && host.system == System::Linux {
        return Check::problem(
            ID,
            "the USB device is there, but it has no serial port",
            &[
                "load the driver: sudo modprobe cdc_acm",
                "where that fails, the kernel has no CONFIG_USB_ACM: use a kernel with it",
            ],
        );
    }
    let next = ["first mend what \"usb-device\" says"];
    match wanted {
        Wanted::Usb => Check::problem(ID, "no port of m1n1", &next),
        _ => Check::warning(ID, "no port of m1n1", &next),
    }
}

/// Whether this user may open the ports that are there.
pub fn permission(host: &Host, found: &[Found]) -> Check {
    const ID: &str = "permission";
    if host.system != System::Linux {
        return Check::not_applicable(ID, "looked at on Linux only");
    }
    let there: Vec<&Found> = found
        .iter()
        .filter(|port| (host.node)(&port.path).is_ok())
        .collect();
    let Some(first) = there.first() else {
        return Check::not_applicable(ID, "no port is there");
    };
    let closed = there
        .iter()
        .find(|port| !(host.permitted)(&port.path, &host.user));
    let shown = |port: &Found| {
        let path = host.shown(&port.path);
        (host.node)(&port.path).map_or(path.clone(), |node| {
            let group = group::name(host, node.gid);
            format!("{path}: mode {:04o}, group {group}", node.mode)
        })
    };
    match closed {
        None => Check::ok(ID, format!("{}; you may open it", shown(first))),
        Some(port) => {
            let Ok(node) = (host.node)(&port.path) else {
                return Check::not_applicable(ID, "the port is gone");
            };
            let next = group::advice(host, &node);
            let next: Vec<&str> = next.iter().map(String::as_str).collect();
            Check::problem(ID, format!("{}; you may not open it", shown(port)), &next)
        }
    }
}

/// Whether another program has one of the ports open.
pub fn busy(host: &Host, found: &[Found]) -> Check {
    const ID: &str = "busy";
    if host.system != System::Linux {
        return Check::not_applicable(ID, "looked at on Linux only");
    }
    if found.iter().all(|port| !port.path.exists()) {
        return Check::not_applicable(ID, "no port is there");
    }
    let mut all: Vec<(String, Holder)> = Vec::new();
    for port in found
        .iter()
        .filter(|port| port.role != Some(Role::Secondary))
    {
        let holders = holders_in(&host.at("proc"), &port.path);
        let path = host.shown(&port.path);
        all.extend(holders.into_iter().map(|holder| (path.clone(), holder)));
    }
    if all.is_empty() {
        let of_others = if host.user.uid == 0 {
            ""
        } else {
            "; programs of other users cannot be seen"
        };
        return Check::ok(ID, format!("nobody has it open{of_others}"));
    }
    let seen: Vec<String> = all
        .iter()
        .map(|(path, holder)| format!("{path} is open in {holder}"))
        .collect();
    let next: Vec<String> = all
        .iter()
        .map(|(_, holder)| format!("end {}: kill {}", holder.name, holder.pid))
        .collect();
    let next: Vec<&str> = next.iter().map(String::as_str).collect();
    Check::problem(ID, seen.join("; "), &next)
}
