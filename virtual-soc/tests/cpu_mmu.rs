//! Stage-1 translation: granules, levels, permissions, faults, AT, TLB maintenance, alignment.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::SysReg;
use virtual_soc::machine::Step;

const AF: u64 = 1 << 10;
const SH: u64 = 3 << 8;
const USER: u64 = 1 << 6;
const READ_ONLY: u64 = 1 << 7;
const PXN: u64 = 1 << 53;
const UXN: u64 = 1 << 54;
const NORMAL: u64 = AF | SH;
const DEVICE: u64 = AF | 1 << 2;
const SCTLR: u64 = 0x30d0_0801;
const GUEST: u64 = 1 << 34 | 1 << 31 | 0x38;

/// TCR_ELx for 48-bit halves in a granule, 42-bit output.
const TCR_16K: u64 = 16 | 16 << 16 | 2 << 14 | 1 << 30 | 3 << 32;
const TCR_4K: u64 = 16 | 16 << 16 | 2 << 30 | 3 << 32;

/// Page tables under construction, from [`TABLES`] on.
struct Tables {
    next: u64,
    root: u64,
    page_bits: u32,
}

impl Tables {
    fn new(m: &mut M, page_bits: u32, at: u64) -> Self {
        let size = 1 << page_bits;
        m.ram.fill(at, size, 0).expect("in RAM");
        Tables {
            next: at + size,
            root: at,
            page_bits,
        }
    }

    /// Address of the descriptor for `va` at `level`, with tables made on the way.
    fn slot(&mut self, m: &mut M, va: u64, level: u32) -> u64 {
        let stride = self.page_bits - 3;
        let mut table = self.root;
        for l in 0..=level {
            let shift = self.page_bits + (3 - l) * stride;
            let bits = if shift + stride > 48 {
                48 - shift
            } else {
                stride
            };
            let slot = table + 8 * (va >> shift & ((1 << bits) - 1));
            if l == level {
                return slot;
            }
            let d = m.ram.read_u64(slot).expect("in RAM");
            if d == 0 {
                m.ram
                    .fill(self.next, 1 << self.page_bits, 0)
                    .expect("in RAM");
                m.ram.write_u64(slot, self.next | 3).expect("in RAM");
                table = self.next;
                self.next += 1 << self.page_bits;
            } else {
                table = d & 0x0000_ffff_ffff_f000 & !((1 << self.page_bits) - 1);
            }
        }
        unreachable!()
    }

    fn page(&mut self, m: &mut M, va: u64, pa: u64, attr: u64) {
        let slot = self.slot(m, va, 3);
        m.ram.write_u64(slot, pa | attr | 3).expect("in RAM");
    }

    fn block(&mut self, m: &mut M, va: u64, pa: u64, attr: u64, level: u32) {
        let slot = self.slot(m, va, level);
        m.ram.write_u64(slot, pa | attr | 1).expect("in RAM");
    }
}

/// Virtual address of the page under test.
const VA: u64 = 0x4000_0000_0000;

/// Core 0 at EL2 with full tables in one granule: RAM to itself, one page at [`VA`] -> [`DATA`] with `attr`.
fn setup(page_bits: u32, attr: u64) -> (M, Tables) {
    let mut m = start(&[]);
    let mut t = Tables::new(&mut m, page_bits, TABLES);
    t.block(&mut m, RAM, RAM, NORMAL, 2);
    if page_bits == 12 {
        for i in 1..4 {
            t.block(&mut m, RAM + (i << 21), RAM + (i << 21), NORMAL, 2);
        }
    }
    t.page(&mut m, VA, DATA, attr);
    let core = &mut m.cores[0];
    set(core, MAIR_EL2, 0x00ff);
    set(core, TTBR0_EL2, t.root);
    set(core, TTBR1_EL2, t.root);
    set(
        core,
        TCR_EL2,
        if page_bits == 12 { TCR_4K } else { TCR_16K },
    );
    set(core, SCTLR_EL2, SCTLR);
    (m, t)
}

/// The same at EL1 or EL0 as a guest's regime.
fn setup_guest(el: u64, attr: u64) -> M {
    let (mut m, t) = setup(14, attr);
    t_guest(&mut m, t.root);
    let core = &mut m.cores[0];
    set(core, HCR_EL2, GUEST);
    core.set_pstate(0x3c0 | el << 2 | u64::from(el != 0));
    m
}

fn t_guest(m: &mut M, root: u64) {
    let core = &mut m.cores[0];
    set(core, MAIR_EL1, 0x00ff);
    set(core, TTBR0_EL1, root);
    set(core, TCR_EL1, TCR_16K);
    set(core, SCTLR_EL1, SCTLR);
}

fn run(m: &mut M, word: u32) -> Step {
    put(m, CODE, &[word]);
    m.cores[0].set_pc(CODE);
    m.step_core(0)
}

/// Fault status code and WnR of a data abort taken to EL2 from EL2.
fn data_fault(m: &mut M, word: u32, va: u64) -> Option<(u64, bool)> {
    m.cores[0].set_x(1, va);
    if run(m, word) == Step::Executed {
        return None;
    }
    let esr = get(m, ESR_EL2);
    assert_eq!(ec(esr), 0x25, "a data abort at the same level");
    assert_eq!(get(m, FAR_EL2), va);
    assert_eq!(get(m, ELR_EL2), CODE);
    Some((esr & 0x3f, esr >> 6 & 1 != 0))
}

#[test]
fn both_granules_map_pages_and_blocks() {
    for page_bits in [12, 14] {
        let (mut m, mut t) = setup(page_bits, NORMAL);
        m.ram
            .write_u64(DATA + 0x18, 0x1234_5678_9abc_def0)
            .expect("in RAM");
        m.cores[0].set_x(1, VA);
        assert_eq!(run(&mut m, ldr(0, 1, 0x18)), Step::Executed);
        assert_eq!(m.cores[0].x(0), 0x1234_5678_9abc_def0);
        assert_eq!(run(&mut m, str(1, 1, 0x20)), Step::Executed);
        assert_eq!(m.ram.read_u64(DATA + 0x20), Ok(VA));
        // The next page is not mapped.
        assert_eq!(
            data_fault(&mut m, ldr(0, 1, 0), VA + (1 << page_bits)),
            Some((7, false))
        );
        // A level-1 block of 1 GiB exists in the 4 KiB granule only.
        let far = 0x5000_0000_0000;
        t.block(&mut m, far, RAM & !0x3fff_ffff, NORMAL, 1);
        let got = data_fault(&mut m, ldr(0, 1, 0), far + (DATA & 0x3fff_ffff) + 0x18);
        assert_eq!(
            got,
            if page_bits == 12 {
                None
            } else {
                Some((5, false))
            }
        );
        if page_bits == 12 {
            assert_eq!(m.cores[0].x(0), 0x1234_5678_9abc_def0);
        }
    }
}

#[test]
fn the_upper_half_uses_ttbr1() {
    for page_bits in [12, 14] {
        let (mut m, _) = setup(page_bits, NORMAL);
        // The same tables: the low 48 bits decide.
        m.ram.write_u64(DATA, 77).expect("in RAM");
        assert_eq!(
            data_fault(&mut m, ldr(0, 1, 0), 0xffff_0000_0000_0000 | VA),
            None
        );
        assert_eq!(m.cores[0].x(0), 77);
        set(&mut m.cores[0], TTBR1_EL2, DATA + 0x4000);
        assert_eq!(
            data_fault(&mut m, ldr(0, 1, 0), 0xffff_0000_0000_0000 | VA),
            Some((4, false))
        );
        assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
        // Neither half.
        assert_eq!(
            data_fault(&mut m, ldr(0, 1, 0), 0x0001_0000_0000_0000 | VA),
            Some((4, false))
        );
        assert_eq!(
            data_fault(&mut m, ldr(0, 1, 0), 0x00ff_0000_0000_0000 | VA),
            Some((4, false))
        );
    }
}

#[test]
fn top_byte_ignore() {
    let (mut m, _) = setup(14, NORMAL);
    let tagged = 0x5a << 56 | VA;
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), tagged), Some((4, false)));
    set(&mut m.cores[0], TCR_EL2, TCR_16K | 1 << 37);
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), tagged), None);
    // A branch drops the tag.
    m.cores[0].set_x(1, 0x5a << 56 | (CODE + 0x40));
    put(&mut m, CODE + 0x40, &[NOP]);
    assert_eq!(run(&mut m, br(1)), Step::Executed);
    assert_eq!(m.step_core(0), Step::Executed);
    assert_eq!(m.cores[0].pc(), CODE + 0x44);
}

#[test]
fn faults_by_kind_and_level() {
    let (mut m, mut t) = setup(12, NORMAL);
    let slot = t.slot(&mut m, VA, 3);
    let with = |m: &mut M, descriptor: u64, word: u32| {
        m.ram.write_u64(slot, descriptor).expect("in RAM");
        set(&mut m.cores[0], TTBR0_EL2, TABLES);
        data_fault(m, word, VA)
    };
    assert_eq!(with(&mut m, DATA | NORMAL | 3, ldr(0, 1, 0)), None);
    assert_eq!(
        with(&mut m, DATA | NORMAL | 1, ldr(0, 1, 0)),
        Some((7, false)),
        "reserved level-3 form"
    );
    assert_eq!(
        with(&mut m, DATA | SH | 3, ldr(0, 1, 0)),
        Some((0x0b, false)),
        "access flag"
    );
    assert_eq!(
        with(&mut m, DATA | NORMAL | READ_ONLY | 3, str(0, 1, 0)),
        Some((0x0f, true)),
        "read-only"
    );
    assert_eq!(
        with(&mut m, DATA | NORMAL | READ_ONLY | 3, ldr(0, 1, 0)),
        None
    );
    assert_eq!(
        with(&mut m, 1 << 42 | NORMAL | 3, ldr(0, 1, 0)),
        Some((3, false)),
        "address size"
    );
    // Atomics: WnR tells whether a read would have faulted too.
    assert_eq!(
        with(&mut m, DATA | NORMAL | READ_ONLY | 3, ldadd(2, 0, 1)),
        Some((0x0f, true))
    );
    assert_eq!(with(&mut m, 0, ldadd(2, 0, 1)), Some((7, false)));
    assert_eq!(
        with(&mut m, DATA | NORMAL | READ_ONLY | 3, stxr(2, 0, 1)),
        Some((0x0f, true))
    );
    // Levels 0 to 2, and a table outside RAM.
    for level in 0..3 {
        let slot = t.slot(&mut m, VA, level);
        let keep = m.ram.read_u64(slot).expect("in RAM");
        for (descriptor, code) in [
            (0, 4 + level),
            (MMIO | 3, 0x15 + level),
            (1 << 44 | 3, level),
        ] {
            m.ram.write_u64(slot, descriptor).expect("in RAM");
            set(&mut m.cores[0], TTBR0_EL2, TABLES);
            assert_eq!(
                data_fault(&mut m, ldr(0, 1, 0), VA),
                Some((u64::from(code), false)),
                "level {level}"
            );
        }
        m.ram.write_u64(slot, keep).expect("in RAM");
    }
    set(&mut m.cores[0], TCR_EL2, TCR_4K | 1 << 7);
    assert_eq!(get(&m, TCR_EL2) & 0x80, 0x80);
    m.cores[0].set_pc(CODE);
    m.step_core(0);
    assert_eq!(
        (ec(get(&m, ESR_EL2)), get(&m, ESR_EL2) & 0x3f),
        (0x21, 4),
        "EPD0"
    );
}

#[test]
fn permissions_of_a_guest() {
    // (attributes, EL1 read, EL1 write, EL0 read, EL0 write)
    let cases = [
        (0, true, true, false, false),
        (USER, true, true, true, true),
        (READ_ONLY, true, false, false, false),
        (USER | READ_ONLY, true, false, true, false),
    ];
    for (attr, r1, w1, r0, w0) in cases {
        for (el, word, want) in [
            (1, ldr(0, 1, 0), r1),
            (1, str(0, 1, 0), w1),
            (1, ldtr(0, 1), r0),
            (1, sttr(0, 1), w0),
        ] {
            let mut m = setup_guest(el, NORMAL | attr);
            m.cores[0].set_x(1, VA);
            let step = run(&mut m, word);
            assert_eq!(
                step == Step::Executed,
                want,
                "attr {attr:#x}, EL{el}, {word:08x}"
            );
            if !want {
                assert_eq!((m.cores[0].el(), get(&m, ESR_EL1) & 0x3f), (1, 0x0f));
            }
        }
        // EL0 runs from the page itself (executable for EL0 unless UXN).
        for (word, want) in [(ldr(0, 1, 0), r0), (str(0, 1, 8), w0)] {
            let mut m = setup_guest(0, NORMAL | attr);
            m.ram.write_u32(DATA, word).expect("in RAM");
            m.cores[0].set_x(1, VA);
            m.cores[0].set_pc(VA);
            let step = m.step_core(0);
            assert_eq!(
                step == Step::Executed,
                want,
                "attr {attr:#x}, EL0, {word:08x}"
            );
            if !want {
                assert_eq!(
                    (ec(get(&m, ESR_EL1)), get(&m, FAR_EL1)),
                    (0x24, VA + if word == ldr(0, 1, 0) { 0 } else { 8 })
                );
            }
        }
    }
}

#[test]
fn execute_permissions() {
    let fetch = |m: &mut M| {
        m.ram.write_u32(DATA, NOP).expect("in RAM");
        m.cores[0].set_pc(VA);
        m.step_core(0) == Step::Executed
    };
    // (level, attributes, WXN, executable)
    let cases = [
        (1, 0, false, true),
        (1, PXN, false, false),
        (1, UXN, false, true),
        (1, USER, false, false),
        (1, USER | READ_ONLY, false, true),
        (1, 0, true, false),
        (1, READ_ONLY, true, true),
        (0, 0, false, true),
        (0, UXN, false, false),
        (0, PXN | USER, false, true),
        (0, USER, true, false),
        (0, USER | READ_ONLY, true, true),
    ];
    for (el, attr, wxn, want) in cases {
        let mut m = setup_guest(el, NORMAL | attr);
        set(&mut m.cores[0], SCTLR_EL1, SCTLR | u64::from(wxn) << 19);
        assert_eq!(fetch(&mut m), want, "EL{el} attr {attr:#x} WXN {wxn}");
        if !want {
            let class = if el == 1 { 0x21 } else { 0x20 };
            assert_eq!(
                (ec(get(&m, ESR_EL1)), get(&m, ESR_EL1) & 0x3f),
                (class, 0x0f)
            );
            assert_eq!((get(&m, FAR_EL1), get(&m, ELR_EL1)), (VA, VA));
        }
    }
    // A read-execute alias: what design decision 4 of the firmware rests on.
    let (mut m, mut t) = setup(14, NORMAL | READ_ONLY);
    t.page(&mut m, VA + 0x4000, DATA, NORMAL | PXN | UXN);
    assert!(fetch(&mut m));
    assert_eq!(data_fault(&mut m, str(0, 1, 0), VA), Some((0x0f, true)));
    assert_eq!(data_fault(&mut m, str(0, 1, 0), VA + 0x4000), None);
    m.cores[0].set_pc(VA + 0x4000);
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(ec(get(&m, ESR_EL2)), 0x21);
}

#[test]
fn hierarchical_attributes() {
    for (table, attr, word, want) in [
        (1u64 << 62, 0, str(0, 1, 0), Some((0x0f, true))),
        (1 << 62, 0, ldr(0, 1, 0), None),
        (1 << 61, USER, ldtr(0, 1), Some((0x0f, false))),
        (0, USER, ldtr(0, 1), None),
    ] {
        let (mut m, mut t) = setup(14, NORMAL | attr);
        let slot = t.slot(&mut m, VA, 2);
        let d = m.ram.read_u64(slot).expect("in RAM");
        m.ram.write_u64(slot, d | table).expect("in RAM");
        assert_eq!(data_fault(&mut m, word, VA), want, "{table:#x} {word:08x}");
    }
    let (mut m, mut t) = setup(14, NORMAL);
    let slot = t.slot(&mut m, VA, 2);
    let d = m.ram.read_u64(slot).expect("in RAM");
    m.ram.write_u64(slot, d | 1 << 59).expect("in RAM");
    m.cores[0].set_pc(VA);
    assert_eq!(m.step_core(0), Step::Exception, "PXNTable");
}

#[test]
fn pan_keeps_privileged_code_out() {
    let (mut m, _) = setup(14, NORMAL | USER);
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
    run(&mut m, msr_pan(1));
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), Some((0x0f, false)));
    assert_eq!(data_fault(&mut m, str(0, 1, 0), VA), Some((0x0f, true)));
    // LDTR has EL0's rights (TGE is on).
    assert_eq!(data_fault(&mut m, ldtr(0, 1), VA), None);
    assert_eq!(data_fault(&mut m, ldtr(0, 1), CODE), Some((0x0e, false)));
    run(&mut m, msr_pan(0));
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
}

#[test]
fn alignment() {
    // MMU off: Device memory.
    let mut m = start(&[]);
    assert_eq!(
        data_fault(&mut m, ldr(0, 1, 0), DATA + 1),
        Some((0x21, false))
    );
    let (mut m, mut t) = setup(14, NORMAL);
    t.page(&mut m, VA + 0x4000, DATA + 0x4000, DEVICE);
    m.ram
        .write(DATA, &(0..=255).collect::<Vec<u8>>())
        .expect("in RAM");
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA + 3), None);
    assert_eq!(m.cores[0].x(0), 0x0a09_0807_0605_0403);
    assert_eq!(
        data_fault(&mut m, ldr(0, 1, 0), VA + 0x4003),
        Some((0x21, false)),
        "Device"
    );
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA + 0x4008), None);
    assert_eq!(
        data_fault(&mut m, stp(0, 2, 1), VA + 0x4004),
        Some((0x21, true))
    );
    // From Normal into Device memory.
    assert_eq!(data_fault_at(&mut m, ldr(0, 1, 0), VA + 0x3ffc), Some(0x21));
    // Ordered and atomic accesses are always aligned.
    for word in [ldar(0, 1), ldxr(0, 1), ldadd(2, 0, 1), cas(2, 0, 1)] {
        assert_eq!(
            data_fault(&mut m, word, VA + 4).map(|f| f.0),
            Some(0x21),
            "{word:08x}"
        );
        assert_eq!(data_fault(&mut m, word, VA + 8), None, "{word:08x}");
    }
    assert_eq!(
        data_fault(&mut m, ldxp(0, 2, 1), VA + 8).map(|f| f.0),
        Some(0x21)
    );
    assert_eq!(
        data_fault(&mut m, casp(2, 4, 1), VA + 8).map(|f| f.0),
        Some(0x21)
    );
    // SCTLR_ELx.A
    set(&mut m.cores[0], SCTLR_EL2, SCTLR | 2);
    assert_eq!(
        data_fault(&mut m, ldr(0, 1, 0), VA + 3),
        Some((0x21, false))
    );
    assert_eq!(data_fault(&mut m, str(0, 1, 0), VA + 4), Some((0x21, true)));
    assert_eq!(data_fault(&mut m, ldp(0, 2, 1), VA + 8), None);
}

/// Like [`data_fault`], for faults whose FAR is not the access's first byte.
fn data_fault_at(m: &mut M, word: u32, va: u64) -> Option<u64> {
    m.cores[0].set_x(1, va);
    (run(m, word) == Step::Exception).then(|| get(m, ESR_EL2) & 0x3f)
}

#[test]
fn accesses_across_pages() {
    let (mut m, mut t) = setup(14, NORMAL);
    // The next page's frame is elsewhere.
    t.page(&mut m, VA + 0x4000, DATA + 0x1_0000, NORMAL);
    m.cores[0].set_x(0, 0x8877_6655_4433_2211);
    assert_eq!(data_fault(&mut m, str(0, 1, 0), VA + 0x3ffd), None);
    assert_eq!(m.ram.read_u32(DATA + 0x3ffc), Ok(0x3322_1100));
    assert_eq!(m.ram.read_u64(DATA + 0x1_0000), Ok(0x88_7766_5544));
    assert_eq!(data_fault(&mut m, ldr(2, 1, 0), VA + 0x3ffd), None);
    assert_eq!(m.cores[0].x(2), 0x8877_6655_4433_2211);
    // A store whose second half faults writes nothing.
    t.page(&mut m, VA + 0x4000, DATA + 0x1_0000, NORMAL | READ_ONLY);
    set(&mut m.cores[0], TTBR0_EL2, TABLES);
    m.cores[0].set_x(0, 0);
    assert_eq!(data_fault_at(&mut m, str(0, 1, 0), VA + 0x3ffd), Some(0x0f));
    assert_eq!(get(&m, FAR_EL2), VA + 0x4000);
    assert_eq!(m.ram.read_u32(DATA + 0x3ffc), Ok(0x3322_1100));
    // Of two halves that fault, the first one is reported.
    assert_eq!(
        data_fault(&mut m, stp(0, 2, 1), VA + 0x8000),
        Some((7, true))
    );
    m.cores[0].set_x(2, 0);
    assert_eq!(data_fault_at(&mut m, stp(0, 2, 1), VA + 0x3ff8), Some(0x0f));
    assert_eq!(m.ram.read_u32(DATA + 0x3ffc), Ok(0x3322_1100));
}

#[test]
fn stale_translations_live_until_a_tlbi() {
    let (mut m, mut t) = setup(14, NORMAL);
    m.ram.write_u64(DATA, 1).expect("in RAM");
    m.ram.write_u64(DATA + 0x1_0000, 2).expect("in RAM");
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
    t.page(&mut m, VA, DATA + 0x1_0000, NORMAL);
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
    assert_eq!(m.cores[0].x(0), 1, "cached");
    m.cores[0].set_x(2, VA >> 12);
    // TLBI VAE1IS, x2
    assert_eq!(run(&mut m, sys(0, 8, 3, 1, 2)), Step::Executed);
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), None);
    assert_eq!(m.cores[0].x(0), 2);
}

#[test]
fn tlbi_reaches_the_other_cores() {
    let mut m = machine(2);
    let mut t = Tables::new(&mut m, 14, TABLES);
    t.block(&mut m, RAM, RAM, NORMAL, 2);
    t.page(&mut m, VA, DATA, NORMAL);
    for cpu in 0..2 {
        boot(&mut m, cpu, CODE);
        let core = &mut m.cores[cpu];
        set(core, MAIR_EL2, 0x00ff);
        set(core, TTBR0_EL2, t.root);
        set(core, TCR_EL2, TCR_16K);
        set(core, SCTLR_EL2, SCTLR);
        core.set_x(1, VA);
    }
    put(
        &mut m,
        CODE,
        &[
            ldr(0, 1, 0),
            sys(0, 8, 7, 0, 31),
            sys(0, 8, 3, 0, 31),
            ldr(0, 1, 0),
        ],
    );
    m.ram.write_u64(DATA + 0x1_0000, 2).expect("in RAM");
    m.step_core(1);
    t.page(&mut m, VA, DATA + 0x1_0000, NORMAL);
    let again = |m: &mut M| {
        m.cores[1].set_pc(CODE);
        m.step_core(1);
        m.cores[1].x(0)
    };
    m.step_core(0);
    m.step_core(0);
    assert_eq!(again(&mut m), 0, "VMALLE1 is local");
    m.step_core(0);
    assert_eq!(again(&mut m), 2, "VMALLE1IS is not");
}

#[test]
fn address_translation_instructions() {
    let (mut m, mut t) = setup(14, NORMAL | READ_ONLY);
    t_guest(&mut m, t.root);
    t.page(&mut m, VA + 0x8000, DATA, DEVICE);
    let at = |m: &mut M, op1: u8, op2: u8, va: u64| {
        m.cores[0].set_x(1, va);
        assert_eq!(run(m, sys(op1, 7, 8, op2, 1)), Step::Executed);
        get(m, PAR_EL1)
    };
    let ok = 0xff << 56 | DATA | 1 << 11 | 1 << 9 | 3 << 7;
    assert_eq!(
        at(&mut m, 0, 0, VA + 0x123),
        ok,
        "S1E1R of the host's regime"
    );
    assert_eq!(
        at(&mut m, 0, 1, VA),
        1 << 11 | 0x0f << 1 | 1,
        "S1E1W: permission, level 3"
    );
    assert_eq!(at(&mut m, 0, 2, VA), 1 << 11 | 0x0f << 1 | 1, "S1E0R");
    assert_eq!(at(&mut m, 4, 0, VA), ok, "S1E2R");
    assert_eq!(at(&mut m, 4, 4, VA), ok, "S12E1R: the guest's regime");
    assert_eq!(
        at(&mut m, 0, 0, VA + 0x4000),
        1 << 11 | 7 << 1 | 1,
        "translation, level 3"
    );
    assert_eq!(
        at(&mut m, 0, 0, VA + 0x8000),
        DATA | 1 << 11 | 1 << 9 | 2 << 7,
        "Device is outer shareable"
    );
    set(&mut m.cores[0], TTBR0_EL1, DATA + 0x4000);
    assert_eq!(at(&mut m, 4, 4, VA), 1 << 11 | 4 << 1 | 1);
    assert_eq!(at(&mut m, 0, 0, VA), ok);
    // At EL2 with TGE off the S1E1 forms are about the guest.
    set(&mut m.cores[0], HCR_EL2, GUEST);
    assert_eq!(at(&mut m, 0, 0, VA), 1 << 11 | 4 << 1 | 1);
}

#[test]
fn cache_maintenance() {
    let (mut m, _) = setup(14, NORMAL);
    m.ram.fill(DATA, 256, 0xee).expect("in RAM");
    let dc_zva = sys(3, 7, 4, 1, 1);
    assert_eq!(data_fault(&mut m, dc_zva, VA + 0x47), None);
    assert_eq!(
        m.ram.bytes(DATA + 0x3f, 66),
        Ok(&[&[0xee][..], &[0; 64], &[0xee]].concat()[..])
    );
    for (crm, op1, op2) in [
        (10, 3, 1),
        (11, 3, 1),
        (12, 3, 1),
        (14, 3, 1),
        (6, 0, 1),
        (6, 0, 2),
        (10, 0, 2),
        (14, 0, 2),
    ] {
        m.cores[0].set_x(1, VA);
        assert_eq!(
            run(&mut m, sys(op1, 7, crm, op2, 1)),
            Step::Executed,
            "CRm {crm}"
        );
    }
    // By address they translate: CM and WnR are set in the syndrome.
    m.cores[0].set_x(1, VA + 0x4000);
    assert_eq!(run(&mut m, sys(3, 7, 14, 1, 1)), Step::Exception);
    assert_eq!(get(&m, ESR_EL2), 0x25 << 26 | 1 << 25 | 1 << 8 | 1 << 6 | 7);
    // IC forms.
    for (op1, crm, op2) in [(0, 1, 0), (0, 5, 0), (3, 5, 1)] {
        assert_eq!(run(&mut m, sys(op1, 7, crm, op2, 31)), Step::Executed);
    }
    // MMU off: DC ZVA needs Normal memory.
    set(&mut m.cores[0], SCTLR_EL2, 0x30d0_0800);
    assert_eq!(data_fault(&mut m, dc_zva, DATA), Some((0x21, true)));
}

#[test]
fn mmu_off_is_flat_and_bounded() {
    let mut m = start(&[]);
    assert_eq!(data_fault(&mut m, str(1, 1, 0), DATA), None);
    assert_eq!(m.ram.read_u64(DATA), Ok(DATA));
    assert_eq!(
        data_fault(&mut m, ldr(0, 1, 0), 1 << 42),
        Some((0, false)),
        "address size, level 0"
    );
}

#[test]
fn sctlr_is_what_turns_it_on() {
    let sctlr_el1 = SysReg::new(3, 0, 1, 0, 0);
    let (mut m, _) = setup(14, NORMAL);
    m.cores[0].set_x(2, 0x30d0_0800);
    // Under VHE the EL1 name is the EL2 register.
    assert_eq!(run(&mut m, msr(sctlr_el1, 2)), Step::Executed);
    assert_eq!(get(&m, SCTLR_EL2), 0x30d0_0800);
    assert_eq!(data_fault(&mut m, ldr(0, 1, 0), VA), Some((0, false)));
}
