//! Whether the layout that the device tree gives is the controller's, before anything relies on it.
//!
//! SET and CLR registers of a bank read the same word (third party: drivers), so a wrong offset or stride shows as a pair that
//! does not; only then is a bit written, the mask of a line that is low and clear, and it is as before at the end.

use aic_regs::aic::Bank;
use protocol::LineId;

use crate::error::Error;
use crate::proxy::Proxy;

use super::block::{Block, LineBits, try_mask_pair};
use super::{AicFacts, Registers, Target, TargetError, find_spare};

/// What has been looked at in this run, and is not looked at again: a watched line costs 20 ms, the pairs of a large controller
/// hundreds of round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// A line of die 0 that failed no test.
    pub spare: Option<LineId>,
    /// [`verify_pairs`] found nothing.
    pub pairs: bool,
}

/// The half of [`verify_layout`] that writes nothing: SET and CLR of every bank of every die must read as pairs. What a line's registers
/// say means nothing before.
///
/// # Errors
/// [`TargetError::Layout`] with what disagrees; errors of the link.
pub fn verify_pairs(registers: &mut dyn Registers, aic: &AicFacts) -> Result<(), Error> {
    let (g, base) = (aic.geometry, aic.base);
    for die in 0..g.dies as u8 {
        for (set, clear, name) in [
            (Bank::SwSet, Bank::SwClr, "SW_SET and SW_CLR"),
            (Bank::MaskSet, Bank::MaskClr, "MASK_SET and MASK_CLR"),
        ] {
            for word in 0..g.nr_irq.div_ceil(32) {
                let (Some(set), Some(clear)) = (
                    g.bank_offset(set, die, word),
                    g.bank_offset(clear, die, word),
                ) else {
                    continue;
                };
                let words = (
                    registers.read32(base + u64::from(set))?,
                    registers.read32(base + u64::from(clear))?,
                );
                if words.0 != words.1 {
                    let what = format!(
                        "{name} of die {die}, word {word}, at +{set:#x} and +{clear:#x} read {:#x} and {:#x}: no pair",
                        words.0, words.1
                    );
                    return Err(TargetError::Layout { base, what }.into());
                }
            }
        }
    }
    Ok(())
}

/// Checks every die's banks by reading, and with the mask of a spare line on each, where there is one. It writes and puts back, so
/// that a stop comes after it. What `looked` holds is taken as it is.
///
/// # Errors
/// [`TargetError::Layout`] with what disagrees; errors of the link.
pub fn verify_layout(proxy: &mut Proxy<'_>, target: &Target, looked: Looked) -> Result<(), Error> {
    proxy.held(|proxy| verify(proxy, target, looked))
}

fn verify(proxy: &mut Proxy<'_>, target: &Target, looked: Looked) -> Result<(), Error> {
    if !looked.pairs {
        verify_pairs(proxy, &target.aic)?;
    }
    let spare = match looked.spare {
        Some(line) => Some(line),
        None => match find_spare(proxy, target) {
            Ok(line) => Some(line),
            Err(Error::Line(_)) => None,
            Err(e) => return Err(e),
        },
    };
    let g = target.aic.geometry;
    let base = target.aic.base;
    let mut block = Block { proxy, base };
    let disagrees = |what: String| Err(TargetError::Layout { base, what }.into());
    let Some(line) = spare else {
        return Ok(());
    };
    let first = LineBits::of(target, line);
    for die in 0..g.dies as u8 {
        let other = LineId {
            die,
            number: line.number,
        };
        if !target.lines.owners(other).is_empty() {
            // Somebody's: reading has to do.
            continue;
        }
        let bits = LineBits::of(target, other);
        let watched = (die > 0).then_some(first.mask_set);
        let pair = try_mask_pair(&mut block, bits, watched)?;
        let LineId { number, .. } = line;
        if !pair.works {
            return disagrees(format!(
                "line {die}:{number} cannot be masked at +{:#x} and unmasked at +{:#x}",
                bits.mask_set, bits.mask_clr
            ));
        }
        if pair.seen_at_watched {
            return disagrees(format!(
                "line {die}:{number} is line 0:{number} under another address: die {die} has no registers of its own there"
            ));
        }
    }
    Ok(())
}
