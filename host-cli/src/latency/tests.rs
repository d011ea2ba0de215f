use protocol::LineId;
use protocol::command::{Load, Stop};
use protocol::event::{Packer, SECOND};
use protocol::message::{Event as Raw, EventKind, Refusal};

use super::*;
use crate::error::{Error, exit};
use crate::plan::Routing;
use crate::result::CpuState;
use crate::session::{Event, Measured};

const LINE: LineId = LineId { die: 0, number: 9 };

fn known(states: &[CpuState], steering: Steering, landed: &[u64]) -> Calibration {
    Calibration {
        states: states.to_vec(),
        steering,
        trial: Measured {
            fired: 4,
            landed: landed.to_vec(),
            ..Measured::default()
        },
        timeout_us: 500,
        refusal: None,
        tried: (96, 0),
        counter_hz: 1_000_000_000,
    }
}

const FIELD: Steering = Steering::Field {
    accepting: 1,
    others: 3,
};
use CpuState::{Dead, Running};

#[test]
fn every_pair_in_every_setting() {
    let known = known(&[Running, Running, Dead, Running], FIELD, &[4]);
    let made = pairs(&Ask::default(), &known, LINE).unwrap();
    // Three CPUs run; two pairs leave nobody to load: 1 to 3 and 3 to 1.
    assert_eq!(made.plan.cells.len(), 9 + 7 + 7);
    assert_eq!(made.of.len(), made.plan.cells.len());
    let text: Vec<_> = made.marks.iter().map(|m| m.text.as_str()).collect();
    assert!(text[0].contains("1 to 3, 3 to 1"), "{text:?}");
    for (cell, (setting, land)) in made.plan.cells.iter().zip(&made.of) {
        let expected: Vec<_> = [0u8, 1, 2, 3]
            .map(|c| match c {
                2 => None,
                c if c == *land => Some(1),
                _ => Some(3),
            })
            .to_vec();
        assert_eq!(cell.fields, expected);
        let s = &cell.special;
        assert_eq!((s.load, s.timed), (setting.load(), true));
        assert_eq!(s.loaded != 0, s.load != Load::Idle);
        // Neither the boot CPU nor those of the pair nor one that does not run.
        let own = 1 | 1 << cell.fire_cpu | 1 << land | 1 << 2;
        assert_eq!(s.loaded & own, 0);
    }
}

#[test]
fn what_cannot_be_asked_for() {
    let all = known(&[Running, Running, Dead], FIELD, &[4]);
    let code = |ask: Ask, known: &Calibration| pairs(&ask, known, LINE).unwrap_err().exit_code();
    let fire = |cpus: &[u32]| Ask {
        fire_cpus: cpus.to_vec(),
        ..Ask::default()
    };
    assert_eq!(code(fire(&[3]), &all), exit::USAGE);
    assert_eq!(code(fire(&[0, 0]), &all), exit::USAGE);
    let dead = pairs(&fire(&[2]), &all, LINE).unwrap_err();
    assert!(dead.to_string().contains("dead"), "{dead}");
    // Two CPUs leave nobody to load.
    let spin = Ask {
        settings: vec![Setting::Spin],
        ..fire(&[1])
    };
    let one = known(&[Running, Running], FIELD, &[4]);
    assert!(matches!(pairs(&spin, &one, LINE), Err(Error::Usage(_))));
}

#[test]
fn where_nothing_steers_they_are_taken_as_they_land() {
    let known = known(&[Running, Running], Steering::Nothing, &[0, 4]);
    let made = pairs(&Ask::default(), &known, LINE).unwrap();
    let idle: Vec<_> = made.of.iter().filter(|o| o.0 == Setting::Idle).collect();
    assert_eq!(idle, [&(Setting::Idle, 1), &(Setting::Idle, 1)]);
    assert!(made.plan.cells[0].fields.iter().all(Option::is_none));
    let other = Ask {
        land_cpus: vec![0],
        ..Ask::default()
    };
    assert_eq!(
        pairs(&other, &known, LINE).unwrap_err().exit_code(),
        exit::USAGE
    );
    let nowhere = Calibration {
        trial: Measured::default(),
        ..known
    };
    let said = pairs(&Ask::default(), &nowhere, LINE).unwrap_err();
    assert_eq!(said.exit_code(), exit::INCONCLUSIVE);
}

#[test]
fn where_nothing_lands_only_what_is_known_is_said() {
    let nothing = known(&[Running, Running], Steering::Nothing, &[]);
    let said = |known: &Calibration| known.why_nothing();
    let text = said(&nothing);
    assert!(
        text.contains("timeout of 500 us") && text.contains("raise --timeout"),
        "{text}"
    );
    let mut late = nothing.clone();
    late.trial.late = 3;
    assert!(
        said(&late).contains("and 3 came after it"),
        "{}",
        said(&late)
    );
    // Some values let them land, not where they were to: no timeout mends that.
    let other = Calibration {
        tried: (96, 9),
        ..nothing.clone()
    };
    let text = said(&other);
    assert!(
        text.contains("no value of SIQ_CFG's field") && !text.contains("raise"),
        "{text}"
    );
    // A refusal is the reason, whatever else was not seen.
    for (refusal, what) in [
        (Refusal::NotEnabled, "CONFIG reads back without ENABLE"),
        (Refusal::LineBusy, "the line became high"),
    ] {
        let refused = Calibration {
            trial: Measured::default(),
            refusal: Some(refusal),
            tried: (0, 0),
            ..nothing.clone()
        };
        let text = said(&refused);
        assert!(text.contains(what) && !text.contains("SIQ_CFG"), "{text}");
    }
    let read_only = Calibration {
        refusal: Some(Refusal::SiqCfg { cpu: 0, esr: 0 }),
        tried: (0, 0),
        ..nothing
    };
    let text = read_only.why_not_steered();
    assert!(text.contains("does not keep what is written"), "{text}");
}

#[test]
fn aicv1_is_steered_by_its_target() {
    let known = known(&[Running, Running], Steering::Target, &[4]);
    let ask = Ask {
        land_cpus: vec![1],
        settings: vec![Setting::Idle],
        ..Ask::default()
    };
    let made = pairs(&ask, &known, LINE).unwrap();
    for cell in &made.plan.cells {
        assert_eq!(cell.routing, Routing::Cpus(vec![1]));
        assert!(cell.fields.iter().all(Option::is_none));
    }
}

fn raw(trigger: u32, kind: EventKind, cpu: u8, first: u64) -> Raw {
    let timed = kind.has_latency();
    Raw {
        trigger,
        kind,
        cpu,
        served: cpu,
        time: 1_000 + u64::from(trigger) * 100,
        first: if timed { first } else { 0 },
        second: if timed { 7 } else { 0 },
    }
}

/// The events as a session tells of them, for the first cell of `plan`.
fn told(around: &mut Around, plan: &crate::plan::Plan, before: u64, events: &[Raw]) {
    let mut packer = Packer::new();
    packer.start(0, SECOND);
    for event in events {
        assert!(packer.add(event));
    }
    let batch = packer.take().unwrap();
    around.on(&Event::Raw {
        cell: &plan.cells[0],
        before,
        batch: &batch,
    });
}

#[test]
fn the_spike_is_found_among_the_events_around_it() {
    let known = known(&[Running], FIELD, &[4]);
    let ask = Ask {
        settings: vec![Setting::Idle],
        ..Ask::default()
    };
    let plan = pairs(&ask, &known, LINE).unwrap().plan;
    let mut around = Around::default();
    let events: Vec<Raw> = (0..30)
        .map(|t| raw(t, EventKind::Landed, 0, if t == 25 { 501 } else { 500 }))
        .collect();
    told(&mut around, &plan, 1_000, &events);
    let entry = Stop {
        first_ns: 500,
        ..Stop::default()
    };
    let moment = around.moment(0, &entry, 1_000_000_000, Cause::Lost);
    assert_eq!((moment.cause, moment.trigger), (Cause::Entry, Some(1_025)));
    // 16 before it, and all after it.
    assert_eq!(moment.events.len(), 16 + 1 + 4);
    assert_eq!(
        (moment.events[0].trigger, moment.events[0].since_ns),
        (1_009, 0)
    );
    let spike = &moment.events[16];
    assert_eq!(
        (
            spike.cause,
            spike.since_ns,
            spike.entry_ns,
            spike.handler_ns
        ),
        (true, 1_600, Some(501), Some(7))
    );
    assert_eq!(moment.events.iter().filter(|e| e.cause).count(), 1);
    // Entry and handler together: 508 is above 507, 507 is not.
    let total = Stop {
        both_ns: 507,
        ..Stop::default()
    };
    let moment = around.moment(0, &total, 1_000_000_000, Cause::Lost);
    assert_eq!((moment.cause, moment.trigger), (Cause::Total, Some(1_025)));
    // Of another cell there are none.
    assert!(
        around
            .moment(1, &entry, 1, Cause::Spurious)
            .events
            .is_empty()
    );
}

#[test]
fn what_is_wrong_is_named() {
    let stop = Stop {
        wrong: true,
        expected: 0b10,
        ..Stop::default()
    };
    for (kind, cpu, cause) in [
        (EventKind::Landed, 1, None),
        (EventKind::Landed, 0, Some(Cause::Elsewhere)),
        (EventKind::Lost, 0, Some(Cause::Lost)),
        (EventKind::Late, 1, Some(Cause::Late)),
        (EventKind::Duplicate, 1, Some(Cause::Duplicate)),
    ] {
        assert_eq!(
            Cause::of(&raw(0, kind, cpu, 5), &stop, 1),
            cause,
            "{kind:?}"
        );
    }
    let lost = raw(0, EventKind::Lost, 0, 0);
    assert_eq!(Cause::of(&lost, &Stop::default(), 1), None);
}
