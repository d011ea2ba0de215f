//! The loader stand-in over its link: frames, memory, registers, heap, guard. No guest code runs.

#[path = "soc_common/client.rs"]
mod client;

use client::{Client, frame};
use core::time::Duration;
use virtual_soc::SocModel;
use virtual_soc::model::LinkKind;

const MARK: u64 = 0xacce_5515_abad_1dea;
const AIC: u64 = 0x3_0100_0000;

fn t8140() -> Client {
    Client::new(&SocModel::builtin("t8140").expect("built in"))
}

#[test]
fn nop_negotiates_data_checksums() {
    let mut c = t8140();
    assert_eq!(c.request(0, &[1]).unwrap().words[0], 1);
    assert_eq!(c.request(0, &[0]).unwrap().words[0], 0);
    assert_eq!(c.request(0, &[u64::MAX]).unwrap().words[0], 1);
    let base = c.op(0x004, &[]);
    // Sentinels instead of checksums, both ways.
    let heap = c.op(0x601, &[64]);
    c.target.send(&frame(3, &[heap, 3, 0xd0de_cade]));
    c.target.send(b"abc\x10\xcc\xca\xb0");
    assert_eq!(c.reply().unwrap().status, 0);
    let r = c.request(2, &[heap, 3]).unwrap();
    assert_eq!(r.words[0], 0xd0de_cade);
    let mut tail = [0; 7];
    let mut got = 0;
    while got < 7 {
        got += c.target.recv(&mut tail[got..], Duration::from_secs(1));
    }
    assert_eq!(&tail, b"abc\x10\xcc\xca\xb0");
    assert_ne!(base, 0);
}

#[test]
fn over_a_uart_checksums_stay_and_a_boot_message_comes_first() {
    let mut model = SocModel::builtin("t8140").expect("built in");
    model.loader.link = LinkKind::Uart;
    let mut c = Client::new(&model);
    assert_eq!(c.reply().unwrap().kind, 4);
    assert_eq!(c.request(0, &[1]).unwrap().words[0], 0);
    assert_eq!(c.op(0x905, &[]), 0);
}

#[test]
fn a_new_speed_is_announced_on_the_uart_only() {
    let mut model = SocModel::builtin("t8140").expect("built in");
    for (link, words) in [(LinkKind::Uart, 3), (LinkKind::Usb, 0)] {
        model.loader.link = link;
        let mut c = Client::new(&model);
        if link == LinkKind::Uart {
            assert_eq!(c.reply().unwrap().kind, 4);
        }
        c.console.clear();
        assert_eq!(c.op(0x005, &[1_500_000, 3, 0xffff_0000_1122_3344]), 0);
        let line = c.console.iter().position(|b| *b == b'\n').expect("a line");
        let pattern = [0x44, 0x33, 0x22, 0x11].repeat(words);
        assert_eq!(c.console[line + 1..], pattern, "{link:?}");
        // A count that no line could carry.
        assert_eq!(c.op(0x005, &[1_500_000, u64::MAX, 1]), 0);
        assert_eq!(c.request(0, &[1]).unwrap().status, 0);
    }
}

#[test]
fn bad_frames() {
    let mut c = t8140();
    let mut f = frame(0, &[1]);
    f[10] ^= 1;
    c.target.send(&f);
    assert_eq!(c.reply().unwrap().status, -4);
    assert_eq!(c.request(0x77, &[]).unwrap().status, -1);
    c.target.send(b"\xff\x55garbage\xff\xff\x55");
    assert_eq!(c.request(0, &[0]).unwrap().status, 0);
    // An opcode nobody knows: the frame is fine, the call is not.
    let r = c.request(1, &[0xffff]).unwrap();
    assert_eq!((r.status, r.words), (0, [0xffff, u64::MAX, 0]));
}

#[test]
fn machine_facts() {
    let mut c = t8140();
    assert_eq!(c.op(0x013, &[]), 0x8140);
    assert_eq!(c.op(0x905, &[]), 4, "USB");
    let features = c.op(0x014, &[20]);
    let record = c.read(features, 20).unwrap();
    assert_eq!(record[..8], [0; 8], "no sleep mode, no uncore counters");
    // fast_ipi and actlr_el2 are set, apple_sysregs_unlocked, mmu_sprr and siq_cfg are not.
    assert_eq!(record[8..], [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
    assert_eq!(c.op(0x014, &[16]), 0);
}

#[test]
fn boot_arguments_lead_to_the_device_tree() {
    let mut c = t8140();
    let args = c.op(0x003, &[]);
    let b = c.read(args, 0x480).unwrap();
    let word = |at: usize| u64::from_le_bytes(b[at..at + 8].try_into().unwrap());
    assert_eq!(u16::from_le_bytes([b[0], b[1]]), 3);
    let (virt, phys, tree) = (word(0x08), word(0x10), word(0x60));
    let size = u32::from_le_bytes(b[0x68..0x6c].try_into().unwrap());
    let blob = c.read(tree - virt + phys, size as usize).unwrap();
    let adt = adt::Adt::new(&blob).unwrap();
    assert_eq!(adt.node("/chosen").unwrap().u32("chip-id"), Some(0x8140));
    let aic = adt.node("/arm-io/aic").unwrap();
    let reg = aic.reg(0).unwrap();
    assert_eq!((reg.phys, reg.size), (AIC, 0x1c_c000));
    assert!(word(0x20) > phys && word(0x20) < phys + word(0x18));
    assert_eq!(word(0x478), 0x2000_0000);
    // The boot CPU of the tree is the one the loader runs on.
    let cpus = adt.node("/cpus").unwrap();
    assert_eq!(
        cpus.children()
            .find(|n| n.str("state") == Some("running"))
            .unwrap()
            .u32("cpu-id"),
        Some(4)
    );
}

#[test]
fn memory_round_trip_and_faults() {
    let mut c = t8140();
    let at = c.op(0x602, &[0x1000, 0x1000]);
    assert!(at.is_multiple_of(0x1000));
    let data: Vec<u8> = (0..=255).collect();
    assert_eq!(c.write(at, &data), 0);
    assert_eq!(c.read(at, 256).unwrap(), data);
    assert_eq!(c.read(at + 1, 3).unwrap(), [1, 2, 3]);
    assert_eq!(c.read(at, 0), Ok(vec![]));
    // The executable alias shows the same bytes and refuses writes; so does the loader's text.
    assert_eq!(c.read(at | 0xc00_0000_0000, 4).unwrap(), [0, 1, 2, 3]);
    let base = c.op(0x004, &[]);
    for refused in [at | 0xc00_0000_0000, base, 0x10, 0x4_0000_0000_0000] {
        c.target
            .send(&frame(3, &[refused, 4, client::checksum(b"abcd").into()]));
        assert_eq!(c.reply().unwrap().status, -3, "{refused:#x}");
    }
    assert_eq!(c.read(0x10, 4), Err(-3));
    assert_eq!(c.read(at, 4).unwrap(), [0, 1, 2, 3]);
}

#[test]
fn memwrite_first_writes_zero_to_both_ends() {
    let mut c = t8140();
    let at = c.op(0x601, &[64]);
    assert_eq!(c.write(at, &[0xaa; 16]), 0);
    c.target
        .send(&frame(3, &[at, 16, client::checksum(&[0xbb; 16]).into()]));
    // The data have not come yet, but the probe has.
    assert_eq!(c.target.recv(&mut [0; 64], Duration::from_millis(5)), 0);
    let ram = &c.target.machine().ram;
    assert_eq!(
        ram.bytes(at, 16).unwrap(),
        [&[0][..], &[0xaa; 14], &[0]].concat()
    );
    c.target.send(&[0xbb; 16]);
    assert_eq!(c.reply().unwrap().status, 0);
    assert_eq!(c.read(at, 16).unwrap(), [0xbb; 16]);
    // A wrong data checksum is a transfer error.
    c.target.send(&frame(3, &[at, 4, 0x1234]));
    c.target.send(b"abcd");
    assert_eq!(c.reply().unwrap().status, -3);
}

#[test]
fn registers_of_every_width() {
    let mut c = t8140();
    let at = c.op(0x601, &[64]);
    c.op(0x100, &[at, 0x1122_3344_5566_7788]);
    assert_eq!(
        [
            c.op(0x104, &[at]),
            c.op(0x105, &[at]),
            c.op(0x106, &[at]),
            c.op(0x107, &[at])
        ],
        [0x1122_3344_5566_7788, 0x5566_7788, 0x7788, 0x88]
    );
    assert_eq!(c.op(0x109, &[at, 0x0f]), 0x5566_778f, "SET32");
    assert_eq!(c.op(0x10d, &[at, 0xf0]), 0x5566_770f, "CLEAR32");
    assert_eq!(
        c.op(0x111, &[at, 0xffff_0000, 0x1234_0000]),
        0x1234_770f,
        "MASK32"
    );
    assert_eq!(c.op(0x117, &[at, 0xee]), 0xee, "WRITEREAD8");
    assert_eq!(c.op(0x104, &[at]), 0x1122_3344_1234_77ee);
    c.op(0x205, &[at, 0x0101_0101, 12]);
    assert_eq!(
        c.read(at, 16).unwrap(),
        [&[1; 12][..], &[0; 4]].concat(),
        "MEMSET32"
    );
    c.op(0x203, &[at + 14, at, 2]);
    assert_eq!(c.read(at + 12, 4).unwrap(), [0, 0, 1, 1], "MEMCPY8");
}

#[test]
fn a_faulting_access_is_an_answer_and_counted() {
    let mut c = t8140();
    c.op(0x007, &[0x101]);
    assert_eq!(c.op(0x104, &[0x10]), MARK);
    assert_eq!(c.op(0x105, &[0x10]), 0xabad_1dea);
    assert_eq!(c.op(0x106, &[0x10]), 0x1dea);
    assert_eq!(c.op(0x107, &[0x10]), 0xea);
    c.op(0x101, &[0x10, 5]);
    // Inside arm-io, where no device answers.
    assert_eq!(c.op(0x105, &[0x2_0000_0000]), 0xabad_1dea);
    assert_eq!(c.op(0x105, &[AIC + 0x1c_c000]), 0xabad_1dea);
    assert_eq!(c.op(0x008, &[]), 7);
    assert_eq!(c.op(0x008, &[]), 0);
    assert!(
        c.text().contains("Exception"),
        "these requests work under a guard of their own, which is never silent"
    );
    // Read, change, write: both accesses fault.
    assert_eq!(c.op(0x109, &[0x10, 5]), 0xabad_1dea);
    assert_eq!(c.op(0x115, &[0x10, 5]), 0xabad_1dea);
    assert_eq!(c.op(0x008, &[]), 4);
}

#[test]
fn raw_requests_forget_guard_and_count() {
    let mut c = t8140();
    let at = c.op(0x601, &[64]);
    let count_after = |c: &mut Client, request: fn(&mut Client, u64)| {
        c.op(0x007, &[0x101]);
        c.op(0x105, &[0x10]);
        request(c, at);
        c.op(0x008, &[])
    };
    assert_eq!(count_after(&mut c, |_, _| {}), 1);
    assert_eq!(
        count_after(&mut c, |c, at| assert_eq!(c.read(at, 0), Ok(vec![]))),
        1
    );
    assert_eq!(
        count_after(&mut c, |c, at| assert!(c.read(at, 1).is_ok())),
        0
    );
    assert_eq!(
        count_after(&mut c, |c, at| assert_eq!(c.write(at, b"x"), 0)),
        0
    );
    assert_eq!(
        count_after(&mut c, |c, at| assert_eq!(c.write(at, b""), 0)),
        0
    );
    assert_eq!(
        count_after(&mut c, |c, _| assert_eq!(c.read(0x10, 1), Err(-3))),
        1
    );
    // Both ends of a MEMWRITE are tried.
    let both = |c: &mut Client, _| {
        c.target.send(&frame(3, &[0x10, 4, 0]));
        assert_eq!(c.reply().unwrap().status, -3);
    };
    assert_eq!(count_after(&mut c, both), 2);
    // The guard is gone with it: a faulting call is the end.
    // UNDEFINED; RET.
    let code = c.code(&[0, 0xd65f_03c0]);
    c.op(0x007, &[0x101]);
    c.op(0x002, &[code]);
    c.read(at, 1).unwrap();
    assert_eq!(c.try_op(0x002, &[code]), None);
}

#[test]
fn the_controller_is_reachable_by_register_access() {
    let mut c = t8140();
    assert_eq!(c.op(0x105, &[AIC + 4]), 1504);
    assert_eq!(c.op(0x109, &[AIC + 0x14, 1]), 1);
    assert_eq!(c.op(0x105, &[AIC + 0x14400]), 0xffff_ffff);
}

#[test]
fn heap_blocks() {
    let mut c = t8140();
    let here = c.op(0x600, &[0]);
    assert_eq!(c.op(0x600, &[0x10000]), here);
    assert_eq!(c.op(0x600, &[0]), here + 0x10000);
    let a = c.op(0x601, &[100]);
    let b = c.op(0x601, &[100]);
    assert!(a != b && a != 0);
    c.op(0x603, &[a]);
    assert_eq!(c.op(0x601, &[100]), a);
}

#[test]
fn time_passes_as_the_model_says() {
    let mut c = t8140();
    let t0 = c.target.now();
    c.op(0x000, &[]);
    let nop = c.target.now() - t0;
    // 100 us and 100 bytes at 30 MB/s.
    assert!(
        nop >= Duration::from_nanos(103_300) && nop < Duration::from_nanos(104_000),
        "{nop:?}"
    );
    let t0 = c.target.now();
    c.op(0x006, &[5000]);
    let delay = c.target.now() - t0;
    assert!(
        delay >= Duration::from_micros(5103) && delay < Duration::from_micros(5105),
        "{delay:?}"
    );
    let t0 = c.target.now();
    assert_eq!(c.target.recv(&mut [0; 8], Duration::from_millis(3)), 0);
    let idle = c.target.now() - t0;
    assert!(
        idle >= Duration::from_millis(3) && idle < Duration::from_micros(3001),
        "{idle:?}"
    );
    // 3 MB take 100 ms.
    let at = c.op(0x600, &[3_000_000]);
    let t0 = c.target.now();
    c.read(at, 3_000_000).unwrap();
    let big = c.target.now() - t0;
    assert!(
        big > Duration::from_millis(100) && big < Duration::from_millis(101),
        "{big:?}"
    );
}

#[test]
fn a_link_may_lie_or_die() {
    let mut model = SocModel::builtin("t8140").expect("built in");
    model.faults.corrupt_reply_every = 2;
    let mut c = Client::new(&model);
    c.op(0x000, &[]);
    c.target.send(&frame(0, &[0]));
    let mut bytes = [0; 36];
    assert_eq!(c.target.recv(&mut bytes, Duration::from_secs(1)), 36);
    assert_ne!(client::checksum(&bytes[..32]).to_le_bytes(), bytes[32..]);

    let mut model = SocModel::builtin("t8140").expect("built in");
    model.faults.link_dies_after = 3;
    let mut c = Client::new(&model);
    for _ in 0..3 {
        c.op(0x000, &[]);
    }
    assert_eq!(c.request(0, &[0]), None);
    assert_eq!(c.request(0, &[0]), None);
}

#[test]
fn a_reboot_leaves_silence() {
    let mut c = t8140();
    assert_eq!(c.request(1, &[0x010]), None);
    assert_eq!(c.request(0, &[0]), None);
}
