//! Lines that are fired beside the usual one.

use protocol::LineId;

use crate::error::Error;
use crate::target::{Registers, Target, candidates, is_spare};

/// Other lines of a die that are fired, and lines that are looked at for them.
const OTHERS: usize = 3;
const TRIED: usize = 12;

/// Spare lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Of any die; the last lines of dies apart.
    pub others: Vec<LineId>,
    /// The last lines of dies.
    pub last: Vec<LineId>,
}

impl Lines {
    /// Those of every die beside `line`.
    ///
    /// # Errors
    /// Errors of the link.
    pub fn find(
        registers: &mut dyn Registers,
        target: &Target,
        line: LineId,
    ) -> Result<Self, Error> {
        let mut found = Self::default();
        let g = &target.aic.geometry;
        for die in 0..g.dies as u8 {
            let end = LineId {
                die,
                number: (g.nr_irq - 1) as u16,
            };
            if end != line && is_spare(registers, target, end)? {
                found.last.push(end);
            }
            found.of_die(registers, target, LineId { die, ..line }, line)?;
        }
        Ok(found)
    }

    /// Others of the die of `twin`, it first, so that dies are compared; then odd and even ones, from all over the die.
    fn of_die(
        &mut self,
        registers: &mut dyn Registers,
        target: &Target,
        twin: LineId,
        line: LineId,
    ) -> Result<(), Error> {
        let far: Vec<LineId> = candidates(&target.lines, twin.die)
            .map(|candidate| candidate.line)
            .collect();
        let step = (far.len() / TRIED).max(1);
        let tried = std::iter::once(twin).chain(far.into_iter().step_by(step));
        let mut taken = 0;
        for other in tried.take(TRIED) {
            let known = other == line || self.last.contains(&other) || self.others.contains(&other);
            let alike = |o: &&LineId| o.die == other.die && o.number % 2 == other.number % 2;
            if taken == OTHERS || known || self.others.iter().filter(alike).count() > 1 {
                continue;
            }
            if target.lines.owners(other).is_empty() && is_spare(registers, target, other)? {
                self.others.push(other);
                taken += 1;
            }
        }
        Ok(())
    }
}
