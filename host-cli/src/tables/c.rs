//! The form for C: an array of what a driver of the controller needs to know.

use std::fmt::Write as _;

use crate::socs::{Class, Soc, State};

use super::{acceptor, evidence_line, left_out, machine, made_by, usable, wrapped};

/// Types of the table.
const TYPES: &str = "\
#ifndef AICPROBE_ROUTING_H
#define AICPROBE_ROUTING_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

/* Who says so, the weakest first. */
enum aicprobe_standing {
\tAICPROBE_INFERENCE,
\tAICPROBE_THIRD_PARTY,
\tAICPROBE_SILICON,
};

/* In which class a CPU takes interrupts; a class is asked where none above it takes one. */
enum aicprobe_class {
\tAICPROBE_NEVER,
\tAICPROBE_FALLBACK,
\tAICPROBE_NORMAL,
\tAICPROBE_PREFERRED,
};

/* Meaning of a value of SIQ_CFG bits [1:0]. */
struct aicprobe_value {
\tenum aicprobe_class class_of;
\tenum aicprobe_standing standing;
};

struct aicprobe_cpu {
\tuint64_t mpidr;
\t/* SIQ_CFG bits [1:0] as a kernel finds them. */
\tuint8_t field;
\tenum aicprobe_standing standing;
};

struct aicprobe_routing {
\tconst char *soc;
\t/* Names in Linux device trees. SoCs may share a controller's name: match the machine or the chip id too. */
\tconst char *compatible;
\tconst char *machine;
\tuint32_t chip_id;
\tuint8_t aic_generation;
\t/* Not better than the weakest part of the entry. */
\tenum aicprobe_standing standing;
\t/* On the allow-list. Do not rely on an entry that is not. */
\tbool listed;
\t/* Several CPUs accept: read effective affinities again when one comes online. */
\tbool online_refresh;
\t/* Index in cpus of the CPU that takes every interrupt; -1 = several accept. */
\tint default_acceptor;
\tstruct aicprobe_value values[4];
\t/* The boot CPU first, then in device-tree order. A machine may lack some. */
\tconst struct aicprobe_cpu *cpus;
\tsize_t nr_cpus;
};
";

/// The table.
#[must_use]
pub fn c(socs: &[&Soc]) -> String {
    let (usable, model) = usable(socs);
    let mut out = String::from("/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n");
    let mut about = vec![made_by(
        "Which CPU takes an interrupt of Apple's interrupt controller",
    )];
    if !model.is_empty() {
        about.push(left_out(&model));
    }
    comment(&mut out, "", &about);
    out.push_str(TYPES);
    for soc in &usable {
        cpus(&mut out, soc);
    }
    out.push_str(
        "\n__attribute__((unused))\nstatic const struct aicprobe_routing aicprobe_routing[] = {\n",
    );
    for soc in &usable {
        entry(&mut out, soc);
    }
    // An array needs an element, and whoever walks it an end.
    out.push_str("\t{ .soc = NULL },\n};\n\n#endif\n");
    out
}

fn name_of_cpus(soc: &Soc) -> String {
    format!("aicprobe_cpus_{}", soc.soc.to_lowercase())
}

fn cpus(out: &mut String, soc: &Soc) {
    let name = name_of_cpus(soc);
    let _ = writeln!(
        out,
        "\n__attribute__((unused))\nstatic const struct aicprobe_cpu {name}[] = {{"
    );
    let mut said = "";
    for (id, cpu) in soc.cpu.iter().enumerate() {
        // Said once where it is the same for CPU after CPU.
        if cpu.source != said {
            comment(out, "\t", &[format!("{}: {}", cpu.state, cpu.source)]);
            said = &cpu.source;
        }
        let _ = writeln!(
            out,
            "\t{{ .mpidr = {:#x}, .field = {}, .standing = {} }}, /* {id}: {} core{} */",
            cpu.mpidr.0,
            cpu.field,
            standing(cpu.state),
            cpu.core.letter(),
            if cpu.boot { ", boot CPU" } else { "" },
        );
    }
    out.push_str("};\n");
}

fn entry(out: &mut String, soc: &Soc) {
    let mut about = vec![
        format!("{} ({}). {}: {}", soc.soc, soc.name, soc.state, soc.source),
        format!("Controller: {}: {}", soc.aic.state, soc.aic.source),
        format!(
            "Allow-list: {}: {}",
            if soc.allow_list.listed {
                "listed"
            } else {
                "not listed"
            },
            soc.allow_list.why
        ),
    ];
    about.extend(soc.evidence.iter().map(evidence_line));
    comment(out, "\t", &about);
    out.push_str("\t{\n");
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "\t\t.{name} = {value},");
    };
    line("soc", format!("\"{}\"", soc.soc));
    line("compatible", format!("\"{}\"", soc.aic.compatible));
    line("machine", format!("\"{}\"", machine(soc)));
    line("chip_id", format!("{:#x}", soc.chip_id));
    line("aic_generation", soc.aic.generation.to_string());
    line("standing", standing(soc.state).to_owned());
    line("listed", soc.allow_list.listed.to_string());
    line("online_refresh", soc.online_refresh.to_string());
    let acceptor = acceptor(soc).map_or(-1, |a| i32::from(a.id));
    line("default_acceptor", acceptor.to_string());
    out.push_str("\t\t.values = {\n");
    for (value, meaning) in soc.values.by_value().into_iter().enumerate() {
        comment(
            out,
            "\t\t\t",
            &[format!("{}: {}", meaning.state, meaning.source)],
        );
        let _ = writeln!(
            out,
            "\t\t\t[{value}] = {{ .class_of = {}, .standing = {} }},",
            class(meaning.class),
            standing(meaning.state)
        );
    }
    let name = name_of_cpus(soc);
    let _ = writeln!(
        out,
        "\t\t}},\n\t\t.cpus = {name},\n\t\t.nr_cpus = sizeof({name}) / sizeof({name}[0]),\n\t}},"
    );
}

/// A comment, its texts each on lines of their own.
fn comment(out: &mut String, indent: &str, texts: &[String]) {
    // Nothing in a text may end the comment or seem to begin another one.
    let inert = |text: &String| text.replace("*/", "* /").replace("/*", "/ *");
    let lines: Vec<String> = texts
        .iter()
        .flat_map(|text| wrapped(&inert(text), 100))
        .collect();
    if let [line] = lines.as_slice() {
        let _ = writeln!(out, "{indent}/* {line} */");
        return;
    }
    let _ = writeln!(out, "{indent}/*");
    for line in lines {
        let _ = writeln!(out, "{indent} * {line}");
    }
    let _ = writeln!(out, "{indent} */");
}

/// What only a model says is left out before.
const fn standing(state: State) -> &'static str {
    match state {
        State::Silicon => "AICPROBE_SILICON",
        State::ThirdParty => "AICPROBE_THIRD_PARTY",
        State::Inference | State::ModelOnly => "AICPROBE_INFERENCE",
    }
}

const fn class(class: Class) -> &'static str {
    match class {
        Class::Preferred => "AICPROBE_PREFERRED",
        Class::Normal => "AICPROBE_NORMAL",
        Class::Fallback => "AICPROBE_FALLBACK",
        Class::Never => "AICPROBE_NEVER",
    }
}
