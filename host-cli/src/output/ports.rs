//! Serial ports for people, and as rows.

use comfy_table::{Table, presets};

use crate::link::{Port, PortList};

use super::grid::word;
use super::{Document, Grid};

impl Document for PortList {
    const ROWS: &'static [&'static str] = &["ports"];

    fn heading(&self) -> Vec<String> {
        Vec::new()
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "path",
                "role",
                "usb_id",
                "interface",
                "serial",
                "location",
                "permitted",
                "held_by",
            ],
        );
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        for p in &self.ports {
            let held: Vec<String> = p.held_by.iter().map(ToString::to_string).collect();
            grid.row([
                p.path.display().to_string(),
                word(&p.role),
                p.usb_id.clone(),
                or_dash(&p.interface.map(|i| i.to_string())),
                or_dash(&p.serial),
                or_dash(&p.location),
                p.permitted.to_string(),
                held.join("; "),
            ]);
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn table(&self) -> String {
        to_text(&self.ports)
    }
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
