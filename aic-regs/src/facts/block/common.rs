// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of all generations.

use super::{BlockRegister, Place, register};
use crate::aic::{Bank, EventWord, Generation, NarrowEventWord};
use crate::facts::AccessKind::{ReadDestructive, ReadOnly, ReadWrite};
use crate::facts::Source::Driver;
use crate::facts::{Described, Variant};

const ALL: &[Generation] = &[Generation::V1, Generation::V2, Generation::V3];

pub(super) const EVENT: BlockRegister = BlockRegister {
    variants: &[Variant {
        applies: "AICv3, as one operating system decodes it",
        fields: NarrowEventWord::FIELDS,
    }],
    ..register::<EventWord>(
        "EVENT",
        &["IACK"],
        Place::Event,
        ReadDestructive,
        Driver,
        ALL,
        "Next event of the reading CPU; the read masks the line or the IPI that it returns.",
    )
};

pub(super) const COMMON: &[BlockRegister] = &[
    register::<u32>(
        "SW_SET",
        &[],
        Place::Bank(Bank::SwSet),
        ReadWrite,
        Driver,
        ALL,
        "Software state, one bit per line: writing 1 raises it. Reads the state.",
    ),
    register::<u32>(
        "SW_CLR",
        &[],
        Place::Bank(Bank::SwClr),
        ReadWrite,
        Driver,
        ALL,
        "Software state, one bit per line: writing 1 drops it. Reads the state.",
    ),
    register::<u32>(
        "MASK_SET",
        &[],
        Place::Bank(Bank::MaskSet),
        ReadWrite,
        Driver,
        ALL,
        "Mask, one bit per line: writing 1 masks. Reads the mask.",
    ),
    register::<u32>(
        "MASK_CLR",
        &[],
        Place::Bank(Bank::MaskClr),
        ReadWrite,
        Driver,
        ALL,
        "Mask, one bit per line: writing 1 unmasks. Reads the mask.",
    ),
    register::<u32>(
        "HW_STATE",
        &["HWINTMON"],
        Place::Bank(Bank::HwState),
        ReadOnly,
        Driver,
        ALL,
        "Raw hardware level, one bit per line.",
    ),
    EVENT,
];
