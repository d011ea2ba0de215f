//! From a seed to a case: instruction words and the state that they start from.

use crate::{
    rng::Rng,
    state::{CODE, CODE_SIZE, DATA_MID, DATA_SIZE, EL0, EL1H, State, World},
    subject::{self, CLREX},
    systems::{self, SYSTEM_REGISTERS},
    templates::{TEMPLATES, Template},
};

/// NOP, which pads behind a sequence.
const NOP: u32 = 0xd503_201f;

/// One test: `count` instructions from `state`.
#[derive(Clone, Debug)]
pub struct Case {
    /// Everything else follows from it.
    pub seed: u64,
    /// Kind or template, for reports.
    pub kind: &'static str,
    /// Words at `state.pc`.
    pub words: Vec<u32>,
    /// Instructions to run; words behind them are padding for branches.
    pub count: usize,
    /// Neither branches backward nor touches the system: also run in one go, from the first word to the last.
    pub block: bool,
    /// The core starts with full translation caches.
    pub warm: bool,
    /// Regime of the core.
    pub world: World,
    /// Registers before.
    pub state: State,
}

/// What a register holds, so that fields can be chosen to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Pointer,
    Index,
    Value,
}

struct Generator {
    rng: Rng,
    roles: [Role; 31],
}

/// Contents of code and data pages before every case; half of the data is small or extreme, so that comparisons meet.
pub fn pristine() -> (Vec<u8>, Vec<u8>) {
    let mut rng = Rng::new(0x00a1_c0de);
    let mut code: Vec<u8> = (0..CODE_SIZE / 8)
        .flat_map(|_| rng.next().to_le_bytes())
        .collect();
    subject::put_vectors(&mut code);
    let data = (0..DATA_SIZE / 8)
        .flat_map(|_| interesting(&mut rng).to_le_bytes())
        .collect();
    (code, data)
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let (mut generator, mut case) = Generator::start(seed);
    match generator.rng.below(100) {
        0..25 => case.words.push(generator.rng.next() as u32),
        25..76 => {
            let template = &TEMPLATES[generator.rng.below(TEMPLATES.len() as u32) as usize];
            let mut word = generator.fill(template, false);
            if generator.rng.percent(8) {
                word ^= 1 << generator.rng.below(32);
            }
            case.kind = template.name;
            case.words.push(word);
        }
        76..79 => generator.loops(&mut case),
        79..80 => generator.maintenance(&mut case),
        80..85 => generator.system_registers(&mut case),
        85..87 => generator.exception_return(&mut case),
        87..91 => generator.exclusives(&mut case),
        _ => generator.sequence(&mut case),
    }
    if case.count == 0 {
        case.count = case.words.len();
    }
    case
}

/// One given word; the seed makes the state.
pub fn word_case(seed: u64, word: u32) -> Case {
    let (_, mut case) = Generator::start(seed);
    case.words.push(word);
    case.count = 1;
    case
}

/// One uniform word.
pub fn uniform_case(seed: u64) -> Case {
    word_case(seed, Rng::new(!seed).next() as u32)
}

impl Generator {
    fn start(seed: u64) -> (Self, Case) {
        let mut rng = Rng::new(seed);
        let (world, mode) = match rng.below(100) {
            0..50 => (World::Guest, EL1H),
            50..65 => (World::Guest, EL0),
            65..90 => (World::Host, EL1H),
            _ => (World::Host, EL0),
        };
        let mut roles = [Role::Value; 31];
        let mut x = [0; 31];
        for n in 0..31u32 {
            let (role, value) = match rng.below(10) {
                0..4 => (Role::Pointer, pointer(&mut rng)),
                4..5 => (Role::Index, u64::from(rng.below(129)).wrapping_sub(64)),
                // Equal operands, and neighbours.
                5 if n > 0 => {
                    let other = x[rng.below(n) as usize];
                    (
                        Role::Value,
                        u64::wrapping_add(other, rng.pick(&[0, 0, 1, u64::MAX])),
                    )
                }
                _ => (Role::Value, interesting(&mut rng)),
            };
            (roles[n as usize], x[n as usize]) = (role, value);
        }
        let state = State {
            sp: pointer(&mut rng),
            // Behind the vectors, and with room for a sequence and its padding.
            pc: CODE + 0x1000 + 4 * u64::from(rng.below((CODE_SIZE as u32 - 0x1400) / 4)),
            pstate: mode | (rng.next() & 0xf) << 28,
            x,
        };
        let case = Case {
            seed,
            kind: "uniform",
            words: Vec::new(),
            count: 0,
            block: false,
            warm: rng.percent(80),
            world,
            state,
        };
        (Generator { rng, roles }, case)
    }

    /// A word of a template. In a sequence, pointers are mostly kept.
    fn fill(&mut self, template: &Template, keep_pointers: bool) -> u32 {
        let pattern = template.pattern.as_bytes();
        let mut word = 0;
        let mut at = 0;
        while at < pattern.len() {
            let kind = pattern[at];
            let length = match kind {
                b'0' | b'1' | b'x' => 1,
                _ => pattern[at..].iter().take_while(|&&c| c == kind).count(),
            };
            let value = match kind {
                b'0' => 0,
                b'1' => 1,
                b'x' => self.rng.next() as u32,
                b'i' => self.immediate(),
                b'l' if self.rng.percent(80) => (self.rng.below(0x4000) as i32 - 0x2000) as u32,
                b'l' => self.rng.next() as u32,
                _ => self.register(kind, keep_pointers) >> (5 - length),
            };
            let mask = u32::MAX >> (32 - length);
            word = word << (length - 1) << 1 | value & mask;
            at += length;
        }
        word
    }

    fn immediate(&mut self) -> u32 {
        match self.rng.below(8) {
            0 => 0,
            1 => u32::MAX,
            2 => self.rng.below(8),
            _ => self.rng.next() as u32,
        }
    }

    fn register(&mut self, kind: u8, keep_pointers: bool) -> u32 {
        match kind {
            b'b' if self.rng.percent(90) => self.with_role(Role::Pointer),
            b'o' if self.rng.percent(70) => self.with_role(Role::Index),
            b'd' | b't' if keep_pointers && self.rng.percent(85) => self.with_role(Role::Value),
            _ if self.rng.percent(12) => 31,
            _ => self.rng.below(32),
        }
    }

    /// A register of that role; 31, which is SP as a base, counts as a pointer.
    fn with_role(&mut self, role: Role) -> u32 {
        let mut candidates: Vec<u32> = (0..31)
            .filter(|&n| self.roles[n as usize] == role)
            .collect();
        if role == Role::Pointer || candidates.is_empty() {
            candidates.push(31);
        }
        self.rng.pick(&candidates)
    }

    fn straight(&mut self) -> u32 {
        loop {
            let template = &TEMPLATES[self.rng.below(TEMPLATES.len() as u32) as usize];
            if template.straight {
                return self.fill(template, true);
            }
        }
    }

    /// Two to ten instructions, some of them short branches forward.
    fn sequence(&mut self, case: &mut Case) {
        case.kind = "sequence";
        case.block = true;
        case.count = 2 + self.rng.below(9) as usize;
        for _ in 0..case.count {
            let word = if self.rng.percent(10) {
                self.short_branch()
            } else {
                self.straight()
            };
            case.words.push(word);
        }
        case.words.resize(3 * case.count, NOP);
    }

    fn short_branch(&mut self) -> u32 {
        let skip = 1 + self.rng.below(3);
        let register = self.rng.below(32);
        match self.rng.below(4) {
            0 => 0x1400_0000 | skip,
            1 => 0x5400_0000 | skip << 5 | self.rng.below(16),
            2 => {
                0x3400_0000
                    | self.rng.below(2) << 31
                    | self.rng.below(2) << 24
                    | skip << 5
                    | register
            }
            _ => 0x3600_0000 | (self.rng.next() as u32 & 0x81f8_0000) | skip << 5 | register,
        }
    }

    /// A counted loop around a call: branches backward, BL and RET.
    fn loops(&mut self, case: &mut Case) {
        case.kind = "loop";
        case.block = true;
        let counter = self.rng.below(30);
        let (turns, inner, outer) = (1 + self.rng.below(5), self.rng.below(5), self.rng.below(5));
        let mut body = |length: u32| -> Vec<u32> {
            (0..length)
                .map(|_| self.straight_without(&[counter, 30]))
                .collect()
        };
        let (inner_words, outer_words) = (body(inner), body(outer));
        let words = &mut case.words;
        words.push(0xd280_0000 | turns << 5 | counter); // movz counter, #turns
        words.push(0x9400_0000 | (outer + 4)); // 1: bl 2f
        words.extend(outer_words);
        words.push(0xd100_0400 | counter << 5 | counter); // sub counter, counter, #1
        let back = (outer + 2).wrapping_neg() & 0x7_ffff;
        words.push(0xb500_0000 | back << 5 | counter); // cbnz counter, 1b
        words.push(0x1400_0000 | (inner + 2)); // b 3f
        words.extend(inner_words); // 2:
        words.push(0xd65f_03c0); // ret
        case.count = (2 + turns * (inner + outer + 4)) as usize; // 3:
    }

    /// A word none of whose register fields is one of `kept`, or the lower one of a CASP pair with it.
    fn straight_without(&mut self, kept: &[u32]) -> u32 {
        loop {
            let word = self.straight();
            let free = |lo: u32| {
                let field = word >> lo & 31;
                !kept.contains(&field) && !kept.contains(&(field + 1))
            };
            if [0, 5, 10, 16].into_iter().all(free) {
                return word;
            }
        }
    }

    /// Cache and TLB maintenance at an address that is mapped, or without one; then a load or store.
    fn maintenance(&mut self, case: &mut Case) {
        case.kind = "maintenance";
        let instruction = self.rng.pick(systems::MAINTENANCE);
        let register = self.with_role(Role::Pointer).min(30);
        case.state.x[register as usize] = pointer(&mut self.rng);
        case.words = vec![systems::msr(instruction) | register, self.straight()];
    }

    /// A register outside the general ones, written and read back.
    fn system_registers(&mut self, case: &mut Case) {
        case.kind = "system register";
        let register = self.rng.pick(SYSTEM_REGISTERS);
        let (from, to) = (self.rng.below(31), self.rng.below(32));
        case.state.x[from as usize] = interesting(&mut self.rng) & register.writable;
        if self.rng.percent(85) {
            case.words.push(systems::msr(register.encoding) | from);
        }
        if self.rng.percent(85) {
            case.words.push(systems::mrs(register.encoding) | to);
        }
        if case.words.is_empty() {
            case.words.push(NOP);
        }
    }

    /// ERET with a legal SPSR, in the guest regime (in the host's, EL1 does not exist).
    fn exception_return(&mut self, case: &mut Case) {
        case.kind = "exception return";
        case.world = World::Guest;
        let target = interesting(&mut self.rng) & 0x7fff_ffff_fffc;
        let mode = self.rng.pick(&[0b0000, 0b0100, 0b0101]);
        case.state.x[1] = target;
        case.state.x[2] = (self.rng.next() & 0xf000_03c0) | mode;
        case.words = vec![
            systems::msr(systems::ELR_EL1) | 1,
            systems::msr(systems::SPSR_EL1) | 2,
            systems::ERET,
        ];
    }

    /// A load-exclusive, harmless instructions, and the store-exclusive of the same size and address.
    fn exclusives(&mut self, case: &mut Case) {
        case.kind = "exclusives";
        case.block = true;
        let base = self.with_role(Role::Pointer);
        let size = self.rng.below(4);
        let pair = size >= 2 && self.rng.percent(40);
        let ordered = self.rng.below(2) << 15;
        let (first, second) = loop {
            let registers = (self.rng.below(32), self.rng.below(32));
            let base_kept = base == 31 || (registers.0 != base && registers.1 != base);
            if registers.0 != registers.1 && base_kept {
                break registers;
            }
        };
        let common = size << 30 | 0b001000 << 24 | ordered | base << 5;
        let (pair_bit, load_second) = if pair { (1 << 21, second) } else { (0, 31) };
        case.words
            .push(common | pair_bit | 1 << 22 | 31 << 16 | load_second << 10 | first);
        for _ in 0..self.rng.below(4) {
            let word = self.straight();
            let memory = word >> 25 & 0b0101 == 0b0100;
            let writes_base = word & 31 == base;
            if !memory && !writes_base {
                case.words.push(word);
            }
        }
        if self.rng.percent(20) {
            case.words.push(CLREX);
        }
        let data = (self.rng.below(32), self.rng.below(32));
        let status = loop {
            let status = self.rng.below(32);
            let free = |n| status != n;
            if free(data.0) && free(data.1) && (free(base) || base == 31) {
                break status;
            }
        };
        let store_second = if pair { data.1 } else { 31 };
        case.words
            .push(common | pair_bit | status << 16 | store_second << 10 | data.0);
    }
}

/// An address near the middle of the data pages, mostly aligned.
fn pointer(rng: &mut Rng) -> u64 {
    if rng.percent(8) {
        // Across the page boundary in the middle.
        return DATA_MID + 0x200 - u64::from(rng.below(17));
    }
    let offset = u64::from(rng.below(0x400));
    DATA_MID + (offset & !rng.pick(&[15, 15, 15, 15, 7, 7, 3, 0]))
}

/// A value of one of the kinds that break arithmetic.
fn interesting(rng: &mut Rng) -> u64 {
    const EDGES: [u64; 20] = [
        0,
        1,
        2,
        u64::MAX,
        u64::MAX - 1,
        i64::MAX as u64,
        1 << 63,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        0xffff_ffff_8000_0000,
        0x5555_5555_5555_5555,
        0xaaaa_aaaa_aaaa_aaaa,
    ];
    match rng.below(8) {
        0 | 1 => rng.pick(&EDGES),
        2 => u64::from(rng.below(65)).wrapping_sub(32),
        3 => 1 << rng.below(64),
        4 => u64::from(rng.next() as u32),
        5 => i64::from(rng.next() as i32) as u64,
        _ => rng.next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_template_keeps_its_fixed_bits() {
        let (mut generator, _) = Generator::start(7);
        for template in TEMPLATES {
            for _ in 0..50 {
                let word = generator.fill(template, false);
                for (bit, kind) in (0..32).rev().zip(template.pattern.bytes()) {
                    let expected = match kind {
                        b'0' => 0,
                        b'1' => 1,
                        _ => continue,
                    };
                    assert_eq!(
                        word >> bit & 1,
                        expected,
                        "{} {word:#010x} bit {bit}",
                        template.name
                    );
                }
            }
        }
    }

    #[test]
    fn same_seed_same_case() {
        for seed in 0..200 {
            let (a, b) = (case(seed), case(seed));
            assert_eq!(a.words, b.words);
            assert_eq!(a.state, b.state);
            assert!(a.count >= 1 && !a.words.is_empty());
            assert!(a.count <= a.words.len() || a.kind == "loop");
            let end = a.state.pc + 4 * a.words.len() as u64;
            assert!(a.state.pc >= CODE + 4 && end <= CODE + CODE_SIZE);
        }
    }
}
