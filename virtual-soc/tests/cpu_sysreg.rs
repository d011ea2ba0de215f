//! System registers: identification, VHE redirection, access rules, traps.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{CoreConfig, SysReg};
use virtual_soc::machine::Step;

const GUEST: u64 = 1 << 34 | 1 << 31;
const MIDR: SysReg = SysReg::new(3, 0, 0, 0, 0);
const MPIDR: SysReg = SysReg::new(3, 0, 0, 0, 5);
const CPACR_EL1: SysReg = SysReg::new(3, 0, 1, 0, 2);
const CPTR_EL2: SysReg = SysReg::new(3, 4, 1, 1, 2);
const TPIDR_EL0: SysReg = SysReg::new(3, 3, 13, 0, 2);
const TPIDRRO_EL0: SysReg = SysReg::new(3, 3, 13, 0, 3);
const TPIDR_EL1: SysReg = SysReg::new(3, 0, 13, 0, 4);
const TPIDR_EL2: SysReg = SysReg::new(3, 4, 13, 0, 2);
const CURRENT_EL: SysReg = SysReg::new(3, 0, 4, 2, 2);
const DAIF: SysReg = SysReg::new(3, 3, 4, 2, 1);
const NZCV: SysReg = SysReg::new(3, 3, 4, 2, 0);
const PAN: SysReg = SysReg::new(3, 0, 4, 2, 3);
const CTR: SysReg = SysReg::new(3, 3, 0, 0, 1);

fn id(crm: u8, op2: u8) -> SysReg {
    SysReg::new(3, 0, 0, crm, op2)
}

/// The machine after one instruction at `el` as a guest of EL2 with `hcr`.
fn at(el: u64, hcr: u64, word: u32) -> (M, Step) {
    let mut m = start(&[word]);
    set(&mut m.cores[0], HCR_EL2, hcr);
    m.cores[0].set_pstate(0x3c0 | el << 2 | u64::from(el != 0));
    m.cores[0].set_x(1, 0x1234_5678_9abc_def0);
    let step = m.step_core(0);
    (m, step)
}

fn read(reg: SysReg) -> u64 {
    let (m, step) = at(2, GUEST | 1 << 27, mrs(0, reg));
    assert_eq!(step, Step::Executed, "{reg}");
    m.cores[0].x(0)
}

#[test]
fn identification_says_what_there_is() {
    let field = |v: u64, lo: u32| v >> lo & 15;
    let pfr0 = read(id(4, 0));
    assert_eq!(pfr0 & 0xffff, 0x0111, "EL0 to EL2 in AArch64, no EL3");
    assert_eq!(
        (field(pfr0, 16), field(pfr0, 20)),
        (15, 15),
        "no FP, no Advanced SIMD"
    );
    assert_eq!(field(read(id(5, 0)), 0), 6);
    let isar0 = read(id(6, 0));
    assert_eq!((field(isar0, 16), field(isar0, 20)), (1, 2), "CRC32, LSE");
    assert_eq!(
        read(id(6, 1)),
        1 | 1 << 20,
        "DC CVAP, LDAPR; no pointer authentication"
    );
    let mmfr0 = read(id(7, 0));
    assert_eq!(
        (
            field(mmfr0, 0),
            field(mmfr0, 20),
            field(mmfr0, 24),
            field(mmfr0, 28)
        ),
        (3, 1, 15, 0)
    );
    assert_eq!(read(id(7, 1)), 1 << 8 | 1 << 20, "VHE, PAN");
    assert_eq!(read(id(7, 2)), 0);
    // The rest of the block reads as zero.
    for (crm, op2) in [
        (1, 0),
        (2, 7),
        (3, 3),
        (4, 1),
        (4, 4),
        (5, 1),
        (6, 2),
        (7, 7),
    ] {
        assert_eq!(read(id(crm, op2)), 0);
    }
    assert_eq!(read(CTR) >> 20 & 15, 5, "exclusives granule of 128 bytes");
    assert_eq!(read(SysReg::new(3, 3, 0, 0, 7)), 4);
}

#[test]
fn cores_have_their_own_identity_and_guests_another() {
    let cores = vec![CoreConfig {
        mpidr: 0x8001_0102,
        midr: 0x611f_0600,
        ..CoreConfig::default()
    }];
    let mut m = machine_of(cores);
    put(&mut m, CODE, &[mrs(2, MIDR), mrs(3, MPIDR)]);
    boot(&mut m, 0, CODE);
    steps(&mut m, 2);
    assert_eq!(
        (m.cores[0].x(2), m.cores[0].x(3)),
        (0x611f_0600, 0x8001_0102)
    );
    assert_eq!(m.cores[0].sysreg(MPIDR), Some(0x8001_0102));
    let core = &mut m.cores[0];
    set(core, HCR_EL2, GUEST);
    set(core, SysReg::new(3, 4, 0, 0, 0), 0x1111);
    set(core, SysReg::new(3, 4, 0, 0, 5), 0x8000_2222);
    core.set_pstate(0x3c5);
    core.set_pc(CODE);
    steps(&mut m, 2);
    assert_eq!((m.cores[0].x(2), m.cores[0].x(3)), (0x1111, 0x8000_2222));
}

#[test]
fn el1_names_mean_el2_registers_at_el2() {
    let pairs = [
        (SCTLR_EL1, SCTLR_EL2),
        (CPACR_EL1, CPTR_EL2),
        (TTBR0_EL1, TTBR0_EL2),
        (SysReg::new(3, 0, 2, 0, 1), TTBR1_EL2),
        (TCR_EL1, TCR_EL2),
        (SPSR_EL1, SPSR_EL2),
        (ELR_EL1, ELR_EL2),
        (SysReg::new(3, 0, 5, 1, 0), SysReg::new(3, 4, 5, 1, 0)),
        (SysReg::new(3, 0, 5, 1, 1), SysReg::new(3, 4, 5, 1, 1)),
        (ESR_EL1, ESR_EL2),
        (FAR_EL1, FAR_EL2),
        (MAIR_EL1, MAIR_EL2),
        (SysReg::new(3, 0, 10, 3, 0), SysReg::new(3, 4, 10, 3, 0)),
        (VBAR_EL1, VBAR_EL2),
        (SysReg::new(3, 0, 13, 0, 1), SysReg::new(3, 4, 13, 0, 1)),
    ];
    for (el1, el2) in pairs {
        let (_, _, crn, crm, op2) = el1.fields();
        let el12 = SysReg::new(3, 5, crn, crm, op2);
        let mut m = start(&[
            msr(el1, 1),
            msr(el12, 2),
            mrs(3, el1),
            mrs(4, el12),
            mrs(5, el2),
        ]);
        // Values without bit 0 (MMU) and within every mask.
        m.cores[0].set_x(1, 0x1030_0000);
        m.cores[0].set_x(2, 0x1010_0000);
        steps(&mut m, 5);
        let c = &m.cores[0];
        assert_eq!(
            (c.x(3), c.x(5)),
            (
                c.sysreg(el2).expect("exists"),
                c.sysreg(el2).expect("exists")
            ),
            "{el1}"
        );
        assert_eq!(c.x(4), c.sysreg(el1).expect("exists"), "{el12}");
        assert_ne!(c.x(3), c.x(4), "{el1}");
    }
    // Not redirected, and no _EL12 name for them.
    let mut m = start(&[
        msr(TPIDR_EL1, 1),
        msr(TPIDR_EL2, 2),
        mrs(3, SysReg::new(3, 5, 13, 0, 4)),
    ]);
    m.cores[0].set_x(1, 5);
    m.cores[0].set_x(2, 6);
    assert_eq!(
        (m.step_core(0), m.step_core(0), m.step_core(0)),
        (Step::Executed, Step::Executed, Step::Exception)
    );
    assert_eq!(
        (m.cores[0].sysreg(TPIDR_EL1), m.cores[0].sysreg(TPIDR_EL2)),
        (Some(5), Some(6))
    );
}

#[test]
fn e2h_and_rw_stay_one_and_stage_two_stays_off() {
    let (m, _) = at(2, GUEST, msr(HCR_EL2, 31));
    assert_eq!(get(&m, HCR_EL2), GUEST);
    let mut m = start(&[msr(HCR_EL2, 1)]);
    m.cores[0].set_x(1, u64::MAX);
    m.step_core(0);
    assert_eq!(get(&m, HCR_EL2) & 0x1001, 0);
    assert_eq!(get(&m, HCR_EL2) & GUEST, GUEST);
}

#[test]
fn levels_below_are_kept_out() {
    let undefined = |el, word| {
        let (m, step) = at(el, GUEST, word);
        assert_eq!(
            (step, m.cores[0].el(), get(&m, ESR_EL1)),
            (Step::Exception, 1, 1 << 25),
            "EL{el} {word:08x}"
        );
    };
    for reg in [
        HCR_EL2,
        VBAR_EL2,
        TPIDR_EL2,
        SysReg::new(3, 5, 1, 0, 0),
        SysReg::new(3, 6, 1, 1, 0),
    ] {
        undefined(1, mrs(0, reg));
        undefined(1, msr(reg, 1));
    }
    for reg in [SCTLR_EL1, MIDR, MPIDR, CURRENT_EL, PAN, TPIDR_EL1, id(4, 0)] {
        undefined(0, mrs(0, reg));
    }
    undefined(0, msr(TPIDRRO_EL0, 1));
    undefined(0, msr_pan(1));
    undefined(0, msr_spsel(0));
    undefined(0, sys(0, 8, 7, 0, 31));
    undefined(1, sys(4, 8, 7, 0, 31));
    // Read-only, and not there: FPCR, an unassigned encoding, PMCR_EL0, GIC, debug registers beyond the second.
    undefined(1, msr(MIDR, 1));
    undefined(1, msr(CURRENT_EL, 1));
    undefined(1, msr(id(4, 0), 1));
    undefined(1, msr(SysReg::new(3, 3, 14, 0, 0), 1));
    for reg in [
        SysReg::new(3, 3, 4, 4, 0),
        SysReg::new(3, 0, 0, 0, 1),
        SysReg::new(3, 3, 9, 12, 0),
        SysReg::new(3, 0, 12, 12, 5),
        SysReg::new(2, 0, 0, 2, 4),
        SysReg::new(3, 0, 2, 1, 0),
        SysReg::new(3, 3, 13, 0, 5),
    ] {
        undefined(1, mrs(0, reg));
    }
    let (m, step) = at(0, GUEST, mrs(0, TPIDR_EL0));
    assert_eq!((step, m.cores[0].el()), (Step::Executed, 0));
}

#[test]
fn el0_needs_the_controls() {
    // (SCTLR_EL1 bit, instruction): trapped with class 0x18 without, executed with.
    for (bit, word) in [
        (15, mrs(0, CTR)),
        (9, mrs(0, DAIF)),
        (9, msr(DAIF, 31)),
        (9, daifset(2)),
        (14, sys(3, 7, 4, 1, 1)),
        (26, sys(3, 7, 11, 1, 1)),
        (26, sys(3, 7, 5, 1, 1)),
    ] {
        for on in [false, true] {
            let mut m = start(&[word]);
            let core = &mut m.cores[0];
            set(core, HCR_EL2, GUEST);
            set(core, SCTLR_EL1, 0x30d0_0800 | u64::from(on) << bit);
            core.set_pstate(0x3c0);
            core.set_x(1, DATA);
            let step = m.step_core(0);
            if on && bit == 14 {
                // Allowed, and then an alignment fault because the MMU is off.
                assert_eq!(ec(get(&m, ESR_EL1)), 0x24);
            } else if on {
                assert_eq!(step, Step::Executed, "{word:08x}");
            } else {
                assert_eq!(
                    (step, ec(get(&m, ESR_EL1)), m.cores[0].el()),
                    (Step::Exception, 0x18, 1),
                    "{word:08x}"
                );
            }
        }
    }
}

#[test]
fn hypervisor_traps() {
    let iss = |r: SysReg, rt: u64, read: u64| {
        let (op0, op1, crn, crm, op2) = r.fields();
        let f = |v: u8, lo: u32| u64::from(v) << lo;
        f(op0, 20) | f(op2, 17) | f(op1, 14) | f(crn, 10) | rt << 5 | f(crm, 1) | read
    };
    for (bit, word, want) in [
        (26, msr(SCTLR_EL1, 1), iss(SCTLR_EL1, 1, 0)),
        (26, msr(VBAR_EL1, 1), u64::MAX),
        (30, mrs(7, TTBR0_EL1), iss(TTBR0_EL1, 7, 1)),
        (18, mrs(0, id(4, 0)), iss(id(4, 0), 0, 1)),
        (17, mrs(0, CTR), iss(CTR, 0, 1)),
        (
            16,
            mrs(0, SysReg::new(3, 1, 0, 0, 7)),
            iss(SysReg::new(3, 1, 0, 0, 7), 0, 1),
        ),
        (
            21,
            mrs(0, SysReg::new(3, 0, 1, 0, 1)),
            iss(SysReg::new(3, 0, 1, 0, 1), 0, 1),
        ),
        (
            25,
            sys(0, 8, 7, 0, 31),
            iss(SysReg::new(1, 0, 8, 7, 0), 31, 0),
        ),
        (
            22,
            sys(0, 7, 14, 2, 1),
            iss(SysReg::new(1, 0, 7, 14, 2), 1, 0),
        ),
    ] {
        let (_, step) = at(1, GUEST, word);
        assert_eq!(step, Step::Executed, "{word:08x} without the trap");
        let (m, step) = at(1, GUEST | 1 << bit, word);
        if want == u64::MAX {
            assert_eq!(step, Step::Executed);
            continue;
        }
        assert_eq!((step, m.cores[0].el()), (Step::Exception, 2), "{word:08x}");
        assert_eq!(get(&m, ESR_EL2), 0x18 << 26 | 1 << 25 | want, "{word:08x}");
    }
}

#[test]
fn pstate_fields() {
    let words = [
        msr(NZCV, 1),
        mrs(2, NZCV),
        daifset(0xf),
        daifclr(2),
        mrs(3, DAIF),
        msr(DAIF, 4),
        mrs(5, CURRENT_EL),
    ];
    let mut m = start(&words);
    m.cores[0].set_x(1, 0xa000_0000);
    m.cores[0].set_x(4, 0x40);
    steps(&mut m, 7);
    let c = &m.cores[0];
    assert_eq!(
        (c.nzcv(), c.x(2), c.x(3), c.daif(), c.x(5)),
        (0b1010, 0xa000_0000, 0x340, 0x40, 8)
    );
    let mut m = start(&[msr_pan(1), mrs(0, PAN), msr(PAN, 31), mrs(1, PAN)]);
    steps(&mut m, 4);
    assert_eq!((m.cores[0].x(0), m.cores[0].x(1)), (1 << 22, 0));
}

#[test]
fn os_lock_and_claim_tags() {
    let (oslar, oslsr) = (SysReg::new(2, 0, 1, 0, 4), SysReg::new(2, 0, 1, 1, 4));
    let (claim_set, claim_clr) = (SysReg::new(2, 0, 7, 8, 6), SysReg::new(2, 0, 7, 9, 6));
    let mut m = start(&[
        mrs(0, oslsr),
        msr(oslar, 31),
        mrs(1, oslsr),
        msr(claim_set, 9),
        mrs(2, claim_set),
        mrs(3, claim_clr),
        msr(claim_clr, 10),
        mrs(4, claim_clr),
    ]);
    m.cores[0].set_x(9, 5);
    m.cores[0].set_x(10, 4);
    steps(&mut m, 8);
    let c = &m.cores[0];
    assert_eq!(
        (c.x(0), c.x(1), c.x(2), c.x(3), c.x(4)),
        (0b1010, 0b1000, 0xff, 5, 1)
    );
}

#[test]
fn cntfrq_can_be_written_at_el2() {
    let cntfrq = SysReg::new(3, 3, 14, 0, 0);
    let (m, step) = at(2, GUEST, msr(cntfrq, 1));
    assert_eq!((step, get(&m, cntfrq)), (Step::Executed, 0x9abc_def0));
}
