//! Runs a case on both sides and finds the first instruction after which they differ.

use crate::{
    generate::Case,
    library::{Error, Library},
    state::{DATA, Event, Outcome, State, World},
    subject::Subject,
    systems,
    unicorn::Unicorn,
};

/// Compared and put back in pieces of this size.
const PIECE: usize = 0x1000;

/// A disagreement, narrowed to one instruction.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The instruction.
    pub word: u32,
    /// Its place in the case, from 0.
    pub step: usize,
    /// Regime of the core.
    pub world: World,
    /// Registers before it.
    pub before: State,
    /// The core afterwards.
    pub core: Outcome,
    /// The oracle afterwards.
    pub oracle: Outcome,
    /// First byte of the data pages that differs: address, core's, oracle's.
    pub memory: Option<(u64, u8, u8)>,
}

/// Both sides.
pub struct Harness {
    oracle: Unicorn,
    guest: Subject,
    host: Subject,
    pristine: Vec<u8>,
}

impl Harness {
    /// Both sides with `pristine` as their data.
    ///
    /// # Errors
    /// What the library says.
    pub fn new(library: Library, pristine: Vec<u8>) -> Result<Self, Error> {
        let mut oracle = Unicorn::new(library)?;
        oracle.data_mut().copy_from_slice(&pristine);
        Ok(Harness {
            oracle,
            guest: Subject::new(World::Guest, &pristine),
            host: Subject::new(World::Host, &pristine),
            pristine,
        })
    }

    /// The emulator library.
    pub fn library(&self) -> &Library {
        self.oracle.library()
    }

    fn subject(&mut self, world: World) -> &mut Subject {
        match world {
            World::Guest => &mut self.guest,
            World::Host => &mut self.host,
        }
    }

    /// Runs the case; `None` if both sides agree.
    ///
    /// # Errors
    /// What the library says.
    pub fn run(&mut self, case: &Case) -> Result<Option<Finding>, Error> {
        let (core, oracle, memory) = self.run_steps(case, case.count)?;
        if core == oracle && memory.is_none() {
            return Ok(None);
        }
        let mut before = case.state.clone();
        for step in 0..case.count {
            let (core, oracle, memory) = self.run_steps(case, step + 1)?;
            if core != oracle || memory.is_some() {
                return Ok(Some(finding(case, step, before, core, oracle, memory)));
            }
            before = core.state;
        }
        // Every prefix agrees, the whole did not: a side that is not deterministic. It must not pass in silence.
        Ok(Some(finding(
            case, case.count, before, core, oracle, memory,
        )))
    }

    fn run_steps(
        &mut self,
        case: &Case,
        count: usize,
    ) -> Result<(Outcome, Outcome, Option<(u64, u8, u8)>), Error> {
        self.oracle.load(&case.state, &case.words)?;
        let oracle = self.oracle.run(case.state.pc, count)?;
        let subject = self.subject(case.world);
        subject.load(&case.state, &case.words);
        let core = subject.run(count);
        let memory = self.compare_and_restore(case.world);
        if case.words.iter().any(|&word| systems::changes_system(word)) {
            self.subject(case.world).rebuild();
            self.oracle.flush()?;
        }
        Ok((core, oracle, memory))
    }

    fn compare_and_restore(&mut self, world: World) -> Option<(u64, u8, u8)> {
        let mut difference = None;
        for start in (0..self.pristine.len()).step_by(PIECE) {
            let piece = start..start + PIECE;
            let subject = match world {
                World::Guest => &mut self.guest,
                World::Host => &mut self.host,
            };
            let pristine = &self.pristine[piece.clone()];
            let (core, oracle) = (
                &subject.data()[piece.clone()],
                &self.oracle.data()[piece.clone()],
            );
            if difference.is_none() && core != oracle {
                difference = core
                    .iter()
                    .zip(oracle)
                    .position(|(a, b)| a != b)
                    .map(|at| (DATA + (start + at) as u64, core[at], oracle[at]));
            }
            let (core_dirty, oracle_dirty) = (core != pristine, oracle != pristine);
            if core_dirty {
                subject.restore(start, PIECE);
            }
            if oracle_dirty {
                self.oracle.data_mut()[piece].copy_from_slice(pristine);
            }
        }
        difference
    }
}

fn finding(
    case: &Case,
    step: usize,
    before: State,
    core: Outcome,
    oracle: Outcome,
    memory: Option<(u64, u8, u8)>,
) -> Finding {
    let index = before.pc.wrapping_sub(case.state.pc) / 4;
    let word = usize::try_from(index)
        .ok()
        .and_then(|index| case.words.get(index))
        .copied()
        .unwrap_or(0);
    Finding {
        word,
        step,
        world: case.world,
        before,
        core,
        oracle,
        memory,
    }
}

impl Finding {
    /// True if one side says UNDEFINED and the other does not.
    pub fn undefined_differs(&self) -> bool {
        (self.core.event == Event::Undefined) != (self.oracle.event == Event::Undefined)
    }
}
