//! Fast IPIs.

mod soc_common;

use soc_common::*;
use virtual_soc::cpu::{Bus, SysRegFault};

const CORE_P1: u64 = 0x01 | 0x01 << 16;

#[test]
fn global_and_local_reach_the_addressed_core() {
    let mut b = Bench::new(&t8140());
    // Logical ids: 0 = P0 (0x80010100), 1..=4 = E0..E3, 5 = P1.
    b.msr(0, IPI_RR_GLOBAL, CORE_P1).unwrap();
    assert_eq!(b.fiq(), 0, "not at once");
    b.pass(300);
    assert_eq!(
        (b.fiq(), b.mrs(5, IPI_SR), b.mrs(0, IPI_SR)),
        (1 << 5, Ok(1), Ok(0))
    );
    b.msr(5, IPI_SR, 0).unwrap();
    assert_eq!(b.fiq(), 1 << 5, "only a 1 clears");
    b.msr(5, IPI_SR, 1).unwrap();
    assert_eq!(b.fiq(), 0);
    // LOCAL names a core of the sender's own cluster.
    b.msr(3, IPI_RR_LOCAL, 1).unwrap();
    b.pass(300);
    assert_eq!(b.fiq(), 1 << 2);
    b.msr(2, IPI_SR, 1).unwrap();
    b.msr(0, IPI_RR_LOCAL, 1).unwrap();
    b.pass(300);
    assert_eq!(b.fiq(), 1 << 5);
}

#[test]
fn one_bit_pending_merges() {
    let mut b = Bench::new(&t8140());
    for _ in 0..4 {
        b.msr(0, IPI_RR_GLOBAL, CORE_P1).unwrap();
    }
    b.pass(300);
    b.msr(5, IPI_SR, 1).unwrap();
    assert_eq!(b.fiq(), 0);
    assert_eq!(b.bus.ipis(), (4, 3));
}

#[test]
fn deferred_retracted_and_no_wake() {
    let mut b = Bench::new(&t8140());
    // IPI_CR as found: 0x1800 ticks of 24 MHz = 256 us.
    b.msr(0, IPI_RR_GLOBAL, CORE_P1 | 2 << 28).unwrap();
    b.pass(255_000);
    assert_eq!(b.fiq(), 0);
    b.pass(2_000);
    assert_eq!(b.fiq(), 1 << 5);
    b.msr(5, IPI_SR, 1).unwrap();
    b.msr(0, IPI_RR_GLOBAL, CORE_P1 | 2 << 28).unwrap();
    b.msr(0, IPI_RR_GLOBAL, CORE_P1 | 1 << 28).unwrap();
    b.pass(300_000);
    assert_eq!(b.fiq(), 0, "retracted");
    b.view.waiting = 1 << 5;
    b.pass(100);
    b.msr(0, IPI_RR_GLOBAL, CORE_P1 | 3 << 28).unwrap();
    b.pass(10_000);
    assert_eq!(b.fiq(), 0, "does not wake");
    b.view.waiting = 0;
    b.pass(100);
    assert_eq!(b.fiq(), 1 << 5);
}

#[test]
fn traits_of_other_machines() {
    let mut model = t8140();
    model.ipi.local = false;
    model.ipi.sender_in_sr = true;
    let mut b = Bench::new(&model);
    assert_eq!(b.msr(0, IPI_RR_LOCAL, 1), Err(SysRegFault::Undefined));
    b.msr(4, IPI_RR_GLOBAL, CORE_P1).unwrap();
    b.pass(300);
    assert_eq!(b.mrs(5, IPI_SR), Ok(1 | 4 << 8));
}

#[test]
fn the_bus_names_its_next_event() {
    let mut b = Bench::new(&t8140());
    let now = b.now;
    assert_eq!(b.bus.next_event(now), None);
    b.msr(0, IPI_RR_GLOBAL, CORE_P1).unwrap();
    let due = b.bus.next_event(now).unwrap();
    assert_eq!(due.0 - now.0, 200_000);
    b.w(SW_SET + 12, 1 << 4);
    let due = b.bus.next_event(now).unwrap();
    assert_eq!(due.0 - now.0, 100_000, "delivery of the line");
    b.pass(300);
    assert_eq!(b.bus.next_event(b.now), None);
    // A masked CPU 0 and a fallback: the move after the refusal is an event, too.
    b.field(3, 2);
    b.mask(1);
    let due = b.bus.next_event(b.now).unwrap();
    assert_eq!(due.0 - b.now.0, 1_000_000);
}
