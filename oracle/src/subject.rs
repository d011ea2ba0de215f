//! The core under test: a machine of one core with the MMU on, mapping the same pages that the oracle has.

use crate::state::{
    self, CODE, CODE_SIZE, DATA, DATA_SIZE, EL1H, Event, MAIR, Outcome, SCTLR, State, World,
};
use std::time::Duration;
use virtual_soc::{
    cpu::{Bus, BusFault, CoreConfig, CoreState, CpuView, SysReg, SysRegFault, Time},
    machine::{Machine, MachineConfig, Step, Stop},
};

/// Nothing outside the core: every access aborts and every implementation-defined register is UNDEFINED.
struct NoBus;

impl Bus for NoBus {
    fn mmio_read(&mut self, _: usize, _: u64, _: u8, _: Time) -> Result<u64, BusFault> {
        Err(BusFault::Abort)
    }
    fn mmio_write(&mut self, _: usize, _: u64, _: u8, _: u64, _: Time) -> Result<(), BusFault> {
        Err(BusFault::Abort)
    }
    fn sysreg_read(&mut self, _: usize, _: SysReg, _: u8, _: Time) -> Result<u64, SysRegFault> {
        Err(SysRegFault::Undefined)
    }
    fn sysreg_write(
        &mut self,
        _: usize,
        _: SysReg,
        _: u8,
        _: u64,
        _: Time,
    ) -> Result<(), SysRegFault> {
        Err(SysRegFault::Undefined)
    }
    fn irq_lines(&self) -> u64 {
        0
    }
    fn fiq_lines(&self) -> u64 {
        0
    }
    fn tick(&mut self, _: Time, _: &CpuView) {}
    fn next_event(&self, _: Time) -> Option<Time> {
        None
    }
}

/// CLREX.
pub const CLREX: u32 = 0xd503_3f5f;
/// The code pages begin with exception vectors: HLT #[`VECTOR`] in each; then comes one CLREX. Cases lie behind.
const CLREX_OFFSET: u64 = 0x800;
/// A host call from a vector.
const VECTOR: u16 = 1;
/// A host call at the end of a case that runs in one go.
const END: u16 = 2;

const fn hlt(imm: u16) -> u32 {
    0xd440_0000 | (imm as u32) << 5
}

/// Puts vectors and CLREX into the bytes of the code pages.
pub fn put_vectors(code: &mut [u8]) {
    let vectors = (0..CLREX_OFFSET as usize)
        .step_by(0x80)
        .map(|at| (at, hlt(VECTOR)));
    for (at, word) in vectors.chain([(CLREX_OFFSET as usize, CLREX)]) {
        code[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// How a core runs its instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One at a time.
    Step,
    /// As many as the machine runs in a slice.
    Block,
}

/// Far longer than any block: 10,000 instructions.
const LONGEST_BLOCK: Duration = Duration::from_micros(10);

/// RAM: code, data, then the translation tables, which are not mapped.
const RAM_SIZE: u64 = 0x10_0000;
const LEVEL2: u64 = CODE + 0x8_0000;
const LEVEL3: u64 = LEVEL2 + 0x4000;

// Encodings of the system registers used: DDI 0487, D19.
const SCTLR_EL1: SysReg = SysReg::new(3, 0, 1, 0, 0);
const SCTLR_EL2: SysReg = SysReg::new(3, 4, 1, 0, 0);
const HCR_EL2: SysReg = SysReg::new(3, 4, 1, 1, 0);
const TTBR0_EL1: SysReg = SysReg::new(3, 0, 2, 0, 0);
const TTBR0_EL2: SysReg = SysReg::new(3, 4, 2, 0, 0);
const TCR_EL1: SysReg = SysReg::new(3, 0, 2, 0, 2);
const TCR_EL2: SysReg = SysReg::new(3, 4, 2, 0, 2);
const VBAR_EL1: SysReg = SysReg::new(3, 0, 12, 0, 0);
const VBAR_EL2: SysReg = SysReg::new(3, 4, 12, 0, 0);
const MAIR_EL1: SysReg = SysReg::new(3, 0, 10, 2, 0);
const MAIR_EL2: SysReg = SysReg::new(3, 4, 10, 2, 0);

/// ELR, ESR, FAR and SPSR of EL1 and EL2.
const SYNDROME: [[SysReg; 4]; 2] = [syndrome(0), syndrome(4)];

const fn syndrome(op1: u8) -> [SysReg; 4] {
    [
        SysReg::new(3, op1, 4, 0, 1),
        SysReg::new(3, op1, 5, 2, 0),
        SysReg::new(3, op1, 6, 0, 0),
        SysReg::new(3, op1, 4, 0, 0),
    ]
}

/// The core in one [`World`].
pub struct Subject {
    world: World,
    way: Way,
    machine: Machine<NoBus>,
    code: Box<[u8]>,
    data: Box<[u8]>,
}

impl Subject {
    /// A core with these bytes in its pages; the code must begin with what [`put_vectors`] puts there.
    pub fn new(world: World, way: Way, code: &[u8], data: &[u8]) -> Self {
        Subject {
            world,
            way,
            machine: build(world, way, code, data),
            code: code.into(),
            data: data.into(),
        }
    }

    /// Starts again from power-on: after instructions that may have changed more than [`State`] tells.
    pub fn rebuild(&mut self) {
        self.machine = build(self.world, self.way, &self.code, &self.data);
    }

    /// Makes the core ready to run `words` at `state.pc` from `state`. `warm`: with its translation caches full, so that
    /// memory accesses take the fast way; the code page that a case is written to often empties them.
    pub fn load(&mut self, state: &State, words: &[u32], warm: bool) {
        // CLREX: a monitor left by the last case would let a lone store-exclusive succeed.
        self.set(&State {
            pc: CODE + CLREX_OFFSET,
            pstate: EL1H,
            ..state.clone()
        });
        self.machine.step_core(0);
        self.write_code(state.pc, words);
        if self.way == Way::Block {
            self.write_code(state.pc + 4 * words.len() as u64, &[hlt(END)]);
        }
        // The oracle takes no exceptions, so these are still 0 there, as is the stack pointer of the other mode.
        let core = &mut self.machine.cores[0];
        for register in SYNDROME.as_flattened() {
            assert!(core.set_sysreg(*register, 0), "the core has {register}");
        }
        core.set_sp_el(0, 0);
        self.set(state);
        if warm {
            self.warm(state.pc);
            self.set(state);
        }
    }

    /// Touches every page from an instruction in the case's own code page, which must be known before the data pages:
    /// a page that becomes code empties the caches.
    fn warm(&mut self, pc: u64) {
        const LDRB_STRB: [u32; 2] = [0x3940_0001, 0x3900_0001]; // ldrb w1, [x0]; strb w1, [x0]
        let place = pc - 8;
        self.write_code(place, &LDRB_STRB);
        let pages = |start: u64, size: u64| (start..start + size).step_by(0x1000);
        for (page, steps) in pages(CODE, CODE_SIZE)
            .map(|page| (page, 1))
            .chain(pages(DATA, DATA_SIZE).map(|page| (page, 2)))
        {
            let core = &mut self.machine.cores[0];
            core.set_x(0, page);
            core.set_pc(place);
            for _ in 0..steps {
                self.machine.step_core(0);
            }
        }
        self.restore_words(place, LDRB_STRB.len());
    }

    fn write_code(&mut self, address: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(
            self.machine.ram.write(address, &bytes).is_ok(),
            "{address:#x} is in the code pages"
        );
    }

    fn set(&mut self, state: &State) {
        let core = &mut self.machine.cores[0];
        core.set_state(CoreState::Running);
        core.set_pstate(match self.world {
            World::Host if state.pstate & 0xc == 4 => state.pstate + 4,
            _ => state.pstate,
        });
        for (n, value) in (0..).zip(state.x) {
            core.set_x(n, value);
        }
        core.set_sp(state.sp);
        core.set_pc(state.pc);
    }

    /// Runs up to `count` instructions, or to the first exception.
    pub fn run(&mut self, count: usize) -> Outcome {
        let mut event = Event::None;
        for _ in 0..count {
            match self.machine.step_core(0) {
                Step::Executed => {}
                // A wait: completed, as far as registers go.
                Step::Idle => break,
                Step::HostCall(imm) => {
                    event = Event::Other(u32::from(imm));
                    break;
                }
                Step::Exception => return self.exception(),
            }
        }
        Outcome {
            event,
            state: self.registers(),
        }
    }

    /// Runs to the end of the words that were loaded, or to the first exception; only for [`Way::Block`].
    pub fn run_block(&mut self) -> Outcome {
        match self.machine.run(self.machine.now() + LONGEST_BLOCK) {
            Stop::HostCall { imm: END, .. } => {
                let core = &mut self.machine.cores[0];
                core.set_pc(core.pc() - 4);
                Outcome {
                    event: Event::None,
                    state: self.registers(),
                }
            }
            Stop::HostCall { imm: VECTOR, .. } => self.exception(),
            Stop::HostCall { imm, .. } => Outcome {
                event: Event::Other(imm.into()),
                state: self.registers(),
            },
            Stop::Deadline | Stop::Limit => Outcome {
                event: Event::Other(u32::MAX),
                state: self.registers(),
            },
        }
    }

    fn registers(&self) -> State {
        let core = &self.machine.cores[0];
        let mut x = [0; 31];
        for (n, value) in (0..).zip(&mut x) {
            *value = core.x(n);
        }
        let pstate = core.pstate() & state::PSTATE_COMPARED;
        State {
            x,
            sp: core.sp(),
            pc: core.pc(),
            pstate: match self.world {
                World::Host if pstate & 0xc == 8 => pstate - 4,
                _ => pstate,
            },
        }
    }

    /// Reads the syndrome; the state reported is the one that the exception interrupted.
    fn exception(&mut self) -> Outcome {
        let core = &mut self.machine.cores[0];
        let el = core.el();
        let [elr, esr, far, spsr] =
            SYNDROME[usize::from(el == 2)].map(|reg| core.sysreg(reg).unwrap_or(0));
        core.set_pstate(spsr);
        core.set_pc(elr);
        Outcome {
            event: event(esr, far),
            state: self.registers(),
        }
    }

    /// The data pages.
    pub fn data(&self) -> &[u8] {
        self.machine.ram.bytes(DATA, DATA_SIZE).unwrap_or_default()
    }

    /// Takes `words` words of a case away.
    pub fn restore_code(&mut self, address: u64, words: usize) {
        self.restore_words(address, words + usize::from(self.way == Way::Block));
    }

    fn restore_words(&mut self, address: u64, words: usize) {
        let offset = (address - CODE) as usize;
        let bytes = &self.code[offset..offset + 4 * words];
        assert!(
            self.machine.ram.write(address, bytes).is_ok(),
            "inside the code pages"
        );
    }

    /// Undoes what was stored at `offset` into the data pages.
    pub fn restore_data(&mut self, offset: usize, length: usize) {
        let bytes = &self.data[offset..offset + length];
        assert!(
            self.machine.ram.write(DATA + offset as u64, bytes).is_ok(),
            "inside the data pages"
        );
    }
}

/// ESR_ELx.EC and the data fault status: DDI 0487, D19.2.40.
fn event(esr: u64, far: u64) -> Event {
    let class = (esr >> 26) as u32 & 0x3f;
    match class {
        0x00 => Event::Undefined,
        0x15 => Event::Svc,
        0x16 => Event::Hvc,
        0x17 => Event::Smc,
        0x3c => Event::Brk,
        0x24 | 0x25 => match esr & 0x3f {
            0x21 => Event::Unaligned,
            _ => Event::Data {
                address: far,
                write: esr & 1 << 6 != 0,
            },
        },
        _ => Event::Other(class),
    }
}

fn build(world: World, way: Way, code: &[u8], data: &[u8]) -> Machine<NoBus> {
    let mut machine = Machine::new(
        MachineConfig {
            ram_base: CODE,
            ram_size: RAM_SIZE,
            cores: vec![CoreConfig::default()],
            host_call: match way {
                Way::Step => 0..0,
                Way::Block => CODE..CODE + CODE_SIZE,
            },
            ..MachineConfig::default()
        },
        NoBus,
    );
    // 16 KiB granule, 36-bit addresses: level 2 (32 MiB an entry) is the first, level 3 maps pages.
    let mut tables = vec![(LEVEL2 + 8 * (CODE >> 25), LEVEL3 | 0b11)];
    const ACCESSED_INNER_SHAREABLE: u64 = 1 << 10 | 0b11 << 8;
    const READ_ONLY_ALL: u64 = 0b11 << 6;
    const READ_WRITE_ALL: u64 = 0b01 << 6;
    const NO_EXECUTE: u64 = 0b11 << 53;
    for (start, size, rights) in [
        (CODE, CODE_SIZE, READ_ONLY_ALL),
        (DATA, DATA_SIZE, READ_WRITE_ALL | NO_EXECUTE),
    ] {
        for page in (start..start + size).step_by(0x4000) {
            let slot = LEVEL3 + 8 * ((page >> 14) & 0x7ff);
            tables.push((slot, page | ACCESSED_INNER_SHAREABLE | rights | 0b11));
        }
    }
    for (slot, descriptor) in tables {
        assert!(
            machine.ram.write_u64(slot, descriptor).is_ok(),
            "tables are in RAM"
        );
    }
    for (address, bytes) in [(CODE, code), (DATA, data)] {
        assert!(
            machine.ram.write(address, bytes).is_ok(),
            "pages are in RAM"
        );
    }

    let core = &mut machine.cores[0];
    core.reset(CODE, 2, 0);
    // T0SZ 28, inner and outer write-back, inner shareable, TG0 16K, no TTBR1, 40-bit physical addresses.
    let tcr = 28
        | 0b01 << 8
        | 0b01 << 10
        | 0b11 << 12
        | 0b10 << 14
        | 28 << 16
        | 1 << 23
        | 0b01 << 30
        | 0b010 << 32;
    const E2H_RW: u64 = 1 << 34 | 1 << 31;
    const TGE: u64 = 1 << 27;
    let mmu_on = SCTLR | 1;
    let registers = match world {
        World::Guest => [
            (MAIR_EL1, MAIR),
            (TTBR0_EL1, LEVEL2),
            (TCR_EL1, tcr),
            (SCTLR_EL1, mmu_on),
            (VBAR_EL1, CODE),
            (HCR_EL2, E2H_RW),
        ],
        World::Host => [
            (MAIR_EL2, MAIR),
            (TTBR0_EL2, LEVEL2),
            (TCR_EL2, tcr),
            (SCTLR_EL2, mmu_on),
            (VBAR_EL2, CODE),
            (HCR_EL2, E2H_RW | TGE),
        ],
    };
    for (reg, value) in registers {
        assert!(core.set_sysreg(reg, value), "the core has {reg}");
    }
    machine
}
