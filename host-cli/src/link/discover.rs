//! Serial ports of this host, and which of them is a loader's proxy port.
//!
//! The loader's USB device is 1209:316d with the proxy on interface 0 and a second port on interface 2 (third party: m1n1
//! `src/usb.c`, `udev/80-m1n1.rules`). Names of nodes and product strings say nothing: they are never looked at.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::OpenError;
use super::holders::Holder;

/// USB vendor of the loader.
pub const VENDOR: u16 = 0x1209;
/// USB product of the loader.
pub const PRODUCT: u16 = 0x316d;
pub(super) const PROXY_INTERFACE: u8 = 0;
pub(super) const SECOND_INTERFACE: u8 = 2;

/// What a port is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The loader's proxy: the one to use.
    Proxy,
    /// The loader's second port (a virtual UART).
    Secondary,
    /// The loader's device, but which of its ports cannot be told.
    Unknown,
    /// Some other USB serial port, perhaps a cable to a UART.
    Other,
}

impl Role {
    /// The role that USB ids and interface number give.
    #[must_use]
    pub const fn of(vendor: u16, product: u16, interface: Option<u8>) -> Self {
        match (vendor, product, interface) {
            (VENDOR, PRODUCT, Some(PROXY_INTERFACE)) => Self::Proxy,
            (VENDOR, PRODUCT, Some(SECOND_INTERFACE)) => Self::Secondary,
            (VENDOR, PRODUCT, _) => Self::Unknown,
            _ => Self::Other,
        }
    }

    /// In a word or two.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proxy => "m1n1 proxy",
            Self::Secondary => "m1n1 second port",
            Self::Unknown => "m1n1, unknown port",
            Self::Other => "other",
        }
    }
}

/// The result of `aicprobe list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PortList {
    /// "aicprobe.list/1".
    pub schema: &'static str,
    /// The ports.
    pub ports: Vec<Port>,
}

impl PortList {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.list/1";

    /// Of ports that were found.
    #[must_use]
    pub const fn new(ports: Vec<Port>) -> Self {
        Self {
            schema: Self::SCHEMA,
            ports,
        }
    }
}

/// A USB serial port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Port {
    /// The node to open.
    pub path: PathBuf,
    /// What it is for.
    pub role: Role,
    /// USB vendor and product, `"1209:316d"`.
    pub usb_id: String,
    /// Number of the USB interface.
    pub interface: Option<u8>,
    /// The device's serial number, as the device says.
    pub serial: Option<String>,
    /// Place on the USB, `"1-4.2"`.
    pub location: Option<String>,
    /// Whether this user may open it.
    pub permitted: bool,
    /// Processes that have it open.
    pub held_by: Vec<Holder>,
}

/// Every USB serial port of this host, proxy ports first.
#[must_use]
pub fn ports() -> Vec<Port> {
    let mut ports = found();
    ports.sort_by(|a, b| (a.role as u8, &a.path).cmp(&(b.role as u8, &b.path)));
    ports
}

#[cfg(target_os = "linux")]
fn found() -> Vec<Port> {
    super::sysfs::ports_in(std::path::Path::new("/sys"), std::path::Path::new("/dev"))
}

/// macOS and Windows: what the system's own list says. Not run by this project's tests, which need Linux.
#[cfg(not(target_os = "linux"))]
fn found() -> Vec<Port> {
    use serialport::SerialPortType;
    let Ok(list) = serialport::available_ports() else {
        return Vec::new();
    };
    list.into_iter()
        .filter_map(|p| {
            let SerialPortType::UsbPort(usb) = p.port_type else {
                return None;
            };
            // Opening tty.* on macOS waits for a carrier that never comes.
            if cfg!(target_os = "macos") && !p.port_name.starts_with("/dev/cu.") {
                return None;
            }
            let interface = usb.interface.or_else(|| interface_of_name(&p.port_name));
            Some(Port {
                role: Role::of(usb.vid, usb.pid, interface),
                usb_id: format!("{:04x}:{:04x}", usb.vid, usb.pid),
                interface,
                serial: usb.serial_number.map(printable),
                location: None,
                permitted: true,
                held_by: Vec::new(),
                path: PathBuf::from(p.port_name),
            })
        })
        .collect()
}

/// macOS ends the node's name with the number of the interface and one: `…01` is interface 0, `…03` is 2.
#[cfg_attr(target_os = "linux", allow(dead_code))]
fn interface_of_name(name: &str) -> Option<u8> {
    let last = name.rsplit('/').next()?;
    match last.strip_prefix("cu.usbmodem")?.as_bytes().last()? {
        b'1' => Some(PROXY_INTERFACE),
        b'3' => Some(SECOND_INTERFACE),
        _ => None,
    }
}

/// A device chooses its strings: nothing in them may steer a terminal.
pub(super) fn printable(text: String) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// The only proxy port.
///
/// # Errors
/// [`OpenError::NoneFound`], [`OpenError::SeveralFound`].
pub fn only_proxy(ports: Vec<Port>) -> Result<Port, OpenError> {
    let mut proxies: Vec<Port> = ports
        .into_iter()
        .filter(|p| p.role == Role::Proxy)
        .collect();
    match proxies.len() {
        0 => Err(OpenError::NoneFound),
        1 => Ok(proxies.swap_remove(0)),
        _ => Err(OpenError::SeveralFound(proxies)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(path: &str, role: Role) -> Port {
        Port {
            path: path.into(),
            role,
            usb_id: "1209:316d".into(),
            interface: Some(0),
            serial: None,
            location: None,
            permitted: true,
            held_by: Vec::new(),
        }
    }

    #[test]
    fn roles() {
        assert_eq!(Role::of(0x1209, 0x316d, Some(0)), Role::Proxy);
        assert_eq!(Role::of(0x1209, 0x316d, Some(2)), Role::Secondary);
        assert_eq!(Role::of(0x1209, 0x316d, Some(1)), Role::Unknown);
        assert_eq!(Role::of(0x1209, 0x316d, None), Role::Unknown);
        assert_eq!(Role::of(0x1209, 0x316e, Some(0)), Role::Other);
        assert_eq!(interface_of_name("/dev/cu.usbmodemP_01"), Some(0));
        assert_eq!(interface_of_name("/dev/cu.usbmodemP_03"), Some(2));
        assert_eq!(interface_of_name("/dev/cu.usbserial-1"), None);
    }

    #[test]
    fn only_one_will_do() {
        let (a, b) = (port("/dev/a", Role::Proxy), port("/dev/b", Role::Proxy));
        let sec = port("/dev/s", Role::Secondary);
        assert_eq!(only_proxy(vec![sec.clone(), a.clone()]).unwrap(), a);
        assert!(matches!(only_proxy(vec![sec]), Err(OpenError::NoneFound)));
        let both = only_proxy(vec![a, b]).unwrap_err().to_string();
        assert_eq!(
            both,
            "2 m1n1 proxy ports found, name one of them with --target: /dev/a, /dev/b"
        );
    }
}
