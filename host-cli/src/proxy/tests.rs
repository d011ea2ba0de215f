//! The client against a scripted loader, and the published frame vectors.

use std::collections::VecDeque;
use std::time::Duration;

use proptest::prelude::*;

use super::client::MARK;
use super::frame::{Kind, NO_CHECKSUM, REPLY, Reply, SENTINEL, request, words};
use super::receiver::{Item, Receiver};
use super::{ConnectOptions, Op, Proxy, ProxyError, Status, checksum};
use crate::link::{Link, LinkError};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits
        .chunks(2)
        .map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap())
        .collect()
}

/// `head`, zeros up to `len`, `tail`.
fn padded(head: &str, len: usize, tail: &str) -> Vec<u8> {
    let mut bytes = hex(head);
    bytes.resize(len - 4, 0);
    bytes.extend(hex(tail));
    bytes
}

fn reply(kind: Kind, status: i32, data: &[u8]) -> Vec<u8> {
    let mut frame = vec![0xff, 0x55, 0xaa, kind as u8];
    frame.extend(status.to_le_bytes());
    frame.extend(data);
    frame.resize(REPLY - 4, 0);
    frame.extend(checksum(&frame).to_le_bytes());
    frame
}

pub(crate) fn value(op: Op, value: u64) -> Vec<u8> {
    reply(Kind::Proxy, 0, &words([op as u64, 0, value]))
}

/// A loader that answers the n-th thing sent (frame or data) with the n-th entry of its script; NOPs are answered on their own.
pub(crate) struct Scripted {
    script: VecDeque<Vec<u8>>,
    pending: VecDeque<u8>,
    sent: Vec<Vec<u8>>,
    features: u8,
    deaf: bool,
    /// So many things sent, NOPs and marks included, and then nothing is answered any more.
    deaf_after: Option<usize>,
    all: usize,
    clock: Duration,
}

impl Scripted {
    pub(crate) fn new(script: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self {
            script: script.into_iter().collect(),
            pending: VecDeque::new(),
            sent: Vec::new(),
            features: 0,
            deaf: false,
            deaf_after: None,
            all: 0,
            clock: Duration::ZERO,
        }
    }
}

impl Link for Scripted {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.all += 1;
        if self.deaf_after.is_some_and(|n| self.all > n) {
            return Ok(());
        }
        if bytes.starts_with(&[0xff, 0x55, 0xaa, 0]) {
            if !self.deaf {
                self.pending.extend(reply(Kind::Nop, 0, &[self.features]));
            }
            return Ok(());
        }
        let mark = bytes
            .get(4..12)
            .map(|w| w.try_into().map(u64::from_le_bytes));
        if let Some(Ok(mark)) = mark
            && mark >> 32 == MARK >> 32
        {
            let echo = words([mark, u64::MAX, 0]);
            self.pending.extend(reply(Kind::Proxy, 0, &echo));
            return Ok(());
        }
        self.sent.push(bytes.to_vec());
        self.pending
            .extend(self.script.pop_front().unwrap_or_default());
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        // Seven bytes at a time, so that every frame comes in pieces.
        let n = self.pending.len().min(buf.len()).min(7);
        for slot in &mut buf[..n] {
            *slot = self.pending.pop_front().unwrap();
        }
        self.clock += if n == 0 {
            timeout
        } else {
            Duration::from_micros(1)
        };
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.clock
    }
}

#[test]
fn request_frames_are_the_published_ones() {
    let nop = |features: u64| request(Kind::Nop, &words([features]));
    assert_eq!(nop(1)[..], padded("ff55aa00 01", 64, "f3d9031c"));
    assert_eq!(nop(0)[60..], hex("6839974b"));
    let proxy = |op: u64| request(Kind::Proxy, &words([op]));
    assert_eq!(proxy(0)[..], padded("ff55aa01", 64, "2b196e2f"));
    assert_eq!(proxy(0x905)[..], padded("ff55aa01 0509", 64, "0173ff71"));
    assert_eq!(
        proxy(Op::GetBootArgs as u64)[..],
        padded("ff55aa01 03", 64, "4079c31a")
    );
    assert_eq!(
        request(Kind::MemRead, &words([0x100_0000_0000, 16]))[..],
        padded("ff55aa02 0000000000010000 1000000000000000", 64, "e99978f7")
    );
    let data: Vec<u8> = (0..16).collect();
    assert_eq!(checksum(&data).to_le_bytes(), hex("ca10dc58")[..]);
    assert_eq!(
        request(
            Kind::MemWrite,
            &words([0x100_0000_0000, 16, u64::from(checksum(&data))])
        )[..],
        padded(
            "ff55aa03 0000000000010000 1000000000000000 ca10dc58",
            64,
            "c2a55f66"
        )
    );
}

#[test]
fn published_replies_are_understood() {
    let parse = |bytes: Vec<u8>| Reply::parse(bytes.first_chunk().unwrap()).unwrap();
    let nop = parse(padded("ff55aa00 00000000 01", 36, "2b2bec34"));
    assert_eq!((nop.kind, nop.status, nop.word(0)), (Kind::Nop, 0, 1));
    assert_eq!(parse(padded("ff55aa00", 36, "404ab690")).word(0), 0);
    assert_eq!(parse(padded("ff55aa04", 36, "dc929bf4")).kind, Kind::Boot);
    assert_eq!(parse(padded("ff55aa01", 36, "636481a9")).kind, Kind::Proxy);
    let who = parse(padded("ff55aa01 00000000 0509", 36, "59d49793"));
    assert_eq!((who.word(0), who.word(1), who.word(2)), (0x905, 0, 0));
    let unknown = parse(hex(
        "ff55aa01 00000000 ffff000000000000 ffffffffffffffff 0000000000000000 59d216d3",
    ));
    assert_eq!((unknown.word(0), unknown.word(1)), (0xffff, u64::MAX));
    let read = parse(padded("ff55aa02 00000000 ca10dc58", 36, "384eecb1"));
    assert_eq!((read.kind, read.half(0)), (Kind::MemRead, 0x58dc_10ca));
    let write = parse(padded("ff55aa03 00000000 ca10dc58", 36, "db18f74e"));
    assert_eq!(write.kind, Kind::MemWrite);
    let bad = parse(padded("ff55aa00 fcffffff", 36, "0fb7351f"));
    assert_eq!(Status::from_word(bad.status), Some(Status::Checksum));
}

#[test]
fn published_event_is_understood() {
    let mut rx = Receiver::default();
    rx.push(&hex("ff55aa05 0800 0200 01000000 0100 5d02 b0c7a62a"));
    let Some(Item::Event { kind, data }) = rx.next() else {
        panic!("no event");
    };
    assert_eq!((kind, &data[..]), (2, &hex("01000000 0100 5d02")[..]));
    assert_eq!(rx.next(), None);
}

#[test]
fn text_between_frames_is_kept_and_never_data() {
    let mut noisy = b"TTY \xff\xff\x55 hello\n".to_vec();
    noisy.extend(value(Op::GetBase, 0x1234));
    noisy.extend(b"bye\n");
    let mut link = Scripted::new([noisy]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.base().unwrap(), 0x1234);
    // The text behind the frame is seen with the next exchange.
    assert!(matches!(proxy.base(), Err(ProxyError::Timeout { .. })));
    assert_eq!(proxy.take_console(), b"TTY \xff\xff\x55 hello\nbye\n");
}

#[test]
fn event_frames_before_an_answer_are_counted() {
    let mut bytes = hex("ff55aa05 0800 0200 01000000 0100 5d02 b0c7a62a");
    bytes.extend(value(Op::GetBase, 7));
    let mut link = Scripted::new([bytes]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.base().unwrap(), 7);
    assert_eq!(proxy.stats().events, 1);
}

#[test]
fn refused_checksum_is_asked_again() {
    let mut link = Scripted::new([reply(Kind::Proxy, -4, &[]), value(Op::Call, 5)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    // Even a call may be asked again: it was not carried out.
    let got = proxy.call(0x1000, [0; 5], Duration::from_millis(50));
    assert_eq!(got.unwrap(), Some(5));
    assert_eq!(proxy.stats().retries, 1);
    drop(proxy);
    assert_eq!(link.sent[0], link.sent[1]);
}

#[test]
fn damaged_answer_to_a_read_is_asked_again_and_to_a_call_is_not() {
    let mut bad = value(Op::GetBase, 7);
    bad[20] ^= 0x10;
    let mut link = Scripted::new([bad.clone(), value(Op::GetBase, 7)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.base().unwrap(), 7);
    assert_eq!((proxy.stats().retries, proxy.stats().damaged), (1, 1));

    let mut bad = value(Op::Call, 7);
    bad[20] ^= 0x10;
    let mut link = Scripted::new([bad]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = proxy.call(0x1000, [0; 5], Duration::from_secs(1));
    assert_eq!(got.unwrap(), None);
    assert!(matches!(
        proxy.op(Op::GetExcCount, &[]),
        Err(ProxyError::Timeout { .. })
    ));
    drop(proxy);
    assert_eq!(link.sent.len(), 2);
}

#[test]
fn answers_that_are_cut_short_or_always_damaged_end_in_an_error() {
    let mut cut = value(Op::GetBase, 7);
    cut.truncate(30);
    let mut link = Scripted::new([cut.clone(), cut.clone(), cut.clone(), cut]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert!(matches!(proxy.base(), Err(ProxyError::Damaged { .. })));
    drop(proxy);
    assert_eq!(link.sent.len(), 4);
    assert!(link.clock < Duration::from_secs(10));
}

#[test]
fn silence_ends_at_the_deadline() {
    let mut link = Scripted::new([]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let start = proxy.now();
    let got = proxy.op_within(Op::Call, &[0x1000], Duration::from_millis(70));
    let Err(ProxyError::Timeout { what, after }) = got else {
        panic!("{got:?}");
    };
    assert_eq!((&what[..], after), ("P_CALL", Duration::from_millis(70)));
    assert_eq!(proxy.now() - start, Duration::from_millis(70));
    // The loader still talks, so the call was lost or its answer was: nobody knows.
    let got = proxy.call(0x1000, [0; 5], Duration::from_millis(70));
    assert_eq!(got.unwrap(), None);
}

#[test]
fn nobody_there_is_a_timeout() {
    let mut link = Scripted::new([]);
    link.deaf = true;
    let Err(error) = Proxy::connect(&mut link) else {
        panic!("connected to nobody");
    };
    assert!(matches!(error, ProxyError::Timeout { .. }));
    assert!(link.clock < Duration::from_secs(3));
}

/// Things sent by connecting.
const CONNECTING: usize = 2;

#[test]
fn a_loader_that_falls_silent_is_noticed_within_about_a_second() {
    // Before the answer, before the echo behind it, and before the first of them to a call that takes its time.
    for (answered, call) in [(0, false), (1, false), (0, true)] {
        let mut link = Scripted::new([value(Op::GetBase, 1), value(Op::GetBase, 1)]);
        link.deaf_after = Some(CONNECTING + answered);
        let mut proxy = Proxy::connect(&mut link).unwrap();
        let (start, requests) = (proxy.now(), proxy.stats().requests);
        let (got, takes) = if call {
            let takes = Duration::from_secs(5);
            (proxy.call(1, [0; 5], takes).map(drop), takes)
        } else {
            (proxy.base().map(drop), Duration::ZERO)
        };
        assert!(matches!(got, Err(ProxyError::Timeout { .. })), "{got:?}");
        let took = proxy.now() - start - takes;
        assert!(took < Duration::from_millis(1_200), "{answered}: {took:?}");
        assert!(proxy.stats().requests - requests < 10);
        // Whoever asks once more does not wait for another second.
        let start = proxy.now();
        assert!(!proxy.recover());
        assert!(proxy.now() - start < Duration::from_millis(200));
    }
}

#[test]
fn silence_is_told_once_before_the_link_counts_as_lost() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let mut link = Scripted::new([]);
    link.deaf_after = Some(CONNECTING);
    let options = ConnectOptions {
        notice: Some(|text| {
            assert!(text.contains("P_GET_BASE"), "{text}");
            TOLD.fetch_add(1, Ordering::Relaxed);
        }),
        ..ConnectOptions::default()
    };
    let mut proxy = Proxy::connect_with(&mut link, options).unwrap();
    assert!(proxy.base().is_err());
    assert_eq!(TOLD.load(Ordering::Relaxed), 1);
}

#[test]
fn a_stop_ends_waiting_and_trying_soon() {
    // The stop comes with the first question after connecting.
    fn soon(held: bool) -> (Result<u64, ProxyError>, Duration) {
        let mut link = Scripted::new([]);
        link.deaf_after = Some(CONNECTING);
        let mut proxy = Proxy::connect(&mut link).unwrap();
        proxy.stop_when(Some(|| true));
        proxy.hold(held);
        let start = proxy.now();
        let got = proxy.op_within(Op::SmpStartSecondaries, &[], Duration::from_secs(4));
        let took = proxy.now() - start;
        (got, took)
    }
    let (got, took) = soon(false);
    assert!(
        matches!(got, Err(ProxyError::Interrupted { .. })),
        "{got:?}"
    );
    assert!(took < Duration::from_millis(200), "{took:?}");
    // What has to be put back is waited for; then it is asked once whether anybody is there.
    let (got, took) = soon(true);
    assert!(matches!(got, Err(ProxyError::Timeout { .. })), "{got:?}");
    assert!(took > Duration::from_secs(4) && took < Duration::from_millis(4_200));
}

#[test]
fn trust_comes_back_when_enough_has_gone_well() {
    let answers = (0..101).map(|i| value(Op::GetBase, i));
    let mut link = Scripted::new(std::iter::once(vec![0xff, 0x55, 0xaa, 1, 0]).chain(answers));
    let mut proxy = Proxy::connect(&mut link).unwrap();
    proxy.relax(true);
    let before = proxy.stats().requests;
    for i in 0..101 {
        assert_eq!(proxy.base().unwrap(), i);
    }
    assert_eq!(proxy.stats().retries, 1);
    // The lost one, a NOP with a mark, 101 questions, and as many marks as make up for one loss.
    let requests = proxy.stats().requests - before;
    assert_eq!(requests, 1 + 2 + 101 + u64::from(super::exchange::DOUBT));
}

#[test]
fn answers_to_older_questions_are_passed_over() {
    let mut bytes = value(Op::GetBootArgs, 1);
    bytes.extend(reply(Kind::MemRead, 0, &[]));
    bytes.extend(value(Op::GetBase, 2));
    let mut link = Scripted::new([bytes]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.base().unwrap(), 2);
    assert_eq!(proxy.stats().stale, 2);
}

#[test]
fn an_old_answer_that_looks_right_is_not_taken() {
    // Twice the answer to an older question of the same kind; the real one comes behind it.
    let mut bytes = value(Op::Read32, 1);
    bytes.extend(value(Op::Read32, 2));
    let mut link = Scripted::new([bytes.clone(), value(Op::Read32, 2)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.read32(0x100).unwrap(), 2);
    // The real answer, and the echo that came behind it.
    assert_eq!((proxy.stats().retries, proxy.stats().stale), (1, 2));
    // A call is not made again: its value stays unknown.
    let mut bytes = value(Op::Call, 1);
    bytes.extend(value(Op::Call, 2));
    let mut link = Scripted::new([bytes]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = proxy.call(0x1000, [0; 5], Duration::from_millis(70));
    assert_eq!(got.unwrap(), None);
    // Where no proof is asked for the first is taken, until something was seen to go wrong.
    let mut link = Scripted::new([bytes_of_two(), vec![], value(Op::GetBase, 4)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    proxy.relax(true);
    assert_eq!(proxy.base().unwrap(), 3);
    assert_eq!(proxy.base().unwrap(), 4);
    assert_eq!(proxy.stats().stale, 1);
}

fn bytes_of_two() -> Vec<u8> {
    [value(Op::GetBase, 3), value(Op::GetBase, 3)].concat()
}

#[test]
fn a_target_that_never_stops_talking_is_no_hang() {
    /// Text without end, as fast as it is taken.
    struct Chatter(Duration);
    impl Link for Chatter {
        fn send(&mut self, _: &[u8]) -> Result<(), LinkError> {
            Ok(())
        }
        fn recv(&mut self, buf: &mut [u8], _: Duration) -> Result<usize, LinkError> {
            self.0 += Duration::from_millis(1);
            buf[..8].copy_from_slice(b"\xffchatter"[..8].try_into().unwrap());
            Ok(8)
        }
        fn now(&self) -> Duration {
            self.0
        }
    }
    let mut link = Chatter(Duration::ZERO);
    assert!(matches!(
        Proxy::connect(&mut link),
        Err(ProxyError::Timeout { .. })
    ));
    assert!(link.0 < Duration::from_secs(20), "{:?}", link.0);
}

#[test]
fn boot_frames_mean_a_reboot_or_an_exception() {
    let mut link = Scripted::new([reply(Kind::Boot, 0, &[])]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert!(matches!(proxy.base(), Err(ProxyError::Rebooted { .. })));

    let mut data = hex("01000000 03000000");
    data.extend(0x1234_u64.to_le_bytes());
    let mut link = Scripted::new([reply(Kind::Boot, 0, &data)]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = proxy.base();
    assert!(
        matches!(
            got,
            Err(ProxyError::Exception {
                reason: 1,
                code: 3,
                info: 0x1234,
                ..
            })
        ),
        "{got:?}"
    );
}

#[test]
fn a_boot_frame_before_the_first_answer_is_a_greeting() {
    let mut link = Scripted::new([value(Op::GetBase, 3)]);
    link.pending.extend(reply(Kind::Boot, 0, &[]));
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.base().unwrap(), 3);
}

#[test]
fn unknown_operation_and_refusal_are_named() {
    let mut link = Scripted::new([
        reply(Kind::Proxy, 0, &words([Op::Free as u64, u64::MAX, 0])),
        reply(Kind::Proxy, -1, &[]),
    ]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let got = proxy.op(Op::Free, &[0]).unwrap_err();
    assert_eq!(got.to_string(), "this loader does not know P_FREE");
    let got = proxy.op(Op::Free, &[0]).unwrap_err();
    assert_eq!(got.to_string(), "P_FREE: unknown command (BADCMD)");
}

#[test]
fn faulting_reads_are_told_from_words_that_look_alike() {
    let mark = value(Op::Read32, 0xabad_1dea);
    let mut link = Scripted::new([
        mark.clone(),
        value(Op::GetExcCount, 0),
        mark,
        value(Op::GetExcCount, 1),
    ]);
    let mut proxy = Proxy::connect(&mut link).unwrap();
    assert_eq!(proxy.read32(0x100).unwrap(), 0xabad_1dea);
    let got = proxy.read32(0x100).unwrap_err();
    assert!(matches!(got, ProxyError::AccessFault { .. }));
}

#[test]
fn memory_is_read_with_and_without_data_checksums() {
    let data: Vec<u8> = (0..16).collect();
    let mut good = reply(Kind::MemRead, 0, &checksum(&data).to_le_bytes());
    good.extend(&data);
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    let mut link = Scripted::new([bad, good]);
    let mut out = [0; 16];
    let mut proxy = Proxy::connect(&mut link).unwrap();
    proxy.read_memory(0x100, &mut out).unwrap();
    assert_eq!((&out[..], proxy.stats().retries), (&data[..], 1));

    let mut bare = reply(Kind::MemRead, 0, &NO_CHECKSUM.to_le_bytes());
    bare.extend(&data);
    bare.extend(SENTINEL);
    let mut link = Scripted::new([bare]);
    link.features = 1;
    let mut out = [0; 16];
    let options = ConnectOptions {
        bare_data: true,
        ..ConnectOptions::default()
    };
    Proxy::connect_with(&mut link, options)
        .unwrap()
        .read_memory(0x100, &mut out)
        .unwrap();
    assert_eq!(out[..], data[..]);
}

#[test]
fn memory_is_written_again_after_a_failed_transfer() {
    let ok = reply(Kind::MemWrite, 0, &checksum(&[1, 2, 3]).to_le_bytes());
    // Script entries belong to: request, its data, request, its data.
    let failed = reply(Kind::MemWrite, -3, &[]);
    let mut link = Scripted::new([vec![], failed, vec![], ok]);
    Proxy::connect(&mut link)
        .unwrap()
        .write_memory(0x100, &[1, 2, 3])
        .unwrap();
    assert_eq!(link.sent.len(), 4);
    assert_eq!(link.sent[3], [1, 2, 3]);

    let failed = || reply(Kind::MemWrite, -3, &[]);
    let rest = [vec![], failed(), vec![], failed(), vec![], failed()];
    let mut link = Scripted::new([failed()].into_iter().chain(rest));
    let got = Proxy::connect(&mut link).unwrap().write_memory(0x100, &[1]);
    let status = Status::Transfer;
    assert!(matches!(got, Err(ProxyError::Refused { status: s, .. }) if s == status));
}

proptest! {
    #[test]
    fn the_receiver_never_panics_and_finds_a_frame_behind_any_bytes(
        noise in proptest::collection::vec(prop_oneof![Just(0xffu8), Just(0x55), Just(0xaa), any::<u8>()], 0..200),
        piece in 1usize..40,
    ) {
        let frame = value(Op::GetBase, 0x55);
        let mut rx = Receiver::default();
        let mut found = false;
        let mut bytes = noise;
        bytes.extend(&frame);
        for part in bytes.chunks(piece) {
            rx.push(part);
            while let Some(item) = rx.next() {
                found |= matches!(item, Item::Reply(r) if r.word(2) == 0x55);
            }
        }
        while !found && rx.give_up() {
            while let Some(item) = rx.next() {
                found |= matches!(item, Item::Reply(r) if r.word(2) == 0x55);
            }
        }
        prop_assert!(found);
    }
}
