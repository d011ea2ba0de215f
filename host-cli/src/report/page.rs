//! The page: one file that loads nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::output::Document;
use crate::verify::VerifyResult;

use super::boxes::{BoxRow, boxes, key};
use super::input::{Input, Saved};
use super::table::{fold, many, table, whole};
use super::{heat, machine, provenance, soaks, storms, times, truth, truth_picture, verdict};

const STYLE: &str = include_str!("style.css");
/// Nothing is loaded, nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page of some inputs.
#[must_use]
pub fn page(inputs: &[Input]) -> String {
    let title = title(inputs);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (top(&title, inputs))
                    (contents(inputs))
                    @for (at, input) in (1..).zip(inputs) { (section(at, input)) }
                    (end(inputs))
                }
            }
        }
    };
    let mut text = markup.into_string();
    text.push('\n');
    text
}

/// What the page is called: chips, and the verdict if there is one.
pub fn title(inputs: &[Input]) -> String {
    let mut chips: Vec<String> = Vec::new();
    for input in inputs {
        let chip = input.chip();
        // Its name alone: the rest is in the section of the input.
        let name = chip
            .split_whitespace()
            .next()
            .filter(|_| !chip.starts_with("unknown"));
        let name = name.map(|name| name.trim_end_matches(','));
        let chip = name.unwrap_or("unknown SoC").to_owned();
        if !chips.contains(&chip) {
            chips.push(chip);
        }
    }
    let words: Vec<&str> = inputs.iter().map(|i| verdict::said(i).word).collect();
    // The worst of several.
    let word = ["FAIL", "INCONCLUSIVE", "PASS"]
        .into_iter()
        .find(|w| words.contains(w));
    let mut title = format!("{}: ", chips.join(", "));
    title += word.unwrap_or("measurements");
    if inputs.iter().any(|i| !i.model().is_empty()) {
        title += " (model only)";
    }
    title
}

fn top(title: &str, inputs: &[Input]) -> Markup {
    let mut models: Vec<String> = Vec::new();
    for words in inputs.iter().flat_map(Input::model) {
        if !models.contains(&words) {
            models.push(words);
        }
    }
    let all = inputs.iter().all(|i| !i.model().is_empty());
    html! {
        header {
            h1 { (title) }
            @if !models.is_empty() {
                div.banner role="note" {
                    strong { "MODEL ONLY" }
                    @if !all { " (some of the inputs)" }
                    ": what is shown are answers of a virtual SoC; they say nothing about hardware."
                    ul { @for words in &models { li { (words) } } }
                }
            }
            @for (at, input) in (1..).zip(inputs) {
                @let said = verdict::said(input);
                div class=(if said.bad { "said bad" } else if said.word.is_empty() { "said" } else { "said good" }) {
                    @if !said.word.is_empty() { strong { (said.word) } " " }
                    a href=(format!("#i{at}")) { (input.title()) }
                    ": " (said.text)
                    @let faults = input.faults();
                    @if !faults.is_empty() {
                        ul.bad { @for fault in &faults { li { "ATTENTION: " (fault) } } }
                    }
                }
            }
        }
    }
}

fn contents(inputs: &[Input]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                @for (at, input) in (1..).zip(inputs) {
                    li { a href=(format!("#i{at}")) { (input.title()) } }
                }
                @if inputs.iter().any(|i| !i.saved.about().cpus.is_empty()) {
                    li { a href="#cpus" { "CPUs" } }
                }
                li { a href="#provenance" { "Where all of this comes from" } }
            }
        }
    }
}

fn section(at: usize, input: &Input) -> Markup {
    let id = format!("i{at}");
    html! {
        section id=(id) aria-labelledby=(format!("{id}-h")) {
            h2 id=(format!("{id}-h")) { (at) ". " (input.title()) }
            p { (input.chip()) }
            @if let Saved::Verify(v) = &input.saved { (rules(v)) }
            @let heat = heat::of(input);
            @if !heat.is_empty() { h3 { "Firing and landing CPUs" } }
            @for m in &heat { (m.html()) }
            (fields(&id, input))
            (own(&id, input))
            @if let Some(registers) = input.kept.as_ref().and_then(|k| k.registers.as_ref()) {
                h3 { "Registers before and after" }
                (machine::registers(registers))
            }
        }
    }
}

fn rules(v: &VerifyResult) -> Markup {
    let grid = verdict::rules(v);
    html! {
        h3 { "Rules" }
        (whole("Rules", &grid, |r, c| match c {
            1 => v.rules.get(r).map(verdict::class),
            _ => None,
        }))
        p.small { (verdict::table_used(v)) "." }
    }
}

fn fields(id: &str, input: &Input) -> Markup {
    let truths = truth::of(input);
    let report = match &input.saved {
        Saved::Fields(f) => Some(f),
        _ => None,
    };
    if truths.is_empty() && report.is_none() {
        return html! {};
    }
    html! {
        h3 { "Truth table of the routing fields" }
        @if let Some(f) = report {
            @for line in f.heading().iter().rev().take(2).rev() { p { (line) } }
        }
        @if !truths.is_empty() { (truth_picture::key()) }
        @for (at, t) in truths.iter().enumerate() {
            h4 { (many(t.rows.len(), "combination")) ", " (t.title()) }
            (truth_picture::picture(&format!("{id}-t{at}"), t))
            @let grid = t.by_values();
            (table(&format!("{}, {}", grid.title, t.title()), &grid))
        }
        @if let Some(f) = report {
            @for grid in truth::of_report(f) { (table(&grid.title, &grid)) }
            @for grid in f.grids() {
                (table(if grid.title.is_empty() { "Claims about the fields" } else { &grid.title }, &grid))
            }
        }
    }
}

/// What only results of one command have.
fn own(id: &str, input: &Input) -> Markup {
    html! {
        @match &input.saved {
            Saved::Verify(v) => {
                @let cells = v.record.cells.iter().map(|o| &o.cell).filter(|c| c.masked_cpus.is_empty());
                (latency(&times::of_cells(&format!("{id}-l"), cells)))
            }
            Saved::Route(r) => {
                @let cells = r.cells.iter().filter(|c| c.masked_cpus.is_empty());
                (latency(&times::of_cells(&format!("{id}-l"), cells)))
            }
            Saved::Latency(l) => { h3 { "Latency" } (times::of_latency(id, l)) }
            Saved::Storm(s) => { h3 { "Storms of IPIs" } (storms::of_storm(id, s)) }
            Saved::Soak(s) => { h3 { "Over time" } (soaks::of_soak(id, s)) }
            Saved::Handoff(h) => {
                h3 { "Hand-overs" }
                @let rows: Vec<BoxRow<'_>> = h.sums.iter().map(|s| {
                    BoxRow::of(format!("{}, {}, {}", s.load, s.way.name(), s.relation.name()), &s.total_ns)
                }).collect();
                @if !rows.is_empty() {
                    p.small { "From the trigger to the start of the service. " (key(false)) }
                    (boxes(&format!("{id}-h"), "Trigger to service: load, way, where the serving CPU is", &rows))
                }
                (document(&**h, "Hand-overs"))
            }
            Saved::Observe(o) => { h3 { "Observations" } (document(&**o, "Observations")) }
            Saved::Compare(c) => { h3 { "Differences" } (document(&**c, "Differences (B - A)")) }
            Saved::Fields(_) => {}
        }
    }
}

fn latency(markup: &Markup) -> Markup {
    if markup.0.is_empty() {
        return html! {};
    }
    html! { h3 { "Latency" } (markup) }
}

/// Tables and notes that a command prints.
fn document<D: Document>(of: &D, name: &str) -> Markup {
    html! {
        @for grid in of.grids() {
            (table(if grid.title.is_empty() { name } else { &grid.title }, &grid))
        }
        @let notes = of.notes();
        @if !notes.is_empty() { ul { @for note in &notes { li { (note) } } } }
    }
}

fn end(inputs: &[Input]) -> Markup {
    let cpus = machine::cpus(inputs);
    html! {
        @if !cpus.is_empty() {
            section id="cpus" aria-labelledby="cpus-h" {
                h2 id="cpus-h" { "CPUs" }
                @for (of, grid) in &cpus {
                    @let of: Vec<String> = of.iter().map(usize::to_string).collect();
                    (table(&format!("CPUs of input {}", of.join(", ")), grid))
                }
            }
        }
        section id="provenance" aria-labelledby="provenance-h" {
            h2 id="provenance-h" { "Where all of this comes from" }
            @for (at, input) in (1..).zip(inputs) {
                h3 { "Input " (at) }
                div.facts { (facts(at, input)) }
            }
            @let claims = provenance::claims(inputs);
            h3 { "Claims" }
            @let body = table(&claims.title, &claims);
            @if claims.rows.len() > 24 { (body) } @else { (fold(&claims.title, &body)) }
            p.small { "Made by aicprobe " (env!("CARGO_PKG_VERSION")) " from these files alone: the same files make the same page." }
        }
    }
}

fn facts(at: usize, input: &Input) -> Markup {
    let grid = provenance::facts(input);
    html! {
        dl aria-label=(format!("Input {at}")) {
            @for row in &grid.rows {
                div { @for (c, cell) in row.iter().enumerate() {
                    @if c == 0 { dt { (cell) } } @else { dd { (cell) } }
                } }
            }
        }
    }
}
