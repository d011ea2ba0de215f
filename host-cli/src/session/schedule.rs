//! Cells as commands: a cell of many triggers goes down in parts.
//!
//! The firmware finishes what it was given before it looks at anything else. So the host gives it little at a time: then
//! Ctrl-C is heeded soon, and the counts of a long cell come in steps. The parts of a cell add up to what the whole would
//! have counted.

use std::collections::VecDeque;

use protocol::Cell;

use crate::plan::PlannedCell;

/// Target time of a part, in microseconds.
const PART_US: u64 = 500_000;
/// Triggers of a cell's first part: nobody knows yet whether they will all be lost, and wait for their timeouts.
const FIRST_PART: u32 = 256;
/// A trigger beside its windows, in microseconds. Inference, as in the plan's estimate.
const TRIGGER_US: u64 = 20;

/// Of parts with a limit of time the firmware is given this much ahead at least, so that no slice runs dry.
const AHEAD_US: u64 = 60_000;
/// More than can be fired in a microsecond.
const TRIGGERS_PER_US: u32 = 4;

/// A part that the firmware has been given.
#[derive(Clone, Copy, Debug)]
struct Part {
    id: u32,
    cell: usize,
    triggers: u32,
    us: u64,
}

/// Cells, and how far each has been given out.
pub struct Schedule {
    cells: Vec<PlannedCell>,
    /// Cell that the next part is of.
    next: usize,
    /// Triggers of that cell given out so far.
    given: u32,
    parts: u32,
    /// AICv1's numbers of the CPUs.
    whoami: Vec<Option<u32>>,
    outstanding: VecDeque<Part>,
}

impl Schedule {
    /// All of `cells`, in order; `whoami` as in [`PlannedCell::to_command`].
    pub const fn new(cells: Vec<PlannedCell>, whoami: Vec<Option<u32>>) -> Self {
        Self {
            cells,
            whoami,
            next: 0,
            given: 0,
            parts: 0,
            outstanding: VecDeque::new(),
        }
    }

    /// The next part, if the firmware has little left to do. `lost(i)` is how many triggers cell `i` has lost so far.
    pub fn next_part(&mut self, lost: impl Fn(usize) -> u64) -> Option<Cell> {
        let cell = self.cells.get(self.next)?;
        let enough = match cell.special.limit_us {
            0 => PART_US,
            // Two, of short ones more: what is ahead of one that stops is lost.
            limit => (2 * u64::from(limit)).clamp(AHEAD_US, PART_US),
        };
        if self.ahead_us() >= enough {
            return None;
        }
        let triggers = if cell.special.limit_us == 0 {
            part(cell, self.given, lost(self.next))
        } else {
            // What it will have fired when its time is up, nobody knows: more than it can.
            let most = cell.special.limit_us.saturating_mul(TRIGGERS_PER_US);
            (cell.triggers - self.given).min(most)
        };
        if triggers == 0 {
            // All of them are out; what their limits leave comes again.
            return None;
        }
        let mut command = cell.to_command(&self.whoami);
        command.id = self.parts;
        command.triggers = triggers;
        self.outstanding.push_back(Part {
            id: self.parts,
            cell: self.next,
            triggers,
            us: match cell.special.limit_us {
                0 => u64::from(triggers) * trigger_us(cell),
                limit => limit.into(),
            },
        });
        self.parts = self.parts.wrapping_add(1);
        self.given += triggers;
        if self.given >= cell.triggers && cell.special.limit_us == 0 {
            self.advance();
        }
        Some(command)
    }

    /// Time for what the firmware was given and has not finished, in microseconds.
    pub fn ahead_us(&self) -> u64 {
        self.outstanding.iter().map(|p| p.us).sum()
    }

    const fn advance(&mut self) {
        self.next += 1;
        self.given = 0;
    }

    /// The cell that part `id` is of, if the firmware was given such a part and has not finished it.
    pub fn cell_of(&self, id: u32) -> Option<usize> {
        self.outstanding.iter().find(|p| p.id == id).map(|p| p.cell)
    }

    /// Part `id` is over with so many triggers: the cell that it is of, and whether that cell is over with it. A cell that was
    /// refused gets no further parts.
    pub fn finish(&mut self, id: u32, fired: u32, refused: bool) -> Option<(usize, bool)> {
        let at = self.outstanding.iter().position(|p| p.id == id)?;
        let part = self.outstanding.remove(at)?;
        if refused && part.cell == self.next {
            self.advance();
        }
        if part.cell == self.next && self.cells[part.cell].special.limit_us != 0 {
            self.given -= part.triggers.saturating_sub(fired);
            let more = self.outstanding.iter().any(|p| p.cell == part.cell);
            if !more && self.given >= self.cells[part.cell].triggers {
                self.advance();
            }
        }
        let more = self.outstanding.iter().any(|p| p.cell == part.cell);
        let all_given = part.cell < self.next;
        Some((part.cell, all_given && !more))
    }

    /// Whether everything was given out and came back.
    pub fn is_over(&self) -> bool {
        self.next >= self.cells.len() && self.outstanding.is_empty()
    }

    /// Longest time that one trigger of what is outstanding can hold the boot CPU, in microseconds.
    pub fn longest_trigger_us(&self) -> u64 {
        let us = |p: &Part| {
            let cell = &self.cells[p.cell];
            trigger_us(cell) + cell.watched_us()
        };
        self.outstanding.iter().map(us).max().unwrap_or(0)
    }

    /// The cells.
    pub fn cells(&self) -> &[PlannedCell] {
        &self.cells
    }
}

fn trigger_us(cell: &PlannedCell) -> u64 {
    u64::from(cell.window_us()) + u64::from(cell.grace_us) + TRIGGER_US
}

/// Triggers of a cell's next part.
fn part(cell: &PlannedCell, given: u32, lost: u64) -> u32 {
    let mut us = trigger_us(cell);
    let mut most = given.saturating_mul(3).max(FIRST_PART);
    if lost > 0 {
        us += u64::from(cell.timeout_us);
        most = u32::MAX;
    }
    let fit = u32::try_from(PART_US / us).unwrap_or(u32::MAX).max(1);
    (cell.triggers - given).min(most).min(fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Request, build};
    use protocol::LineId;

    fn schedule(triggers: u32, masks: Vec<(u32, u32)>) -> Schedule {
        let request = Request {
            fire_cpus: vec![0, 1],
            masks,
            triggers,
            ..Request::default()
        };
        Schedule::new(
            build(&request, 2, LineId { die: 0, number: 5 })
                .unwrap()
                .cells,
            Vec::new(),
        )
    }

    /// Runs everything, finishing parts at once; triggers per cell and sizes of the parts.
    fn play(mut s: Schedule, lost: u64) -> (Vec<u32>, Vec<u32>) {
        let (mut sums, mut parts) = (vec![0; s.cells().len()], Vec::new());
        while let Some(c) = s.next_part(|_| lost) {
            parts.push(c.triggers);
            let (cell, over) = s.finish(c.id, c.triggers, false).unwrap();
            sums[cell] += c.triggers;
            assert_eq!(over, sums[cell] == s.cells()[cell].triggers);
        }
        assert!(s.is_over());
        (sums, parts)
    }

    #[test]
    fn parts_add_up_and_grow() {
        let (sums, parts) = play(schedule(1_000_000, vec![]), 0);
        assert_eq!(sums, [1_000_000, 1_000_000]);
        assert_eq!(parts[..3], [256, 768, 3072]);
        assert!(parts.len() < 110, "{}", parts.len());
        // 35 ms windows: 14 fit half a second.
        let (sums, parts) = play(schedule(32, vec![(0, 35_000)]), 0);
        assert_eq!((sums, &parts[..3]), (vec![32, 32], &[14, 14, 4][..]));
        // Where triggers get lost each may take its whole timeout of 10 ms.
        let (_, parts) = play(schedule(1_000, vec![]), 1);
        assert!(parts.iter().all(|p| *p <= 50));
    }

    #[test]
    fn the_firmware_is_given_half_a_second_at_most() {
        let mut s = schedule(32, vec![(0, 35_000)]);
        let mut ahead = 0;
        while let Some(c) = s.next_part(|_| 0) {
            ahead += c.triggers;
        }
        assert_eq!(ahead, 28);
        assert_eq!(s.longest_trigger_us(), 35_000 + 2 + 20 + 11_250);
    }

    #[test]
    fn parts_with_a_limit_of_time_end_by_it() {
        let mut s = schedule(1_000_000, vec![]);
        s.cells[0].special.limit_us = 100_000;
        let (mut sum, mut parts) = (0, Vec::new());
        while let Some(c) = s.next_part(|_| 0).filter(|c| c.fire_cpu == 0) {
            // A hundred thousand fit its time.
            let fired = c.triggers.min(100_000);
            sum += fired;
            parts.push(fired);
            let over = s.finish(c.id, fired, false);
            assert_eq!(over, Some((0, sum == 1_000_000)));
        }
        assert_eq!(parts, [100_000; 10]);
        // Several are ahead, and what they do not need comes back.
        let mut s = schedule(1_000_000, vec![]);
        s.cells[0].special.limit_us = 100_000;
        let ahead: Vec<_> = std::iter::from_fn(|| s.next_part(|_| 0)).collect();
        let triggers: Vec<u32> = ahead.iter().map(|c| c.triggers).collect();
        assert_eq!(triggers, [400_000, 400_000]);
        assert_eq!(s.ahead_us(), 200_000);
        s.finish(ahead[0].id, 1_000, false);
        s.finish(ahead[1].id, 400_000, false);
        assert_eq!(s.next_part(|_| 0).map(|c| c.triggers), Some(400_000));
        assert_eq!(s.next_part(|_| 0).map(|c| c.triggers), Some(199_000));
    }

    #[test]
    fn a_refused_cell_gets_no_further_parts() {
        let mut s = schedule(1_000_000, vec![]);
        let first = s.next_part(|_| 0).unwrap();
        let second = s.next_part(|_| 0).unwrap();
        assert_eq!(s.finish(first.id, 0, true), Some((0, false)));
        assert_eq!(s.finish(second.id, 0, true), Some((0, true)));
        let next = s.next_part(|_| 0).unwrap();
        assert_eq!((next.fire_cpu, s.cell_of(next.id)), (1, Some(1)));
        assert_eq!(s.finish(99, 0, false), None);
    }
}
