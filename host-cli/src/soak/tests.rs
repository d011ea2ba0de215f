use protocol::LineId;
use protocol::latency::bucket;

use super::interval::{ppm, rate};
use super::spread::Running;
use super::*;
use crate::latency::Trial;
use crate::plan::{Estimate, Routing};
use crate::session::{Event, Measured};

const LINE: LineId = LineId { die: 0, number: 9 };

fn ask(amount: Amount) -> Ask {
    Ask {
        fire_cpu: 1,
        set_fields: Vec::new(),
        targets: Vec::new(),
        expect: Vec::new(),
        amount,
        interval_ms: 100,
        gap_us: 0,
        timeout_us: 10_000,
        max_latency_ns: 0,
    }
}

fn trial() -> Trial {
    Trial {
        fire_cpu: 1,
        fields: vec![None; 2],
        routing: Routing::AsFound,
        triggers: FIRST_LOOK,
        timeout_us: 10_000,
        tried_us: 10_000,
        longest_us: 10_000,
        steer: false,
    }
}

#[test]
fn a_plan_of_triggers_and_one_of_time() {
    let made = plan(
        &ask(Amount::Triggers(9_000_000_000)),
        &trial(),
        &[0, 3],
        LINE,
    );
    let triggers: Vec<u32> = made.cells.iter().map(|c| c.triggers).collect();
    assert_eq!(triggers, [4_000_000_000, 4_000_000_000, 1_000_000_000]);
    assert_eq!((made.until.duration_us, made.until.stop), (None, true));
    let s = &made.cells[0].special;
    assert_eq!(
        (s.limit_us, s.stop.expected, s.stop.wrong),
        (100_000, 0b1001, true)
    );
    // An hour: told as an hour, whatever number of triggers its cells have room for.
    let hour = plan(&ask(Amount::Duration(3_600_000_000)), &trial(), &[0], LINE);
    assert_eq!(hour.cells.len(), 4);
    let estimate = Estimate::of(&hour);
    assert_eq!(estimate.expected_ms, 3_602_000);
    assert!(estimate.needs_consent());
    let minute = plan(&ask(Amount::Duration(60_000_000)), &trial(), &[0], LINE);
    assert!(!Estimate::of(&minute).needs_consent());
}

/// A part of so many microseconds on a counter of 1 GHz, of triggers with these latencies.
fn part(us: u64, latencies: &[u64]) -> Measured {
    let mut m = Measured {
        fired: latencies.len() as u64,
        landed: vec![latencies.len() as u64],
        latencies: latencies.len() as u64,
        min_ticks: latencies.iter().min().copied().unwrap_or(0),
        max_ticks: latencies.iter().max().copied().unwrap_or(0),
        elapsed: us * 1_000,
        busy: vec![us * 100],
        ..Measured::default()
    };
    for l in latencies {
        m.histogram.add(bucket(*l), 1).unwrap();
    }
    m
}

fn feed(intervals: &mut Intervals, parts: &[Measured]) -> Vec<Interval> {
    let made = plan(&ask(Amount::Triggers(1)), &trial(), &[0], LINE);
    let cell = &made.cells[0];
    let on = |counts| intervals.on(&Event::Part { cell, counts });
    parts.iter().filter_map(on).collect()
}

#[test]
fn parts_become_intervals() {
    let mut intervals = Intervals::new(100, 1_000_000_000, 2, KEEP);
    let parts = [
        part(100_001, &[10; 50]),
        // Two that are short make one.
        part(60_000, &[20, 30]),
        part(50_000, &[40, 50, 60]),
        part(95_000, &[5]),
        part(10_000, &[70]),
    ];
    let told = feed(&mut intervals, &parts);
    assert_eq!(told.len(), 3);
    let fired: Vec<_> = told
        .iter()
        .map(|i| (i.index, i.fired, i.rate_per_s))
        .collect();
    assert_eq!(fired, [(0, 50, 500), (1, 5, 45), (2, 1, 11)]);
    assert_eq!(
        (told[1].from_ns, told[1].elapsed_ns),
        (100_001_000, 110_000_000)
    );
    let l = told[1].latency_ns.unwrap();
    assert_eq!((l.min, l.p50, l.p95, l.max), (20, 40, 60, 60));
    // A tenth of the time; the CPU that took nothing none.
    assert_eq!(told[0].busy_ppm, [100_000, 0]);
    let last = intervals.close().expect("what is left");
    assert_eq!(
        (last.index, last.elapsed_ns, last.from_ns),
        (3, 10_000_000, 305_001_000)
    );
    assert_eq!(intervals.close(), None);
    let over = intervals.checked().unwrap().over.done();
    assert_eq!(over.intervals, 4);
    let r = over.rate_per_s.unwrap();
    assert_eq!(
        (r.min, r.mean, r.p95, r.max),
        (11, (500 + 45 + 11 + 100) / 4, 500, 500)
    );
    assert_eq!(over.latency_max_ns.unwrap().max, 70);
}

#[test]
fn what_is_kept_is_bounded() {
    let mut intervals = Intervals::new(100, 1_000_000_000, 1, 4);
    let parts = vec![part(100_000, &[10]); 21];
    feed(&mut intervals, &parts);
    let intervals = intervals.checked().unwrap();
    let kept: Vec<u64> = intervals.kept.iter().map(|i| i.index).collect();
    assert_eq!((intervals.every, &kept[..]), (8, &[0, 8, 16][..]));
    assert_eq!(intervals.over.done().intervals, 21);
    // Room for one is room for the first.
    let mut one = Intervals::new(100, 1_000_000_000, 1, 1);
    feed(&mut one, &parts);
    assert_eq!(one.kept.len(), 1);
}

#[test]
fn counts_that_cannot_be_are_told() {
    let mut wrong = part(100_000, &[10, 20]);
    wrong.latencies = 3;
    let mut intervals = Intervals::new(100, 1_000_000_000, 1, 4);
    assert!(feed(&mut intervals, &[wrong]).is_empty());
    assert!(intervals.checked().is_err());
}

#[test]
fn running_statistics() {
    let mut running = Running::default();
    assert_eq!(running.spread(), None);
    for value in 1..=100 {
        running.add(value);
    }
    let s = running.spread().unwrap();
    // The mean is 50.5.
    assert_eq!((s.min, s.mean, s.p95, s.max), (1, 51, 95, 100));
    assert_eq!((ppm(1, 3), ppm(5, 0), ppm(7, 7)), (333_333, 0, 1_000_000));
    assert_eq!((rate(3, 2, 1_000), rate(3, 0, 1_000)), (1_500, 0));
}
