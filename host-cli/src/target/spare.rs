//! Lines that may be fired.
//!
//! A line is spare if nobody is known to own it and its registers look untouched. Device trees miss live lines, so the
//! middle of the largest gap is taken: a forgotten line most often lies next to a known one.

use aic_regs::aic::{Bank, IrqConfig};
use protocol::LineId;

use crate::error::Error;
use crate::proxy::Proxy;

use super::{LineError, Target};

/// Candidates whose registers are looked at before the search ends.
const MOST_TRIED: usize = 64;
/// Reads of HW_STATE: a line that toggles is seen by one of them.
const LEVEL_SAMPLES: usize = 4;

/// Finds a line on die 0.
///
/// # Errors
/// [`LineError::NoSpare`]; errors of the link.
pub fn find_spare(proxy: &mut Proxy<'_>, target: &Target) -> Result<LineId, Error> {
    let mut tried = 0;
    for (first, len) in target.lines.gaps(0, target.aic.geometry.nr_irq) {
        for number in from_the_middle(first, len) {
            if tried == MOST_TRIED {
                return Err(LineError::NoSpare { tried }.into());
            }
            tried += 1;
            let line = LineId { die: 0, number };
            match check_line(proxy, target, line) {
                Ok(()) => return Ok(line),
                Err(Error::Line(_)) => {}
                Err(e) => return Err(e),
            }
        }
    }
    Err(LineError::NoSpare { tried }.into())
}

/// The lines of a gap, the one farthest from both ends first.
fn from_the_middle(first: u16, len: u16) -> impl Iterator<Item = u16> {
    let middle = first + (len - 1) / 2;
    let up = (0..=len / 2).map(move |d| middle + d);
    let down = (1..=(len - 1) / 2).map(move |d| middle - d);
    let mut both: Vec<u16> = up.chain(down).filter(|n| *n < first + len).collect();
    both.sort_by_key(|n| n.abs_diff(middle));
    both.into_iter()
}

/// Whether a line may be fired: exists, nobody owns it, low, clear, routed nowhere.
///
/// # Errors
/// [`LineError`] that says why not; errors of the link.
pub fn check_line(proxy: &mut Proxy<'_>, target: &Target, line: LineId) -> Result<(), Error> {
    let g = &target.aic.geometry;
    let (die, number) = (u32::from(line.die), u32::from(line.number));
    if die >= g.dies || number == 0 || number >= g.nr_irq {
        let (last, dies) = (g.nr_irq - 1, dies_text(g.dies));
        return Err(LineError::Range { line, last, dies }.into());
    }
    if let Some(owner) = target.lines.owner(line) {
        let owner = owner.clone();
        return Err(LineError::Owned { line, owner }.into());
    }
    let bit = 1u32 << (number % 32);
    let word = |bank| {
        // The line is inside the geometry, so its word is.
        target.aic.base + u64::from(g.bank_offset(bank, line.die, number / 32).unwrap_or(0))
    };
    for _ in 0..LEVEL_SAMPLES {
        if proxy.read32(word(Bank::HwState))? & bit != 0 {
            return Err(LineError::High { line }.into());
        }
    }
    if proxy.read32(word(Bank::SwSet))? & bit != 0 {
        return Err(LineError::SoftwareSet { line }.into());
    }
    let config = target.aic.base + u64::from(g.irq_cfg + die * g.cfg_stride + number * 4);
    let routed = u32::from(IrqConfig(proxy.read32(config)?).target());
    if routed != 0 {
        return Err(LineError::Routed {
            line,
            target: routed,
        }
        .into());
    }
    Ok(())
}

/// Dies in words: "0" or "0 to 3".
fn dies_text(dies: u32) -> String {
    match dies {
        1 => "0".to_owned(),
        n => format!("0 to {}", n - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_tried_from_its_middle_and_whole() {
        let order: Vec<u16> = from_the_middle(10, 5).collect();
        assert_eq!(order[0], 12);
        assert_eq!(order.len(), 5);
        for len in 1..9 {
            let mut all: Vec<u16> = from_the_middle(3, len).collect();
            all.sort_unstable();
            assert_eq!(all, (3..3 + len).collect::<Vec<_>>());
        }
    }
}
