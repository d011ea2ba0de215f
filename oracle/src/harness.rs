//! Runs a case on both sides and finds the first instruction after which they differ.

use crate::{
    generate::Case,
    library::{Error, Library},
    state::{CODE, DATA, Event, Outcome, State, World},
    subject::{Subject, Way},
    systems,
    unicorn::Unicorn,
};

/// One run of both sides.
struct Compared {
    core: Outcome,
    oracle: Outcome,
    /// First difference of the data: address, core's, oracle's.
    memory: Option<(u64, u8, u8)>,
}

impl Compared {
    fn agrees(&self) -> bool {
        self.core.agrees(&self.oracle) && self.memory.is_none()
    }
}

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

/// What a case gave.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// How it ended on the core.
    pub event: Event,
    /// The disagreement, if there is one.
    pub finding: Option<Finding>,
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

    /// Runs the case.
    ///
    /// # Errors
    /// What the library says.
    pub fn run(&mut self, case: &Case) -> Result<Verdict, Error> {
        let whole = self.run_prefix(case, case.count)?;
        let event = whole.core.event;
        let finding = if whole.agrees() {
            None
        } else {
            Some(self.narrow(case, whole)?)
        };
        Ok(Verdict { event, finding })
    }

    /// The first instruction after which the sides differ.
    fn narrow(&mut self, case: &Case, whole: Compared) -> Result<Finding, Error> {
        let mut before = case.state.clone();
        for step in 0..case.count {
            let prefix = self.run_prefix(case, step + 1)?;
            if !prefix.agrees() {
                return Ok(finding(case, step, before, prefix));
            }
            before = prefix.core.state;
        }
        // Every prefix agrees, the whole did not: the run in one go, or a side that is not deterministic.
        Ok(finding(case, case.count, case.state.clone(), whole))
    }

    /// Runs the first `count` instructions on both sides; the whole case also in one go, if it is made for that. The
    /// pages are as before afterwards.
    fn run_prefix(&mut self, case: &Case, count: usize) -> Result<Compared, Error> {
        let asked = !case.words.iter().any(|&word| is_fp_or_simd(word));
        let oracle = if asked {
            self.oracle.load(&case.state, &case.words)?;
            self.oracle.run(case.state.pc, count)?
        } else {
            Outcome {
                event: Event::Undefined,
                state: case.state.clone(),
            }
        };
        let mut compared = self.run_core(case, Way::Step, oracle, |subject| subject.run(count));
        if case.block && count == case.count && compared.agrees() {
            let mut oracle = compared.oracle;
            if oracle.event == Event::None {
                // The step-wise run may have ended in the padding, which changes nothing else.
                oracle.state.pc = case.state.pc + 4 * case.words.len() as u64;
            }
            compared = self.run_core(case, Way::Block, oracle, Subject::run_block);
        }
        self.clean(case)?;
        Ok(compared)
    }

    fn run_core(
        &mut self,
        case: &Case,
        way: Way,
        oracle: Outcome,
        run: impl FnOnce(&mut Subject) -> Outcome,
    ) -> Compared {
        let subject = &mut self.subjects[subject_index(case.world, way)];
        subject.load(&case.state, &case.words, case.warm);
        let core = run(subject);
        let memory = first_difference(subject.data(), self.oracle.data());
        subject.restore_code(case.state.pc, case.words.len());
        for start in dirty(subject.data(), &self.data) {
            subject.restore_data(start, PIECE);
        }
        if case.words.iter().any(|&word| systems::changes_system(word)) {
            subject.rebuild();
        }
        Compared {
            core,
            oracle,
            memory,
        }
    }

    /// Takes the case's code and stores away on the oracle's side.
    fn clean(&mut self, case: &Case) -> Result<(), Error> {
        let offset = (case.state.pc - CODE) as usize;
        let bytes = self.code[offset..offset + 4 * case.words.len()].chunks_exact(4);
        let words: Vec<u32> = bytes
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        self.oracle.set_code(offset as u64, &words)?;
        for start in dirty(self.oracle.data(), &self.data) {
            let piece = start..start + PIECE;
            self.oracle.data_mut()[piece.clone()].copy_from_slice(&self.data[piece]);
        }
        if case.words.iter().any(|&word| systems::changes_system(word)) {
            self.oracle.flush()?;
        }
        Ok(())
    }
}

/// Starts of the pieces of `bytes` that are not as they were.
fn dirty(bytes: &[u8], pristine: &[u8]) -> Vec<usize> {
    let pieces = bytes.chunks(PIECE).zip(pristine.chunks(PIECE));
    pieces
        .enumerate()
        .filter(|(_, (a, b))| a != b)
        .map(|(i, _)| i * PIECE)
        .collect()
}

/// Address, core's and oracle's byte where the data pages differ first.
fn first_difference(core: &[u8], oracle: &[u8]) -> Option<(u64, u8, u8)> {
    if core == oracle {
        return None;
    }
    let at = core.iter().zip(oracle).position(|(a, b)| a != b)?;
    Some((DATA + at as u64, core[at], oracle[at]))
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

fn finding(case: &Case, step: usize, before: State, compared: Compared) -> Finding {
    let index = before.pc.wrapping_sub(case.state.pc) / 4;
    let word = usize::try_from(index)
        .ok()
        .and_then(|index| case.words.get(index))
        .copied();
    let Compared {
        core,
        oracle,
        memory,
    } = compared;
    Finding {
        // A run in one go is not narrowed.
        word: word.filter(|_| step < case.count).unwrap_or(0),
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
