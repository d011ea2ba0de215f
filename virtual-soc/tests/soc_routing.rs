//! Which CPU a line is offered to: the measured behaviour of T8140, and the other policies.

mod soc_common;

use soc_common::*;
use virtual_soc::cpu::SysRegFault;
use virtual_soc::model::{Choice, Class, EventClaim, OnMasked, RegisterAccess};

/// CPU 3 stands for any secondary.
const SECONDARY: usize = 3;

#[test]
fn as_found_everything_lands_on_cpu_0() {
    let mut b = Bench::new(&t8140());
    assert_eq!(b.mrs(0, SIQ_CFG), Ok(0));
    for cpu in 1..6 {
        assert_eq!(b.mrs(cpu, SIQ_CFG), Ok(3));
    }
    for _ in 0..32 {
        assert_eq!(b.receiver(0), Some(0));
    }
}

#[test]
fn a_sole_acceptor_keeps_it_for_35_ms_of_masking() {
    let mut b = Bench::new(&t8140());
    b.mask(1);
    b.fire();
    b.pass(35_000_000);
    assert_eq!(b.irq(), 1, "visible in ISR_EL1 while masked");
    b.mask(0);
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
}

#[test]
fn field_2_is_a_fallback_and_1_is_preferred() {
    let mut b = Bench::new(&t8140());
    b.field(SECONDARY, 2);
    assert_eq!(b.receiver(0), Some(0), "fallback, CPU 0 open");
    b.mask(1);
    assert_eq!(b.receiver(2000), Some(SECONDARY), "fallback, CPU 0 masked");
    b.mask(0);
    b.field(SECONDARY, 1);
    assert_eq!(b.receiver(0), Some(SECONDARY), "preferred");
    b.mask(1);
    assert_eq!(b.receiver(0), Some(SECONDARY), "preferred, CPU 0 masked");
    b.mask(1 << SECONDARY);
    assert_eq!(
        b.receiver(2000),
        Some(0),
        "preferred CPU refuses (inference)"
    );
    b.mask(0);
    b.field(SECONDARY, 3);
    assert_eq!(b.receiver(0), Some(0));
}

#[test]
fn an_interrupt_stays_for_the_patience_of_the_model() {
    let mut model = t8140();
    model.siq.move_after_ns = 10_000;
    let mut b = Bench::new(&model);
    b.field(SECONDARY, 2);
    b.mask(1);
    b.fire();
    b.pass(5_000);
    assert_eq!(b.irq(), 1);
    b.pass(6_000);
    assert_eq!(b.irq(), 1 << SECONDARY);
}

#[test]
fn wait_policy_never_moves() {
    let mut model = t8140();
    model.siq.on_masked = OnMasked::Wait;
    let mut b = Bench::new(&model);
    b.field(SECONDARY, 2);
    b.mask(1);
    b.fire();
    b.pass(1_000_000);
    assert_eq!(b.irq(), 1);
}

#[test]
fn with_3_everywhere_it_waits_for_the_first_acceptor() {
    let mut b = Bench::new(&t8140());
    b.field(0, 3);
    b.fire();
    b.pass(100_000);
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0));
    b.field(SECONDARY, 2);
    assert_eq!(b.irq(), 1 << SECONDARY, "a write takes effect at once");
    b.field(SECONDARY, 3);
    assert_eq!(b.irq(), 0, "and withdraws an offer");
}

#[test]
fn a_cpu_that_the_system_takes_for_dead_gets_nothing() {
    let mut b = Bench::with_active(&t8140(), 0);
    b.field(SECONDARY, 1);
    assert_eq!(b.receiver(0), Some(0));
    // CPU 3 is core 2 of cluster 0.
    b.w(ACTIVE, 1 << 2);
    assert_eq!(b.receiver(0), Some(SECONDARY));
    b.w(ACTIVE - 4, 1 << 2);
    assert_eq!(b.receiver(0), Some(0), "stopped");
}

#[test]
fn choices_within_a_class() {
    let run = |choice: Choice| {
        let mut model = t8140();
        model.siq.choice = choice;
        let mut b = Bench::new(&model);
        for cpu in 0..6 {
            b.field(cpu, 0);
        }
        (0..8)
            .map(|_| b.receiver(0).expect("offered"))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(Choice::LowestId), [0; 8]);
    // Logical id 1 is the E core with MPIDR 0x80000000.
    assert_eq!(run(Choice::LowestMpidr), [1; 8]);
    assert_eq!(run(Choice::RoundRobin), [0, 1, 2, 3, 4, 5, 0, 1]);
    assert_eq!(run(Choice::PCoresFirst), [0; 8]);
    assert_eq!(run(Choice::Sticky), [0; 8]);
    let random = run(Choice::Random);
    assert!(random.iter().any(|c| *c != random[0]), "{random:?}");
    assert_eq!(random, run(Choice::Random), "same seed, same choice");
}

#[test]
fn sticky_stays_and_p_cores_come_first() {
    let mut model = t8140();
    model.siq.choice = Choice::Sticky;
    let mut b = Bench::new(&model);
    b.field(0, 3);
    b.field(4, 0);
    assert_eq!(b.receiver(0), Some(4));
    b.field(0, 0);
    assert_eq!(b.receiver(0), Some(4));

    model.siq.choice = Choice::PCoresFirst;
    let mut b = Bench::new(&model);
    b.field(0, 3);
    for cpu in 1..6 {
        b.field(cpu, 0);
    }
    assert_eq!(b.receiver(0), Some(5), "CPU 5 is the other P core");
}

#[test]
fn classes_are_data() {
    let mut model = t8140();
    model.siq.classes = [
        Class::Never,
        Class::Fallback,
        Class::Preferred,
        Class::Normal,
    ];
    let mut b = Bench::new(&model);
    // As found: CPU 0 holds 0 (never), all others 3 (normal).
    assert_eq!(b.receiver(0), Some(1));
    b.field(5, 2);
    assert_eq!(b.receiver(0), Some(5));
    model.siq.honoured = false;
    let mut b = Bench::new(&model);
    assert_eq!(b.receiver(0), Some(0));
}

#[test]
fn who_may_take_an_offered_line() {
    let mut b = Bench::new(&t8140());
    b.fire();
    assert_eq!(b.r_as(SECONDARY, EVENT), 0);
    assert_eq!(b.irq(), 1);
    let mut model = t8140();
    model.aic.event_claim = EventClaim::Anybody;
    let mut b = Bench::new(&model);
    b.fire();
    assert_eq!(b.r_as(SECONDARY, EVENT), 0x1_0000 | LINE);
    assert_eq!(b.irq(), 0);
}

#[test]
fn access_to_siq_cfg_is_data() {
    let with = |access: RegisterAccess| {
        let mut model = t8140();
        model.siq.access = access;
        let mut b = Bench::new(&model);
        let read = b.mrs(1, SIQ_CFG);
        let write = b.msr(1, SIQ_CFG, 0xffff_ffff_ffff_fff2);
        (read, write, b.bus.siq_cfg(1))
    };
    assert_eq!(with(RegisterAccess::ReadWrite), (Ok(3), Ok(()), 2));
    assert_eq!(with(RegisterAccess::ReadOnly), (Ok(3), Ok(()), 3));
    assert_eq!(
        with(RegisterAccess::WriteUndefined),
        (Ok(3), Err(SysRegFault::Undefined), 3)
    );
    assert_eq!(
        with(RegisterAccess::Undefined),
        (Err(SysRegFault::Undefined), Err(SysRegFault::Undefined), 3)
    );
    assert_eq!(
        with(RegisterAccess::Trap),
        (Err(SysRegFault::Trap), Err(SysRegFault::Trap), 3)
    );
    // The exact encoding, and nothing beside it.
    let mut b = Bench::new(&t8140());
    assert_eq!(
        b.mrs(0, virtual_soc::cpu::SysReg::new(3, 4, 15, 10, 5)),
        Err(SysRegFault::Undefined)
    );
    assert_eq!(
        b.mrs(0, virtual_soc::cpu::SysReg::new(3, 1, 15, 0, 0)),
        Ok(0),
        "PMCR0 is on the list"
    );
}

#[test]
fn delivery_takes_its_time_and_jitter_comes_from_the_seed() {
    let mut model = t8140();
    model.siq.delivery_ns = 1000;
    let mut b = Bench::new(&model);
    b.fire();
    assert_eq!(b.irq(), 0);
    b.pass(600);
    assert_eq!(b.irq(), 1);

    model.siq.jitter_ns = 5000;
    let run = || {
        let mut b = Bench::new(&model);
        (0..10)
            .map(|_| {
                b.fire();
                let mut waited = 0;
                while b.irq() == 0 {
                    b.pass(100);
                    waited += 1;
                }
                b.r(EVENT);
                b.finish();
                waited
            })
            .collect::<Vec<i32>>()
    };
    let first = run();
    assert!(first.iter().any(|w| *w != first[0]), "{first:?}");
    assert_eq!(first, run());
}
