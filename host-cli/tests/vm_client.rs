//! What the stock Python client asks when it starts and every day, in our own words, through the pseudo-terminal.
#![cfg(unix)]

mod vm_common;

use vm_common::{Client, Vm, frame};

/// Where the loader runs code that lies in RAM.
const RUN: u64 = 0xc00_0000_0000;
const RET: u32 = 0xd65f_03c0;
const MRS_MPIDR: u32 = 0xd538_00a0;
const MSR_TPIDR_EL0: u32 = 0xd51b_d040;
const MRS_TPIDR_EL0: u32 = 0xd53b_d040;
const ADD_X0_X0_X1: u32 = 0x8b01_0000;
/// A register that no core has.
const MRS_NONE: u32 = 0xd53f_ffe0;
const BOOT_MPIDR: u64 = 0x8001_0100;

/// The requests of the start, in their order; where the client's heap and code are.
fn start_up(c: &mut Client) -> (u64, u64) {
    // The link: USB has no speed to change.
    assert_eq!(c.op(&[0x905]), 4, "WHOAMI");
    assert_eq!(c.request(0, &[1]).words, [1, 0, 0], "NOP");
    let base = c.op(&[0x004]);
    assert_eq!(base % 0x4000, 0);
    let features = c.op(&[0x014, 20]);
    assert_eq!(c.read(features, 20).len(), 20);
    let boot_args = c.op(&[0x003]);
    let revision = c.op(&[0x107, boot_args]) | c.op(&[0x107, boot_args + 1]) << 8;
    assert_eq!(revision, 3);
    let args = c.read(boot_args, 0x480);
    let long = |at: usize| u64::from_le_bytes(args[at..at + 8].try_into().expect("as long"));
    // Its own heap: 128 MiB above the loader's, first a buffer for code.
    let heap = c.op(&[0x600, 0]) + (128 << 20);
    let (memory, size) = (long(0x10), long(0x18));
    assert!(
        (memory..memory + size).contains(&(heap + (64 << 20))),
        "room"
    );
    let tree = long(0x60).wrapping_sub(long(0x08)).wrapping_add(memory);
    let blob = c.read(tree, (long(0x68) & 0xffff_ffff) as usize);
    let adt = adt::Adt::new(&blob).expect("a tree");
    // What it looks for to reset a counter of panics; without it, it does not start.
    assert_eq!(adt.root().name(), "device-tree");
    let io = adt.node("/arm-io").expect("there");
    assert!(io.property("ranges").is_some());
    let mut buses = io.children().filter(|n| n.name().starts_with("i2c"));
    let pmu = buses.find_map(|n| n.child("pmu")).expect("a PMU");
    assert!(matches!(
        pmu.property("reg").map(<[u8]>::len),
        Some(12 | 16)
    ));
    let devices = adt.node("/arm-io/pmgr").and_then(|n| n.property("devices"));
    assert!(devices.is_some_and(|d| d.len() >= 96 && d.len() % 48 == 0));
    (heap + 0x1_0000, heap)
}

/// One instruction, as the client runs it: seven requests.
fn inst(c: &mut Client, code: u64, word: u32, args: [u64; 2]) -> (u64, u64) {
    let bytes = [word.to_le_bytes(), RET.to_le_bytes()].concat();
    c.write(code, &bytes);
    c.op(&[0x309, code, 8]);
    c.op(&[0x302, code, 8]);
    c.op(&[0x007, 1]);
    let value = c.op(&[0x002, code | RUN, args[0], args[1]]);
    let exceptions = c.op(&[0x008]);
    c.op(&[0x007, 0]);
    (value, exceptions)
}

fn every_day(c: &mut Client, heap: u64, code: u64) {
    for (width, value) in [(0, u64::MAX / 3), (1, 0x1234_5678), (2, 0xbeef), (3, 0xa5)] {
        c.op(&[0x100 + width, heap, value]);
        assert_eq!(c.op(&[0x104 + width, heap]), value);
    }
    let data: Vec<u8> = (0..100_000_u32).map(|i| (i * 7 % 251) as u8).collect();
    c.write(heap, &data);
    assert_eq!(c.read(heap, data.len()), data);
    assert_eq!(inst(c, code, MRS_MPIDR, [0, 0]), (BOOT_MPIDR, 0));
    inst(c, code, MSR_TPIDR_EL0, [0x1122_3344, 0]);
    assert_eq!(inst(c, code, MRS_TPIDR_EL0, [0, 0]), (0x1122_3344, 0));
    assert_eq!(inst(c, code, ADD_X0_X0_X1, [3, 4]), (7, 0));
    // What traps is counted and skipped, and the loader lives on.
    assert_eq!(inst(c, code, MRS_NONE, [5, 0]), (5, 1));
    c.op(&[0x007, 2 | 0x100]);
    assert_eq!(c.op(&[0x105, 0x10]), 0xabad_1dea);
    assert_eq!(c.op(&[0x008]), 1);
    c.op(&[0x007, 0]);
    assert_eq!(c.request(2, &[0x10, 16]).status, -3);
}

fn other_cpus(c: &mut Client, code: u64) {
    // Its calls wake by an event: fast IPIs do not wake this model's CPUs.
    c.op(&[0x504, 1]);
    c.op(&[0x500]);
    c.write(code, &[MRS_MPIDR.to_le_bytes(), RET.to_le_bytes()].concat());
    c.op(&[0x309, code, 8]);
    c.op(&[0x302, code, 8]);
    for index in [0, 1, 2, 3, 5] {
        let mpidr = [0x8000_0000 + index, 0x8001_0101][usize::from(index == 5)];
        assert_eq!(c.op(&[0x505, index]), 1, "CPU {index} is alive");
        assert_eq!(c.op(&[0x502, index, code]), mpidr);
        c.op(&[0x30f, index]);
        assert_eq!(c.op(&[0x502, index, code | RUN]), mpidr);
    }
}

#[test]
fn the_stock_clients_requests_client_after_client() {
    let vm = Vm::start(&["t8140", "-v"]);
    for _ in 0..2 {
        let mut c = Client::open(&vm.path);
        let (heap, code) = start_up(&mut c);
        every_day(&mut c, heap, code);
        other_cpus(&mut c, code);
    }
    let (status, said) = vm.interrupt();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("a client is here"), "{said}");
}

#[test]
fn a_broken_off_read_is_not_the_next_clients() {
    let vm = Vm::start(&["t8140", "-v"]);
    let mut c = Client::open(&vm.path);
    let base = c.op(&[0x004]);
    c.request(0, &[1]);
    c.send(&frame(2, &[base, 8 << 20]));
    c.bytes(36 + 1000);
    // Nobody reads: everything on the way fills up.
    std::thread::sleep(std::time::Duration::from_secs(1));
    drop(c);
    // The next one comes when the first has been missed, and the rest of its read is lost.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let mut c = Client::open(&vm.path);
    assert_eq!(c.op(&[0x004]), base);
    assert_eq!(c.console, b"");
}

#[test]
fn over_a_uart_the_speed_is_changed() {
    let dir = tempfile::tempdir().expect("a file of the test");
    let file = dir.path().join("uart.toml");
    let text = "extends = \"t8140\"\nname = \"uart\"\ntitle = \"over a UART\"\n[loader]\nlink = \"uart\"\n";
    std::fs::write(&file, text).expect("a file of the test");
    let vm = Vm::start(&[file.to_str().expect("UTF-8")]);
    let mut c = Client::open(&vm.path);
    // The message at start is kept for the first client.
    assert_eq!(c.reply().kind, 4);
    assert_eq!(c.op(&[0x905]), 0, "WHOAMI");
    assert_eq!(c.op(&[0x013]), 0x8140);
    assert_eq!(
        c.request(0, &[1]).words,
        [0, 0, 0],
        "a UART keeps checksums"
    );
    c.console.clear();
    c.op(&[0x005, 1_500_000, 16, 0x005a_a5f0]);
    assert!(
        c.console.ends_with(&[0xf0, 0xa5, 0x5a, 0].repeat(16)),
        "{:x?}",
        c.console
    );
    assert_eq!(c.request(0, &[1]).status, 0);
}

#[test]
fn a_loader_that_crashes_is_started_again() {
    let vm = Vm::start(&["t8140"]);
    let mut c = Client::open(&vm.path);
    let base = c.op(&[0x004]);
    let memory = c.op(&[0x601, 64]);
    c.op(&[0x101, memory, 0x55]);
    // A restart has no answer.
    c.send(&frame(1, &[0x010]));
    c.read_until("Rebooting\n");
    // A loader that starts does not listen: this one would never be answered, nor anything after it.
    c.send(&frame(1, &[0x30f, 2]));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(c.op(&[0x004]), base);
    assert_eq!(c.op(&[0x601, 64]), memory, "a new heap");
    assert_eq!(c.op(&[0x105, memory]), 0, "new memory");
    let (status, said) = vm.interrupt();
    assert_eq!(status.code(), Some(0));
    assert!(said.contains("started again"), "{said}");
}
