//! The file alone, with events made up.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use protocol::event::{Packer, SECOND, SERVED};
use protocol::latency::bucket;
use protocol::message::{Batch, CellResult, Event, EventKind, Refusal};
use serde_json::Value;

use super::format::{Ending, Opening, Run};
use super::{RawError, Recount, Replayed, SCHEMA, Writer, read};
use crate::plan::{Request, build};
use crate::result::{Build, Counter, Head};
use crate::session::{Event as Told, Measured, Observer, Silent};
use crate::stats::Histogram;
use protocol::LineId;

fn head(complete: bool) -> Head {
    Head {
        target: "vm:test".into(),
        seed: 7,
        build: Build {
            tool: "0".into(),
            firmware: "00".into(),
            protocol: 3,
        },
        soc: crate::target::SocFacts {
            name: "T8140".into(),
            chip_id: None,
            board: String::new(),
            model: String::new(),
            firmware: String::new(),
        },
        cpus: Vec::new(),
        counter: Counter {
            hz: 24_000_000,
            step_ticks: 1,
            step_ns: 41.667,
            slice_ns: None,
            event_stream: true,
        },
        complete,
        restored: complete,
        marks: Vec::new(),
    }
}

/// A plan of two cells of `triggers`.
fn opening(triggers: u32) -> Opening {
    let request = Request {
        fire_cpus: vec![0, 1],
        triggers,
        ..Request::default()
    };
    let plan = build(&request, 2, LineId { die: 0, number: 9 }).expect("a plan");
    Opening {
        schema: SCHEMA.to_owned(),
        run: Run {
            command: "test".into(),
            options: Value::Null,
            extra: Value::Null,
        },
        head: head(false),
        cells: plan.cells,
    }
}

/// What a target would count of `events`, which it fired in one part.
fn counted(cell: u32, events: &[Event]) -> CellResult {
    let mut landed = [0; 3];
    let mut served = [0; 3];
    let times: Vec<&Event> = events.iter().filter(|e| e.kind.has_latency()).collect();
    for e in &times {
        landed[usize::from(e.cpu)] += 1;
        served[usize::from(e.served)] += 1;
    }
    let number = |kind| events.iter().filter(|e| e.kind == kind).count() as u32;
    let first = times.iter().map(|e| e.first);
    let second = times.iter().map(|e| e.second);
    CellResult {
        id: cell,
        refusal: None,
        fields: [0, 3, 3].into_iter().collect(),
        fired: times.len() as u32 + number(EventKind::Lost),
        landed: landed.into_iter().collect(),
        offered: [5, 0, 0].into_iter().collect(),
        lost: number(EventKind::Lost),
        late: number(EventKind::Late),
        duplicate: number(EventKind::Duplicate),
        spurious: 3,
        latencies: times.len() as u32,
        from_unmask: number(EventKind::Unmasked),
        min_ticks: first.clone().min().unwrap_or(0),
        max_ticks: first.max().unwrap_or(0),
        hits: Default::default(),
        left_masked: 0,
        elapsed: 1000,
        seconds: times.len() as u32,
        min_second: second.clone().min().unwrap_or(0),
        max_second: second.max().unwrap_or(0),
        busy: [9, 9, 9].into_iter().collect(),
        served: served.into_iter().collect(),
    }
}

fn pack(events: &[Event]) -> Vec<Batch> {
    let mut packer = Packer::new();
    packer.start(77, SECOND | SERVED);
    let mut batches = Vec::new();
    for event in events {
        if !packer.add(event) {
            batches.extend(packer.take());
            assert!(packer.add(event));
        }
    }
    batches.extend(packer.take());
    batches
}

/// Events of `n` triggers, all kinds.
fn some(n: u32, salt: u64) -> Vec<Event> {
    let mut x = salt;
    let mut random = |below: u64| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (x >> 33) % below
    };
    let mut events = Vec::new();
    for trigger in 0..n {
        let kind = match random(10) {
            0 => EventKind::Lost,
            1 => EventKind::Unmasked,
            _ => EventKind::Landed,
        };
        let has = kind.has_latency();
        let cpu = if has { random(3) as u8 } else { 0 };
        events.push(Event {
            trigger,
            kind,
            cpu,
            served: if has { random(3) as u8 } else { cpu },
            time: u64::from(trigger) * 100,
            first: if has { random(5000) } else { 0 },
            second: if has { random(90) } else { 0 },
        });
        let more = match kind {
            EventKind::Lost => EventKind::Late,
            _ => EventKind::Duplicate,
        };
        if random(8) == 0 {
            events.push(Event {
                kind: more,
                cpu: 1,
                served: 1,
                first: 0,
                second: 0,
                ..events[events.len() - 1]
            });
        }
    }
    events
}

/// Somewhere to write that can be looked at afterwards.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("free").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file of two cells, the first in two parts; the lengths at which it can be cut between records; what was counted.
fn file() -> (Vec<u8>, Vec<usize>, Vec<CellResult>) {
    let memory = Memory::default();
    let length = || memory.0.lock().expect("free").len();
    let mut writer = Writer::new(memory.clone(), &opening(150)).expect("memory");
    let mut cuts = vec![length()];
    writer.started(&head(false)).expect("memory");
    cuts.push(length());
    let mut parts = Vec::new();
    for (cell, before, n) in [(0, 0, 120), (0, 120, 30), (1, 0, 150)] {
        let events = some(n, before + u64::from(n));
        for batch in pack(&events) {
            writer.batch(cell, before, &batch).expect("memory");
            cuts.push(length());
        }
        let part = counted(cell, &events);
        writer.part(&part, 0).expect("memory");
        cuts.push(length());
        parts.push(part);
    }
    let ending = Ending {
        head: head(true),
        extra: Value::Bool(true),
    };
    writer.end(&ending).expect("memory");
    let bytes = memory.0.lock().expect("free").clone();
    (bytes, cuts, parts)
}

fn replay(bytes: &[u8]) -> Result<Replayed, RawError> {
    read(bytes, &mut Silent)
}

#[test]
fn a_file_gives_the_counts_that_it_was_written_with() {
    let (bytes, _, parts) = file();
    let replayed = replay(&bytes).expect("a whole file");
    assert_eq!((replayed.cut, replayed.totals.dropped), (None, 0));
    assert!(
        replayed.differences.is_empty(),
        "{:?}",
        replayed.differences
    );
    assert!(replayed.head.complete && replayed.run.extra == Value::Bool(true));
    let mut wanted = [Measured::default(), Measured::default()];
    for part in &parts {
        wanted[part.id as usize].add(part);
    }
    for ((_, got), wanted) in replayed.cells.iter().zip(wanted) {
        assert!(got.complete && got.histogram.total() == got.latencies);
        let bare = Measured {
            histogram: Histogram::default(),
            second: Histogram::default(),
            complete: false,
            ..got.clone()
        };
        assert_eq!(bare, wanted);
    }
}

#[test]
fn every_changed_byte_is_found() {
    let (bytes, ..) = file();
    for at in 0..bytes.len() {
        for change in [0x80, bytes[at]] {
            if change == 0 {
                continue;
            }
            let mut other = bytes.clone();
            other[at] ^= change;
            match replay(&other) {
                Err(RawError::Record { from, .. }) => assert!(from <= at as u64, "{at}"),
                Err(_) => {}
                // A terminator that is gone at the end of the file: it ends in the middle of a record.
                Ok(replayed) => assert!(replayed.cut.is_some(), "byte {at}: {change:#x}"),
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_gives_what_came_before_and_says_so() {
    let (bytes, cuts, _) = file();
    for at in 0..bytes.len() {
        match replay(&bytes[..at]) {
            Ok(replayed) => {
                let record = cuts.iter().rev().find(|cut| **cut <= at).copied();
                let last = replayed.cut.expect("it is cut") as usize;
                assert!(last <= at && Some(last) >= record, "{at}: {last}");
                assert!(
                    replayed
                        .head
                        .marks
                        .iter()
                        .any(|m| m.text.contains("cut after byte"))
                );
                assert!(replayed.differences.is_empty());
            }
            Err(e) => assert!(at < cuts[0], "{at}: {e}"),
        }
    }
    // Events of a part whose counts did not come are counted.
    let events: u64 = some(120, 120).len() as u64;
    let replayed = replay(&bytes[..cuts[3]]).expect("cut");
    let (_, m) = &replayed.cells[0];
    assert!(replayed.totals.parts == 0 && replayed.totals.events < events);
    assert_eq!(m.fired + m.late + m.duplicate, replayed.totals.events);
    assert!(!m.complete && m.offered.iter().all(|n| *n == 0));
}

#[test]
fn records_that_are_missing_or_too_many_are_found() {
    let (bytes, cuts, _) = file();
    let without = [&bytes[..cuts[2]], &bytes[cuts[3]..]].concat();
    assert!(matches!(
        replay(&without),
        Err(RawError::Totals {
            what: "batches",
            ..
        })
    ));
    let swapped = [
        &bytes[..cuts[1]],
        &bytes[cuts[2]..cuts[3]],
        &bytes[cuts[1]..cuts[2]],
        &bytes[cuts[3]..],
    ]
    .concat();
    assert!(matches!(
        replay(&swapped),
        Err(RawError::Totals { what: "CRC-32", .. })
    ));
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(replay(&longer), Err(RawError::Behind(_))));
    assert!(matches!(replay(b""), Err(RawError::Magic)));
    assert!(matches!(replay(b"AICEVT\n12345678"), Err(RawError::Magic)));
    let mut newer = bytes;
    newer[8] = 2;
    assert!(matches!(
        replay(&newer),
        Err(RawError::Version { found: 2 })
    ));
}

#[test]
fn dropped_events_are_counted_and_other_differences_named() {
    let events = some(200, 5);
    let batches = pack(&events);
    let mut recount = Recount::default();
    for batch in &batches[1..] {
        recount.batch(batch).expect("well formed");
    }
    let again = recount.part(&counted(0, &events));
    assert_eq!(again.dropped, u64::from(batches[0].count));
    assert!(again.differences.is_empty());
    for batch in &batches {
        recount.batch(batch).expect("well formed");
    }
    let mut said = counted(0, &events);
    said.landed[1] += 1;
    said.landed[2] -= 1;
    said.max_ticks += 1;
    let again = recount.part(&said);
    assert_eq!(again.dropped, 0);
    assert_eq!(again.differences.len(), 2, "{:?}", again.differences);
    assert!(again.differences[0].starts_with("max_ticks: the target counted"));
}

#[test]
fn a_trigger_that_a_refusal_cut_off_is_not_dropped() {
    let events = some(50, 5);
    let mut said = counted(0, &events);
    said.fired += 1;
    let again = |said: &CellResult| {
        let mut recount = Recount::default();
        for batch in pack(&events) {
            recount.batch(&batch).expect("well formed");
        }
        recount.part(said)
    };
    assert_eq!(again(&said).dropped, 1);
    said.refusal = Some(Refusal::WorkerSilent(1));
    let cut = again(&said);
    assert_eq!((cut.dropped, cut.part.fired), (0, said.fired));
    assert!(cut.differences.is_empty(), "{:?}", cut.differences);
}

/// Keeps the parts that it is told about.
#[derive(Default)]
struct Parts(Vec<(u32, u64)>, Vec<u32>, u64);

impl Observer for Parts {
    fn on(&mut self, event: Told<'_>) {
        match event {
            Told::Part { cell, counts } => self.0.push((cell.id, counts.fired)),
            Told::Done { cell, .. } => self.1.push(cell.id),
            Told::Raw { batch, .. } => self.2 += u64::from(batch.count),
            _ => {}
        }
    }
}

#[test]
fn an_observer_is_told_what_a_session_tells() {
    let (bytes, ..) = file();
    let mut parts = Parts::default();
    let replayed = read(&bytes[..], &mut parts).expect("whole");
    assert_eq!(parts.0, [(0, 120), (0, 30), (1, 150)]);
    assert_eq!((parts.1, parts.2), (vec![0, 1], replayed.totals.events));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(noise in proptest::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>()) {
        let (mut bytes, cuts, _) = file();
        bytes.truncate(cuts[at.index(cuts.len())]);
        bytes.extend(&noise);
        let _ = replay(&bytes);
        let _ = replay(&noise);
    }

    #[test]
    fn buckets_are_those_of_the_target(values in proptest::collection::vec((0u64..1 << 34, 0u32..34).prop_map(|(n, shift)| n >> shift), 1..200)) {
        let events: Vec<Event> = (0u32..).zip(&values).map(|(trigger, first)| Event {
            trigger, kind: EventKind::Landed, cpu: 0, served: 0, time: 0, first: *first, second: 0,
        }).collect();
        let mut recount = Recount::default();
        for batch in pack(&events) {
            recount.batch(&batch).expect("well formed");
        }
        let mut wanted = Histogram::default();
        for value in &values {
            wanted.add(bucket(*value), 1).expect("a bucket");
        }
        prop_assert_eq!(recount.part(&counted(0, &events)).histogram, wanted);
    }
}
