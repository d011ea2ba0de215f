//! When a write to SIQ_CFG acts, what becomes of an interrupt that waits at a CPU, and the serial port's line.

mod soc_common;

use soc_common::*;
use virtual_soc::cpu::{Bus, Time};
use virtual_soc::model::{Offered, OnMasked, TakesEffect};

const SECONDARY: usize = 3;
const OTHER: usize = 4;
/// Line of T6020's port, and the port.
const PORT_LINE: u32 = 1198;
const UART: u64 = 0x3_9b20_0000;
const UCON: u64 = UART + 4;
const UTRSTAT: u64 = UART + 0x10;
const UTXH: u64 = UART + 0x20;
const URXH: u64 = UART + 0x24;

fn when(takes_effect: TakesEffect) -> Bench {
    let mut model = t8140();
    model.siq.takes_effect = takes_effect;
    Bench::new(&model)
}

fn keeps(offered: Offered, on_masked: OnMasked) -> Bench {
    let mut model = t8140();
    model.siq.offered = offered;
    model.siq.on_masked = on_masked;
    Bench::new(&model)
}

#[test]
fn a_write_acts_at_once_unless_the_model_says_otherwise() {
    assert_eq!(t8140().siq.takes_effect, TakesEffect::AtOnce);
    let mut b = when(TakesEffect::AtOnce);
    b.field(SECONDARY, 1);
    assert_eq!(b.receiver(0), Some(SECONDARY));
}

#[test]
fn a_write_acts_after_the_isb_of_the_cpu_that_wrote() {
    let mut b = when(TakesEffect::Isb);
    b.field(SECONDARY, 1);
    assert_eq!(b.mrs(SECONDARY, SIQ_CFG), Ok(1), "a read gives it at once");
    assert_eq!(b.receiver(0), Some(0));
    let now = b.now;
    b.bus.synchronize(OTHER, now);
    assert_eq!(b.receiver(0), Some(0), "another CPU's ISB");
    b.bus.synchronize(SECONDARY, now);
    assert_eq!(b.receiver(0), Some(SECONDARY));
    // What waits for an acceptor goes with the ISB.
    b.field(SECONDARY, 3);
    b.field(0, 3);
    b.bus.synchronize(SECONDARY, now);
    b.bus.synchronize(0, now);
    b.fire();
    assert_eq!(b.irq(), 0);
    b.field(OTHER, 2);
    b.pass(1000);
    assert_eq!(b.irq(), 0);
    let now = b.now;
    b.bus.synchronize(OTHER, now);
    assert_eq!(b.irq(), 1 << OTHER);
}

#[test]
fn a_write_acts_after_one_more_interrupt() {
    let mut b = when(TakesEffect::NextIrq);
    b.field(SECONDARY, 1);
    let now = b.now;
    b.bus.synchronize(SECONDARY, now);
    assert_eq!(b.mrs(SECONDARY, SIQ_CFG), Ok(1));
    assert_eq!(b.receiver(0), Some(0), "the one more");
    assert_eq!(b.receiver(0), Some(SECONDARY));
    // Where nobody accepts, there will never be one more: looking for an acceptor counts.
    b.field(SECONDARY, 3);
    b.field(0, 3);
    assert_eq!(b.receiver(0), Some(SECONDARY));
    b.fire();
    assert_eq!(b.irq(), 0);
    b.field(OTHER, 2);
    b.pass(1000);
    assert_eq!(b.irq(), 1 << OTHER);
}

#[test]
fn an_offer_stays_unless_its_cpu_never_accepts() {
    assert_eq!(t8140().siq.offered, Offered::StaysUnlessNever);
    let mut b = keeps(Offered::StaysUnlessNever, OnMasked::Wait);
    b.field(SECONDARY, 1);
    b.mask(1 << SECONDARY);
    b.fire();
    assert_eq!(b.irq(), 1 << SECONDARY);
    b.field(SECONDARY, 2);
    b.pass(10_000);
    assert_eq!(b.irq(), 1 << SECONDARY, "only worse");
    b.field(SECONDARY, 3);
    b.pass(10_000);
    assert_eq!(b.irq(), 1, "never");
}

#[test]
fn an_offer_follows_the_fields() {
    for on_masked in [OnMasked::Wait, OnMasked::Move] {
        let mut b = keeps(Offered::Follows, on_masked);
        b.field(SECONDARY, 1);
        // With everybody masked there is nowhere to move to without a write.
        b.mask(0x3f);
        b.fire();
        b.pass(10_000);
        assert_eq!(b.irq(), 1 << SECONDARY);
        b.field(SECONDARY, 2);
        assert_eq!(b.irq(), 1, "CPU 0 is better now");
        b.field(SECONDARY, 0);
        b.pass(10_000);
        assert_eq!(b.irq(), 1, "as good is no reason to leave");
        b.field(OTHER, 1);
        assert_eq!(b.irq(), 1 << OTHER);
        b.mask(0);
        assert_eq!(b.r_as(OTHER, EVENT), 0x1_0000 | LINE);
    }
}

#[test]
fn an_offer_stays_whatever_the_fields_become() {
    let mut b = keeps(Offered::Stays, OnMasked::Wait);
    b.field(SECONDARY, 1);
    b.mask(1 << SECONDARY);
    b.fire();
    b.field(SECONDARY, 3);
    b.pass(10_000);
    assert_eq!(b.irq(), 1 << SECONDARY);
    assert_eq!(b.r_as(SECONDARY, EVENT), 0x1_0000 | LINE);
    b.finish();
    b.mask(0);
    assert_eq!(b.receiver(0), Some(0), "the next one goes by the field");
}

fn port(bytes_per_second: u64) -> Bench {
    let mut model = SocModel::builtin("t6020").expect("built in");
    model.validate("test").expect("model");
    let uart = model.uart.as_mut().expect("a port");
    assert_eq!((uart.base, uart.line), (UART, Some(PORT_LINE)));
    let mut bench = Bench {
        bus: virtual_soc::soc::SocBus::new(&model, 0, 7),
        now: Time::from_micros(1),
        view: Default::default(),
    };
    bench.bus.uart.set_byte_rate(bytes_per_second);
    bench
}

fn level(b: &mut Bench) -> bool {
    // HW_STATE of AICv2 with 4096 lines.
    let word = b.r(0x2_8e10_0000 + 0x6800 + 4 * u64::from(PORT_LINE / 32));
    word >> (PORT_LINE % 32) & 1 == 1
}

#[test]
fn the_ports_line_rises_when_everything_is_sent() {
    // 10 us a byte.
    let mut b = port(100_000);
    b.w(UTXH, 0);
    b.pass(20_000);
    assert!(!level(&mut b), "not enabled");
    b.w(UCON, 1 << 13 | 1 << 2);
    b.pass(20_000);
    assert!(!level(&mut b), "it was empty before it was enabled");
    b.w(UTXH, 0);
    b.w(UTXH, 0);
    b.pass(15_000);
    assert!(!level(&mut b), "still sending");
    b.pass(10_000);
    assert!(level(&mut b));
    assert_eq!(b.r(UTRSTAT), 1 << 5 | 1 << 2 | 1 << 1);
    b.w(UTRSTAT, 1 << 4);
    assert!(level(&mut b), "another bit");
    b.w(UTRSTAT, 1 << 5);
    assert!(!level(&mut b));
    // A mode without interrupts has none.
    b.w(UCON, 1 << 13);
    b.w(UTXH, 0);
    b.pass(20_000);
    assert!(!level(&mut b));
}

#[test]
fn the_ports_line_rises_for_what_it_receives() {
    let mut b = port(100_000);
    b.w(UCON, 1 << 12 | 1 << 9 | 1);
    let now = b.now;
    b.bus.uart.push_input(&[1; 8], now);
    b.pass(75_000);
    assert!(!level(&mut b), "seven bytes");
    b.pass(10_000);
    assert!(level(&mut b));
    assert_eq!(b.r(UTRSTAT) & 0x230, 1 << 4);
    b.w(UTRSTAT, 1 << 4);
    assert!(!level(&mut b));
    b.pass(40_000);
    assert!(level(&mut b), "and they wait");
    assert_eq!(b.r(UTRSTAT) & 0x230, 1 << 9);
    for _ in 0..8 {
        assert_eq!(b.r(URXH), 1);
    }
    b.w(UTRSTAT, 1 << 9);
    b.pass(100_000);
    assert!(!level(&mut b));
}
