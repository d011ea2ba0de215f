//! The counter, the four generic timers under VHE, their FIQ, and the event stream.

mod cpu_support;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{CoreConfig, CoreState, SysReg, Time};
use virtual_soc::machine::{Machine, MachineConfig, Step, Stop};

const CNTFRQ: SysReg = SysReg::new(3, 3, 14, 0, 0);
const CNTPCT: SysReg = SysReg::new(3, 3, 14, 0, 1);
const CNTVCT: SysReg = SysReg::new(3, 3, 14, 0, 2);
const CNTP_TVAL: SysReg = SysReg::new(3, 3, 14, 2, 0);
const CNTP_CTL: SysReg = SysReg::new(3, 3, 14, 2, 1);
const CNTP_CVAL: SysReg = SysReg::new(3, 3, 14, 2, 2);
const CNTV_CTL: SysReg = SysReg::new(3, 3, 14, 3, 1);
const CNTV_CVAL: SysReg = SysReg::new(3, 3, 14, 3, 2);
const CNTHV_CTL_EL2: SysReg = SysReg::new(3, 4, 14, 3, 1);
const CNTP_CTL_EL02: SysReg = SysReg::new(3, 5, 14, 2, 1);
const CNTV_CVAL_EL02: SysReg = SysReg::new(3, 5, 14, 3, 2);
const CNTKCTL_EL12: SysReg = SysReg::new(3, 5, 14, 1, 0);

/// Microsecond on the machine's clock.
const US: u64 = 1_000_000;

#[test]
fn counter_and_frequency() {
    let mut m = start(&[mrs(0, CNTFRQ), mrs(1, CNTPCT), b(0)]);
    steps(&mut m, 2);
    assert_eq!((m.cores[0].x(0), m.cores[0].x(1)), (24_000_000, 0));
    m.run(Time(1000 * US));
    assert_eq!(m.counter(), 24_000);
    // Local time inside a slice: the 43rd instruction is 42 ns in, which is tick 1.
    let mut words = vec![NOP; 41];
    words.extend([mrs(0, CNTPCT), mrs(1, CNTPCT), b(0)]);
    let mut m = start(&words);
    m.run(Time(1));
    assert_eq!((m.cores[0].x(0), m.cores[0].x(1)), (0, 1));
}

#[test]
fn counter_steps() {
    let cfg = MachineConfig {
        ram_base: RAM,
        ram_size: 1 << 20,
        counter_hz: 1_000_000_000,
        counter_step: 42,
        ..Default::default()
    };
    let mut m = Machine::new(cfg, TestBus::default());
    for (at, want) in [
        (0, 0),
        (41_000, 0),
        (42_000, 42),
        (83_999, 42),
        (84_000, 84),
    ] {
        m.run(Time(at));
        assert_eq!(m.counter(), want, "at {at} ps");
    }
}

#[test]
fn virtual_offset_is_for_guests_only() {
    let mut m = start(&[mrs(0, CNTVCT)]);
    set(&mut m.cores[0], CNTVOFF_EL2, 1000);
    m.step_core(0);
    assert_eq!(m.cores[0].x(0), 0);
    let mut m = start(&[mrs(0, CNTVCT), mrs(1, CNTPCT)]);
    let core = &mut m.cores[0];
    set(core, CNTVOFF_EL2, 1000);
    set(core, HCR_EL2, 1 << 34 | 1 << 31);
    set(core, CNTHCTL_EL2, 0xc00);
    core.set_pstate(0x3c5);
    steps(&mut m, 2);
    assert_eq!(
        (m.cores[0].x(0), m.cores[0].x(1)),
        (1000u64.wrapping_neg(), 0)
    );
}

#[test]
fn el2_names_are_redirected() {
    let mut m = start(&[
        msr(CNTP_CVAL, 1),
        msr(CNTP_CTL, 2),
        msr(CNTV_CTL, 2),
        msr(CNTP_CTL_EL02, 3),
        msr(CNTV_CVAL_EL02, 1),
    ]);
    for (n, v) in [(1, 0x1234_5678_9abc), (2, 1), (3, 3)] {
        m.cores[0].set_x(n, v);
    }
    steps(&mut m, 5);
    assert_eq!(get(&m, CNTHP_CVAL_EL2), 0x1234_5678_9abc);
    assert_eq!((get(&m, CNTHP_CTL_EL2), get(&m, CNTHV_CTL_EL2)), (1, 1));
    assert_eq!((get(&m, CNTP_CTL), get(&m, CNTV_CTL)), (3, 0));
    assert_eq!(
        (get(&m, CNTV_CVAL), get(&m, CNTP_CVAL)),
        (0x1234_5678_9abc, 0)
    );
    // CNTKCTL_EL1 is CNTHCTL_EL2 here; CNTKCTL_EL12 is the guest's.
    put(&mut m, CODE, &[msr(CNTKCTL_EL1, 2), msr(CNTKCTL_EL12, 3)]);
    m.cores[0].set_pc(CODE);
    steps(&mut m, 2);
    assert_eq!((get(&m, CNTHCTL_EL2), get(&m, CNTKCTL_EL1)), (1, 3));
}

#[test]
fn status_tval_and_mask() {
    let mut m = start(&[
        msr(CNTP_TVAL, 1),
        msr(CNTP_CTL, 2),
        mrs(3, CNTP_TVAL),
        mrs(4, CNTP_CTL),
        b(0),
    ]);
    m.cores[0].set_x(1, 48);
    m.cores[0].set_x(2, 3);
    steps(&mut m, 4);
    assert_eq!((m.cores[0].x(3), m.cores[0].x(4)), (48, 3));
    m.run(Time(3 * US));
    m.cores[0].set_pc(CODE + 8);
    steps(&mut m, 2);
    // 72 ticks gone: 24 past the compare value.
    assert_eq!(m.cores[0].x(3), (-24i32) as u32 as u64);
    assert_eq!(m.cores[0].x(4), 7, "ISTATUS");
    assert!(!m.cores[0].fiq_line(), "masked");
}

#[test]
fn every_timer_is_a_fiq() {
    for (ctl, cval) in [
        (CNTP_CTL, CNTP_CVAL),
        (CNTV_CTL, CNTV_CVAL),
        (CNTHP_CTL_EL2, CNTHP_CVAL_EL2),
        (CNTHV_CTL_EL2, SysReg::new(3, 4, 14, 3, 2)),
    ] {
        let mut m = start(&[b(0)]);
        put(&mut m, VECTORS + 0x300, &[b(0)]);
        let core = &mut m.cores[0];
        core.set_daif(0);
        set(core, cval, 240);
        set(core, ctl, 1);
        m.run(Time(10 * US - 1));
        assert_eq!(m.cores[0].pc(), CODE, "{ctl}: not before its time");
        m.run(Time(10 * US + 100_000));
        assert_eq!(m.cores[0].pc(), VECTORS + 0x300, "{ctl}");
        assert!(m.cores[0].fiq_line());
        // Off again: the line falls.
        set(&mut m.cores[0], ctl, 0);
        m.step_core(0);
        assert!(!m.cores[0].fiq_line());
    }
}

#[test]
fn the_bus_can_gate_timers() {
    let vm_tmr_fiq_ena = SysReg::new(3, 5, 15, 1, 3);
    let mut m = start(&[NOP, msr(vm_tmr_fiq_ena, 1), NOP]);
    m.bus.gate = Some(0b1100);
    set(&mut m.cores[0], CNTP_CTL, 1);
    m.step_core(0);
    assert!(!m.cores[0].fiq_line(), "CNTP is due but gated");
    // The gate is read again after the write of an implementation-defined register.
    m.bus.gate = Some(0b0001);
    m.step_core(0);
    assert!(m.cores[0].fiq_line());
}

#[test]
fn a_waiting_core_is_woken_by_its_timer() {
    let mut m = start(&[WFI, b(0)]);
    set(&mut m.cores[0], CNTP_CVAL, 24_000);
    set(&mut m.cores[0], CNTP_CTL, 1);
    // CVAL 24000 at 24 MHz is 1 ms.
    m.run(Time(999 * US));
    assert_eq!((m.cores[0].state(), m.total_insns()), (CoreState::Wfi, 1));
    m.run(Time(1001 * US));
    assert_eq!(m.cores[0].state(), CoreState::Running);
    assert_eq!(m.total_insns(), 1 + 1000, "it ran for the last microsecond");
}

#[test]
fn guests_need_permission() {
    let guest = 1 << 34 | 1 << 31;
    // (level, CNTHCTL_EL2, CNTKCTL_EL1, register, level of the trap)
    let cases = [
        (1, 0xc00, 0, CNTPCT, None),
        (1, 0x800, 0, CNTPCT, Some(2)),
        (1, 0x400, 0, CNTP_CTL, Some(2)),
        (1, 0x000, 0, CNTV_CTL, None),
        (0, 0xc00, 0, CNTPCT, Some(1)),
        (0, 0xc00, 1, CNTPCT, None),
        (0, 0x800, 1, CNTPCT, Some(2)),
        (0, 0xc00, 1, CNTVCT, Some(1)),
        (0, 0xc00, 2, CNTVCT, None),
        (0, 0xc00, 0, CNTFRQ, Some(1)),
        (0, 0xc00, 2, CNTFRQ, None),
        (0, 0xc00, 0x200, CNTP_CTL, None),
        (0, 0xc00, 0x200, CNTV_CTL, Some(1)),
        (0, 0xc00, 0x100, CNTV_CTL, None),
    ];
    for (el, hctl, kctl, reg, want) in cases {
        let mut m = start(&[mrs(0, reg)]);
        let core = &mut m.cores[0];
        set(core, HCR_EL2, guest);
        set(core, CNTHCTL_EL2, hctl);
        set(core, CNTKCTL_EL1, kctl);
        core.set_pstate(0x3c0 | el << 2);
        let step = m.step_core(0);
        let got = (step == Step::Exception).then(|| m.cores[0].el());
        assert_eq!(got, want, "EL{el} {hctl:#x} {kctl:#x} {reg}");
        match want {
            Some(2) => assert_eq!(ec(get(&m, ESR_EL2)), 0x18),
            Some(_) => assert_eq!(ec(get(&m, ESR_EL1)), 0x18),
            None => {}
        }
    }
}

/// How often a WFE loop goes round in a millisecond with this CNTHCTL_EL2.
fn rounds_in_a_millisecond(ctl: u64, stream: bool) -> u64 {
    let mut m = machine_of(vec![CoreConfig {
        has_event_stream: stream,
        ..CoreConfig::default()
    }]);
    put(
        &mut m,
        CODE,
        &[msr(CNTHCTL_EL2, 1), WFE, add_imm(0, 0, 1), b(-2)],
    );
    boot(&mut m, 0, CODE);
    m.cores[0].set_x(1, ctl);
    assert_eq!(m.run(Time(1000 * US)), Stop::Deadline);
    m.cores[0].x(0)
}

#[test]
fn event_stream() {
    // 24000 ticks in a millisecond; bit 4 rises every 32 ticks, bit 9 every 1024.
    assert_eq!(rounds_in_a_millisecond(1 << 2 | 4 << 4, true), 750);
    assert_eq!(rounds_in_a_millisecond(1 << 2 | 9 << 4, true), 23);
    assert_eq!(rounds_in_a_millisecond(1 << 2 | 1 << 3 | 9 << 4, true), 23);
    assert_eq!(rounds_in_a_millisecond(9 << 4, true), 0, "off");
    assert_eq!(
        rounds_in_a_millisecond(1 << 2 | 9 << 4, false),
        0,
        "a core without it"
    );
}

#[test]
fn waiting_by_event_stream_costs_next_to_nothing() {
    // 35 ms, the probe's long mask window, polled at the finest sensible stream.
    let mut m = start(&[
        msr(CNTHCTL_EL2, 1),
        WFE,
        mrs(2, CNTPCT),
        0xeb03_005f,
        0x54ff_ffa3,
        b(0),
    ]);
    m.cores[0].set_x(1, 1 << 2 | 9 << 4);
    m.cores[0].set_x(3, 35 * 24_000);
    m.run(Time(35_000 * US - 1));
    assert!(m.total_insns() < 5000, "{}", m.total_insns());
    assert_ne!(m.cores[0].pc(), CODE + 20);
    m.run(Time(35_100 * US));
    assert_eq!(m.cores[0].pc(), CODE + 20);
}
