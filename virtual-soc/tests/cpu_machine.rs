//! The machine: slices, rounds, clock, host calls, bus ticks, determinism, tracing.

mod cpu_support;

use std::cell::RefCell;
use std::rc::Rc;

use cpu_support::a64::*;
use cpu_support::*;
use virtual_soc::cpu::{CoreState, CpuView, SysReg, Time};
use virtual_soc::machine::{Step, Stop};

const CNTPCT: SysReg = SysReg::new(3, 3, 14, 0, 1);
/// A round of 100 instructions of 1 ns.
const ROUND: u64 = 100_000;

#[test]
fn slices_are_exact_and_in_order() {
    let mut m = machine(3);
    // Each core logs: MMIO store of its number, then a loop.
    put(&mut m, CODE, &[str(2, 1, 0), b(-1)]);
    for cpu in [0, 2] {
        boot(&mut m, cpu, CODE);
        m.cores[cpu].set_x(1, MMIO);
    }
    m.run(Time(2 * ROUND));
    assert_eq!(
        [m.cores[0].insns(), m.cores[1].insns(), m.cores[2].insns()],
        [200, 0, 200]
    );
    assert_eq!(m.total_insns(), 400);
    let log: Vec<_> = m.bus.accesses.iter().map(|a| (a.0, a.4)).collect();
    assert_eq!(log.len(), 200);
    // Core 0's 50 stores of the first round, then core 2's at the same local times.
    assert_eq!(log[..2], [(0, 0), (0, 2000)]);
    assert_eq!(log[49..51], [(0, 98_000), (2, 0)]);
    assert_eq!(log[100], (0, ROUND));
}

#[test]
fn deadlines_round_up_to_whole_rounds() {
    let mut m = start(&[b(0)]);
    assert_eq!(m.run(Time(1)), Stop::Deadline);
    assert_eq!((m.now(), m.total_insns()), (Time(ROUND), 100));
    assert_eq!(m.run(Time(ROUND)), Stop::Deadline);
    assert_eq!(m.total_insns(), 100);
}

#[test]
fn host_calls_park_the_core_and_the_round_goes_on() {
    let mut m = machine(2);
    put(&mut m, HOST, &[NOP, hlt(0xbeef), NOP, hlt(2)]);
    put(&mut m, CODE, &[b(0)]);
    boot(&mut m, 0, HOST);
    boot(&mut m, 1, CODE);
    assert_eq!(
        m.run(Time(10 * ROUND)),
        Stop::HostCall {
            cpu: 0,
            imm: 0xbeef
        }
    );
    assert_eq!(
        (m.cores[0].state(), m.cores[0].pc(), m.cores[0].insns()),
        (CoreState::Parked, HOST + 8, 2)
    );
    assert_eq!(
        (m.now(), m.cores[1].insns()),
        (Time(0), 0),
        "in the middle of the first round"
    );
    m.cores[0].set_state(CoreState::Running);
    assert_eq!(m.run(Time(10 * ROUND)), Stop::HostCall { cpu: 0, imm: 2 });
    assert_eq!(
        (m.now(), m.cores[1].insns()),
        (Time(ROUND), 100),
        "core 1 had its slice"
    );
    m.run(Time(10 * ROUND));
    assert_eq!(m.cores[1].insns(), 1000);
    // The range is one of physical addresses.
    let mut m = machine(1);
    put(&mut m, HOST, &[hlt(5)]);
    boot(&mut m, 0, HOST | 0xf << 36);
    mmu_on(&mut m, 0);
    let core = &mut m.cores[0];
    // 4 GiB blocks do not exist; a second look at the same table through TTBR1.
    set(core, TTBR1_EL2, TABLES);
    set(core, TCR_EL2, 28 | 28 << 16 | 2 << 14 | 1 << 30 | 3 << 32);
    core.set_pc(HOST | 0xffff_fff0_0000_0000);
    assert_eq!(m.step_core(0), Step::HostCall(5));
}

#[test]
fn the_bus_is_told_what_changes() {
    let mut m = start(&[daifclr(2), b(0)]);
    m.bus.next = Some(Time(20 * ROUND));
    m.run(Time(30 * ROUND));
    let view = |irq_masked| CpuView {
        irq_masked,
        fiq_masked: 1,
        waiting: 0,
        running: 1,
        at_el1: 0,
    };
    // At the start, when I was unmasked, and when its own time had come.
    assert_eq!(
        m.bus.ticks,
        [(0, view(1)), (ROUND, view(0)), (20 * ROUND, view(0))]
    );
    // A bus call asks for a tick at the next round.
    let mut m = start(&[ldr(0, 1, 0), b(0)]);
    m.cores[0].set_x(1, MMIO);
    m.run(Time(5 * ROUND));
    assert_eq!(
        m.bus.ticks.iter().map(|t| t.0).collect::<Vec<_>>(),
        [0, ROUND]
    );
}

#[test]
fn a_device_event_wakes_a_waiting_core_on_time() {
    let mut m = start(&[WFI, b(0)]);
    m.bus.next = Some(Time::from_micros(777));
    m.bus.irq_at_next = 1;
    m.run(Time::from_micros(778));
    assert_eq!(m.cores[0].state(), CoreState::Running);
    assert_eq!(m.total_insns(), 1 + 1000);
    assert!(
        m.bus
            .ticks
            .iter()
            .any(|t| t.0 == Time::from_micros(777).0 && t.1.waiting == 1)
    );
}

/// Six cores that increment a shared counter with exclusives, wait for each other and read the clock.
fn busy() -> M {
    let mut m = machine(6);
    let words = [
        ldaxr(0, 1),
        add_imm(0, 0, 1),
        stxr(2, 0, 1),
        cbnz(2, -3),
        mrs(4, CNTPCT),
        str(4, 5, 0),
        // x6 = x6 * 3 + 1, a different path for each core
        0x8b06_04c6,
        add_imm(6, 6, 1),
        0x3600_0046, // TBZ w6, #0, +2
        SEV,
        0x3608_0046, // TBZ w6, #1, +2
        WFE,
        str(6, 3, 0),
        b(-13),
    ];
    put(&mut m, CODE, &words);
    for cpu in 0..6 {
        boot(&mut m, cpu, CODE);
        mmu_on(&mut m, cpu);
        let core = &mut m.cores[cpu];
        core.set_x(1, DATA);
        core.set_x(3, MMIO);
        core.set_x(5, DATA + 0x100 * (cpu as u64 + 1));
        core.set_x(6, cpu as u64);
        set(core, CNTHCTL_EL2, 1 << 2 | 5 << 4);
    }
    m
}

fn digest(m: &M) -> Vec<u64> {
    let mut d = vec![m.now().0, m.total_insns(), m.bus.accesses.len() as u64];
    for core in &m.cores {
        d.extend((0..31).map(|n| core.x(n)));
        d.extend([core.pc(), core.pstate(), core.insns()]);
    }
    d.extend((0..0x100).map(|i| m.ram.read_u64(DATA + 8 * i).expect("in RAM")));
    d
}

#[test]
fn the_same_machine_does_the_same_however_it_is_driven() {
    let mut a = busy();
    a.run(Time(2000 * ROUND));
    let mut b = busy();
    b.run(Time(2000 * ROUND));
    assert_eq!(digest(&a), digest(&b));
    assert!(
        a.ram.read_u64(DATA).expect("in RAM") > 1000,
        "it did something"
    );
    // Cut into many calls.
    let mut c = busy();
    let mut t = 0;
    while t < 2000 * ROUND {
        t = (t + 7 * ROUND + 333).min(2000 * ROUND);
        c.run(Time(t));
    }
    assert_eq!(digest(&a), digest(&c));
    assert_eq!(a.bus.accesses, c.bus.accesses);
    // Traced.
    let mut d = busy();
    let seen = Rc::new(RefCell::new(0u64));
    let counter = Rc::clone(&seen);
    d.set_trace(Some(Box::new(move |_, _, _| *counter.borrow_mut() += 1)));
    d.run(Time(2000 * ROUND));
    assert_eq!(digest(&a), digest(&d));
    assert_eq!(*seen.borrow(), d.total_insns());
}

#[test]
fn traces_show_pc_and_word() {
    let mut m = start(&[NOP, movz(0, 7, 0), b(0)]);
    let log = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&log);
    m.set_trace(Some(Box::new(move |cpu, pc, word| {
        sink.borrow_mut().push((cpu, pc, word))
    })));
    m.run(Time(1));
    assert_eq!(
        log.borrow()[..3],
        [
            (0, CODE, NOP),
            (0, CODE + 4, movz(0, 7, 0)),
            (0, CODE + 8, b(0))
        ]
    );
    assert_eq!(log.borrow().len(), 100);
    m.set_trace(None);
    m.run(Time(2 * ROUND));
    assert_eq!(log.borrow().len(), 100);
}

#[test]
fn reset_state() {
    let mut m = machine(1);
    assert_eq!(m.cores[0].state(), CoreState::Off);
    m.cores[0].reset(CODE, 2, 0x77);
    let core = &m.cores[0];
    assert_eq!(
        (core.pc(), core.x(0), core.el(), core.daif()),
        (CODE, 0x77, 2, 0x3c0)
    );
    assert_eq!(core.state(), CoreState::Running);
    assert_eq!(get(&m, HCR_EL2), 1 << 34 | 1 << 31 | 1 << 27 | 0x38);
    assert_eq!(get(&m, SCTLR_EL2) & 0x1005, 0, "MMU and caches off");
    m.cores[0].reset(CODE, 1, 0);
    assert_eq!((m.cores[0].el(), get(&m, HCR_EL2) >> 27 & 1), (1, 0));
}

#[test]
fn ram_refuses_what_is_outside() {
    let mut m = machine(1);
    assert!(m.ram.read_u64(RAM + RAM_SIZE - 8).is_ok());
    let err = m
        .ram
        .read_u64(RAM + RAM_SIZE - 7)
        .expect_err("one byte too far");
    assert_eq!((err.addr, err.len), (RAM + RAM_SIZE - 7, 8));
    assert!(m.ram.write_u8(RAM - 1, 0).is_err());
    assert!(m.ram.bytes(u64::MAX, 2).is_err());
    assert!(m.ram.contains(RAM, RAM_SIZE) && !m.ram.contains(RAM, RAM_SIZE + 1));
}
