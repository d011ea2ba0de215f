//! The form for Rust: the table of the crate `aic-regs`.

use std::fmt::Write as _;

use crate::socs::{Class, Soc, State};

use super::{evidence_line, left_out, made_by, usable, wrapped};

/// The table, as a module beside types of the crate.
#[must_use]
pub fn rust(socs: &[&Soc]) -> String {
    let (usable, model) = usable(socs);
    let mut out = String::from("// SPDX-License-Identifier: MIT OR Apache-2.0\n");
    comment(&mut out, "//!", &made_by("Routing of each SoC"));
    if !model.is_empty() {
        comment(&mut out, "//!", &left_out(&model));
    }
    out.push_str("\nuse super::{Class, FieldValue, RoutedCpu, SocRouting, Standing};\n");
    out.push_str("\n/// Routing of each SoC, by chip id.\npub const ROUTING: &[SocRouting] = &[\n");
    for soc in usable {
        entry(&mut out, soc);
    }
    out.push_str("];\n");
    out
}

fn entry(out: &mut String, soc: &Soc) {
    let about = format!("{} ({}). {}: {}", soc.soc, soc.name, soc.state, soc.source);
    comment(out, "    //", &about);
    let listed = if soc.allow_list.listed {
        "listed"
    } else {
        "not listed"
    };
    let why = format!("Allow-list: {listed}: {}", soc.allow_list.why);
    comment(out, "    //", &why);
    for evidence in &soc.evidence {
        comment(out, "    //", &evidence_line(evidence));
    }
    let _ = write!(
        out,
        "    SocRouting {{
        soc: {:?},
        chip_id: {:#x},
        compatible: {:?},
        generation: {},
        standing: {},
        listed: {},
        online_refresh: {},
        values: [
",
        soc.soc,
        soc.chip_id,
        soc.aic.compatible,
        soc.aic.generation,
        standing(soc.state),
        soc.allow_list.listed,
        soc.online_refresh,
    );
    for meaning in soc.values.by_value() {
        let source = format!("{}: {}", meaning.state, meaning.source);
        comment(out, "            //", &source);
        let _ = writeln!(
            out,
            "            FieldValue {{ class: {}, standing: {} }},",
            class(meaning.class),
            standing(meaning.state)
        );
    }
    out.push_str("        ],\n        cpus: &[\n");
    let mut said = "";
    for cpu in &soc.cpu {
        // Said once where it is the same for CPU after CPU.
        if cpu.source != said {
            let source = format!("{}: {}", cpu.state, cpu.source);
            comment(out, "            //", &source);
            said = &cpu.source;
        }
        let _ = writeln!(
            out,
            "            RoutedCpu {{ mpidr: {:#x}, field: {}, standing: {} }},",
            cpu.mpidr.0,
            cpu.field,
            standing(cpu.state)
        );
    }
    out.push_str("        ],\n    },\n");
}

fn comment(out: &mut String, mark: &str, text: &str) {
    for line in wrapped(text, 120 - mark.len()) {
        let _ = writeln!(out, "{mark} {line}");
    }
}

/// What only a model says is left out before.
const fn standing(state: State) -> &'static str {
    match state {
        State::Silicon => "Standing::Silicon",
        State::ThirdParty => "Standing::ThirdParty",
        State::Inference | State::ModelOnly => "Standing::Inference",
    }
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Preferred => "Class::Preferred",
        Class::Normal => "Class::Normal",
        Class::Fallback => "Class::Fallback",
        Class::Never => "Class::Never",
    }
}
