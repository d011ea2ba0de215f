//! The form for people.

use std::fmt::Write as _;

use crate::socs::{Soc, State};

use super::{evidence_line, made_by};

/// The marks of facts.
const MARKS: &str = "\
| mark | meaning |
|---|---|
| silicon | measured on the machine, by the evidence that is named |
| third party | a driver, a device tree, a log or a document states it |
| inference | concluded from other facts: to be tested |
| model only | made up so that a model runs: says nothing about hardware |
";

/// An overview, and a section for each SoC.
#[must_use]
pub fn markdown(socs: &[&Soc]) -> String {
    let mut out = String::from("# Routing tables\n\n");
    let _ = writeln!(
        out,
        "{} `docs/adding-a-soc.md` says how.\n",
        made_by("Which CPUs take interrupts of the AIC")
    );
    out.push_str(
        "A SoC's mark is that of its weakest fact. Fields are those that a kernel finds, after firmware and loader. Only what is \
         *listed* is fit to be relied on.\n\n",
    );
    out.push_str(MARKS);
    out.push_str("\n## Overview\n\n");
    out.push_str(
        "| SoC | name | AIC | CPUs | accepting | class of 0, 1, 2, 3 | online refresh | mark | listed |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for soc in socs {
        let classes = soc.values.by_value().map(|v| v.class.name()).join(", ");
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {classes} | {} | {} | {} |",
            soc.soc,
            cell(&soc.name),
            soc.aic.generation,
            soc.cpu.len(),
            accepting(soc),
            yes(soc.online_refresh),
            soc.state,
            yes(soc.allow_list.listed),
        );
    }
    for soc in socs {
        section(&mut out, soc);
    }
    out
}

fn section(out: &mut String, soc: &Soc) {
    let _ = writeln!(out, "\n## {}: {}\n", soc.soc, cell(&soc.name));
    if soc.state == State::ModelOnly {
        out.push_str("**Model only: nothing here is a statement about hardware.**\n\n");
    }
    let _ = writeln!(out, "* {}: {}", soc.state, cell(&soc.source));
    let lines = soc
        .aic
        .nr_irq
        .map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    let _ = writeln!(
        out,
        "* AICv{} (`{}`), dies: {}, lines per die: {lines}; {}: {}",
        soc.aic.generation,
        soc.aic.compatible,
        soc.aic.dies,
        soc.aic.state,
        cell(&soc.aic.source)
    );
    let listed = if soc.allow_list.listed {
        "listed"
    } else {
        "not listed"
    };
    let _ = writeln!(out, "* Allow-list: {listed}: {}", cell(&soc.allow_list.why));
    for evidence in &soc.evidence {
        let _ = writeln!(out, "* Evidence: {}", cell(&evidence_line(evidence)));
    }
    out.push_str("\n| field | class | mark | who says so |\n|---|---|---|---|\n");
    for (value, meaning) in soc.values.by_value().into_iter().enumerate() {
        let _ = writeln!(
            out,
            "| {value} | {} | {} | {} |",
            meaning.class,
            meaning.state,
            cell(&meaning.source)
        );
    }
    out.push_str(
        "\n| CPU | MPIDR | core | boot | field | class | mark of the field | who says so | not on |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for (id, cpu) in soc.cpu.iter().enumerate() {
        let _ = writeln!(
            out,
            "| {id} | {} | {} | {} | {} | {} | {} | {} | {} |",
            cpu.mpidr,
            cpu.core.letter(),
            if cpu.boot { "boot" } else { "" },
            cpu.field,
            soc.class_of(cpu),
            cpu.state,
            cell(&cpu.source),
            cell(&cpu.absent_on.join(", ")),
        );
    }
}

fn accepting(soc: &Soc) -> String {
    if soc.accepting.len() == soc.cpu.len() {
        return "all".to_owned();
    }
    let ids: Vec<String> = soc.accepting.iter().map(u8::to_string).collect();
    ids.join(", ")
}

const fn yes(what: bool) -> &'static str {
    if what { "yes" } else { "no" }
}

/// What Markdown would take for markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(
            c,
            '*' | '_' | '|' | '<' | '>' | '`' | '\\' | '[' | ']' | '~' | '#' | '&'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
