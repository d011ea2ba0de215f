//! A UART whose speed matters: bytes sent at another speed than the far end's are garbage.
#![cfg(unix)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use common::pty::Pty;
use common::variant;
use host_cli::link::SerialLink;
use host_cli::proxy::{Op, Proxy, ProxyError};
use virtual_soc::VirtualTarget;

const BOOT: u32 = 115_200;
const FAST: u32 = 1_500_000;

/// What the far end's loader makes of P_SET_BAUD.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SetBaud {
    /// It does it.
    Works,
    /// It says so and does not.
    Ignored,
    /// It does not know it.
    Unknown,
    /// It does it, and restarts at the first request that comes at the new speed after those that prove it.
    ThenRestarts,
}

struct Uart {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u32>,
}

impl Uart {
    /// A loader behind a line that runs at `speed` at its end.
    fn start(pty: Pty, mut speed: u32, set_baud: SetBaud) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut target = VirtualTarget::from_model(&variant("[loader]\nlink = \"uart\"\n"), 1)
                .expect("a server");
            let mut buf = vec![0; 64 * 1024];
            let mut fast_requests = 0;
            while !stopped.load(Ordering::Relaxed) {
                let mut came = pty.take();
                let same = pty.speed() == speed;
                if !same {
                    came = garbled(&came);
                }
                if set_baud == SetBaud::ThenRestarts && speed == FAST && same && !came.is_empty() {
                    fast_requests += 1;
                    if fast_requests > 4 {
                        speed = BOOT;
                        // At its own speed again: the client cannot read it.
                        pty.put(&garbled(&frame(4, 0, &[])));
                        continue;
                    }
                }
                if is_set_baud(&came) && set_baud != SetBaud::Unknown {
                    pty.put(b"Changing baud rate\n");
                    if set_baud != SetBaud::Ignored {
                        speed = FAST;
                        // Its client still listens at the old speed.
                        while pty.speed() != FAST && !stopped.load(Ordering::Relaxed) {
                            pty.put(b"\x81\x03\xf0");
                            std::thread::sleep(Duration::from_millis(5));
                        }
                        pty.put(&[0xf0, 0xa5, 0x5a, 0x00].repeat(4));
                    }
                    pty.put(&frame(1, 0, &[Op::SetBaud as u64, 0, 0]));
                    continue;
                }
                if is_set_baud(&came) {
                    pty.put(&frame(1, 0, &[Op::SetBaud as u64, u64::MAX, 0]));
                    continue;
                }
                target.send(&came);
                let n = target.recv(&mut buf, Duration::from_millis(1));
                if pty.speed() != speed {
                    buf[..n]
                        .iter_mut()
                        .for_each(|b| *b = b.rotate_right(3) ^ 0x18);
                }
                pty.put(&buf[..n]);
                if came.is_empty() && n == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            speed
        });
        Self { stop, thread }
    }

    /// Speed of its end at last.
    fn finish(self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("a server")
    }
}

/// What bytes look like at another speed.
fn garbled(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|b| b.rotate_left(3) ^ 0x81).collect()
}

fn frame(kind: u8, status: i32, words: &[u64]) -> Vec<u8> {
    let mut frame = vec![0xff, 0x55, 0xaa, kind];
    frame.extend(status.to_le_bytes());
    frame.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    frame.resize(32, 0);
    frame.extend(host_cli::proxy::checksum(&frame).to_le_bytes());
    frame
}

fn is_set_baud(bytes: &[u8]) -> bool {
    bytes.len() >= 64
        && bytes[..4] == [0xff, 0x55, 0xaa, 1]
        && bytes[4..12] == (Op::SetBaud as u64).to_le_bytes()
        && bytes[12..16] == FAST.to_le_bytes()
}

/// Connects, uses the link, and returns what is said about the line and the speed at the far end.
fn connect(first: u32, far: u32, set_baud: SetBaud) -> (Vec<String>, u32) {
    let pty = Pty::new();
    let path = pty.path.clone();
    let uart = Uart::start(pty, far, set_baud);
    let mut link = SerialLink::open(path.as_ref(), Some(first)).expect("free");
    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
    assert!(proxy.data_checksums(), "a UART needs them");
    let heap = proxy.memalign(64, 10_000).expect("room");
    let data: Vec<u8> = (0..10_000u32).map(|i| (i * 7) as u8).collect();
    let mut back = vec![0; data.len()];
    proxy.write_memory(heap, &data).expect("written");
    proxy.read_memory(heap, &mut back).expect("read");
    assert_eq!(back, data);
    let notes = proxy.line_notes().to_vec();
    (notes, uart.finish())
}

#[test]
fn the_speed_is_raised_and_proven() {
    let (notes, speed) = connect(BOOT, BOOT, SetBaud::Works);
    assert_eq!(notes, ["the line runs at 1500000 baud (it was at 115200)"]);
    assert_eq!(speed, FAST);
}

#[test]
fn a_line_that_an_earlier_client_left_fast_is_found() {
    let (notes, speed) = connect(BOOT, FAST, SetBaud::Unknown);
    assert_eq!(notes, ["the line runs at 1500000 baud"]);
    assert_eq!(speed, FAST);
}

#[test]
fn a_wrong_first_speed_is_no_obstacle() {
    let (_, speed) = connect(9600, BOOT, SetBaud::Works);
    assert_eq!(speed, FAST);
}

#[test]
fn what_does_not_work_is_taken_back() {
    let (notes, speed) = connect(BOOT, BOOT, SetBaud::Ignored);
    assert_eq!(notes, ["nobody answers at 1500000 baud: 115200 baud stays"]);
    assert_eq!(speed, BOOT);
    let (notes, _) = connect(BOOT, BOOT, SetBaud::Unknown);
    assert_eq!(
        notes,
        ["the loader cannot change the speed of its line: 115200 baud stays"]
    );
}

#[test]
fn a_restart_behind_a_raised_speed_is_noticed() {
    let pty = Pty::new();
    let path = pty.path.clone();
    let uart = Uart::start(pty, BOOT, SetBaud::ThenRestarts);
    let mut link = SerialLink::open(path.as_ref(), Some(BOOT)).expect("free");
    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
    let mut said = Ok(0);
    for _ in 0..10 {
        said = proxy.op(Op::Nop, &[]);
        if said.is_err() {
            break;
        }
    }
    assert!(matches!(said, Err(ProxyError::Rebooted { .. })), "{said:?}");
    uart.finish();
}
