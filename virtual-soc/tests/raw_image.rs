//! A small raw image of our own: the serial port both ways, the boot arguments, a secondary started through the power manager.

mod raw_support;

use core::time::Duration;

use raw_support::a64::*;
use virtual_soc::cpu::CoreState;
use virtual_soc::model::SocModel;
use virtual_soc::{RawError, RawOptions, RawStop, RawTarget};

/// Serial port of T8140, and its registers.
const UART: u64 = 0x3_8520_0000;
const STATUS: u32 = 0x10;
const SEND: u32 = 0x20;
const RECEIVE: u32 = 0x24;
/// CPU-start block of the model.
const START_BLOCK: u64 = 0x3_4070_0000 + 0x34000;
const ENTRY: usize = 0x800;

/// LDR Wt, [Xn, #offset].
const fn ldr_at(t: u32, n: u32, offset: u32) -> u32 {
    ldr_w(t, n) | (offset / 4) << 10
}
/// STR Wt, [Xn, #offset].
const fn str_at(t: u32, n: u32, offset: u32) -> u32 {
    str_w(t, n) | (offset / 4) << 10
}
/// LDRB Wt, [Xn].
const fn ldr_b(t: u32, n: u32) -> u32 {
    0x3940_0000 | n << 5 | t
}
/// TBZ Wt, #bit, by words.
const fn tbz(t: u32, bit: u32, words: i32) -> u32 {
    0x3600_0000 | bit << 19 | (words as u32 & 0x3fff) << 5 | t
}
/// UBFX Xd, Xn, #lsb, #width.
const fn ubfx(d: u32, n: u32, lsb: u32, width: u32) -> u32 {
    0xd340_0000 | lsb << 16 | (lsb + width - 1) << 10 | n << 5 | d
}
const fn address(d: u32, value: u64) -> [u32; 3] {
    [
        movz(d, value as u32 & 0xffff, 0),
        movk(d, (value >> 16) as u32 & 0xffff, 1),
        movk(d, (value >> 32) as u32 & 0xffff, 2),
    ]
}

/// Send the byte in Wt, once there is room; x9 holds the port's address. Changes x10.
fn send(t: u32) -> Vec<u32> {
    vec![ldr_at(10, 9, STATUS), tbz(10, 1, -1), str_at(t, 9, SEND)]
}

fn send_byte(byte: u8) -> Vec<u32> {
    [vec![movz(11, byte.into(), 0)], send(11)].concat()
}

/// Send '0' + the value in Xt.
fn send_digit(t: u32) -> Vec<u32> {
    [vec![add(11, t, 0x30)], send(11)].concat()
}

/// Secondary at 0: says S and its Aff0, then sleeps. Entry at 0x800: says B, boot-argument revision, EL, whether D, A, I, F are masked and
/// the MMU is off, starts core 2 of cluster 0, then answers each byte with the next one.
fn image() -> Vec<u8> {
    let mut secondary: Vec<u32> = address(9, UART).to_vec();
    secondary.extend(send_byte(b'S'));
    secondary.extend([mrs(1, 3, 0, 0, 0, 5), ubfx(1, 1, 0, 8)]);
    secondary.extend(send_digit(1));
    secondary.extend([WFE, b(-1)]);

    let mut boot: Vec<u32> = vec![mov(20, 0)];
    boot.extend(address(9, UART));
    boot.extend(send_byte(b'B'));
    boot.push(ldr_b(1, 20));
    boot.extend(send_digit(1));
    boot.extend([mrs(1, 3, 0, 4, 2, 2), ubfx(1, 1, 2, 2)]);
    boot.extend(send_digit(1));
    boot.extend([mrs(1, 3, 3, 4, 2, 1), ubfx(1, 1, 6, 3)]);
    boot.extend(send_digit(1));
    boot.extend([mrs(1, 3, 0, 1, 0, 0), ubfx(1, 1, 0, 1)]);
    boot.extend(send_digit(1));
    boot.extend(address(2, START_BLOCK));
    boot.extend([movz(1, 1 << 2, 0), str_at(1, 2, 4), str_at(1, 2, 8)]);
    let echo = [
        ldr_at(10, 9, STATUS),
        tbz(10, 0, -1),
        ldr_at(1, 9, RECEIVE),
        add(1, 1, 1),
        ldr_at(10, 9, STATUS),
        tbz(10, 1, -1),
        str_at(1, 9, SEND),
        b(-7),
    ];
    boot.extend(echo);

    let mut bytes: Vec<u8> = secondary.iter().flat_map(|w| w.to_le_bytes()).collect();
    assert!(bytes.len() <= ENTRY);
    bytes.resize(ENTRY, 0);
    bytes.extend(boot.iter().flat_map(|w| w.to_le_bytes()));
    bytes
}

fn model() -> SocModel {
    SocModel::builtin("t8140").expect("built in")
}

fn start(options: &RawOptions) -> RawTarget {
    RawTarget::from_image(&model(), &image(), options).expect("image")
}

/// All that comes until nothing does for a millisecond.
fn listen(target: &mut RawTarget, step: Duration) -> String {
    let mut text = Vec::new();
    let mut silent_since = target.now();
    while target.now() - silent_since < Duration::from_millis(1) {
        let mut buf = [0; 3];
        let n = target.recv(&mut buf, step);
        text.extend(&buf[..n]);
        if n != 0 {
            silent_since = target.now();
        }
    }
    String::from_utf8(text).expect("text")
}

#[test]
fn speaks_listens_and_starts_a_cpu() {
    let mut target = start(&RawOptions::default());
    let text = listen(&mut target, Duration::from_millis(1));
    // Revision 3, EL2, A, I and F (with D above them) masked, MMU off.
    assert_eq!(text.replace("S2", ""), "B3270", "{text}");
    assert!(text.contains("S2"), "{text}");
    target.send(b"AXE");
    assert_eq!(listen(&mut target, Duration::from_millis(1)), "BYF");
    let states: Vec<_> = target.machine().cores.iter().map(|c| c.state()).collect();
    // Logical ids: the boot CPU, then E0 to E3, P1.
    let off = CoreState::Off;
    assert_eq!(states[1..], [off, off, CoreState::Wfe, off, off]);
    let stats = target.stats();
    assert!(stats.insns[0] > 0 && stats.insns[3] > 0 && stats.insns[1] == 0);
}

#[test]
fn every_load_address_and_entry() {
    let at = 0x100_0800_4000;
    let mut moved = vec![0; 0x100];
    moved.extend(image());
    let options = RawOptions {
        load_address: Some(at),
        entry_offset: 0x900,
        ..RawOptions::default()
    };
    let mut target = RawTarget::from_image(&model(), &moved, &options).expect("image");
    assert_eq!(target.machine().cores[0].pc(), at + 0x900);
    // A secondary starts at the image's base, where this image has nothing but UNDEFINED words.
    assert_eq!(listen(&mut target, Duration::from_millis(1)), "B3270");
}

#[test]
fn how_time_is_cut_makes_no_difference() {
    let run = |step: Duration| {
        let mut target = start(&RawOptions::default());
        let text = listen(&mut target, step);
        let end = Duration::from_millis(20);
        while target.now() < end {
            let left = end - target.now();
            target.recv(&mut [0; 8], step.min(left));
        }
        (
            text,
            target.stats(),
            target.now(),
            target.snapshot() == start(&RawOptions::default()).snapshot(),
        )
    };
    let whole = run(Duration::from_millis(1));
    assert_eq!(whole, run(Duration::from_micros(7)));
    assert_eq!(whole, run(Duration::from_nanos(1300)));
}

#[test]
fn bytes_take_their_time() {
    let options = RawOptions {
        bytes_per_second: 1000,
        ..RawOptions::default()
    };
    let mut target = start(&options);
    let mut buf = [0];
    let mut times = Vec::new();
    while times.len() < 5 {
        if target.recv(&mut buf, Duration::from_secs(1)) == 1 {
            times.push(target.now().as_millis());
        }
    }
    assert_eq!(times, [1, 2, 3, 4, 5]);
    let sent = target.now();
    // The secondary's two bytes come first.
    while target.recv(&mut buf, Duration::from_millis(5)) == 1 {}
    let before = target.now();
    target.send(b"a");
    assert_eq!(target.recv(&mut buf, Duration::from_secs(1)), 1);
    assert_eq!(buf, *b"b");
    let round_trip = target.now() - before;
    assert!(
        round_trip >= Duration::from_millis(2),
        "{round_trip:?} from {sent:?}"
    );
    assert!(round_trip < Duration::from_micros(2300), "{round_trip:?}");
}

#[test]
fn a_limit_of_instructions_ends_it() {
    let options = RawOptions {
        max_insns: Some(20_000),
        ..RawOptions::default()
    };
    let mut target = start(&options);
    target.set_trace(Some(Box::new(|_, _, _| {})));
    while target.stopped().is_none() {
        target.recv(&mut [0; 64], Duration::from_millis(100));
    }
    assert_eq!(target.stopped(), Some(RawStop::MaxInsns));
    assert_eq!(target.stats().total_insns(), 20_000);
    // Nothing runs any more, and who waits comes to the end of the wait.
    let now = target.now();
    let second = Duration::from_secs(1);
    assert_eq!(target.recv(&mut [0; 64], second), 0);
    assert_eq!(target.now(), now + second);
    assert_eq!(target.stats().total_insns(), 20_000);
}

#[test]
fn places_that_do_not_work_are_refused() {
    let refused = |options: RawOptions, image: &[u8]| match RawTarget::from_image(
        &model(),
        image,
        &options,
    ) {
        Err(RawError::Value { what, .. }) => what,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted {options:?}"),
    };
    let at = |load_address| RawOptions {
        load_address: Some(load_address),
        ..RawOptions::default()
    };
    assert_eq!(refused(at(0x100_0800_1000), &image()), "load address");
    assert_eq!(refused(at(0x1000), &image()), "load address");
    assert_eq!(refused(at(0x101_0000_0000), &image()), "load address");
    assert_eq!(refused(RawOptions::default(), &[0; 16]), "entry offset");
    assert_eq!(refused(RawOptions::default(), &[]), "entry offset");
    let odd = RawOptions {
        entry_offset: 0x801,
        ..RawOptions::default()
    };
    assert_eq!(refused(odd, &image()), "entry offset");
    let huge = vec![0; 0x2000_0000];
    assert_eq!(refused(RawOptions::default(), &huge), "image size");
}
