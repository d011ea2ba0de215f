//! Exceptions: vectors, syndromes, routing, masks, return.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{BusFault, SysReg, SysRegFault};
use virtual_soc::machine::Step;

/// HCR_EL2 with TGE off: EL1 is a guest; interrupts go to EL2.
const GUEST: u64 = 1 << 34 | 1 << 31 | 0x38;
/// PSTATE with everything masked.
const DAIF: u64 = 0x3c0;

/// Core 0 at `el` (with SP_ELx if `spx`) about to run `words`.
fn at(el: u64, spx: bool, hcr: u64, words: &[u32]) -> M {
    let mut m = start(words);
    let core = &mut m.cores[0];
    set(core, HCR_EL2, hcr);
    core.set_pstate(DAIF | el << 2 | u64::from(spx));
    m
}

#[test]
fn vectors_and_state() {
    // (level, SP_ELx, TGE, target level, vector offset) of an SVC.
    let cases = [
        (2, true, true, 2, 0x200),
        (2, false, true, 2, 0x000),
        (0, false, true, 2, 0x400),
        (0, false, false, 1, 0x400),
        (1, true, false, 1, 0x200),
        (1, false, false, 1, 0x000),
    ];
    for (el, spx, tge, target, offset) in cases {
        let mut m = at(el, spx, GUEST | u64::from(tge) << 27, &[svc(0x1234)]);
        m.cores[0].set_nzcv(0b1010);
        let spsr = m.cores[0].pstate();
        assert_eq!(m.step_core(0), Step::Exception);
        let (base, esr, elr, saved) = if target == 2 {
            (VECTORS, ESR_EL2, ELR_EL2, SPSR_EL2)
        } else {
            (VECTORS_EL1, ESR_EL1, ELR_EL1, SPSR_EL1)
        };
        let core = &m.cores[0];
        assert_eq!(
            (core.el(), core.pc()),
            (target, base + offset),
            "from EL{el}, TGE {tge}"
        );
        assert_eq!(get(&m, esr), 0x15 << 26 | 1 << 25 | 0x1234);
        assert_eq!(get(&m, elr), CODE + 4, "SVC returns behind itself");
        assert_eq!(get(&m, saved), spsr);
        assert_eq!(core.daif(), DAIF);
        assert_eq!(core.pstate() & 1, 1, "SP_ELx in use");
    }
}

#[test]
fn stack_pointers_are_banked() {
    let mut m = at(
        2,
        true,
        GUEST,
        &[msr_spsel(0), add_imm(31, 31, 0x10), msr_spsel(1), svc(0)],
    );
    m.cores[0].set_sp_el(0, 0x1000);
    m.cores[0].set_sp_el(2, 0x2000);
    steps(&mut m, 3);
    assert_eq!((m.cores[0].sp_el(0), m.cores[0].sp()), (0x1010, 0x2000));
    // SP_EL0 is accessible by name only while SP_ELx is in use.
    let sp_el0 = SysReg::new(3, 0, 4, 1, 0);
    put(
        &mut m,
        CODE,
        &[mrs(3, sp_el0), msr_spsel(0), mrs(4, sp_el0)],
    );
    m.cores[0].set_pc(CODE);
    assert_eq!(
        (m.step_core(0), m.step_core(0), m.step_core(0)),
        (Step::Executed, Step::Executed, Step::Exception)
    );
    assert_eq!(m.cores[0].x(3), 0x1010);
}

#[test]
fn hvc_brk_hlt_smc() {
    let guest = |word| {
        let mut m = at(1, true, GUEST, &[word]);
        m.step_core(0);
        m
    };
    let m = guest(hvc(7));
    assert_eq!((m.cores[0].el(), m.cores[0].pc()), (2, VECTORS + 0x400));
    assert_eq!(
        (get(&m, ESR_EL2), get(&m, ELR_EL2)),
        (0x16 << 26 | 1 << 25 | 7, CODE + 4)
    );
    let m = guest(brk(9));
    assert_eq!(m.cores[0].el(), 1);
    assert_eq!(
        (get(&m, ESR_EL1), get(&m, ELR_EL1)),
        (0x3c << 26 | 1 << 25 | 9, CODE)
    );
    for word in [smc(0), hlt(1)] {
        let m = guest(word);
        assert_eq!(
            (get(&m, ESR_EL1), get(&m, ELR_EL1)),
            (1 << 25, CODE),
            "{word:08x} is UNDEFINED"
        );
    }
    // HVC from EL0 is UNDEFINED, and from EL1 with HCR_EL2.HCD.
    let mut m = at(0, false, GUEST, &[hvc(0)]);
    m.step_core(0);
    assert_eq!((m.cores[0].el(), ec(get(&m, ESR_EL1))), (1, 0));
    let mut m = at(1, true, GUEST | 1 << 29, &[hvc(0)]);
    m.step_core(0);
    assert_eq!((m.cores[0].el(), ec(get(&m, ESR_EL1))), (1, 0));
}

#[test]
fn eret_restores_and_checks() {
    let mut m = at(2, true, GUEST, &[ERET]);
    set(&mut m.cores[0], ELR_EL2, CODE + 0x100);
    set(&mut m.cores[0], SPSR_EL2, 0x6000_0000 | 0x80 | 0x4);
    m.step_core(0);
    let core = &m.cores[0];
    assert_eq!(
        (core.el(), core.pc(), core.daif(), core.nzcv()),
        (1, CODE + 0x100, 0x80, 0b0110)
    );
    assert_eq!(core.pstate() & 0x1f, 4, "EL1t");
    // Illegal: EL3, AArch32, EL0 with SPx, EL1 under TGE.
    for (hcr, spsr) in [
        (GUEST, 0xd),
        (GUEST, 0x10),
        (GUEST, 0x1),
        (GUEST | 1 << 27, 0x5),
        (GUEST, 0x6),
    ] {
        let mut m = at(2, true, hcr, &[ERET]);
        put(&mut m, CODE + 0x100, &[NOP]);
        set(&mut m.cores[0], ELR_EL2, CODE + 0x100);
        set(&mut m.cores[0], SPSR_EL2, 1 << 31 | spsr);
        assert_eq!(m.step_core(0), Step::Executed, "SPSR {spsr:#x}");
        let core = &m.cores[0];
        assert_eq!((core.el(), core.pc(), core.nzcv()), (2, CODE + 0x100, 8));
        assert_ne!(core.pstate() & 1 << 20, 0, "PSTATE.IL");
        assert_eq!(m.step_core(0), Step::Exception);
        assert_eq!(
            (get(&m, ESR_EL2), get(&m, ELR_EL2)),
            (0x0e << 26 | 1 << 25, CODE + 0x100)
        );
        assert_ne!(get(&m, SPSR_EL2) & 1 << 20, 0);
        assert_eq!(m.cores[0].pstate() & 1 << 20, 0);
    }
    // From EL0 it is UNDEFINED.
    let mut m = at(0, false, GUEST, &[ERET]);
    m.step_core(0);
    assert_eq!((m.cores[0].el(), ec(get(&m, ESR_EL1))), (1, 0));
}

#[test]
fn interrupts_by_level_mask_and_routing() {
    // (level, HCR bits, DAIF, IRQ line, FIQ line) -> where, or not at all.
    let tge = 1 << 27;
    let cases = [
        (2, GUEST | tge, 0x000, true, false, Some((2, 0x280))),
        (2, GUEST | tge, 0x080, true, false, None),
        (2, GUEST | tge, 0x000, false, true, Some((2, 0x300))),
        (2, GUEST | tge, 0x040, false, true, None),
        (2, GUEST | tge, 0x080, true, true, Some((2, 0x300))),
        (0, GUEST | tge, 0x3c0, true, false, Some((2, 0x480))),
        (1, GUEST, 0x3c0, true, false, Some((2, 0x480))),
        (1, GUEST & !0x38, 0x000, true, false, Some((1, 0x280))),
        (1, GUEST & !0x38, 0x080, true, false, None),
        (0, GUEST & !0x38, 0x3c0, true, false, Some((1, 0x480))),
        (0, GUEST & !0x38, 0x3c0, false, true, Some((1, 0x500))),
        // Routed to EL1, EL2 never sees it.
        (2, GUEST & !0x38, 0x000, true, true, None),
    ];
    for (i, (el, hcr, daif, irq, fiq, want)) in cases.into_iter().enumerate() {
        let mut m = at(el, el != 0, hcr, &[NOP]);
        m.cores[0].set_daif(daif);
        (m.bus.irq, m.bus.fiq) = (irq as u64, fiq as u64);
        let step = m.step_core(0);
        let core = &m.cores[0];
        match want {
            Some((level, offset)) => {
                let base = if level == 2 { VECTORS } else { VECTORS_EL1 };
                assert_eq!(
                    (step, core.el(), core.pc()),
                    (Step::Exception, level, base + offset),
                    "case {i}"
                );
                assert_eq!(
                    get(&m, if level == 2 { ELR_EL2 } else { ELR_EL1 }),
                    CODE,
                    "case {i}"
                );
            }
            None => assert_eq!((step, core.pc()), (Step::Executed, CODE + 4), "case {i}"),
        }
        assert_eq!((m.cores[0].irq_line(), m.cores[0].fiq_line()), (irq, fiq));
    }
}

#[test]
fn isr_shows_masked_interrupts() {
    let isr = SysReg::new(3, 0, 12, 1, 0);
    let mut m = start(&[mrs(0, isr), mrs(1, isr)]);
    m.bus.irq = 1;
    m.step_core(0);
    m.bus.irq = 0;
    m.bus.fiq = 1;
    m.step_core(0);
    assert_eq!((m.cores[0].x(0), m.cores[0].x(1)), (0x80, 0x40));
}

#[test]
fn an_unmasked_line_is_taken_before_the_next_instruction() {
    // Unmasking by MSR DAIFClr, and a device that raises its line in the middle of a slice.
    let mut m = start(&[daifset(2), daifclr(2), NOP, NOP]);
    m.bus.irq = 1;
    put(&mut m, VECTORS + 0x280, &[b(0)]);
    m.run(virtual_soc::cpu::Time(1));
    assert_eq!(get(&m, ELR_EL2), CODE + 8);
    let mut words = vec![daifclr(2)];
    words.extend(mov64(1, MMIO));
    words.extend([str(0, 1, 0), NOP, NOP]);
    let mut m = start(&words);
    m.bus.irq_on_write = Some(1);
    put(&mut m, VECTORS + 0x280, &[b(0)]);
    m.run(virtual_soc::cpu::Time(1));
    assert_eq!(get(&m, ELR_EL2), CODE + 4 * 6);
}

#[test]
fn virtual_interrupts_reach_a_guest() {
    for (bit, offset) in [(7, 0x280), (6, 0x300), (8, 0x380)] {
        let mut m = at(1, true, GUEST | 1 << bit, &[NOP, NOP]);
        assert_eq!(m.step_core(0), Step::Executed, "masked");
        m.cores[0].set_daif(0);
        assert_eq!(m.step_core(0), Step::Exception);
        assert_eq!(
            (m.cores[0].el(), m.cores[0].pc()),
            (1, VECTORS_EL1 + offset)
        );
        let mut m = at(2, true, GUEST | 1 << bit, &[NOP]);
        m.cores[0].set_daif(0);
        assert_eq!(m.step_core(0), Step::Executed, "never at EL2");
    }
}

#[test]
fn external_aborts() {
    let mut words = mov64(1, MMIO + 0x40).to_vec();
    words.extend([ldr(2, 1, 0), str(2, 1, 0), NOP]);
    let mut m = start(&words);
    m.bus.value = 0x1122_3344_5566_7788;
    steps(&mut m, 5);
    assert_eq!(m.cores[0].x(2), m.bus.value);
    assert_eq!(
        m.bus.accesses[0],
        (0, MMIO + 0x40, 8, None, 4000),
        "address, size and local time"
    );
    m.bus.fault = Some(BusFault::Abort);
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(
        (get(&m, ESR_EL2), get(&m, FAR_EL2)),
        (0x25 << 26 | 1 << 25 | 1 << 6 | 0x10, MMIO + 0x40)
    );
    // As SError: the access completes, the exception comes when A is open.
    let mut m = start(&words);
    m.bus.fault = Some(BusFault::SError);
    steps(&mut m, 6);
    assert_eq!(m.cores[0].pc(), CODE + 24);
    m.cores[0].set_daif(0);
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(m.cores[0].pc(), VECTORS + 0x380);
    assert_eq!(ec(get(&m, ESR_EL2)), 0x2f);
    // Outside RAM there is no code.
    let mut m = start(&[]);
    m.cores[0].set_pc(MMIO);
    m.step_core(0);
    assert_eq!(
        (get(&m, ESR_EL2), get(&m, FAR_EL2)),
        (0x21 << 26 | 1 << 25 | 0x10, MMIO)
    );
}

#[test]
fn small_mmio_accesses_are_cut_to_their_size() {
    let mut words = mov64(1, MMIO).to_vec();
    words.extend(mov64(2, 0xffff_ffff_ffff_ffff));
    words.extend([strb(2, 1), str_w(2, 1), ldr_w(3, 1), stp(2, 2, 1)]);
    let mut m = start(&words);
    m.bus.value = u64::MAX;
    steps(&mut m, 12);
    let log: Vec<_> = m
        .bus
        .accesses
        .iter()
        .map(|a| (a.1 - MMIO, a.2, a.3))
        .collect();
    let all = Some(u64::MAX);
    assert_eq!(
        log,
        [
            (0, 1, Some(0xff)),
            (0, 4, Some(0xffff_ffff)),
            (0, 4, None),
            (0, 8, all),
            (8, 8, all)
        ]
    );
    assert_eq!(m.cores[0].x(3), 0xffff_ffff);
}

#[test]
fn pc_and_sp_alignment() {
    let mut m = start(&[br(1)]);
    m.cores[0].set_x(1, CODE + 2);
    m.step_core(0);
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(
        (get(&m, ESR_EL2), get(&m, FAR_EL2), get(&m, ELR_EL2)),
        (0x22 << 26 | 1 << 25, CODE + 2, CODE + 2)
    );
    for (check, want) in [(true, Step::Exception), (false, Step::Executed)] {
        // With the translation cached and not.
        for warm in [false, true] {
            let mut m = start(&[ldr(0, 31, 0), stp(0, 0, 31)]);
            mmu_on(&mut m, 0);
            set(
                &mut m.cores[0],
                SCTLR_EL2,
                0x30d0_0801 | u64::from(check) << 3,
            );
            for at in [CODE, CODE + 4] {
                m.cores[0].set_pc(at);
                if warm {
                    m.cores[0].set_sp(DATA);
                    m.step_core(0);
                    m.cores[0].set_pc(at);
                }
                m.cores[0].set_sp(DATA + 8);
                assert_eq!(m.step_core(0), want);
                if check {
                    assert_eq!(
                        (get(&m, ESR_EL2), get(&m, ELR_EL2)),
                        (0x26 << 26 | 1 << 25, at)
                    );
                }
            }
        }
    }
}

#[test]
fn implementation_defined_registers_belong_to_the_bus() {
    let siq = SysReg::new(3, 5, 15, 13, 7);
    let mut m = start(&[mrs(3, siq), msr(siq, 4), mrs(5, siq), mrs(5, siq)]);
    m.bus.value = 0x55;
    m.cores[0].set_x(4, 0x66);
    steps(&mut m, 2);
    assert_eq!(m.cores[0].x(3), 0x55);
    assert_eq!(m.bus.sysregs, [(0, siq, 2, None), (0, siq, 2, Some(0x66))]);
    m.bus.sysreg_fault = Some(SysRegFault::Undefined);
    assert_eq!(m.step_core(0), Step::Exception);
    assert_eq!(get(&m, ESR_EL2), 1 << 25);
    m.cores[0].set_pc(CODE + 12);
    m.bus.sysreg_fault = Some(SysRegFault::Trap);
    assert_eq!(m.step_core(0), Step::Exception);
    // Op0 3, Op2 7, Op1 5, CRn 15, Rt 5, CRm 13, read.
    let iss = 3 << 20 | 7 << 17 | 5 << 14 | 15 << 10 | 5 << 5 | 13 << 1 | 1;
    assert_eq!(get(&m, ESR_EL2), 0x18 << 26 | 1 << 25 | iss);
    // A guest's access traps first if HCR_EL2.TIDCP says so.
    let mut m = at(1, true, GUEST | 1 << 20, &[mrs(3, siq)]);
    m.step_core(0);
    assert_eq!(
        (m.cores[0].el(), ec(get(&m, ESR_EL2)), m.bus.sysregs.len()),
        (2, 0x18, 0)
    );
}

#[test]
fn pan_is_set_on_entry_unless_span() {
    for (span, pan) in [(false, true), (true, false)] {
        let mut m = at(0, false, GUEST, &[svc(0)]);
        set(
            &mut m.cores[0],
            SCTLR_EL1,
            0x3050_0800 | u64::from(span) << 23,
        );
        m.step_core(0);
        assert_eq!(m.cores[0].pstate() >> 22 & 1 != 0, pan);
        assert_eq!(get(&m, SPSR_EL1) >> 22 & 1, 0);
    }
}
