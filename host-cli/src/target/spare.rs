//! Lines that may be fired.
//!
//! A line is spare if nobody is known to own it and its registers look untouched. Device trees miss live lines, so the
//! middle of the largest gap is taken: a forgotten line most often lies next to a known one.

use aic_regs::aic::{Bank, Generation, IrqConfig};
use protocol::LineId;

use crate::error::Error;

use super::levels::{Level, Levels, Watch};
use super::lines::{LineMap, LineSpace, Owner};
use super::registers::Registers;
use super::{AicFacts, LineError, Target};

/// Candidates whose registers are looked at before the search ends.
const MOST_TRIED: usize = 64;
/// How many of them are looked at together.
const BATCH: usize = 8;

/// A test that a line fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Line 0: device trees list it as a filler.
    Zero,
    /// Its number or die is none of the controller's.
    Outside(LineSpace),
    /// Somebody owns it.
    Owned(Owner),
    /// Its hardware input is high.
    High,
    /// Its hardware input was seen high and low.
    Toggles,
    /// Somebody left it set by software.
    SoftwareSet,
    /// IRQ_CFG routes it to this target.
    Routed(u8),
}

impl Objection {
    /// Whether the user may fire the line all the same: what does not exist stays refused.
    #[must_use]
    pub const fn may_be_forced(&self) -> bool {
        !matches!(self, Self::Zero | Self::Outside(_))
    }

    /// Whether the line may come without being fired.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::High | Self::Toggles | Self::SoftwareSet)
    }

    /// A word for programs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Zero => "line-0",
            Self::Outside(_) => "outside",
            Self::Owned(Owner::Device(_)) => "owned",
            Self::Owned(Owner::Msi(_)) => "msi-range",
            Self::Owned(Owner::Coprocessor(_)) => "ext-intr-cfg",
            Self::High => "high",
            Self::Toggles => "toggles",
            Self::SoftwareSet => "software-set",
            Self::Routed(_) => "routed",
        }
    }
}

impl std::fmt::Display for Objection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Zero => f.write_str("line 0 is a filler that device trees list"),
            Self::Outside(space) => {
                let last = space.nr_irq.saturating_sub(1);
                write!(f, "it does not exist: allowed are 1 to {last} on die 0")?;
                if space.dies > 1 {
                    write!(f, " to {}", space.dies - 1)?;
                }
                Ok(())
            }
            Self::Owned(owner) => write!(f, "in use: {owner}"),
            Self::High => f.write_str("it is high already (HW_STATE): something drives it"),
            Self::Toggles => f.write_str("it toggles (HW_STATE): something drives it"),
            Self::SoftwareSet => f.write_str("it is set by software already (SW_SET)"),
            Self::Routed(target) => write!(f, "it is routed to target {target} (IRQ_CFG)"),
        }
    }
}

/// Tests that a line fails by the device tree alone.
#[must_use]
pub fn objections(lines: &LineMap, line: LineId) -> Vec<Objection> {
    let space = lines.space();
    let mut found = Vec::new();
    if !space.contains(line) {
        found.push(Objection::Outside(space));
    }
    if line.number == 0 {
        found.push(Objection::Zero);
    }
    found.extend(lines.owners(line).into_iter().map(Objection::Owned));
    found
}

/// A line that nobody is known to own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The line.
    pub line: LineId,
    /// The gap that it lies in: first and length.
    pub gap: (u16, u16),
}

impl Candidate {
    /// How far the nearest line that is not spare is.
    #[must_use]
    pub const fn distance(&self) -> u16 {
        let (first, len) = self.gap;
        let (before, after) = (self.line.number - first + 1, first + len - self.line.number);
        if before < after { before } else { after }
    }
}

/// Lines of a die that nobody owns, the best first: those of the longest gap, from its middle on.
pub fn candidates(lines: &LineMap, die: u8) -> impl Iterator<Item = Candidate> {
    lines.gaps(die).into_iter().flat_map(move |gap| {
        from_the_middle(gap.0, gap.1).map(move |number| Candidate {
            line: LineId { die, number },
            gap,
        })
    })
}

/// The lines of a gap, the one farthest from both ends first.
fn from_the_middle(first: u16, len: u16) -> impl Iterator<Item = u16> {
    let middle = first + (len - 1) / 2;
    (0..len).map(move |step| {
        // Up and down in turns; a gap of even length has one more above the middle.
        let distance = step.div_ceil(2);
        if step % 2 == 1 {
            middle + distance
        } else {
            middle - distance
        }
    })
}

/// Finds a line on die 0.
///
/// # Errors
/// [`LineError::NoSpare`]; errors of the link.
pub fn find_spare(registers: &mut dyn Registers, target: &Target) -> Result<LineId, Error> {
    let best: Vec<LineId> = candidates(&target.lines, 0)
        .take(MOST_TRIED)
        .map(|candidate| candidate.line)
        .collect();
    for batch in best.chunks(BATCH) {
        let tested = test(registers, &target.aic, &target.lines, batch)?;
        if let Some((line, _)) = tested.into_iter().find(|(_, found)| found.is_empty()) {
            return Ok(line);
        }
    }
    Err(LineError::NoSpare { tried: best.len() }.into())
}

/// Whether lines that the user names may be fired: exist, nobody owns them, low, clear, routed nowhere. With `force` the
/// objections that may be overruled come back instead of an error.
///
/// # Errors
/// [`LineError::Refused`] that names every test failed; errors of the link.
pub fn check_lines(
    registers: &mut dyn Registers,
    target: &Target,
    lines: &[LineId],
    force: bool,
) -> Result<Vec<(LineId, Vec<Objection>)>, Error> {
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    // What does not exist has no registers to look at.
    for line in lines {
        let found = objections(&target.lines, *line);
        if found
            .iter()
            .any(|o| matches!(o, Objection::Outside(_) | Objection::Zero))
        {
            return Err(LineError::Refused { line: *line, found }.into());
        }
    }
    let tested = test(registers, &target.aic, &target.lines, lines)?;
    let failed = |found: &[Objection]| match force {
        true => found.iter().any(|o| !o.may_be_forced()),
        false => !found.is_empty(),
    };
    if let Some((line, found)) = tested.iter().find(|(_, found)| failed(found)) {
        let (line, found) = (*line, found.clone());
        return Err(LineError::Refused { line, found }.into());
    }
    Ok(tested)
}

/// Whether a line may be fired: [`check_lines`] finds nothing against it.
///
/// # Errors
/// Errors of the link.
pub fn is_spare(
    registers: &mut dyn Registers,
    target: &Target,
    line: LineId,
) -> Result<bool, Error> {
    match check_lines(registers, target, &[line], false) {
        Ok(_) => Ok(true),
        Err(Error::Line(_)) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Every test that each of `lines`, which exist, fails.
fn test(
    registers: &mut dyn Registers,
    aic: &AicFacts,
    map: &LineMap,
    lines: &[LineId],
) -> Result<Vec<(LineId, Vec<Objection>)>, Error> {
    let levels = Levels::of_lines(registers, aic, lines, Watch::BEFORE_FIRING)?;
    lines
        .iter()
        .map(|line| {
            let mut found = objections(map, *line);
            match levels.of(*line) {
                Some(Level::High) => found.push(Objection::High),
                Some(Level::Toggles) => found.push(Objection::Toggles),
                Some(Level::Low) | None => {}
            }
            found.extend(registers_objections(registers, aic, *line)?);
            Ok((*line, found))
        })
        .collect()
}

/// Tests of a line's own registers beside its level.
///
/// # Errors
/// Errors of the link.
pub fn registers_objections(
    registers: &mut dyn Registers,
    aic: &AicFacts,
    line: LineId,
) -> Result<Vec<Objection>, Error> {
    let g = &aic.geometry;
    let (die, number) = (u32::from(line.die), u32::from(line.number));
    let mut found = Vec::new();
    if let Some(offset) = g.bank_offset(Bank::SwSet, line.die, number / 32) {
        let word = registers.read32(aic.base + u64::from(offset))?;
        if word >> (number % 32) & 1 != 0 {
            found.push(Objection::SoftwareSet);
        }
    }
    // AICv1 has a mask of CPUs there, which says nothing about who uses the line.
    if g.generation != Generation::V1 {
        let offset = g.irq_cfg + die * g.cfg_stride + number * 4;
        let config = IrqConfig(registers.read32(aic.base + u64::from(offset))?);
        if config.target() != 0 {
            found.push(Objection::Routed(config.target()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_tried_from_its_middle_and_whole() {
        let order: Vec<u16> = from_the_middle(10, 5).collect();
        assert_eq!(order, [12, 13, 11, 14, 10]);
        assert_eq!(from_the_middle(1, 4).collect::<Vec<_>>(), [2, 3, 1, 4]);
        for len in 1..9 {
            let mut all: Vec<u16> = from_the_middle(3, len).collect();
            all.sort_unstable();
            assert_eq!(all, (3..3 + len).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_distance_is_that_to_the_nearest_line_in_use() {
        let at = |number| Candidate {
            line: LineId { die: 0, number },
            gap: (10, 5),
        };
        let distances: Vec<u16> = (10..15).map(|n| at(n).distance()).collect();
        assert_eq!(distances, [1, 2, 3, 2, 1]);
    }
}
