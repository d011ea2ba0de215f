//! Register facts for people and other tools: the tables of `aic-regs`, found by name, decoded and exported.
//!
//! Every output is made of [`Register`]s, memory-mapped ones and system registers alike.

mod decode;
mod export;
mod find;
mod hwirq;
mod model;
mod svd;
mod table;

pub use decode::{Decoded, DecodedField, decode};
pub use export::{Controllers, DecodeResult, RegsExport, RegsList, RegsShow};
pub use find::{FindError, find, find_for_value};
pub use hwirq::{Hwirq, HwirqReading, fiq_name};
pub use model::{FieldFact, Place, Register, ValueFact, VariantFact, registers, registers_on};
pub use svd::{SvdError, SvdPeripheral, svd};
pub use table::{decoded_text, hwirq_text, list_text, show_text};

use aic_regs::aic::Generation;
use aic_regs::facts::Controller;

/// The generations, oldest first.
pub const GENERATIONS: [Generation; 3] = [Generation::V1, Generation::V2, Generation::V3];

/// The controller whose layout stands for its generation where no SoC is named: T8103, T6020, T8140.
#[must_use]
pub fn usual(generation: Generation) -> &'static Controller {
    let soc = match generation {
        Generation::V1 => "T8103",
        Generation::V2 => "T6020",
        Generation::V3 => "T8140",
    };
    // A test checks that the table has all three.
    Controller::of(soc).unwrap_or(&aic_regs::facts::CONTROLLERS[0])
}

/// "AICv1" and so on.
#[must_use]
pub const fn generation_name(generation: Generation) -> &'static str {
    match generation {
        Generation::V1 => "AICv1",
        Generation::V2 => "AICv2",
        Generation::V3 => "AICv3",
    }
}

/// What may be done with a register, in one word.
#[must_use]
pub const fn access_name(access: aic_regs::facts::AccessKind) -> &'static str {
    use aic_regs::facts::AccessKind;
    match access {
        AccessKind::ReadOnly => "read-only",
        AccessKind::WriteOnly => "write-only",
        AccessKind::ReadWrite => "read-write",
        AccessKind::ReadDestructive => "read-destructive",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_controllers_exist() {
        for generation in GENERATIONS {
            assert_eq!(usual(generation).generation, generation);
        }
    }
}
