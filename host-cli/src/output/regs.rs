//! Registers as rows.

use crate::regs::{
    DecodeResult, FieldFact, Register, RegsList, RegsShow, decoded_text, hwirq_text, list_text,
    show_text,
};

use super::grid::word;
use super::{Document, Grid};

impl Document for RegsList<'_> {
    const ROWS: &'static [&'static str] = &["registers"];

    fn heading(&self) -> Vec<String> {
        Vec::new()
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "name", "kind", "width", "access", "AICv1", "AICv2", "AICv3", "encoding", "source",
                "about",
            ],
        );
        for r in self.registers {
            let at = |generation| {
                let place = r.places.iter().find(|p| p.generation == generation);
                place.map_or("-", |p| p.offset.as_str())
            };
            let encoding = r.encoding.as_ref().map_or("-", |e| e.name.as_str());
            let width = r.width.to_string();
            grid.row([
                r.name,
                r.kind,
                &width,
                r.access,
                at("AICv1"),
                at("AICv2"),
                at("AICv3"),
                encoding,
                r.source,
                r.about,
            ]);
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn table(&self) -> String {
        list_text(self.registers)
    }
}

impl Document for RegsShow<'_> {
    const ROWS: &'static [&'static str] = &["registers"];

    fn heading(&self) -> Vec<String> {
        let say = |r: &Register| {
            let (name, width, access) = (r.name, r.width, r.access);
            format!("{name}: {width} bits, {access}; {}", r.about)
        };
        self.registers.iter().map(say).collect()
    }

    fn grids(&self) -> Vec<Grid> {
        let mut grid = Grid::new(
            "",
            [
                "register", "applies", "field", "msb", "lsb", "values", "source", "about",
            ],
        );
        for r in self.registers {
            let usual = r.fields.iter().map(|f| ("", f));
            let others = r.variants.iter();
            let others = others.flat_map(|v| v.fields.iter().map(|f| (v.applies, f)));
            for (applies, f) in usual.chain(others) {
                let (msb, lsb) = (f.msb.to_string(), f.lsb.to_string());
                let values = values(f);
                grid.row([
                    r.name, applies, f.name, &msb, &lsb, &values, f.source, f.about,
                ]);
            }
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    fn table(&self) -> String {
        show_text(self.registers)
    }
}

fn values(field: &FieldFact) -> String {
    let each = field.values.iter();
    let each: Vec<String> = each
        .map(|v| format!("{} = {}", v.value, v.meaning))
        .collect();
    each.join("; ")
}

impl Document for DecodeResult {
    const ROWS: &'static [&'static str] = &["readings"];

    fn heading(&self) -> Vec<String> {
        let say = |d: &crate::regs::Decoded| {
            let applies = d.applies.map_or_else(String::new, |a| format!(" ({a})"));
            format!("{} = {}{applies}", d.register, d.value)
        };
        self.readings.iter().map(say).collect()
    }

    fn grids(&self) -> Vec<Grid> {
        if let Some(h) = &self.hwirq {
            let mut grid = Grid::new(
                "",
                ["hwirq", "event", "die", "type", "number", "reading", "line"],
            );
            grid.row([
                h.hwirq.to_string(),
                h.event.clone(),
                h.die.to_string(),
                h.kind.to_string(),
                h.number.to_string(),
                word(&h.reading),
                h.line.clone().unwrap_or_else(|| "-".to_owned()),
            ]);
            return vec![grid];
        }
        let mut grid = Grid::new(
            "",
            [
                "register", "applies", "field", "msb", "lsb", "value", "meaning", "source",
            ],
        );
        for d in &self.readings {
            for f in &d.fields {
                grid.row([
                    d.register,
                    d.applies.unwrap_or_default(),
                    f.name,
                    &f.msb.to_string(),
                    &f.lsb.to_string(),
                    &f.value.to_string(),
                    f.meaning.unwrap_or("-"),
                    f.source,
                ]);
            }
        }
        vec![grid]
    }

    fn notes(&self) -> Vec<String> {
        let readings = self.readings.iter().flat_map(|d| d.notes.iter());
        let hwirq = self.hwirq.iter().flat_map(|h| h.notes.iter());
        readings.chain(hwirq).cloned().collect()
    }

    fn table(&self) -> String {
        match &self.hwirq {
            Some(hwirq) => hwirq_text(hwirq),
            None => decoded_text(&self.readings),
        }
    }
}
