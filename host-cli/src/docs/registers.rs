//! The page of registers.

use std::fmt::Write as _;

use crate::output::escape;
use crate::regs::{FieldFact, Register, registers as all};

use super::markdown::table;

/// Every register with its places, fields, values and sources.
#[must_use]
pub fn registers() -> String {
    let all = all();
    let (system, mmio): (Vec<_>, Vec<_>) = all.iter().partition(|r| r.is_system());
    let mut out = "# Registers\n\nMade by `aicprobe docs` from the tables of `aic-regs`; do not edit. `aicprobe regs show NAME` shows \
        the same, `aicprobe regs decode` takes values apart.\n\n\
        Everything carries the source that says so: architecture (Arm's own), silicon (measured on a machine and published), third \
        party (a driver, notes, or a single claim), inference, model (made up so that the virtual SoC runs).\n\n"
        .to_owned();
    let _ = writeln!(
        out,
        "## Memory-mapped registers of the AIC ({})\n",
        mmio.len()
    );
    for register in mmio {
        one(&mut out, register);
    }
    let _ = writeln!(out, "## System registers ({})\n", system.len());
    for register in system {
        one(&mut out, register);
    }
    out.trim_end().to_owned() + "\n"
}

fn one(out: &mut String, r: &Register) {
    let _ = writeln!(out, "### {}\n", escape(r.name));
    let _ = writeln!(out, "{}\n", escape(r.about));
    let effect = r
        .writing_one
        .map_or_else(String::new, |what| format!(", writing 1 {what}"));
    let aliases = if r.aliases.is_empty() {
        String::new()
    } else {
        format!("; also called {}", r.aliases.join(", "))
    };
    let text = format!(
        "{} bits, {}{effect}; source: {}{aliases}",
        r.width, r.access, r.source
    );
    let _ = writeln!(out, "{}\n", escape(&text));
    if let Some(e) = &r.encoding {
        let word = |word: &Option<String>| word.clone().unwrap_or_else(|| "-".to_owned());
        let row = [
            e.name.clone(),
            e.op0.to_string(),
            e.op1.to_string(),
            e.crn.to_string(),
            e.crm.to_string(),
            e.op2.to_string(),
            word(&e.mrs_x0),
            word(&e.msr_x0),
        ];
        let columns = [
            "encoding", "op0", "op1", "CRn", "CRm", "op2", "mrs x0", "msr x0",
        ];
        table(out, columns, &[row]);
    }
    let places: Vec<_> = r
        .places
        .iter()
        .map(|p| {
            let once = |n: u32| {
                if n == 0 {
                    "-".to_owned()
                } else {
                    format!("{n:#x}")
                }
            };
            [
                p.generation.to_owned(),
                p.soc.to_owned(),
                p.offset.clone(),
                p.count.to_string(),
                if p.count > 1 {
                    once(p.stride)
                } else {
                    "-".to_owned()
                },
                once(p.die_stride),
                if p.in_window { "yes" } else { "no" }.to_owned(),
            ]
        })
        .collect();
    if !places.is_empty() {
        let columns = [
            "generation",
            "as on",
            "offset",
            "words",
            "stride",
            "die stride",
            "in window",
        ];
        table(out, columns, &places);
    }
    fields(out, &r.fields);
    for variant in &r.variants {
        let _ = writeln!(out, "{}:\n", escape(variant.applies));
        fields(out, &variant.fields);
    }
}

fn fields(out: &mut String, fields: &[FieldFact]) {
    let rows: Vec<_> = fields
        .iter()
        .map(|f| {
            let values = f.values.iter();
            let values: Vec<String> = values
                .map(|v| format!("{:#x} = {} ({})", v.value, v.meaning, v.source))
                .collect();
            [
                f.bits(),
                f.name.to_owned(),
                f.about.to_owned(),
                values.join("; "),
                f.source.to_owned(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        table(out, ["bits", "field", "what", "values", "source"], &rows);
    }
}
