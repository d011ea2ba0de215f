// SPDX-License-Identifier: MIT OR Apache-2.0
//! EVENT: the word that a read of the event register takes.

use super::line::Line;

register_value! {
    /// EVENT. Reading the register is destructive; this is the word that was read.
    ///
    /// All known generations use this layout. [`NarrowEventWord`] gives the same numbers for every line seen so far.
    pub struct EventWord(u32) {
        /// Line within the die, or which IPI.
        bits(15, 0, u16) number, set_number [Driver] {};
        /// Kind of event.
        bits(23, 16, u8) kind, set_kind [Driver] {
            0 => "nothing pending",
            1 => "hardware line",
            4 => "IPI of AICv1: number 1 from another CPU, 2 from itself",
        };
        /// Die of the line.
        bits(31, 24, u8) die, set_die [Driver] {};
    }
}

register_value! {
    /// EVENT of AICv3 as one operating system decodes it, ignoring the bits between.
    pub struct NarrowEventWord(u32) {
        /// Line within the die.
        bits(11, 0, u16) number, set_number [Driver] {};
        /// Kind of event.
        bits(18, 16, u8) kind, set_kind [Driver] { 0 => "nothing pending", 1 => "hardware line" };
        /// Die of the line.
        bits(26, 24, u8) die, set_die [Driver] {};
    }
}

/// Values of [`EventWord::kind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Nothing was pending.
    None,
    /// A hardware line, raised by its input or by software.
    Hardware(Line),
    /// AICv1 only: an inter-processor interrupt; 1 from another CPU, 2 from this one.
    Ipi(u16),
    /// A kind that nobody has published.
    Unknown(u8),
}

impl EventKind {
    /// [`EventWord::kind`] of a hardware line.
    pub const HARDWARE: u8 = 1;
    /// [`EventWord::kind`] of an AICv1 inter-processor interrupt.
    pub const IPI: u8 = 4;
}

impl EventWord {
    /// Whether nothing was pending.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The hardware line that the word reports, if it reports one.
    #[inline]
    pub const fn line(self) -> Option<Line> {
        Line::from_hwirq(self.0)
    }

    /// The word taken apart. Only the all-zero word is [`EventKind::None`].
    pub fn decode(self) -> EventKind {
        match self.kind() {
            0 if self.is_none() => EventKind::None,
            EventKind::HARDWARE => EventKind::Hardware(Line {
                die: self.die(),
                number: self.number(),
            }),
            EventKind::IPI => EventKind::Ipi(self.number()),
            other => EventKind::Unknown(other),
        }
    }
}
