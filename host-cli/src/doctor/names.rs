//! Names of ports that other systems have, and that mean something else than one thinks.

use super::Wanted;
use super::host::{Host, System};
use super::report::Check;

const ID: &str = "names";

/// Looks at the name asked for.
pub fn check(host: &Host, wanted: &Wanted) -> Check {
    let name = match wanted {
        Wanted::Port(name) => name.as_str(),
        _ => "",
    };
    let com = name.to_ascii_uppercase().starts_with("COM");
    match host.system {
        System::MacOs => mac(name, com),
        System::Windows => windows(name, com),
        System::Linux | System::Other if com => Check::problem(
            ID,
            format!("{name} is a name of Windows"),
            &["aicprobe list shows the ports of this computer"],
        ),
        System::Linux | System::Other if name.contains("/cu.") || name.contains("/tty.") => {
            Check::problem(
                ID,
                format!("{name} is a name of macOS"),
                &["aicprobe list shows the ports of this computer"],
            )
        }
        System::Linux | System::Other => Check::ok(ID, "names of ports are those of this system"),
    }
}

fn mac(name: &str, com: bool) -> Check {
    if com {
        let seen = format!("{name} is a name of Windows");
        return Check::problem(
            ID,
            seen,
            &["aicprobe list shows the ports of this computer"],
        );
    }
    if let Some(rest) = name.strip_prefix("/dev/tty.") {
        let instead = format!("--target /dev/cu.{rest}");
        return Check::problem(
            ID,
            format!("opening {name} waits for a carrier that never comes"),
            &[&instead],
        );
    }
    Check::ok(
        ID,
        "use /dev/cu.…, never /dev/tty.…; the proxy's name ends in 01, the second port's in 03",
    )
}

fn windows(name: &str, com: bool) -> Check {
    if name.is_empty() || com || name.starts_with(r"\\.\") {
        return Check::ok(
            ID,
            "ports are COM1, COM2, …; both of m1n1 look alike, `aicprobe list` tells which is the proxy",
        );
    }
    Check::problem(
        ID,
        format!("{name} is no name of a port on Windows"),
        &["allowed are names like COM3: aicprobe list shows them"],
    )
}
