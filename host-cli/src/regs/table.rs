//! Registers as text for people.

use std::fmt::Write as _;

use comfy_table::{Table, presets};

use super::decode::Decoded;
use super::hwirq::Hwirq;
use super::model::{FieldFact, Place, Register};

/// Where the offsets come from.
const LAYOUT: &str = "offsets from the controller's base: AICv1 as on T8103, AICv2 as on T6020, AICv3 as on T8140; a device tree may \
                      move those of AICv2 and AICv3";

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table
}

/// A table's lines, indented, without the spaces at their ends and without those that stand before every line.
fn lines(table: &Table, indent: &str) -> String {
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    let spaces = |line: &String| line.len() - line.trim_start().len();
    let margin = lines.iter().map(spaces).min().unwrap_or(0);
    let lines = lines
        .iter()
        .map(|line| format!("{indent}{}\n", &line[margin..]));
    lines.collect()
}

/// `regs list`.
#[must_use]
pub fn list_text(registers: &[Register]) -> String {
    let mut out = String::new();
    let (system, mmio): (Vec<_>, Vec<_>) = registers.iter().partition(|r| r.is_system());
    if !mmio.is_empty() {
        let mut rows = table([
            "register", "AICv1", "AICv2", "AICv3", "words", "access", "source", "about",
        ]);
        for r in mmio {
            let at = |generation: &str| {
                let place = r.places.iter().find(|p| p.generation == generation);
                place.map_or("-".to_owned(), |p| p.offset.clone())
            };
            let words: Vec<_> = r.places.iter().map(|p| p.count).collect();
            let (least, most) = (words.iter().min(), words.iter().max());
            let words = match (least, most) {
                (Some(least), Some(most)) if least != most => format!("{least}, {most}"),
                (Some(n), _) => n.to_string(),
                (None, _) => "-".to_owned(),
            };
            let (v1, v2, v3) = (at("AICv1"), at("AICv2"), at("AICv3"));
            rows.add_row([r.name, &v1, &v2, &v3, &words, r.access, r.source, r.about]);
        }
        let _ = writeln!(out, "{}{LAYOUT}", lines(&rows, ""));
    }
    if !system.is_empty() {
        let mut rows = table(["register", "encoding", "access", "source", "about"]);
        for r in system {
            let encoding = r.encoding.as_ref().map_or("", |e| &e.name);
            rows.add_row([r.name, encoding, r.access, r.source, r.about]);
        }
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = write!(out, "{gap}{}", lines(&rows, ""));
    }
    out
}

/// `regs show`.
#[must_use]
pub fn show_text(registers: &[Register]) -> String {
    let each = registers.iter().map(one_text);
    each.collect::<Vec<_>>().join("\n")
}

fn one_text(r: &Register) -> String {
    let kind = if r.is_system() {
        "system register"
    } else {
        "memory-mapped"
    };
    let mut out = format!(
        "{}: {kind}, {} bits, {}; source: {}\n  {}\n",
        r.name, r.width, r.access, r.source, r.about
    );
    if !r.aliases.is_empty() {
        let _ = writeln!(out, "  also called {}", r.aliases.join(", "));
    }
    if let Some(effect) = r.writing_one {
        let _ = writeln!(out, "  writing 1 to a bit {effect} it, 0 does nothing");
    }
    for p in &r.places {
        let _ = writeln!(out, "  {}", place_text(p));
    }
    if let Some(e) = &r.encoding {
        let _ = write!(out, "  {}", e.name);
        if let Some(word) = &e.mrs_x0 {
            let _ = write!(out, "; mrs x0 is {word}");
        }
        if let Some(word) = &e.msr_x0 {
            let _ = write!(out, "; msr from x0 is {word}");
        }
        out.push('\n');
    }
    out += &fields_text(
        &r.fields,
        if r.width == 64 {
            "no field is published"
        } else {
            "one bit per line, or no published field"
        },
    );
    for v in &r.variants {
        let _ = writeln!(out, "  {}:", v.applies);
        out += &fields_text(&v.fields, "");
    }
    out
}

fn place_text(p: &Place) -> String {
    let mut text = format!("{} at {}", p.generation, p.offset);
    if p.count > 1 {
        let _ = write!(text, ", {} words {:#x} bytes apart", p.count, p.stride);
    }
    if p.die_stride != 0 {
        let _ = write!(text, ", the next die's {:#x} bytes further", p.die_stride);
    }
    if !p.in_window {
        text += ", outside the controller's window";
    }
    text
}

fn fields_text(fields: &[FieldFact], none: &str) -> String {
    if fields.is_empty() {
        return if none.is_empty() {
            String::new()
        } else {
            format!("  {none}\n")
        };
    }
    let mut rows = table(["field", "bits", "source", "about"]);
    for f in fields {
        rows.add_row([f.name, &f.bits(), f.source, f.about]);
        for v in &f.values {
            let source = if v.source == f.source { "" } else { v.source };
            rows.add_row(["", &format!("= {:#x}", v.value), source, v.meaning]);
        }
    }
    lines(&rows, "  ")
}

/// `regs decode NAME VALUE`.
#[must_use]
pub fn decoded_text(readings: &[Decoded]) -> String {
    let each = readings.iter().map(|d| {
        let digits = usize::from(d.width) / 4;
        let value = d.value.strip_prefix("0x").unwrap_or(&d.value);
        let applies = d.applies.map_or_else(String::new, |a| format!(" ({a})"));
        let mut out = format!("{}{applies} = 0x{value:0>digits$}\n", d.register);
        let mut rows = table(["field", "bits", "value", "meaning", "source"]);
        for f in &d.fields {
            let bits = if f.msb == f.lsb {
                f.lsb.to_string()
            } else {
                format!("{}:{}", f.msb, f.lsb)
            };
            let value = if f.value < 10 {
                f.value.to_string()
            } else {
                format!("{:#x} = {}", f.value, f.value)
            };
            rows.add_row([f.name, &bits, &value, f.meaning.unwrap_or("-"), f.source]);
        }
        if d.fields.is_empty() {
            out += "  no field is published\n";
        } else {
            out += &lines(&rows, "  ");
            if d.unknown_bits != "0x0" {
                let _ = writeln!(out, "  bits of no known field: {}", d.unknown_bits);
            }
        }
        for note in &d.notes {
            let _ = writeln!(out, "  {note}");
        }
        out
    });
    each.collect::<Vec<_>>().join("\n")
}

/// `regs decode hwirq N`.
#[must_use]
pub fn hwirq_text(h: &Hwirq) -> String {
    let mut out = format!(
        "hwirq {} = {}: die {}, type {}, number {}\n",
        h.hwirq, h.event, h.die, h.kind, h.number
    );
    for note in &h.notes {
        let _ = writeln!(out, "  {note}");
    }
    out
}
