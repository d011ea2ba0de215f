//! Runs a case on both sides and finds the first instruction after which they differ.

use crate::{
    generate::Case,
    library::{Error, Library},
    state::{CODE, DATA, Event, Outcome, State, World},
    subject::{Subject, Way},
    systems,
    unicorn::Unicorn,
};

/// The core's and the oracle's outcome, and the first difference of their data.
type Compared = (Outcome, Outcome, Option<(u64, u8, u8)>);

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
    /// By [`subject_index`].
    subjects: [Subject; 4],
    code: Vec<u8>,
    data: Vec<u8>,
}

impl Harness {
    /// Both sides with these bytes in their pages.
    ///
    /// # Errors
    /// What the library says.
    pub fn new(library: Library, (code, data): (Vec<u8>, Vec<u8>)) -> Result<Self, Error> {
        let mut oracle = Unicorn::new(library)?;
        oracle.code_mut().copy_from_slice(&code);
        oracle.data_mut().copy_from_slice(&data);
        Ok(Harness {
            oracle,
            subjects: [
                (World::Guest, Way::Step),
                (World::Guest, Way::Block),
                (World::Host, Way::Step),
                (World::Host, Way::Block),
            ]
            .map(|(world, way)| Subject::new(world, way, &code, &data)),
            code,
            data,
        })
    }

    /// The emulator library.
    pub fn library(&self) -> &Library {
        self.oracle.library()
    }

    /// Runs the case; `None` if both sides agree.
    ///
    /// # Errors
    /// What the library says.
    pub fn run(&mut self, case: &Case) -> Result<Option<Finding>, Error> {
        let (core, oracle, memory) = self.run_steps(case, case.count)?;
        if core.agrees(&oracle) && memory.is_none() {
            return if case.block {
                self.run_in_one_go(case)
            } else {
                Ok(None)
            };
        }
        let mut before = case.state.clone();
        for step in 0..case.count {
            let (core, oracle, memory) = self.run_steps(case, step + 1)?;
            if !core.agrees(&oracle) || memory.is_some() {
                return Ok(Some(finding(case, step, before, core, oracle, memory)));
            }
            before = core.state;
        }
        // Every prefix agrees, the whole did not: a side that is not deterministic. It must not pass in silence.
        Ok(Some(finding(
            case, case.count, before, core, oracle, memory,
        )))
    }

    fn run_steps(&mut self, case: &Case, count: usize) -> Result<Compared, Error> {
        let oracle = if case.words.iter().any(|&word| is_fp_or_simd(word)) {
            Outcome {
                event: Event::Undefined,
                state: case.state.clone(),
            }
        } else {
            self.oracle.load(&case.state, &case.words)?;
            self.oracle.run(case.state.pc, count)?
        };
        let subject = &mut self.subjects[subject_index(case.world, Way::Step)];
        subject.load(&case.state, &case.words, case.warm);
        let core = subject.run(count);
        let memory = self.clean(case, Way::Step)?;
        if case.words.iter().any(|&word| systems::changes_system(word)) {
            self.subjects[subject_index(case.world, Way::Step)].rebuild();
            self.oracle.flush()?;
        }
        Ok((core, oracle, memory))
    }

    /// The same case with both sides free to run it as a block: the core in its fast loop.
    fn run_in_one_go(&mut self, case: &Case) -> Result<Option<Finding>, Error> {
        self.oracle.load(&case.state, &case.words)?;
        let end = case.state.pc + 4 * case.words.len() as u64;
        let oracle = self.oracle.run_block(case.state.pc, end)?;
        let subject = &mut self.subjects[subject_index(case.world, Way::Block)];
        subject.load(&case.state, &case.words, case.warm);
        let core = subject.run_block();
        let memory = self.clean(case, Way::Block)?;
        if core.agrees(&oracle) && memory.is_none() {
            return Ok(None);
        }
        Ok(Some(Finding {
            word: 0,
            step: case.count,
            world: case.world,
            before: case.state.clone(),
            core,
            oracle,
            memory,
        }))
    }

    /// Compares the data pages, then takes the case's code and stores away.
    fn clean(&mut self, case: &Case, way: Way) -> Result<Option<(u64, u8, u8)>, Error> {
        let subject = &mut self.subjects[subject_index(case.world, way)];
        subject.restore_code(case.state.pc, case.words.len());
        let offset = (case.state.pc - CODE) as usize;
        let bytes = self.code[offset..offset + 4 * case.words.len()].chunks_exact(4);
        let words: Vec<u32> = bytes
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        self.oracle.set_code(offset as u64, &words)?;

        let mut difference = None;
        for start in (0..self.data.len()).step_by(PIECE) {
            let piece = start..start + PIECE;
            let pristine = &self.data[piece.clone()];
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
                subject.restore_data(start, PIECE);
            }
            if oracle_dirty {
                self.oracle.data_mut()[piece].copy_from_slice(pristine);
            }
        }
        Ok(difference)
    }
}

/// Place of a core among the subjects.
fn subject_index(world: World, way: Way) -> usize {
    usize::from(world == World::Host) << 1 | usize::from(way == Way::Block)
}

/// Floating point and Advanced SIMD, all UNDEFINED on a core without their registers. The oracle is not asked:
/// it has them, cannot be told to trap them, and aborts the process on some words.
pub fn is_fp_or_simd(word: u32) -> bool {
    word >> 26 & 3 == 3
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
    /// The base register (bits 9:5) before the instruction; 31 is SP.
    pub fn base(&self) -> u64 {
        let n = (self.word >> 5 & 31) as usize;
        self.before.x.get(n).copied().unwrap_or(self.before.sp)
    }
}
