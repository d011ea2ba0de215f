//! Whether the loader's USB device is there at all.

use crate::link::{PRODUCT, Role, VENDOR};

use super::Wanted;
use super::host::{Host, System};
use super::report::Check;

const ID: &str = "usb-device";

/// Looks for 1209:316d on every USB bus.
pub fn check(host: &Host, wanted: &Wanted) -> Check {
    if let Wanted::Port(name) = wanted
        && !is_acm(name)
    {
        return Check::not_applicable(ID, format!("{name} was named, whatever is behind it"));
    }
    let found = match host.system {
        System::Linux => devices(host),
        _ => host
            .ports
            .iter()
            .filter(|port| port.role != Role::Other)
            .map(|port| port.path.display().to_string())
            .collect(),
    };
    let id = format!("{VENDOR:04x}:{PRODUCT:04x}");
    if !found.is_empty() {
        return Check::ok(ID, format!("{id} at {}", found.join(", ")));
    }
    let seen = format!("no USB device {id}");
    let next = [
        "connect the Mac's port for DFU with a cable that carries data, before m1n1 starts: it does not notice a cable that comes later",
        "restart the Mac into m1n1 and look again: aicprobe list",
        "where this computer is a virtual machine: pass the device through to it",
    ];
    // Virtual SoCs need no device.
    if *wanted == Wanted::Anything {
        return Check::warning(ID, seen, &next);
    }
    Check::problem(ID, seen, &next)
}

/// Whether a node has a name as the loader's device gets it.
fn is_acm(name: &str) -> bool {
    ["ttyACM", "m1n1", "usbmodem"]
        .iter()
        .any(|part| name.contains(part))
}

/// Places of the devices on the USB, with the serial numbers that they say.
fn devices(host: &Host) -> Vec<String> {
    let Ok(folder) = host.at("sys/bus/usb/devices").read_dir() else {
        return Vec::new();
    };
    let mut found: Vec<String> = folder
        .flatten()
        .filter_map(|device| {
            let at = device.file_name().to_string_lossy().into_owned();
            let number = |name: &str| {
                let text = host.text(&format!("sys/bus/usb/devices/{at}/{name}"))?;
                u16::from_str_radix(&text, 16).ok()
            };
            (number("idVendor")? == VENDOR && number("idProduct")? == PRODUCT).then_some(at)
        })
        .collect();
    found.sort();
    found
}
