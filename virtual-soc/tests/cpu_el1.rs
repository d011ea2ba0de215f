//! A guest of the machine's own: from EL2 to EL1 and back, with translation, an interrupt and its EVENT on the way. And WFET, WFIT.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{CoreConfig, CoreState, SysReg, Time};
use virtual_soc::machine::Stop;

/// RW and E2H; TGE, IMO and FMO clear: EL1 takes its interrupts itself.
const OWN_GUEST: u64 = 1 << 34 | 1 << 31;
const SCTLR_EL12: SysReg = SysReg::new(3, 5, 1, 0, 0);
const TTBR0_EL12: SysReg = SysReg::new(3, 5, 2, 0, 0);
const TCR_EL12: SysReg = SysReg::new(3, 5, 2, 0, 2);
const MAIR_EL12: SysReg = SysReg::new(3, 5, 10, 2, 0);
const VBAR_EL12: SysReg = SysReg::new(3, 5, 12, 0, 0);
const CURRENT_EL: SysReg = SysReg::new(3, 0, 4, 2, 2);
const CNTVCT: SysReg = SysReg::new(3, 3, 14, 0, 2);
const GUEST_CODE: u64 = CODE + 0x1000;
/// EL1h with I, F, A, D masked.
const EL1H: u64 = 0x3c5;

/// `reg` = `value`, through x9.
fn load(reg: SysReg, value: u64) -> Vec<u32> {
    let mut words = mov64(9, value).to_vec();
    words.push(msr(reg, 9));
    words
}

/// To the host, with `imm`, from wherever RAM is executable.
fn to_host(m: &mut M, at: u64, imm: u16) {
    let mut words = mov64(9, HOST + 4 * u64::from(imm)).to_vec();
    words.push(br(9));
    put(m, at, &words);
    put(m, HOST + 4 * u64::from(imm), &[hlt(imm)]);
}

#[test]
fn an_interrupt_at_el1_with_translation_and_back_to_el2() {
    let mut m = machine(1);
    // 16 KiB granule, one level-2 table: RAM and the devices at their own addresses.
    const AF: u64 = 1 << 10;
    let block = |m: &mut M, va: u64, descriptor: u64| {
        let slot = TABLES + 8 * (va >> 25 & 0x7ff);
        m.ram.write_u64(slot, descriptor).expect("in RAM");
    };
    block(&mut m, RAM, RAM | AF | 3 << 8 | 1);
    block(&mut m, MMIO, MMIO | AF | 1 << 2 | 3 << 53 | 1);
    let mut host = Vec::new();
    for (reg, value) in [
        (MAIR_EL12, 0x00ff),
        (TTBR0_EL12, TABLES),
        (TCR_EL12, 28 | 2 << 14 | 3 << 32 | 1 << 23),
        (VBAR_EL12, VECTORS_EL1),
        (SCTLR_EL12, 0x30d0_0801),
        (HCR_EL2, OWN_GUEST),
        (SPSR_EL2, EL1H),
        (ELR_EL2, GUEST_CODE),
    ] {
        host.extend(load(reg, value));
    }
    host.extend([ISB, ERET]);
    put(&mut m, CODE, &host);
    put(
        &mut m,
        GUEST_CODE,
        &[mrs(20, CURRENT_EL), mrs(21, SCTLR_EL1), daifclr(2), b(0)],
    );
    // IRQ from the current level with SP_EL1: EVENT, then the host.
    let mut handler = mov64(1, MMIO + 0x2004).to_vec();
    handler.extend([ldr_w(0, 1), mrs(22, CURRENT_EL), hvc(7)]);
    put(&mut m, VECTORS_EL1 + 0x280, &handler);
    to_host(&mut m, VECTORS + 0x400, 5);
    boot(&mut m, 0, CODE);
    m.bus.value = 0x1_0064;
    let quiet = m.run(Time::from_micros(20));
    assert_eq!(quiet, Stop::Deadline, "the guest spins");
    assert_eq!((m.cores[0].el(), m.cores[0].daif() & 0x80), (1, 0));
    let seen = m.bus.ticks.last().expect("a tick").1;
    assert_eq!((seen.at_el1, seen.irq_masked), (1, 0));
    m.bus.irq = 1;
    assert_eq!(run_to_host(&mut m, 20), (0, 5));
    let core = &m.cores[0];
    assert_eq!(core.x(0), 0x1_0064, "EVENT read at EL1");
    assert_eq!((core.x(20), core.x(22)), (1 << 2, 1 << 2));
    assert_eq!(core.x(21) & 1, 1, "its MMU is on");
    assert_eq!(core.el(), 2);
    assert_eq!(get(&m, ESR_EL2) >> 26, 0x16, "HVC");
    assert_eq!(get(&m, ESR_EL2) & 0xffff, 7);
    assert_eq!(get(&m, SPSR_EL2) & 0xf, 5, "from EL1h");
    assert_eq!(get(&m, ELR_EL1), GUEST_CODE + 12, "and the guest goes on");
    let reads: Vec<u64> = m.bus.accesses.iter().map(|a| a.1).collect();
    assert_eq!(reads, [MMIO + 0x2004]);
}

#[test]
fn at_el2_an_interrupt_of_the_guest_waits() {
    // TGE and IMO clear: physical interrupts belong to EL1 and are not taken at EL2, whatever PSTATE.I says.
    let mut m = start(&[daifclr(2), b(0)]);
    set(&mut m.cores[0], HCR_EL2, OWN_GUEST);
    m.bus.irq = 1;
    assert_eq!(m.run(Time::from_micros(5)), Stop::Deadline);
    assert_eq!((m.cores[0].pc(), m.cores[0].el()), (CODE + 4, 2));
}

/// WFIT X0, WFET X0.
const WFIT_X0: u32 = 0xd503_1020;
const WFET_X0: u32 = 0xd503_1000;

fn timed(cfg: &CoreConfig, wait: u32, ticks: u64) -> M {
    let mut m = machine_of(vec![cfg.clone()]);
    put(
        &mut m,
        CODE,
        &[
            mrs(0, CNTVCT),
            add_imm(0, 0, ticks as u32),
            movz(5, 77, 0),
            wait,
            mrs(6, CNTVCT),
            b(0),
        ],
    );
    boot(&mut m, 0, CODE);
    m
}

#[test]
fn timed_waits_end_at_their_time_and_may_lose_registers() {
    let cfg = CoreConfig {
        wfxt: true,
        ..CoreConfig::default()
    };
    for wait in [WFIT_X0, WFET_X0] {
        let mut m = timed(&cfg, wait, 240);
        // 240 ticks of 24 MHz are 10 us.
        m.run(Time::from_micros(9));
        assert!(matches!(
            m.cores[0].state(),
            CoreState::Wfi | CoreState::Wfe
        ));
        m.run(Time::from_micros(12));
        assert_eq!(m.cores[0].state(), CoreState::Running);
        let (limit, after) = (m.cores[0].x(0), m.cores[0].x(6));
        assert!((limit..limit + 10).contains(&after), "{limit} {after}");
        assert_eq!(m.cores[0].x(5), 77);
    }
    let loses = CoreConfig {
        wfit_loses_gprs: true,
        ..cfg.clone()
    };
    let mut m = timed(&loses, WFIT_X0, 240);
    m.run(Time::from_micros(12));
    assert_eq!((m.cores[0].x(5), m.cores[0].x(0)), (0, 0));
    assert_ne!(m.cores[0].x(6), 0);
    // A time that has passed is no wait.
    let mut m = timed(&loses, WFIT_X0, 0);
    m.run(Time::from_micros(1));
    assert_eq!(m.cores[0].x(5), 77);
    // An interrupt ends it early.
    let mut m = timed(&cfg, WFIT_X0, 2400);
    m.run(Time::from_micros(9));
    m.bus.fiq = 1;
    m.run(Time::from_micros(10));
    assert_eq!(m.cores[0].state(), CoreState::Running);
}
