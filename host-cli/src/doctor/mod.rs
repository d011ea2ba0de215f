//! What stands between this computer and a target, and what to do about each.
//!
//! Looks only: no port is opened (that alone can disturb what is at the far end), nothing is changed. Everything is read below
//! one root, so that made-up trees stand for other computers.

mod firmware;
mod group;
mod host;
mod machine;
mod names;
mod ports;
mod report;
mod rule;
mod usb;

#[cfg(test)]
mod tests;

pub use host::{Host, Node, System, User};
pub use report::{Check, DoctorReport, State};

/// What the checks are for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Any target that may be there.
    Anything,
    /// The only m1n1 on USB.
    Usb,
    /// A port of this name.
    Port(String),
    /// A virtual SoC: nothing outside this program is needed.
    Virtual(String),
}

/// Looks at everything that matters for `wanted`.
#[must_use]
pub fn examine(host: &Host, wanted: &Wanted) -> Vec<Check> {
    let mut checks = vec![firmware::image(), firmware::toolchain()];
    if let Wanted::Virtual(name) = wanted {
        let why = format!("{name} needs no device");
        let rest = [
            "machine",
            "usb-device",
            "port",
            "permission",
            "busy",
            "udev-rule",
            "modem-manager",
            "names",
        ];
        checks.extend(rest.map(|id| Check::not_applicable(id, why.clone())));
        return checks;
    }
    checks.push(machine::check(host));
    let device = usb::check(host, wanted);
    checks.push(device);
    let found = ports::find(host, wanted);
    checks.push(ports::present(host, wanted, &found));
    checks.push(ports::permission(host, &found));
    checks.push(ports::busy(host, &found));
    let rule = rule::find(host);
    checks.push(rule::check(host, &rule));
    checks.push(rule::modem_manager(host, &rule, &found));
    checks.push(names::check(host, wanted));
    checks
}
