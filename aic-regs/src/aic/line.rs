// SPDX-License-Identifier: MIT OR Apache-2.0
//! A hardware line and its precomputed place in the banks.

use super::event::{EventKind, EventWord};
use core::fmt;

/// A hardware interrupt line, not yet checked against a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// Die that the line belongs to.
    pub die: u8,
    /// Number within the die.
    pub number: u16,
}

impl Line {
    /// The line as its event word, which is also the number that Linux shows: die << 24 | 1 << 16 | number.
    #[inline]
    pub const fn hwirq(self) -> u32 {
        (self.die as u32) << 24 | (EventKind::HARDWARE as u32) << 16 | self.number as u32
    }

    /// The line of an event word or Linux hwirq; `None` unless its type is 1 (hardware line).
    #[inline]
    pub const fn from_hwirq(hwirq: u32) -> Option<Self> {
        if (hwirq >> 16) as u8 == EventKind::HARDWARE {
            Some(Self {
                die: (hwirq >> 24) as u8,
                number: hwirq as u16,
            })
        } else {
            None
        }
    }

    /// The event word that reports this line.
    #[inline]
    pub const fn event(self) -> EventWord {
        EventWord(self.hwirq())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.die, self.number)
    }
}

/// A line that exists in a geometry, with its bit and its offsets computed: what hot paths use.
///
/// Made by [`super::Geometry::line`] or [`super::Aic::line`]; use it only with a controller of that geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHandle {
    pub(super) line: Line,
    pub(super) bit: u32,
    pub(super) sw_set: u32,
    pub(super) sw_clr: u32,
    pub(super) mask_set: u32,
    pub(super) mask_clr: u32,
    pub(super) hw_state: u32,
    pub(super) irq_cfg: u32,
}

impl LineHandle {
    /// The line.
    #[inline]
    pub const fn line(&self) -> Line {
        self.line
    }

    /// The line's bit in the words of its banks.
    #[inline]
    pub const fn bit(&self) -> u32 {
        self.bit
    }

    /// The line's word index in the banks of its die.
    #[inline]
    pub const fn word(&self) -> u32 {
        self.line.number as u32 / 32
    }

    /// Die << 24 | 1 << 16 | number.
    #[inline]
    pub const fn hwirq(&self) -> u32 {
        self.line.hwirq()
    }
}
