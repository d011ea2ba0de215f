//! The text of `/proc/interrupts` taken apart.
//!
//! A line of CPUs that are online, then a row per interrupt: label, colon, a count per CPU, then for numbered rows the interrupt
//! controller (one word or more), its own number for the interrupt, "Level" or "Edge", and who handles it.

use std::path::Path;

use crate::files::{ReadError, read_limited};

/// Largest listing that is read, in bytes; those of servers with hundreds of CPUs have some 100 KiB.
pub const MAX_LISTING: u64 = 8 << 20;
/// Most CPUs of a listing.
const MAX_CPUS: usize = 4096;

/// Why a file is no listing.
#[derive(Debug, thiserror::Error)]
pub enum ListingError {
    /// It cannot be read.
    #[error("{0}")]
    Read(#[from] ReadError),
    /// There is nothing in it.
    #[error("it is empty; allowed is a copy of /proc/interrupts")]
    Empty,
    /// It is no text.
    #[error("it is no text (byte {0}); allowed is a copy of /proc/interrupts")]
    Binary(usize),
    /// The first line does not name CPUs.
    #[error(
        "line {line}: no line of CPUs; a copy of /proc/interrupts begins with CPU0 CPU1 ..., each higher than the one before, at most {MAX_CPUS}"
    )]
    Header {
        /// Line of the file, from 1.
        line: usize,
    },
    /// There is nothing below the line of CPUs.
    #[error("no row follows the line of CPUs: the listing is cut short")]
    NoRows,
    /// A row that cannot be understood.
    #[error("line {line}: {what}")]
    Row {
        /// Line of the file, from 1.
        line: usize,
        /// What is wrong, and what is allowed.
        what: String,
    },
}

/// What starts an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// As long as the input is active.
    Level,
    /// When it becomes active.
    Edge,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Line of the file, from 1.
    pub at: usize,
    /// What stands before the colon: Linux's own number, or a word like "IPI0".
    pub label: String,
    /// Counts by column; a single one where the row has no column per CPU ("Err").
    pub counts: Vec<u64>,
    /// The interrupt controller, as its driver calls itself; empty in rows without a number.
    pub chip: String,
    /// That controller's number for the interrupt.
    pub hwirq: Option<u64>,
    /// What starts it, if the kernel shows it.
    pub trigger: Option<Trigger>,
    /// Who handles it, or what the row is.
    pub handlers: String,
}

/// A listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// CPUs by Linux's number, a column each.
    pub cpus: Vec<u32>,
    /// Rows in order.
    pub rows: Vec<Row>,
}

impl Listing {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ListingError`].
    pub fn read(path: &Path) -> Result<Self, ListingError> {
        Self::parse(&read_limited(path, MAX_LISTING)?)
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// [`ListingError`].
    pub fn parse(bytes: &[u8]) -> Result<Self, ListingError> {
        let text = std::str::from_utf8(bytes).map_err(|e| ListingError::Binary(e.valid_up_to()))?;
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        if let Some(at) = text.find(control) {
            return Err(ListingError::Binary(at));
        }
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line))
            .filter(|(_, line)| !line.trim().is_empty());
        let (line, header) = lines.next().ok_or(ListingError::Empty)?;
        let cpus = header_cpus(header).ok_or(ListingError::Header { line })?;
        let rows = lines
            .map(|(at, line)| {
                row(at, line, cpus.len()).map_err(|what| ListingError::Row { line: at, what })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() {
            return Err(ListingError::NoRows);
        }
        Ok(Self { cpus, rows })
    }
}

/// The CPUs of a first line; `None` if it is something else.
fn header_cpus(line: &str) -> Option<Vec<u32>> {
    let mut cpus: Vec<u32> = Vec::new();
    for word in line.split_whitespace() {
        let number = word.strip_prefix("CPU").filter(|n| is_number(n))?;
        let cpu = number.parse().ok()?;
        if cpus.last().is_some_and(|last| *last >= cpu) || cpus.len() == MAX_CPUS {
            return None;
        }
        cpus.push(cpu);
    }
    Some(cpus)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit())
}

/// The first word of a text and what follows it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

fn row(at: usize, line: &str, cpus: usize) -> Result<Row, String> {
    let (label, mut rest) = line
        .split_once(':')
        .ok_or("no colon: a row is \"NUMBER: COUNT...\"")?;
    let label = label.trim();
    if label.is_empty() || label.contains(char::is_whitespace) {
        return Err("no label before the colon: a row is \"NUMBER: COUNT...\"".to_owned());
    }
    let mut counts = Vec::with_capacity(cpus);
    while counts.len() < cpus {
        let (count, behind) = word(rest);
        if !is_number(count) {
            break;
        }
        counts.push(count.parse::<u64>().map_err(|_| {
            format!(
                "the count {count} is too large: allowed are up to {}",
                u64::MAX
            )
        })?);
        rest = behind;
    }
    let numbered = is_number(label);
    let rest = rest.trim();
    // Rows like "Err" have one count for all CPUs, and nothing else.
    let summed = !numbered && rest.is_empty() && counts.len() == 1;
    if counts.len() < cpus && !summed {
        return Err(format!(
            "row {label} has {} counts, the line of CPUs has {cpus}: the row is cut short or damaged",
            counts.len()
        ));
    }
    let mut row = Row {
        at,
        label: label.to_owned(),
        counts,
        chip: String::new(),
        hwirq: None,
        trigger: None,
        handlers: rest.to_owned(),
    };
    if numbered {
        source(&mut row, rest)?;
    }
    Ok(row)
}

/// The controller, its number, the trigger and the handlers of a numbered row.
fn source(row: &mut Row, rest: &str) -> Result<(), String> {
    let mut chip = Vec::new();
    let mut left = rest;
    loop {
        let (part, behind) = word(left);
        if part.is_empty() {
            return Err(format!(
                "row {} has no number of an interrupt controller behind its counts: it is cut short or damaged",
                row.label
            ));
        }
        left = behind;
        // The controller's name comes first, and some have several words.
        if !chip.is_empty() && is_number(part) {
            row.hwirq = Some(part.parse().map_err(|_| {
                format!(
                    "the number {part} is too large: allowed are up to {}",
                    u64::MAX
                )
            })?);
            break;
        }
        chip.push(part);
    }
    row.chip = chip.join(" ");
    let (trigger, behind) = word(left);
    row.trigger = match trigger {
        "Level" => Some(Trigger::Level),
        "Edge" => Some(Trigger::Edge),
        _ => None,
    };
    if row.trigger.is_some() {
        left = behind;
    }
    row.handlers = left.trim().to_owned();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Result<Row, String> {
        row(2, line, 2)
    }

    #[test]
    fn rows_of_every_kind() {
        let row = one(" 37:   5   6   AIC2 66248 Level     206408000.mbox-recv, b").unwrap();
        assert_eq!((row.label.as_str(), &row.counts[..]), ("37", &[5, 6][..]));
        assert_eq!((row.chip.as_str(), row.hwirq), ("AIC2", Some(66248)));
        assert_eq!(row.trigger, Some(Trigger::Level));
        assert_eq!(row.handlers, "206408000.mbox-recv, b");
        let row = one("104: 1 2  PCIe MSI 526336 Edge      bcm4377").unwrap();
        assert_eq!((row.chip.as_str(), row.hwirq), ("PCIe MSI", Some(526_336)));
        let row = one("9: 1 2  AIC 7  old").unwrap();
        assert_eq!((row.trigger, row.handlers.as_str()), (None, "old"));
        let row = one("IPI1: 1 2  Function call interrupts").unwrap();
        assert_eq!((row.hwirq, row.chip.as_str()), (None, ""));
        assert_eq!(one("Err:  3").unwrap().counts, [3]);
    }

    #[test]
    fn a_damaged_row_is_told() {
        for (line, says) in [
            ("37 5 6", "no colon"),
            (": 5 6", "no label"),
            ("37: 5", "has 1 counts, the line of CPUs has 2"),
            ("37:", "has 0 counts"),
            ("IPI0: 5 Rescheduling interrupts", "has 1 counts"),
            ("37: 5 6", "no number of an interrupt controller"),
            ("37: 5 6 AIC2", "no number of an interrupt controller"),
            ("37: 5 99999999999999999999 AIC2 1", "is too large"),
            ("37: 5 6 AIC2 99999999999999999999", "is too large"),
        ] {
            let what = one(line).unwrap_err();
            assert!(what.contains(says), "{line}: {what}");
        }
    }
}
