//! `aicprobe list`.

use clap::Args;
use comfy_table::{Table, presets};
use serde::Serialize;

use crate::error::{Error, exit};
use crate::link::{Port, ports, udev_rules};
use crate::output::to_json;

use super::args::Format;
use super::write::Sink;

/// The list as JSON.
#[derive(Serialize)]
struct List<'p> {
    schema: &'static str,
    ports: &'p [Port],
}

/// Lists USB serial ports by their USB ids and interface numbers. The proxy port of m1n1 is the one for --target.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Form of the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print rules for udev instead: stable names, access without root, ModemManager kept away.
    #[arg(long)]
    pub udev_rules: bool,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if the list cannot be written.
pub fn run(args: &ListArgs) -> Result<u8, Error> {
    let text = if args.udev_rules {
        udev_rules()
    } else {
        let ports = ports();
        match args.format {
            Format::Json => to_json(&List {
                schema: "aicprobe.list/1",
                ports: &ports,
            })?,
            Format::Table => to_text(&ports),
        }
    };
    Sink::Stdout.write(&text)?;
    Ok(exit::OK)
}

fn to_text(ports: &[Port]) -> String {
    if ports.is_empty() {
        return "no USB serial ports\n".to_owned();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["port", "what", "USB id", "if", "serial", "at", "use"]);
    for p in ports {
        let usable = if let Some(holder) = p.held_by.first() {
            format!("in use by {holder}")
        } else if p.permitted {
            "free".to_owned()
        } else {
            "no permission".to_owned()
        };
        let text = |t: &Option<String>| t.clone().unwrap_or_else(|| "-".to_owned());
        table.add_row([
            p.path.display().to_string(),
            p.role.name().to_owned(),
            p.usb_id.clone(),
            p.interface
                .map_or_else(|| "-".to_owned(), |i| format!("{i:02}")),
            text(&p.serial),
            text(&p.location),
            usable,
        ]);
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Holder, Role};

    #[test]
    fn a_row_says_what_stands_in_the_way() {
        let port = Port {
            path: "/dev/ttyACM0".into(),
            role: Role::Proxy,
            usb_id: "1209:316d".into(),
            interface: Some(0),
            serial: Some("P-0".into()),
            location: Some("1-4".into()),
            permitted: true,
            held_by: Vec::new(),
        };
        let text = to_text(std::slice::from_ref(&port));
        for part in ["/dev/ttyACM0", "m1n1 proxy", "1209:316d", "00", "free"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let name = "picocom".to_owned();
        let held = Port {
            held_by: vec![Holder { pid: 7, name }],
            ..port.clone()
        };
        let closed = Port {
            permitted: false,
            ..port
        };
        let text = to_text(&[held, closed]);
        assert!(text.contains("in use by picocom (pid 7)") && text.contains("no permission"));
        assert_eq!(to_text(&[]), "no USB serial ports\n");
    }
}
