//! Device trees and their interrupt lines as rows.

use crate::tree::{LinesReport, Listing, Value, lines_table, listing_table};

use super::grid::spaced;
use super::{Document, Grid};

impl Document for Listing {
    const ROWS: &'static [&'static str] = &["nodes"];

    fn heading(&self) -> Vec<String> {
        let (file, nodes, size) = (&self.file, self.node_count, self.size);
        vec![format!("{file}: {nodes} nodes, {size} bytes")]
    }

    /// One row for a property, a window or an interrupt; a node without any has a row of its own. `value` of a window is its
    /// address on the bus, of an interrupt its specifier.
    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "node",
                "offset",
                "part",
                "name",
                "type",
                "size",
                "value",
                "physical",
                "controller",
            ],
        );
        for node in &self.nodes {
            let offset = node.offset.to_string();
            let mut row = |part: &str, rest: [&str; 6]| {
                let [name, kind, size, value, physical, controller] = rest;
                grid.row([
                    &node.path, &offset, part, name, kind, size, value, physical, controller,
                ]);
            };
            if node.properties.is_empty() && node.reg.is_empty() && node.interrupts.is_empty() {
                row("node", ["-"; 6]);
            }
            for p in &node.properties {
                let (kind, value) = typed(&p.value);
                let size = p.size.to_string();
                row("property", [&p.name, kind, &size, &value, "-", "-"]);
            }
            for (i, r) in node.reg.iter().enumerate() {
                let name = format!("reg[{i}]");
                row("reg", [&name, "-", &r.size, &r.bus, &r.physical, "-"]);
            }
            for i in &node.interrupts {
                let name = format!("interrupts[{}]", i.specifier);
                let controller = i.controller.as_deref().unwrap_or("-");
                let cells = spaced(&i.cells);
                row("interrupt", [&name, "-", "-", &cells, "-", controller]);
            }
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn table(&self) -> String {
        listing_table(self, false)
    }
}

/// Kind of a value as in JSON, and the value.
fn typed(value: &Value) -> (&'static str, String) {
    match value {
        Value::Empty => ("empty", String::new()),
        Value::Text(text) => ("text", text.clone()),
        Value::Texts(texts) => ("texts", texts.join("; ")),
        Value::U8(n) => ("u8", n.to_string()),
        Value::U16(n) => ("u16", n.to_string()),
        Value::U32(n) => ("u32", n.to_string()),
        Value::U64(n) => ("u64", n.clone()),
        Value::U32s(all) => ("u32s", spaced(all)),
        Value::U64s(all) => ("u64s", all.join(" ")),
        Value::Bytes(hex) => ("bytes", hex.clone()),
    }
}

impl Document for LinesReport {
    const ROWS: &'static [&'static str] = &[
        "owned",
        "msi",
        "routed",
        "gaps",
        "spare",
        "suspicious",
        "asked",
    ];

    fn heading(&self) -> Vec<String> {
        let s = &self.source;
        vec![format!(
            "{}: AICv{} at {}, {} of {} lines per die, {} dies",
            s.name, s.generation, s.base, self.nr_irq, self.max_irq, self.dies
        )]
    }

    fn grids(&self) -> Vec<Grid> {
        let mut spare = Grid::new(
            "spare, the best first",
            ["die", "number", "distance", "failed"],
        );
        for s in &self.spare {
            spare.row([
                s.die.to_string(),
                s.number.to_string(),
                s.distance.to_string(),
                s.failed.join("; "),
            ]);
        }
        let mut asked = Grid::new("lines asked for", ["die", "number", "spare", "failed"]);
        for a in &self.asked {
            asked.row([
                a.die.to_string(),
                a.number.to_string(),
                a.spare.to_string(),
                a.failed.join("; "),
            ]);
        }
        let mut grids = vec![self.rows(), spare];
        grids.extend((!asked.rows.is_empty()).then_some(asked));
        grids
    }

    fn notes(&self) -> Vec<String> {
        let marks = self.marks.iter();
        marks
            .map(|m| format!("{}: {}: {}", m.kind.name(), m.about, m.text))
            .collect()
    }

    /// One row for a claim of a node, an MSI range, a line of a coprocessor, or a run that nobody owns; lines are flat over all
    /// dies.
    fn rows(&self) -> Grid {
        let mut grid = Grid::new(
            "",
            ["first", "last", "state", "owner", "specifier", "level"],
        );
        for owned in &self.owned {
            let line = owned.line.to_string();
            for o in &owned.owners {
                let level = owned.level.unwrap_or("-");
                let at = o.specifier.to_string();
                grid.row([&line, &line, "owned", &o.node, &at, level]);
            }
        }
        for msi in &self.msi {
            let last = msi.first.saturating_add(msi.count.saturating_sub(1));
            let (first, last, nodes) = (msi.first.to_string(), last.to_string(), &msi.nodes);
            grid.row([&first, &last, "msi", &nodes.join(" "), "-", "-"]);
        }
        for routed in &self.routed {
            let line = routed.line.to_string();
            let owner = format!("target {}", routed.target);
            grid.row([&line, &line, "coprocessor", &owner, "-", "-"]);
        }
        for gap in &self.gaps {
            let flat = |n: u16| (u32::from(gap.die) * self.max_irq + u32::from(n)).to_string();
            grid.row([&flat(gap.first), &flat(gap.last), "spare", "-", "-", "-"]);
        }
        grid
    }

    fn table(&self) -> String {
        lines_table(self)
    }
}
