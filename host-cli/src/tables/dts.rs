//! The form for device trees: a fragment that belongs to one SoC.

use std::fmt::Write as _;

use crate::socs::{Soc, State};

use super::{evidence_line, left_out, made_by, wrapped};

/// The fragment. Its properties are this project's own, and no kernel knows them.
#[must_use]
pub fn dts(soc: &Soc) -> String {
    let mut out = String::from("// SPDX-License-Identifier: MIT OR Apache-2.0\n");
    let what = format!(
        "Which CPU of {} ({}) takes an interrupt of the controller",
        soc.soc, soc.name
    );
    comment(&mut out, "", &made_by(&what));
    comment(
        &mut out,
        "",
        "Properties with the prefix aicprobe are this project's own: no kernel reads them. The tree that includes this has \
         the controller under the label aic.",
    );
    if soc.state == State::ModelOnly {
        comment(&mut out, "", &left_out(&[&soc.soc]));
        return out;
    }
    out.push_str("\n&aic {\n");
    comment(&mut out, "\t", &format!("{}: {}", soc.state, soc.source));
    for evidence in &soc.evidence {
        comment(&mut out, "\t", &evidence_line(evidence));
    }
    let _ = writeln!(out, "\taicprobe,state = \"{}\";", soc.state);
    comment(
        &mut out,
        "\t",
        &format!("Allow-list: {}", soc.allow_list.why),
    );
    if soc.allow_list.listed {
        out.push_str("\taicprobe,listed;\n");
    }
    if soc.online_refresh {
        comment(
            &mut out,
            "\t",
            "Several CPUs accept: effective affinities have to be read again when one comes online.",
        );
        out.push_str("\taicprobe,online-refresh;\n");
    }
    comment(
        &mut out,
        "\t",
        "CPUs that accept as a kernel finds them: affinity as in reg of their nodes, two cells each.",
    );
    let accepting = soc
        .accepting
        .iter()
        .filter_map(|id| soc.cpu.get(usize::from(*id)));
    let cells = accepting.map(|cpu| format!("<0x0 {:#x}>", cpu.mpidr.0 & 0xff_ffff));
    let cells: Vec<String> = cells.collect();
    list(&mut out, "aicprobe,accepting", &cells);
    let values = soc.values.by_value();
    for (value, meaning) in values.iter().enumerate() {
        let text = format!("{value}: {}: {}", meaning.state, meaning.source);
        comment(&mut out, "\t", &text);
    }
    let quoted = |text: &str| format!("\"{text}\"");
    let classes = values.map(|v| quoted(v.class.name()));
    list(&mut out, "aicprobe,field-classes", &classes);
    let states = values.map(|v| quoted(v.state.name()));
    list(&mut out, "aicprobe,field-states", &states);
    out.push_str("};\n");
    out
}

/// A property with several values, four on a line.
fn list(out: &mut String, name: &str, values: &[String]) {
    let lines: Vec<String> = values.chunks(4).map(|line| line.join(", ")).collect();
    let _ = writeln!(out, "\t{name} = {};", lines.join(",\n\t\t"));
}

fn comment(out: &mut String, indent: &str, text: &str) {
    // A backslash at the end of a line would take the next line into the comment.
    for line in wrapped(&text.replace('\\', "/"), 100) {
        let _ = writeln!(out, "{indent}// {line}");
    }
}
