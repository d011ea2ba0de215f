//! Disagreements that are known, each with its reason and a predicate as narrow as the reason.

use crate::{harness::Finding, state::Event};

/// A known kind of disagreement.
pub struct Class {
    /// Short name, as printed with its count.
    pub name: &'static str,
    /// Which side does what, and why that is right.
    pub why: &'static str,
    applies: fn(&Finding) -> bool,
}

/// The class of a finding; `None` if it is not explained.
pub fn class_of(finding: &Finding) -> Option<usize> {
    CLASSES.iter().position(|class| (class.applies)(finding))
}

/// All classes, most specific first.
pub const CLASSES: &[Class] = &[];

/// True if the fixed bits of `pattern` (bit 31 first; `0`, `1`, anything else matches both) are those of `word`.
pub fn matches(word: u32, pattern: &str) -> bool {
    (0..32)
        .rev()
        .zip(pattern.bytes())
        .all(|(bit, kind)| match kind {
            b'0' => word >> bit & 1 == 0,
            b'1' => word >> bit & 1 == 1,
            _ => true,
        })
}

/// The core says UNDEFINED where the oracle does something else.
fn undefined_only_here(finding: &Finding) -> bool {
    finding.core.event == Event::Undefined && finding.oracle.event != Event::Undefined
}
