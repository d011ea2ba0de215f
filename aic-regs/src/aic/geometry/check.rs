// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a geometry must hold to be a controller's.

use super::{Generation, Geometry};
use core::fmt;

impl Geometry {
    /// Refuses a layout that cannot be a controller's: use it on anything that came from outside.
    pub const fn check(&self) -> Result<(), GeometryError> {
        if self.max_irq == 0 || self.max_irq > Self::MAX_MAX_IRQ || !self.max_irq.is_multiple_of(32)
        {
            return Err(GeometryError::MaxIrq(self.max_irq));
        }
        if self.nr_irq == 0 || self.nr_irq > self.max_irq {
            return Err(GeometryError::NrIrq {
                nr_irq: self.nr_irq,
                max_irq: self.max_irq,
            });
        }
        if self.dies == 0 || self.dies > Self::MAX_DIES {
            return Err(GeometryError::Dies(self.dies));
        }
        if matches!(self.generation, Generation::V1)
            && (self.dies != 1 || self.max_irq != Self::V1_MAX_IRQ)
        {
            return Err(GeometryError::NotV1 {
                dies: self.dies,
                max_irq: self.max_irq,
            });
        }
        let offsets = [
            self.version,
            self.info1,
            self.info3,
            self.config,
            self.irq_cfg,
            self.sw_set,
            self.sw_clr,
            self.mask_set,
            self.mask_clr,
            self.hw_state,
            self.event,
            self.cfg_stride,
            self.set_stride,
            self.clr_stride,
            self.hw_stride,
        ];
        let mut i = 0;
        while i < offsets.len() {
            if !offsets[i].is_multiple_of(4) {
                return Err(GeometryError::Unaligned(offsets[i]));
            }
            i += 1;
        }
        if self.extent() > u32::MAX as u64 {
            return Err(GeometryError::TooLarge(self.extent()));
        }
        Ok(())
    }
}

/// Why a [`Geometry`] cannot be a controller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GeometryError {
    /// `max_irq` is not a multiple of 32 in range.
    MaxIrq(u32),
    /// `nr_irq` is 0 or above `max_irq`.
    NrIrq {
        /// What was given.
        nr_irq: u32,
        /// Its upper bound.
        max_irq: u32,
    },
    /// `dies` is out of range.
    Dies(u32),
    /// AICv1 has one die and room for 1024 lines.
    NotV1 {
        /// Dies given.
        dies: u32,
        /// Room given.
        max_irq: u32,
    },
    /// An offset or a stride is no multiple of 4.
    Unaligned(u32),
    /// The registers end past 4 GiB.
    TooLarge(u64),
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::MaxIrq(value) => write!(
                f,
                "AIC geometry: max_irq {value} (allowed: multiples of 32 from 32 to {})",
                Geometry::MAX_MAX_IRQ
            ),
            Self::NrIrq { nr_irq, max_irq } => {
                write!(
                    f,
                    "AIC geometry: nr_irq {nr_irq} (allowed: 1 to max_irq, {max_irq})"
                )
            }
            Self::Dies(value) => {
                write!(
                    f,
                    "AIC geometry: {value} dies (allowed: 1 to {})",
                    Geometry::MAX_DIES
                )
            }
            Self::NotV1 { dies, max_irq } => {
                write!(
                    f,
                    "AIC geometry: AICv1 with {dies} dies, max_irq {max_irq} (allowed: 1 die, {})",
                    Geometry::V1_MAX_IRQ
                )
            }
            Self::Unaligned(value) => {
                write!(
                    f,
                    "AIC geometry: offset or stride {value:#x} (allowed: multiples of 4)"
                )
            }
            Self::TooLarge(value) => {
                write!(
                    f,
                    "AIC geometry: registers end at {value:#x} (allowed: below 4 GiB)"
                )
            }
        }
    }
}

impl core::error::Error for GeometryError {}
