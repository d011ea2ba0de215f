//! Rules for udev: stable names, access without root, and ModemManager kept away.

use super::discover::{PRODUCT, PROXY_INTERFACE, SECOND_INTERFACE, VENDOR};

/// Name of the file of rules. Below 73, after which `uaccess` would come too late.
pub const RULES_FILE: &str = "70-aicprobe.rules";

/// Who may open the ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Whoever sits at the machine.
    #[default]
    Seat,
    /// The members of a group.
    Group(String),
}

/// The rules, a line for each port of the loader.
#[must_use]
pub fn udev_rules(access: &Access) -> String {
    let access = match access {
        Access::Seat => "TAG+=\"uaccess\"".to_owned(),
        Access::Group(group) => format!("MODE=\"0660\", GROUP=\"{group}\""),
    };
    let rule = |interface: u8, link: &str| {
        format!(
            "SUBSYSTEM==\"tty\", ATTRS{{idVendor}}==\"{VENDOR:04x}\", ATTRS{{idProduct}}==\"{PRODUCT:04x}\", \
             ENV{{ID_USB_INTERFACE_NUM}}==\"{interface:02}\", SYMLINK+=\"{link}\", {access}, \
             ENV{{ID_MM_DEVICE_IGNORE}}=\"1\", ENV{{ID_MM_PORT_IGNORE}}=\"1\"\n"
        )
    };
    format!(
        "# m1n1's proxy port and its second port: stable names, access, and ModemManager kept away.\n{}{}",
        rule(PROXY_INTERFACE, "m1n1"),
        rule(SECOND_INTERFACE, "m1n1-sec")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_both_ports() {
        let rules = udev_rules(&Access::Seat);
        for part in [
            "\"1209\"",
            "\"316d\"",
            "==\"00\", SYMLINK+=\"m1n1\", TAG+=\"uaccess\"",
            "==\"02\", SYMLINK+=\"m1n1-sec\"",
            "ENV{ID_MM_DEVICE_IGNORE}=\"1\"",
        ] {
            assert!(rules.contains(part), "{part}: {rules}");
        }
        let rules = udev_rules(&Access::Group("uucp".to_owned()));
        assert!(rules.contains("MODE=\"0660\", GROUP=\"uucp\""), "{rules}");
        assert!(!rules.contains("uaccess"), "{rules}");
    }
}
