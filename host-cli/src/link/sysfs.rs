//! USB serial ports as Linux shows them in sysfs; no library is needed for that.

use std::path::{Path, PathBuf};

use super::discover::{Port, Role, printable};
use super::holders::holders;

/// Folders above a terminal's device that are looked at: interface and device are at most two steps up.
const STEPS: usize = 4;

/// Ports below `sys` (`/sys`), with their nodes in `dev` (`/dev`). What is no USB device is left out.
#[must_use]
pub fn ports_in(sys: &Path, dev: &Path) -> Vec<Port> {
    let Ok(terminals) = sys.join("class/tty").read_dir() else {
        return Vec::new();
    };
    let mut ports: Vec<Port> = terminals
        .flatten()
        .filter_map(|t| port(&t.path(), dev))
        .collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    ports
}

fn port(terminal: &Path, dev: &Path) -> Option<Port> {
    let device = terminal.join("device").canonicalize().ok()?;
    let above: Vec<&Path> = device.ancestors().take(STEPS).collect();
    let interface = above
        .iter()
        .find_map(|p| number(p, "bInterfaceNumber"))
        .and_then(|n| u8::try_from(n).ok());
    let usb = above.iter().find(|p| p.join("idVendor").exists())?;
    let (vendor, product) = (number(usb, "idVendor")?, number(usb, "idProduct")?);
    let path = dev.join(terminal.file_name()?);
    Some(Port {
        role: Role::of(vendor, product, interface),
        usb_id: format!("{vendor:04x}:{product:04x}"),
        interface,
        serial: text(usb, "serial").map(printable),
        location: usb
            .file_name()
            .map(|n| printable(n.to_string_lossy().into())),
        permitted: permitted(&path),
        held_by: holders(&path),
        path,
    })
}

fn text(folder: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(name)).ok()?;
    Some(text.trim().to_owned())
}

fn number(folder: &Path, name: &str) -> Option<u16> {
    u16::from_str_radix(&text(folder, name)?, 16).ok()
}

fn permitted(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::READ_OK | Access::WRITE_OK).is_ok()
}

/// USB vendor and product behind a node.
pub(super) fn usb_ids(sys: &Path, node: &Path) -> Option<(u16, u16)> {
    let node: PathBuf = node.canonicalize().ok()?;
    let device = sys.join("class/tty").join(node.file_name()?).join("device");
    let device = device.canonicalize().ok()?;
    let usb = device
        .ancestors()
        .take(STEPS)
        .find(|p| p.join("idVendor").exists())?;
    Some((number(usb, "idVendor")?, number(usb, "idProduct")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// A tree like `/sys` with a loader's two ports, a cable to a UART, a virtual console and a port of the board.
    fn tree(root: &Path) {
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let usb = "devices/pci/usb1";
        for (at, vendor, product, serial) in [
            ("1-4.2", "1209", "316d", "P-0\u{1b}[2J"),
            ("1-3", "0403", "6001", "A1"),
        ] {
            put(&format!("{usb}/{at}/idVendor"), &format!("{vendor}\n"));
            put(&format!("{usb}/{at}/idProduct"), &format!("{product}\n"));
            put(&format!("{usb}/{at}/serial"), &format!("{serial}\n"));
            put(&format!("{usb}/{at}/product"), "m1n1 uartproxy\n");
        }
        for (interface, number) in [("1-4.2/1-4.2:1.0", "00"), ("1-4.2/1-4.2:1.2", "02")] {
            put(
                &format!("{usb}/{interface}/bInterfaceNumber"),
                &format!("{number}\n"),
            );
        }
        put(&format!("{usb}/1-3/1-3:1.0/bInterfaceNumber"), "00\n");
        put(&format!("{usb}/1-3/1-3:1.0/ttyUSB0/port_number"), "0\n");
        put("devices/platform/serial8250/uevent", "");
        for (name, device) in [
            ("ttyACM5", Some("devices/pci/usb1/1-4.2/1-4.2:1.0")),
            ("ttyACM4", Some("devices/pci/usb1/1-4.2/1-4.2:1.2")),
            ("ttyUSB0", Some("devices/pci/usb1/1-3/1-3:1.0/ttyUSB0")),
            ("ttyS0", Some("devices/platform/serial8250")),
            ("tty1", None),
        ] {
            let folder = root.join("class/tty").join(name);
            fs::create_dir_all(&folder).unwrap();
            if let Some(device) = device {
                symlink(root.join(device), folder.join("device")).unwrap();
            }
        }
    }

    #[test]
    fn ports_are_told_by_ids_and_interface() {
        let root = tempfile::tempdir().unwrap();
        tree(root.path());
        let ports = ports_in(root.path(), Path::new("/dev"));
        let short: Vec<_> = ports
            .iter()
            .map(|p| (p.path.to_str().unwrap(), p.role, p.interface))
            .collect();
        assert_eq!(
            short,
            [
                ("/dev/ttyACM4", Role::Secondary, Some(2)),
                ("/dev/ttyACM5", Role::Proxy, Some(0)),
                ("/dev/ttyUSB0", Role::Other, Some(0)),
            ]
        );
        assert_eq!(ports[1].usb_id, "1209:316d");
        assert_eq!(ports[1].location.as_deref(), Some("1-4.2"));
        assert_eq!(ports[1].serial.as_deref(), Some("P-0[2J"));
        assert!(!ports[1].permitted, "there is no such node");
    }

    #[test]
    fn an_empty_tree_has_no_ports() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(ports_in(root.path(), Path::new("/dev")), []);
    }
}
