//! CPUs that take part: those that run, of all that there are.

use serde::{Deserialize, Serialize};

use crate::first_look::running;
use crate::result::CpuState;

/// CPUs by logical id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Present {
    ids: Vec<u8>,
    of: usize,
}

impl Present {
    /// Those that run, of CPUs in these states.
    #[must_use]
    pub fn of(states: &[CpuState]) -> Self {
        Self {
            ids: running(states).collect(),
            of: states.len(),
        }
    }

    /// Logical ids, ascending.
    #[must_use]
    pub fn ids(&self) -> &[u8] {
        &self.ids
    }

    /// The same, one bit a CPU.
    #[must_use]
    pub fn set(&self) -> u32 {
        self.ids.iter().fold(0, |set, id| set | 1 << id)
    }

    /// The CPU that is so many `steps` behind `cpu` among those that take part, the first one behind the last.
    #[must_use]
    pub fn behind(&self, cpu: usize, steps: usize) -> usize {
        let at = self.ids.iter().position(|id| usize::from(*id) == cpu);
        let at = (at.unwrap_or(0) + steps) % self.ids.len().max(1);
        self.ids.get(at).map_or(cpu, |id| usize::from(*id))
    }

    /// A field for every CPU from one for each that takes part; the others keep theirs.
    #[must_use]
    pub fn spread(&self, values: &[u8]) -> Vec<Option<u8>> {
        let mut fields = vec![None; self.of];
        for (id, value) in self.ids.iter().zip(values) {
            if let Some(field) = fields.get_mut(usize::from(*id)) {
                *field = Some(*value);
            }
        }
        fields
    }

    /// What belongs to the CPUs that take part, of a list with an item for every CPU.
    #[must_use]
    pub fn pick<T: Copy>(&self, all: &[T]) -> Vec<T> {
        let ids = self.ids.iter();
        ids.filter_map(|id| all.get(usize::from(*id)).copied())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_do_not_run_are_passed_over() {
        use CpuState::{Dead, NoMmu, Running};
        let states = [Running, Dead, Running, NoMmu, Running];
        let present = Present::of(&states);
        assert_eq!((present.ids(), present.set()), (&[0, 2, 4][..], 0b1_0101));
        let fields = [Some(7), None, Some(8), None, Some(9)];
        assert_eq!(present.spread(&[7, 8, 9]), fields);
        assert_eq!(present.pick(&[10, 11, 12, 13, 14]), [10, 12, 14]);
        assert_eq!((present.behind(0, 1), present.behind(4, 1)), (2, 0));
        assert_eq!(present.behind(2, 2), 0);
    }
}
