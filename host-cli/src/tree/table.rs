//! A listing as text.

use std::fmt::Write as _;

use super::listing::{InterruptInfo, Listing, NodeInfo, PropertyInfo, RegInfo};
use super::value::Value;

/// Numbers, texts and bytes of a value shown when nothing less than a whole node is asked for.
const SHORT: usize = 16;
/// Bytes in a line of a dump.
const DUMP: usize = 16;
/// Where values begin.
const COLUMN: usize = 34;

/// The listing for people; `full` shows values to their end.
#[must_use]
pub fn listing_table(listing: &Listing, full: bool) -> String {
    let mut out = format!(
        "{}: {} nodes, {} bytes",
        listing.file, listing.node_count, listing.size
    );
    if listing.before > 0 {
        let _ = write!(out, ", after {} zero bytes", listing.before);
    }
    match (listing.after, listing.padded) {
        (0, _) => {}
        (n, true) => drop(write!(out, ", {n} zero bytes behind")),
        (n, false) => drop(write!(out, ", {n} bytes of something else behind")),
    }
    out.push('\n');
    for node in &listing.nodes {
        to_text(&mut out, node, full);
    }
    out
}

fn to_text(out: &mut String, node: &NodeInfo, full: bool) {
    let _ = writeln!(out, "\n{}", node.path);
    for p in &node.properties {
        property(out, p, full);
    }
    for (i, r) in node.reg.iter().enumerate() {
        reg(out, i, r);
    }
    for i in &node.interrupts {
        interrupt(out, i);
    }
}

fn reg(out: &mut String, index: usize, reg: &RegInfo) {
    let note = match reg.translated {
        true => "",
        false => "  (no ranges up to the root hold it)",
    };
    let _ = writeln!(
        out,
        "  reg[{index}]  bus {}  physical {}  size {}{note}",
        reg.bus, reg.physical, reg.size
    );
}

fn interrupt(out: &mut String, interrupt: &InterruptInfo) {
    let cells: Vec<String> = interrupt.cells.iter().map(|c| number(*c)).collect();
    let _ = write!(
        out,
        "  interrupts[{}]  {}  of ",
        interrupt.specifier,
        cells.join(" ")
    );
    let _ = match (&interrupt.controller, interrupt.phandle) {
        (Some(path), _) => write!(out, "{path}"),
        (None, Some(phandle)) => write!(out, "phandle {phandle:#x}, which no node has"),
        (None, None) => write!(out, "nobody: no interrupt-parent up to the root"),
    };
    if interrupt.inherited && interrupt.phandle.is_some() {
        out.push_str("  (inherited)");
    } else if interrupt.parent_index > 0 {
        let _ = write!(out, "  (interrupt-parent[{}])", interrupt.parent_index);
    }
    out.push('\n');
}

fn property(out: &mut String, p: &PropertyInfo, full: bool) {
    let mark = if p.placeholder {
        "  (placeholder for the boot loader)"
    } else {
        ""
    };
    let most = if full { usize::MAX } else { SHORT };
    let width = COLUMN - 2;
    if let Value::Bytes(hex) = &p.value {
        let _ = writeln!(out, "  {:<width$}{} bytes{mark}", p.name, p.size);
        dump(out, hex, if full { usize::MAX } else { 4 * DUMP });
        return;
    }
    let _ = writeln!(out, "  {:<width$}{}{mark}", p.name, short(&p.value, most));
}

/// Decimal, and hexadecimal where that says more.
fn number(n: u32) -> String {
    match n {
        0..=4095 => n.to_string(),
        _ => format!("{n:#x}"),
    }
}

fn short(value: &Value, most: usize) -> String {
    match value {
        Value::Empty => "-".to_owned(),
        Value::Text(text) => text_of(text, most),
        Value::Texts(texts) => {
            let texts = texts.iter().map(|text| text_of(text, most));
            list(texts, texts_len(value), most, ", ")
        }
        Value::U8(n) => number((*n).into()),
        Value::U16(n) => number((*n).into()),
        Value::U32(n) => match *n {
            0..=9 => n.to_string(),
            _ => format!("{n} ({n:#x})"),
        },
        Value::U64(text) => text.clone(),
        Value::U32s(all) => list(all.iter().map(|n| number(*n)), all.len(), most, " "),
        Value::U64s(all) => list(all.iter().cloned(), all.len(), most, " "),
        Value::Bytes(hex) => hex.clone(),
    }
}

fn texts_len(value: &Value) -> usize {
    match value {
        Value::Texts(all) => all.len(),
        _ => 1,
    }
}

/// A text in quotes; long ones only as far as a line goes.
fn text_of(text: &str, most: usize) -> String {
    let shown = text
        .chars()
        .take(most.saturating_mul(8))
        .collect::<String>();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{:?}{more}", shown)
}

fn list(items: impl Iterator<Item = String>, len: usize, most: usize, between: &str) -> String {
    let mut text = items.take(most).collect::<Vec<_>>().join(between);
    if len > most {
        let _ = write!(text, " … ({} more)", len - most);
    }
    text
}

/// Bytes in lines of [`DUMP`].
fn dump(out: &mut String, hex: &str, most: usize) {
    let bytes = hex.len() / 2;
    for at in (0..bytes.min(most)).step_by(DUMP) {
        let _ = write!(out, "    {at:06x} ");
        for i in at..bytes.min(most).min(at + DUMP) {
            let _ = write!(out, " {}", hex.get(2 * i..2 * i + 2).unwrap_or_default());
        }
        out.push('\n');
    }
    if bytes > most {
        let _ = writeln!(out, "    … ({} bytes more)", bytes - most);
    }
}
