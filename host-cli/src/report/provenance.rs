//! Where every claim of a report comes from.

use crate::evidence::Machine;
use crate::output::Grid;
use crate::result::MarkKind;

use super::input::{Input, Saved};
use super::verdict::table_used;
use super::{heat, truth};

/// What is known about an input, as names and values.
pub fn facts(input: &Input) -> Grid {
    let mut grid = Grid::new("", ["", ""]);
    let mut add = |name: &str, value: String| {
        if !value.is_empty() {
            grid.row([name.to_owned(), value]);
        }
    };
    let (what, hash) = &input.sha256;
    add("file", format!("{}, {} bytes", input.name, input.bytes));
    add(&format!("SHA-256 of the {what}"), hash.clone());
    add(
        "result",
        format!(
            "{} of aicprobe {}",
            input.saved.schema(),
            input.saved.command()
        ),
    );
    let about = input.saved.about();
    add("target", about.target.to_owned());
    add("machine", input.chip());
    if let Some(soc) = about.soc {
        add("its firmware", soc.firmware.clone());
    }
    let model = input.model();
    add(
        "standing",
        if model.is_empty() {
            "no model was noted: the answers of the target named above".to_owned()
        } else {
            format!("MODEL ONLY: {}", model.join("; "))
        },
    );
    add(
        "seed",
        about.seed.map_or_else(String::new, |s| s.to_string()),
    );
    if let Some(b) = about.build {
        let text = format!(
            "aicprobe {}, firmware {}, protocol {}",
            b.tool, b.firmware, b.protocol
        );
        add("made by", text);
    }
    if let Some(aic) = about.aic {
        let text = format!(
            "AICv{} at {}, {} lines per die, {} dies, CONFIG {}",
            aic.generation,
            aic.base,
            aic.nr_irq,
            aic.dies,
            aic.config.as_deref().unwrap_or("not read")
        );
        add("controller", text);
    }
    if let Some(c) = about.counter {
        let turns = c.slice_ns.map_or_else(String::new, |ns| {
            format!("; virtual CPUs take turns of {ns} ns")
        });
        add(
            "clock",
            format!(
                "{} Hz, step {} ticks = {} ns{turns}",
                c.hz, c.step_ticks, c.step_ns
            ),
        );
    }
    match &input.saved {
        Saved::Verify(v) => add("table", table_used(v)),
        Saved::Compare(c) => {
            for (name, side) in [("side A", &c.a), ("side B", &c.b)] {
                for run in &side.runs {
                    let text = format!(
                        "{}: target {}, seed {}, firmware {}",
                        run.origin, run.target, run.seed, run.firmware
                    );
                    add(name, text);
                }
            }
            add("made by", format!("aicprobe {}", c.tool));
        }
        _ => {}
    }
    kept(input, &mut add);
    for mark in about.marks.iter().filter(|m| m.kind != MarkKind::ModelOnly) {
        add(mark.kind.name(), format!("{}: {}", mark.about, mark.text));
    }
    grid
}

/// What evidence says beside.
fn kept(input: &Input, add: &mut impl FnMut(&str, String)) {
    let Some(kept) = &input.kept else {
        add(
            "evidence",
            "none: a saved result, without its cells' files and hashes".to_owned(),
        );
        return;
    };
    let c = &kept.checked;
    add(
        "evidence",
        match (c.good, c.cut) {
            (true, _) => format!("whole: {} files are as the manifest says", c.files),
            (false, true) => {
                "CUT: it has no manifest, nobody can say whether its files are whole".to_owned()
            }
            (false, false) => format!("DAMAGED: {} problems", c.problems.len()),
        },
    );
    if let Some(hash) = &c.manifest_sha256 {
        add("SHA-256 of the manifest", hash.clone());
    }
    let Some(run) = &kept.run else {
        return;
    };
    add("command line", run.argv.join(" "));
    add("began", run.started.clone());
    if let Some(ended) = &run.ended {
        add(
            "ended",
            format!("{}, exit code {}", ended.at, ended.exit_code),
        );
    }
    add("host", format!("{} on {}", run.host.os, run.host.arch));
    add(
        "SHA-256 of the firmware image",
        run.firmware.image_sha256.clone(),
    );
    if let Some(hash) = &run.tool.executable_sha256 {
        add("SHA-256 of the program", hash.clone());
    }
    match &run.machine {
        Machine::Hardware => add(
            "port",
            "a port of the host; nothing there tells a model from a machine".to_owned(),
        ),
        Machine::Program => add(
            "port",
            "a pseudo-terminal: a program, no hardware".to_owned(),
        ),
        Machine::Virtual {
            model,
            toml_sha256,
            loader,
        } => {
            add(
                "model",
                format!("{model}, SHA-256 of its description {toml_sha256}"),
            );
            if let Some(l) = loader {
                add(
                    "loader",
                    format!("{}, {} bytes, SHA-256 {}", l.file, l.bytes, l.sha256),
                );
            }
        }
    }
}

/// Every claim of the report, and where in which input it stands.
pub fn claims(inputs: &[Input]) -> Grid {
    let columns = ["claim", "says", "input", "where in it", "standing"];
    let mut grid = Grid::new("Claims and what they rest on", columns);
    for (at, input) in (1..).zip(inputs) {
        let standing = if input.model().is_empty() {
            "as measured"
        } else {
            "model only"
        };
        let mut add = |claim: &str, says: String, place: &str| {
            grid.row([
                claim.to_owned(),
                says,
                at.to_string(),
                place.to_owned(),
                standing.to_owned(),
            ]);
        };
        if input.saved.about().restored.is_some() {
            let said = input.saved.about().restored == Some(true);
            let said = if said {
                "as found"
            } else {
                "NOT known to be as found"
            };
            add(
                "state of the target afterwards",
                said.to_owned(),
                "restored, restore",
            );
        }
        for m in heat::of(input) {
            let place = match &input.saved {
                Saved::Latency(_) => "pairs[].landed",
                Saved::Soak(_) => "totals.landed",
                Saved::Fields(_) => "cells.jsonl of the evidence",
                _ => "cells[].landed",
            };
            add(&m.title, format!("{} triggers", m.fired()), place);
        }
        for t in truth::of(input) {
            let says = format!("{} combinations, {}", t.rows.len(), t.title());
            let place = match &input.saved {
                Saved::Fields(_) => "plan.json, cells.jsonl of the evidence",
                _ => "cells[].fields, cells[].landed",
            };
            add("truth table", says, place);
        }
        of_result(input, &mut add);
    }
    grid
}

fn of_result(input: &Input, add: &mut impl FnMut(&str, String, &str)) {
    match &input.saved {
        Saved::Verify(v) => {
            add("verdict", v.verdict.name().to_owned(), "verdict");
            for (at, r) in v.rules.iter().enumerate() {
                let says = format!(
                    "{}: held {}, against {}",
                    r.verdict.name(),
                    r.held,
                    r.against
                );
                add(&r.id, says, &format!("rules[{at}]"));
            }
        }
        Saved::Route(r) => {
            let bound = r.summary.miss_rate;
            let says = format!("{} of {}", bound.misses, bound.triggers);
            add("miss rate", says, "summary.miss_rate");
        }
        Saved::Fields(f) => {
            let says = f
                .rule
                .as_ref()
                .map_or_else(|| "none".to_owned(), |rule| rule.text(f.mask.us));
            add("rule of the fields", says, "rule, fit");
        }
        Saved::Latency(l) => {
            let says = format!("{} pairs", l.pairs.len());
            add(
                "latency distributions",
                says,
                "pairs[].entry_histogram, pairs[].entry_ns",
            );
        }
        Saved::Handoff(h) => {
            add(
                "cost of hand-overs",
                format!("{} sums", h.sums.len()),
                "sums[], rows[]",
            );
        }
        Saved::Storm(s) => {
            let says = format!("{} storms", s.rows.len());
            add("rates of IPIs", says, "rows[].m_received");
            add(
                "books",
                format!("{} violations", s.violations.len()),
                "violations[]",
            );
        }
        Saved::Soak(s) => {
            let says = format!("{} intervals", s.over_intervals.intervals);
            add("intervals", says, "intervals[], over_intervals");
        }
        Saved::Observe(o) => {
            let says = format!("{} claims", o.observations.len());
            add("observations", says, "observations[]");
        }
        Saved::Compare(c) => {
            let says = format!("{} numbers, {} states", c.metrics.len(), c.states.len());
            add("differences", says, "metrics[], states[]");
        }
    }
    if input.kept.as_ref().is_some_and(|k| k.registers.is_some()) {
        add(
            "registers before and after",
            String::new(),
            "registers.json of the evidence",
        );
    }
}
