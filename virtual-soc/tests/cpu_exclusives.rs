//! Exclusive monitors, LSE atomics, the event register, WFE and WFI.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{CoreConfig, CoreState, Time};
use virtual_soc::machine::{Step, Stop};

/// Two cores with the MMU on; core `i` runs `words[i]` from `CODE + 0x1000 * i`, x1 = [`DATA`], x3 = 3.
fn pair(words: [&[u32]; 2]) -> M {
    let mut m = machine(2);
    for (cpu, words) in words.into_iter().enumerate() {
        let entry = CODE + 0x1000 * cpu as u64;
        put(&mut m, entry, words);
        boot(&mut m, cpu, entry);
        mmu_on(&mut m, cpu);
        m.cores[cpu].set_x(1, DATA);
        m.cores[cpu].set_x(3, 3);
    }
    m
}

fn step(m: &mut M, cpus: &[usize]) {
    for &cpu in cpus {
        assert_eq!(m.step_core(cpu), Step::Executed);
    }
}

#[test]
fn store_exclusive_succeeds_once() {
    let mut m = pair([&[ldxr(0, 1), stxr(2, 3, 1), stxr(4, 3, 1)], &[]]);
    m.cores[0].set_x(2, 9);
    step(&mut m, &[0, 0, 0]);
    assert_eq!((m.cores[0].x(2), m.cores[0].x(4)), (0, 1));
    assert_eq!(m.ram.read_u64(DATA), Ok(3));
}

#[test]
fn who_opens_a_monitor() {
    // The granule under test, with neighbours in the same page.
    const AT: u64 = DATA + 128;
    // What happens between LDXR and STXR of core 0, and whether STXR fails then.
    let other = |word: u32, x1: u64| {
        let mut m = pair([&[ldxr(0, 1), stxr(2, 3, 1)], &[word]]);
        m.cores[0].set_x(1, AT);
        m.cores[1].set_x(1, x1);
        step(&mut m, &[0, 1, 0]);
        let cold = m.cores[0].x(2);
        // Once more, now that both cores' translations are cached.
        m.cores[0].set_pc(CODE);
        m.cores[1].set_pc(CODE + 0x1000);
        step(&mut m, &[0, 1, 0]);
        assert_eq!(m.cores[0].x(2), cold, "{word:08x}");
        cold
    };
    assert_eq!(other(NOP, AT), 0);
    assert_eq!(other(str(3, 1, 0), AT), 1, "a store");
    assert_eq!(other(strb(3, 1), AT + 127), 1, "to the same granule");
    assert_eq!(other(strb(3, 1), AT + 128), 0, "to the next granule");
    assert_eq!(other(0xf800_0000 | 3 | 1 << 5, AT + 120), 1, "STUR");
    assert_eq!(
        other(0xf81f_c000 | 3 | 1 << 5, AT + 128),
        1,
        "STUR across the granules' border"
    );
    assert_eq!(
        other(0xf81f_c000 | 3 | 1 << 5, AT),
        1,
        "STUR from the granule before"
    );
    assert_eq!(
        other(stp(3, 3, 1), AT - 8),
        1,
        "STP from the granule before"
    );
    assert_eq!(other(ldadd(3, 31, 1), AT), 1, "an atomic");
    assert_eq!(other(sys(3, 7, 4, 1, 1), AT + 64), 1, "DC ZVA");
    assert_eq!(other(ldr(0, 1, 0), AT), 0, "a load");
    let own = |words: &[u32]| {
        let mut m = pair([&[&[ldxr(0, 1)], words, &[stxr(2, 3, 1)]].concat(), &[]]);
        for _ in 0..words.len() + 2 {
            step(&mut m, &[0]);
        }
        m.cores[0].x(2)
    };
    assert_eq!(own(&[CLREX]), 1);
    assert_eq!(own(&[str(3, 1, 8)]), 0, "the core's own store leaves it");
    assert_eq!(
        own(&[add_imm(5, 1, 256), ldxr(6, 5)]),
        1,
        "it moved to another granule"
    );
    assert_eq!(
        own(&[add_imm(5, 1, 256), stxr(6, 3, 5)]),
        1,
        "any STXR opens it"
    );
    // An exclusive pair of the other core.
    let mut m = pair([&[ldxr(0, 1), stxr(2, 3, 1)], &[ldxr(0, 1), stxr(2, 3, 1)]]);
    step(&mut m, &[0, 1, 1, 0]);
    assert_eq!((m.cores[1].x(2), m.cores[0].x(2)), (0, 1));
    // The host's write.
    let mut m = pair([&[ldxr(0, 1), stxr(2, 3, 1)], &[]]);
    step(&mut m, &[0]);
    m.ram.write_u32(DATA + 4, 7).expect("in RAM");
    assert!(m.event_register(0));
    step(&mut m, &[0]);
    assert_eq!(m.cores[0].x(2), 1);
    // An exception return.
    let mut m = pair([&[ldxr(0, 1), ERET], &[]]);
    put(&mut m, CODE + 0x100, &[stxr(2, 3, 1)]);
    set(&mut m.cores[0], ELR_EL2, CODE + 0x100);
    set(&mut m.cores[0], SPSR_EL2, 0x3c9);
    step(&mut m, &[0, 0, 0]);
    assert_eq!(m.cores[0].x(2), 1);
    assert!(m.event_register(0), "and it sets the event register");
}

#[test]
fn pairs_and_sizes() {
    let mut m = pair([&[ldxp(4, 5, 1), stxp(2, 3, 1, 1)], &[]]);
    m.ram.write_u64(DATA, 11).expect("in RAM");
    m.ram.write_u64(DATA + 8, 22).expect("in RAM");
    step(&mut m, &[0, 0]);
    let c = &m.cores[0];
    assert_eq!((c.x(4), c.x(5), c.x(2)), (11, 22, 0));
    assert_eq!(
        (m.ram.read_u64(DATA), m.ram.read_u64(DATA + 8)),
        (Ok(3), Ok(DATA))
    );
    // LDXRB w4, [x1]; STXRB w2, w3, [x1]; LDXP w4, w5, [x1]; STXP w2, w3, w1, [x1]
    let mut m = pair([&[0x085f_7c24, 0x0802_7c23, 0x887f_1424, 0x8822_0423], &[]]);
    m.ram
        .write_u64(DATA, 0x8877_6655_4433_2211)
        .expect("in RAM");
    step(&mut m, &[0, 0]);
    assert_eq!(m.ram.read_u64(DATA), Ok(0x8877_6655_4433_2203));
    step(&mut m, &[0, 0]);
    assert_eq!(m.cores[0].x(4), 0x4433_2203);
    assert_eq!(m.cores[0].x(5), 0x8877_6655);
    assert_eq!(m.ram.read_u64(DATA), Ok((DATA & 0xffff_ffff) << 32 | 3));
}

#[test]
fn without_the_mmu_exclusives_never_succeed_and_atomics_abort() {
    let mut m = start(&[ldxr(0, 1), stxr(2, 3, 1), ldadd(3, 4, 1)]);
    m.cores[0].set_x(1, DATA);
    m.cores[0].set_x(3, 3);
    m.ram.write_u64(DATA, 5).expect("in RAM");
    step(&mut m, &[0, 0]);
    assert_eq!((m.cores[0].x(0), m.cores[0].x(2)), (5, 1));
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(get(&m, ESR_EL2), 0x25 << 26 | 1 << 25 | 1 << 6 | 0x35);
    assert_eq!(m.ram.read_u64(DATA), Ok(5));
}

#[test]
fn compare_and_swap() {
    let mut m = pair([
        &[cas(4, 5, 1), cas(4, 5, 1), casp(6, 8, 1), casp(6, 8, 1)],
        &[],
    ]);
    m.ram.write_u64(DATA, 10).expect("in RAM");
    for (n, v) in [(4, 10), (5, 20), (6, 20), (7, 0), (8, 1), (9, 2)] {
        m.cores[0].set_x(n, v);
    }
    step(&mut m, &[0]);
    assert_eq!((m.cores[0].x(4), m.ram.read_u64(DATA)), (10, Ok(20)));
    step(&mut m, &[0]);
    assert_eq!(
        (m.cores[0].x(4), m.ram.read_u64(DATA)),
        (20, Ok(20)),
        "no match: only the old value"
    );
    step(&mut m, &[0]);
    assert_eq!(
        (m.ram.read_u64(DATA), m.ram.read_u64(DATA + 8)),
        (Ok(1), Ok(2))
    );
    step(&mut m, &[0]);
    assert_eq!((m.cores[0].x(6), m.cores[0].x(7)), (1, 2));
}

#[test]
fn signed_minimum_and_maximum_of_small_sizes() {
    // LDSMAXB, LDSMINB, LDSMAXH, LDSMINH, LDSMAX W, LDSMIN W: w3, w4, [x1]
    let cases: [(u32, u64, u64, u64); 6] = [
        (0x3823_4024, 0x80, 0x7f, 0x7f),
        (0x3823_5024, 0x80, 0x7f, 0x80),
        (0x7823_4024, 0x8000, 0xffff, 0xffff),
        (0x7823_5024, 0x0001, 0xffff, 0xffff),
        (0xb823_4024, 0xffff_fffe, 1, 1),
        (0xb823_5024, 0x7fff_ffff, 0x8000_0000, 0x8000_0000),
    ];
    for (word, memory, operand, want) in cases {
        let mut m = pair([&[word], &[]]);
        m.ram.write_u64(DATA, memory).expect("in RAM");
        m.cores[0].set_x(3, operand);
        step(&mut m, &[0]);
        assert_eq!(
            (m.cores[0].x(4), m.ram.read_u64(DATA)),
            (memory, Ok(want)),
            "{word:08x}"
        );
    }
}

#[test]
fn the_event_register_makes_wfe_fall_through_once() {
    let mut m = pair([&[SEVL, WFE, WFE, NOP], &[SEV]]);
    step(&mut m, &[0, 0]);
    m.step_core(0);
    assert_eq!(m.cores[0].state(), CoreState::Wfe);
    assert_eq!(m.step_core(0), Step::Idle);
    m.step_core(1);
    assert!(m.event_register(1), "SEV reaches the sender too");
    assert_eq!(m.step_core(0), Step::Executed);
    assert_eq!(
        (m.cores[0].pc(), m.cores[0].state()),
        (CODE + 16, CoreState::Running)
    );
    assert!(!m.event_register(0), "used up by the WFE it woke");
}

#[test]
fn a_store_wakes_only_the_cpu_that_waits_for_it() {
    // Each worker waits for its own mailbox: LDAXR, then WFE while it is 0. Core 2 writes the mailbox of core 1.
    let mut m = machine(3);
    let worker = [ldaxr(0, 1), cbnz(0, 3), WFE, b(-3), hlt(1)];
    put(&mut m, HOST, &worker);
    let mut writer = vec![movz(2, 400, 0), subs_imm(2, 2, 1), cbnz(2, -1)];
    writer.extend([str(3, 1, 0), b(0)]);
    put(&mut m, CODE, &writer);
    for cpu in 0..3 {
        boot(&mut m, cpu, if cpu == 2 { CODE } else { HOST });
        mmu_on(&mut m, cpu);
        m.cores[cpu].set_x(1, DATA + if cpu == 0 { 0x1000 } else { 0 });
        m.cores[cpu].set_x(3, 9);
    }
    let (cpu, imm) = run_to_host(&mut m, 100);
    assert_eq!((cpu, imm), (1, 1));
    assert_eq!(
        (m.cores[1].x(0), m.cores[1].state()),
        (9, CoreState::Parked)
    );
    assert_eq!(
        m.cores[0].state(),
        CoreState::Wfe,
        "the other worker sleeps on"
    );
    assert!(
        m.cores[0].insns() <= 4,
        "and costs nothing: {}",
        m.cores[0].insns()
    );
    assert!(m.now().0 < 1_500_000, "woken at once: {}", m.now());
}

#[test]
fn interrupts_and_waiting() {
    // (instruction, DAIF, wakes, taken)
    for (word, daif, wakes, taken) in [
        (WFE, 0x3c0, false, false),
        (WFE, 0x340, true, true),
        (WFI, 0x3c0, true, false),
        (WFI, 0x340, true, true),
    ] {
        let mut m = start(&[word, NOP, NOP]);
        m.cores[0].set_daif(daif);
        m.step_core(0);
        assert_eq!(m.step_core(0), Step::Idle);
        m.bus.irq = 1;
        let step = m.step_core(0);
        if !wakes {
            assert_eq!(step, Step::Idle, "{word:08x} {daif:#x}");
        } else if taken {
            assert_eq!(
                (step, get(&m, ELR_EL2)),
                (Step::Exception, CODE + 4),
                "{word:08x} {daif:#x}"
            );
        } else {
            assert_eq!(
                (step, m.cores[0].pc()),
                (Step::Executed, CODE + 8),
                "{word:08x} {daif:#x}"
            );
        }
    }
    // With the line up already, WFI does not wait.
    let mut m = start(&[WFI]);
    m.bus.irq = 1;
    assert_eq!(m.step_core(0), Step::Executed);
    assert_eq!(m.cores[0].state(), CoreState::Running);
}

#[test]
fn wfi_may_lose_registers() {
    for loses in [false, true] {
        let mut m = machine_of(vec![CoreConfig {
            wfi_loses_gprs: loses,
            ..CoreConfig::default()
        }]);
        put(&mut m, CODE, &[WFI, NOP]);
        boot(&mut m, 0, CODE);
        for n in 0..31 {
            m.cores[0].set_x(n, 100 + u64::from(n));
        }
        let sp = m.cores[0].sp();
        m.step_core(0);
        m.bus.irq = 1;
        m.step_core(0);
        let want = |n: u64| if loses { 0 } else { 100 + n };
        assert!((0..31).all(|n| m.cores[0].x(n) == want(u64::from(n))));
        assert_eq!(m.cores[0].sp(), sp);
    }
}

#[test]
fn waits_are_trapped_on_request() {
    // SCTLR_ELx.nTWE and nTWI for EL0, HCR_EL2.TWE and TWI for a guest.
    for (word, sctlr_bit, hcr_bit, iss) in [(WFE, 18, 14, 1), (WFI, 16, 13, 0)] {
        let guest = 1 << 34 | 1 << 31;
        let mut m = start(&[word]);
        set(&mut m.cores[0], HCR_EL2, guest);
        set(&mut m.cores[0], SCTLR_EL1, 0x30d0_0800);
        m.cores[0].set_pstate(0x3c0);
        assert_eq!(m.step_core(0), Step::Exception);
        assert_eq!(
            get(&m, ESR_EL1),
            1 << 26 | 1 << 25 | 1 << 24 | 0xe << 20 | iss
        );
        let mut m = start(&[word]);
        set(&mut m.cores[0], HCR_EL2, guest | 1 << hcr_bit);
        set(&mut m.cores[0], SCTLR_EL1, 0x30d0_0800 | 1 << sctlr_bit);
        m.cores[0].set_pstate(0x3c0);
        assert_eq!(m.step_core(0), Step::Exception);
        assert_eq!((m.cores[0].el(), ec(get(&m, ESR_EL2))), (2, 1));
    }
}

#[test]
fn when_all_cores_wait_the_clock_jumps() {
    let mut m = start(&[WFE, NOP]);
    assert_eq!(m.run(Time::from_micros(5_000_000)), Stop::Deadline);
    assert_eq!(m.now(), Time::from_micros(5_000_000));
    assert_eq!(m.total_insns(), 1);
}
