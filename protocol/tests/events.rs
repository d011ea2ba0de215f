//! Packed events: what goes in comes out, in few bytes, and no bytes make the unpacking panic.

use proptest::collection::vec;
use proptest::prelude::*;
use protocol::event::{Malformed, Packer, SECOND, SERVED, unpack};
use protocol::message::{BATCH_BYTES, Batch, Event, EventKind};

const KINDS: [EventKind; 5] = [
    EventKind::Landed,
    EventKind::Unmasked,
    EventKind::Lost,
    EventKind::Late,
    EventKind::Duplicate,
];

/// A number of any length: all lengths are as likely.
fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0u32..64).prop_map(|(n, shift)| n >> shift)
}

/// Events as a target sends them: every trigger has one that says what became of it, others of it follow.
fn events() -> impl Strategy<Value = (u8, Vec<Event>)> {
    let one = (
        prop::sample::select(KINDS.to_vec()),
        (0u8..24, 0u8..24),
        (number(), number(), number()),
    );
    (0u8..4, any::<u32>(), vec(one, 0..400)).prop_map(|(shape, first, ones)| {
        let mut trigger = first.wrapping_sub(1);
        let events = ones.into_iter().map(|(kind, (cpu, served), times)| {
            if kind.opens_trigger() {
                trigger = trigger.wrapping_add(1);
            }
            let has = |bit| kind.has_latency() && (bit == 0 || shape & bit != 0);
            Event {
                trigger,
                kind,
                cpu,
                served: if has(SERVED) { served } else { cpu },
                time: times.0,
                first: if has(0) { times.1 } else { 0 },
                second: if has(SECOND) { times.2 } else { 0 },
            }
        });
        (shape, events.collect())
    })
}

/// All of `events` in as many batches as it takes.
fn pack(shape: u8, events: &[Event]) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut packer = Packer::new();
    packer.start(5, shape);
    for event in events {
        if !packer.add(event) {
            batches.extend(packer.take());
            assert!(packer.add(event), "an empty batch has room");
        }
    }
    batches.extend(packer.take());
    batches
}

proptest! {
    #[test]
    fn events_come_back((shape, events) in events()) {
        let batches = pack(shape, &events);
        let back: Result<Vec<Event>, Malformed> = batches.iter().flat_map(unpack).collect();
        prop_assert_eq!(back.as_ref(), Ok(&events));
        for batch in &batches {
            prop_assert_eq!((batch.id, batch.shape), (5, shape));
        }
    }

    #[test]
    fn any_bytes_are_survived_and_give_no_more_than_they_hold(
        (count, trigger, time, shape) in any::<(u16, u32, u64, u8)>(),
        data in vec(any::<u8>(), 0..=BATCH_BYTES),
    ) {
        let batch = Batch { id: 0, trigger, time, shape, count, data: data.into_iter().collect() };
        let got: Vec<_> = unpack(&batch).collect();
        let good = got.iter().filter(|e| e.is_ok()).count();
        prop_assert!(good <= usize::from(count) && 2 * good <= batch.data.len());
        // It is told once, at the end, and a batch is malformed unless all of it is taken.
        prop_assert!(got.iter().rev().skip(1).all(Result::is_ok));
        let whole = good == usize::from(count) && got.iter().all(Result::is_ok);
        prop_assert!(whole || got.last().is_some_and(Result::is_err));
    }

    #[test]
    fn a_batch_that_is_cut_is_malformed((shape, events) in events(), at in any::<prop::sample::Index>()) {
        let Some(mut batch) = pack(shape, &events).into_iter().next() else { return Ok(()) };
        batch.data.truncate(at.index(batch.data.len()));
        prop_assert_eq!(unpack(&batch).last(), Some(Err(Malformed)));
    }
}

/// Deliveries as they come on a machine: some ten microseconds apart, latencies of up to some microseconds with a long tail,
/// on a counter of 24 MHz (M1 to M3, A18) and of 1 GHz (M4).
#[test]
fn an_event_takes_at_most_eight_bytes_on_average() {
    for (ticks_per_us, most) in [(24, 5.1), (1000, 8.0)] {
        let mut x = 1u64;
        let mut random = |below: u64| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (x >> 33) % below
        };
        let mut time = 1 << 40;
        let events: Vec<Event> = (0..10_000)
            .map(|trigger| {
                time += 10 * ticks_per_us + random(ticks_per_us);
                let tail = if random(100) == 0 { 50 } else { 1 };
                Event {
                    trigger,
                    kind: EventKind::Landed,
                    cpu: random(24) as u8,
                    served: 0,
                    time,
                    first: random(2 * ticks_per_us) * tail,
                    second: random(ticks_per_us) * tail,
                }
            })
            .collect();
        let bytes: usize = pack(SECOND, &events).iter().map(|b| b.data.len()).sum();
        let average = bytes as f64 / events.len() as f64;
        assert!(average <= most, "{average} bytes at {ticks_per_us} MHz");
    }
}
