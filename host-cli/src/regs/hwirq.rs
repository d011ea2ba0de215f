//! Interrupt numbers as Linux shows them in `/proc/interrupts`.
//!
//! Drivers for all generations use the event word itself: die << 24 | type << 16 | number, so that a hardware line of die 0
//! shows as 65536 + number (source: driver). Old drivers for AICv1 showed plain lines, and FIQs, MSIs, GPIOs and others have
//! numbers of their own: those have no type in bits 23:16, or one that the AIC does not know.

use aic_regs::aic::{EventKind, EventWord, Line};
use schemars::JsonSchema;
use serde::Serialize;

use super::decode::event_note;
use crate::result::hex;

/// FIQs by the numbers that the Linux driver gives them (source: driver).
const FIQS: [&str; 6] = [
    "physical timer of the hypervisor",
    "virtual timer of the hypervisor",
    "physical timer of the guest",
    "virtual timer of the guest",
    "performance counters of E cores",
    "performance counters of P cores",
];

/// What the FIQ is that the Linux driver gives this number.
#[must_use]
pub fn fiq_name(number: usize) -> Option<&'static str> {
    FIQS.get(number).copied()
}

/// An interrupt number taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hwirq {
    /// The number as given.
    pub hwirq: u32,
    /// The same as an event word.
    pub event: String,
    /// Bits 31:24.
    pub die: u8,
    /// Bits 23:16.
    #[serde(rename = "type")]
    pub kind: u8,
    /// Bits 15:0.
    pub number: u16,
    /// What it is.
    pub reading: HwirqReading,
    /// The line as `--line` takes it, if it is one.
    pub line: Option<String>,
    /// The reading in words, then what else the number may be.
    pub notes: Vec<String>,
}

/// What an interrupt number is as an event word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HwirqReading {
    /// A hardware line.
    HardwareLine,
    /// An AICv1 IPI.
    Ipi,
    /// None: the number cannot be decoded this way.
    NotDecodable,
}

impl Hwirq {
    /// Of a number as Linux shows it.
    #[must_use]
    pub fn new(hwirq: u32) -> Self {
        let word = EventWord(hwirq);
        let (reading, notes) = match word.decode() {
            EventKind::Hardware(_) => (HwirqReading::HardwareLine, vec![event_note(word)]),
            EventKind::Ipi(1 | 2) => (HwirqReading::Ipi, vec![event_note(word)]),
            _ => (HwirqReading::NotDecodable, undecodable(word)),
        };
        Self {
            hwirq,
            event: format!("{hwirq:#010x}"),
            die: word.die(),
            kind: word.kind(),
            number: word.number(),
            reading,
            line: word.line().map(|line| line.to_string()),
            notes,
        }
    }
}

/// Why a number is no event word, and what it may be instead.
fn undecodable(word: EventWord) -> Vec<String> {
    let (die, kind, number) = (word.die(), word.kind(), word.number());
    let mut notes = vec![format!(
        "not decodable as die << 24 | type << 16 | number: {}",
        match kind {
            0 => "type 0 is no interrupt of the AIC".to_owned(),
            EventKind::IPI => format!("IPI {number} is not published"),
            kind => format!("type {kind} is not published"),
        }
    )];
    match (die, kind) {
        (0, 0) => {
            if let Some(fiq) = FIQS.get(usize::from(number)) {
                notes.push(format!("in a row \"AIC-FIQ {number}\" it is a FIQ: {fiq}"));
            }
            let line = Line { die: 0, number };
            notes.push(format!(
                "in a row \"AIC {number}\" of an old driver for AICv1 it is the plain line {line}, hwirq {}",
                line.hwirq()
            ));
        }
        (0, 2..=16) => {
            let line = Line {
                die: kind - 1,
                number,
            };
            notes.push(format!(
                "a published note numbers lines as ((die + 1) << 16) | line, which is wrong past die 0: it would mean line \
                 {line}, whose number is {}",
                hex(line.hwirq().into())
            ));
        }
        _ => {}
    }
    notes.push(
        "rows of other interrupt controllers (PCI MSI, GPIO, KVM, ...) have numbers of their own"
            .to_owned(),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_are_their_lines() {
        let seen = [
            (66248, "0:712"),
            (66245, "0:709"),
            (66260, "0:724"),
            (66384, "0:848"),
            (66297, "0:761"),
            (65815, "0:279"),
            (66532, "0:996"),
            (66575, "0:1039"),
            (0x0101_0168, "1:360"),
        ];
        for (number, line) in seen {
            let hwirq = Hwirq::new(number);
            assert_eq!(hwirq.line.as_deref(), Some(line), "{number}");
            assert_eq!(hwirq.reading, HwirqReading::HardwareLine);
        }
    }

    #[test]
    fn what_is_no_event_word_is_named_so() {
        for number in [
            0,
            4,
            627,
            524_288,
            526_336,
            0x0100_0005,
            0x0002_0168,
            0x0004_0003,
            u32::MAX,
        ] {
            let hwirq = Hwirq::new(number);
            assert_eq!(hwirq.reading, HwirqReading::NotDecodable, "{number}");
            assert_eq!(hwirq.line, None);
            assert!(hwirq.notes[0].starts_with("not decodable"), "{number}");
        }
        let notes = |number| Hwirq::new(number).notes.join("\n");
        assert!(notes(627).contains("plain line 0:627, hwirq 66163"));
        assert!(!notes(627).contains("FIQ"));
        assert!(notes(4).contains("performance counters of E cores"));
        assert!(notes(0x0002_0168).contains("line 1:360, whose number is 0x1010168"));
        assert!(notes(526_336).contains("type 8"));
        assert!(!notes(0x0102_0168).contains("published note"));
        let ipi = Hwirq::new(0x0004_0002);
        assert_eq!((ipi.reading, ipi.line), (HwirqReading::Ipi, None));
    }
}
