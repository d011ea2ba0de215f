//! The page of errors: code and next step.

use crate::diagnose::Code;
use crate::error::exit;

use super::markdown::table;

/// Every code with its next step, and the exit codes.
#[must_use]
pub fn errors() -> String {
    let mut out = "# Errors\n\nMade by `aicprobe docs`; do not edit.\n\n\
        An error has a line for people, a code that stays the same, and a next step:\n\n\
        ```text\naicprobe: what went wrong, where, and what is allowed\n  code: aicprobe::…\n  next: what to do\n```\n\n\
        The first line begins with `aicprobe: `; lines that belong to it begin with two spaces. Arguments that make no sense are \
        told in the form of the parser (`error: …`), with code and next step below.\n\n"
        .to_owned();
    let rows: Vec<_> = Code::ALL
        .iter()
        .map(|code| [code.name().to_owned(), code.next().to_owned()])
        .collect();
    table(&mut out, ["code", "next"], &rows);
    out += "## Exit codes\n\n";
    let rows: Vec<_> = exit::TABLE
        .iter()
        .map(|(code, meaning)| [code.to_string(), (*meaning).to_owned()])
        .collect();
    table(&mut out, ["exit code", "meaning"], &rows);
    out.trim_end().to_owned() + "\n"
}
