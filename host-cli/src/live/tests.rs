//! States made of events, and pictures made of states.

use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use protocol::LineId;
use protocol::command::{Special, StormCell};
use protocol::latency::bucket;
use protocol::message::StormResult;

use super::state::Link;
use super::{About, State, draw};
use crate::plan::{Group, MaskedCpu, Plan, PlannedCell, Question, Routing, cell_us};
use crate::result::CpuState;
use crate::session::{Answers, Event, Measured, Reply};
use crate::target::{Core, CpuFacts};

const fn at(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn cell(id: u32, fire_cpu: u8, masked: &[u8]) -> PlannedCell {
    PlannedCell {
        id,
        group: Group::Custom,
        line: LineId {
            die: 0,
            number: 131,
        },
        fire_cpu,
        fields: vec![None, Some(2), None],
        masked: masked
            .iter()
            .map(|cpu| MaskedCpu {
                cpu: *cpu,
                us: 1250,
            })
            .collect(),
        triggers: 100,
        timeout_us: 10_000,
        grace_us: 2,
        routing: Routing::AsFound,
        raw: false,
        special: Special::default(),
    }
}

fn about(cpus: u8, cells: &[PlannedCell]) -> About {
    let cpu = |id: u8| CpuFacts {
        id,
        adt_id: id.into(),
        reg: 0,
        mpidr: 0,
        cluster: u32::from(id == 0),
        core: if id == 0 { Core::P } else { Core::E },
        boot: id == 0,
    };
    let plan = Plan::of(cells.to_vec());
    About {
        target: "vm:test".to_owned(),
        machine: "T8140 J700".to_owned(),
        model: true,
        cpus: (0..cpus).map(cpu).collect(),
        cells: plan.cells.len(),
        triggers: plan.cells.iter().map(|c| u64::from(c.triggers)).sum(),
        expected_us: plan.cells.iter().map(cell_us).sum(),
        duration_us: plan.until.duration_us,
        run: String::new(),
    }
}

fn measured(landed: &[u64], lost: u64) -> Measured {
    let mut m = Measured {
        fields: vec![0, 2, 3],
        fired: landed.iter().sum::<u64>() + lost,
        landed: landed.to_vec(),
        lost,
        late: lost.min(1),
        ..Measured::default()
    };
    for n in [4, 4, 5] {
        m.histogram.add(bucket(n), 1).unwrap();
    }
    m
}

/// In the middle of the second of two cells, 2 s after the start.
fn halfway() -> State {
    let cells = [cell(0, 0, &[]), cell(1, 2, &[0])];
    let mut s = State::new(about(3, &cells), at(0));
    s.on(&Event::Step("measuring"), at(100));
    let cpus = &[CpuState::Running, CpuState::Running, CpuState::Dead];
    let counter_hz = 24_000_000;
    let answers = &Answers::default();
    let started = Event::Started {
        counter_hz,
        cpus,
        answers,
    };
    s.on(&started, at(200));
    let counts = &measured(&[100, 0, 0], 0);
    s.on(
        &Event::Part {
            cell: &cells[0],
            counts,
        },
        at(600),
    );
    s.on(
        &Event::Done {
            cell: &cells[0],
            of: 2,
            counts,
        },
        at(700),
    );
    let so_far = &measured(&[10, 37, 0], 3);
    s.on(
        &Event::Progress {
            cell: &cells[1],
            of: 2,
            so_far,
        },
        at(1900),
    );
    s.on(
        &Event::Link {
            retries: 4,
            lost: false,
        },
        at(2000),
    );
    s.say("a line");
    s
}

#[test]
fn counts_of_cells_add_up_once() {
    let mut s = halfway();
    let total = s.total();
    assert_eq!(
        (&total.landed[..], total.fired, total.lost, total.late),
        (&[110, 37, 0][..], 150, 3, 1)
    );
    assert_eq!(s.cells, (1, 2));
    let so_far = &measured(&[10, 80, 0], 3);
    let second = s.current.clone().unwrap().cell;
    s.on(
        &Event::Progress {
            cell: &second,
            of: 2,
            so_far,
        },
        at(2100),
    );
    assert_eq!(s.total().fired, 193);
    let counts = &measured(&[10, 87, 0], 3);
    s.on(
        &Event::Done {
            cell: &second,
            of: 2,
            counts,
        },
        at(2200),
    );
    assert_eq!((s.total().fired, s.cells, s.fraction()), (200, (2, 2), 1.0));
    // Another session of the same command goes on counting.
    s.on(
        &Event::Started {
            counter_hz: 1,
            cpus: &[],
            answers: &Answers::default(),
        },
        at(2300),
    );
    assert_eq!((s.total().fired, s.cells, s.fraction()), (200, (0, 2), 0.0));
    s.on(
        &Event::Progress {
            cell: &second,
            of: 2,
            so_far,
        },
        at(2400),
    );
    assert_eq!(s.total().fired, 293);
}

#[test]
fn progress_goes_by_the_time_that_cells_take() {
    let s = halfway();
    // A masked trigger takes 1.25 ms and a few us, an unmasked one some 20 us; a cell 2 ms beside.
    let (first, second) = (2_000.0 + 2_200.0, 2_000.0 + 127_200.0);
    let done = (first + second / 2.0) / (first + second);
    assert!((s.fraction() - done).abs() < 1e-9, "{}", s.fraction());
    let left = s.left(at(2_000)).unwrap().as_secs_f64();
    assert!((left - 1.8 * (1.0 - done) / done).abs() < 1e-3, "{left}");
    assert_eq!(s.left(at(1_100)), None, "too early to tell");
    // Without a plan every cell counts the same.
    let mut unplanned = s.clone();
    unplanned.about.expected_us = 0;
    assert!((unplanned.fraction() - 0.75).abs() < 1e-9);
}

#[test]
fn a_run_that_ends_by_time_is_told_by_the_targets_clock() {
    let mut s = halfway();
    s.about.duration_us = Some(80_000_000);
    let mut counts = measured(&[10, 0, 0], 0);
    // Of two parts 20 s together, whatever the host's clock says.
    counts.elapsed = 10 * 24_000_000;
    for _ in 0..2 {
        let cell = &s.current.clone().unwrap().cell;
        let counts = &counts;
        s.on(&Event::Part { cell, counts }, at(2_500));
    }
    assert!((s.fraction() - 0.25).abs() < 1e-9, "{}", s.fraction());
    assert_eq!(s.left(at(99_000)), Some(at(60_000)));
    let line = &picture(&s, at(3_000), 90, 12)[1];
    assert!(
        line.contains("25 %  0:20 of 1:20 target time, 1:00 left"),
        "{line}"
    );
    // Its last part may end a little later.
    counts.elapsed = 61 * 24_000_000;
    let cell = &s.current.clone().unwrap().cell;
    let counts = &counts;
    s.on(&Event::Part { cell, counts }, at(2_500));
    assert_eq!((s.fraction(), s.left(at(3_000))), (1.0, Some(at(0))));
}

#[test]
fn one_of_several_runs_says_which() {
    let mut s = halfway();
    s.about = s.about.of_run("side B, run 4 of 6".to_owned());
    let line = &picture(&s, at(3_000), 100, 12)[0];
    assert!(line.contains("side B, run 4 of 6"), "{line}");
}

#[test]
fn storms_show_who_took_how_much_and_how_fast() {
    let mut s = State::new(about(3, &[]), at(0));
    let started = Event::Started {
        counter_hz: 24_000_000,
        cpus: &[CpuState::Running; 3],
        answers: &Answers::default(),
    };
    s.on(&started, at(10));
    let cell = |id| StormCell {
        id,
        cpus: 7,
        pattern: protocol::command::Pattern::Pairs,
        via: protocol::command::Via::Global,
        paced: true,
        shared: false,
        us: 100,
    };
    let answer = |received: [u32; 3], trapped| {
        Reply::Storm(Box::new(StormResult {
            id: 0,
            refusal: None,
            trapped,
            // 100 us.
            elapsed: 2_400,
            sent: [400, 400, 0].into_iter().collect(),
            sent_to: received.into_iter().collect(),
            received: received.into_iter().collect(),
            counted: 0,
            missed: 0,
        }))
    };
    for (at_question, received) in [(0, [100, 300, 0]), (1, [300, 200, 100])] {
        let (question, reply) = (Question::Storm(cell(0)), answer(received, None));
        s.on(
            &Event::Answered {
                at: at_question,
                of: 3,
                question: &question,
                reply: &reply,
            },
            at(20),
        );
    }
    let got = picture(&s, at(30), 100, 14).join("\n");
    // 400 of 1000 each, and none: 6 IPIs a microsecond in the last one.
    for what in [
        "received, all storms",
        "the last storm",
        "400  40.0 %",
        "500  50.0 %",
        "100  10.0 %",
        "6.000 M IPI/s",
        "3 CPUs, pairs, global, paced, per-cpu",
        "IPIs of all storms: sent 1600, received 1000",
        // The rows before it stay readable.
        "4.000 M IPI/s, sent 800 received 400",
    ] {
        assert!(got.contains(what), "{what}:\n{got}");
    }
    let (question, reply) = (Question::Storm(cell(2)), answer([0; 3], Some(0x0200_0000)));
    s.on(
        &Event::Answered {
            at: 2,
            of: 3,
            question: &question,
            reply: &reply,
        },
        at(40),
    );
    let got = picture(&s, at(50), 100, 14).join("\n");
    assert!(got.contains("trapped, ESR 0x2000000"), "{got}");
}

#[test]
fn questions_have_a_progress_of_their_own() {
    let mut s = State::new(about(2, &[]), at(0));
    assert_eq!(s.fraction(), 0.0);
    let storm = StormCell {
        id: 0,
        cpus: 3,
        pattern: protocol::command::Pattern::Pairs,
        via: protocol::command::Via::Global,
        paced: true,
        shared: false,
        us: 1000,
    };
    let question = &Question::Storm(storm);
    s.on(
        &Event::Asked {
            at: 0,
            of: 4,
            question,
        },
        at(10),
    );
    s.on(
        &Event::Asked {
            at: 3,
            of: 4,
            question,
        },
        at(3010),
    );
    assert_eq!(s.fraction(), 0.75);
    assert_eq!(s.left(at(3010)), Some(at(1000)));
    assert!(picture(&s, at(3010), 60, 12)[1].contains("question 4 of 4: a storm of IPIs"));
}

#[test]
fn the_link_is_what_was_heard_of_it() {
    let mut s = halfway();
    assert_eq!(s.link(at(2_100)), Link::Connected);
    assert_eq!(s.link(at(5_000)), Link::Silent(at(3_000)));
    s.notice("link: no answer to P_CALL yet", at(2_500));
    s.notice("link: no answer to P_CALL yet", at(2_700));
    assert_eq!(s.link(at(3_000)), Link::Asking(at(500)));
    s.on(
        &Event::Link {
            retries: 5,
            lost: false,
        },
        at(3_100),
    );
    assert_eq!((s.link(at(3_200)), s.retries), (Link::Connected, 5));
    s.on(
        &Event::Link {
            retries: 5,
            lost: true,
        },
        at(3_300),
    );
    assert_eq!(s.link(at(3_300)), Link::Lost);
}

#[test]
fn what_was_said_comes_back_in_order_and_no_more_than_fits() {
    let mut s = halfway();
    s.log_line("for the screen alone");
    s.notice("link: hm", at(1));
    assert_eq!(s.take_held(), ["a line", "link: hm"]);
    assert!(s.take_held().is_empty());
    for n in 0..1003 {
        s.say(&n.to_string());
    }
    let held = s.take_held();
    assert_eq!(
        (held.len(), &held[0][..], &held[1][..]),
        (1001, "3 lines before these are left out", "3")
    );
}

fn picture(state: &State, now: Duration, columns: u16, rows: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal
        .draw(|frame| draw(state, now, frame.area(), frame.buffer_mut()))
        .unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| {
        (0..columns)
            .map(|x| buffer[(x, y)].symbol())
            .collect::<String>()
    };
    (0..rows).map(|y| line(y).trim_end().to_owned()).collect()
}

fn assert_picture(got: &[String], want: &str) {
    let want: Vec<&str> = want.trim_matches('\n').lines().collect();
    assert_eq!(got, want, "\n{}\n", got.join("\n"));
}

#[test]
fn a_wide_picture() {
    let got = picture(&halfway(), at(2_000), 100, 14);
    assert_picture(
        &got,
        "
vm:test  MODEL ONLY: no number is hardware's  T8140 J700
████████████████████▋                     52 %  1/2 cells  0:02, 0:01 left  150 of 200 triggers
83 triggers/s  link connected, 4 retries
CPU core cluster boot       landed, all cells                           this cell
  0 P    1       boot masked █████████████████████           110  74.8 % ████                10
  1 E    0                   ███████                          37  25.2 % ███████████████     37
  2 E    0            fires  dead
latency p50 167 ns    ▆
latency p99 208 ns    █
cell 1: line 0:131 fired from CPU 2, 50 of 100
fields 02*3; masked CPU 0 for 1.25 ms; timeout 10 ms
lost 3 (1 late)  duplicate 0  spurious 0
a line
q stops; the target is put back
",
    );
}

#[test]
fn a_small_picture() {
    let mut s = halfway();
    s.stopping = true;
    let got = picture(&s, at(4_500), 40, 12);
    assert_picture(
        &got,
        "
vm:test  MODEL ONLY  T8140 J700
███▏    52 %  1/2 cells  0:04, 0:04 left
17/s  link silent for 2 s, 4 retries
 0*P1  m ██▎ 110     2 E0  f dead
 1 E0    ▊   37
latency p50 167 ns    ▆
latency p99 208 ns    █
cell 1 0:131 from CPU 2, 50/100
fields 02*3; masked CPU 0 for 1.25 ms; t
lost 3 (1 late)  dup 0  spur 0
a line
stopping: the target is put back
",
    );
}

#[test]
fn more_cpus_than_there_is_room_for_are_counted_together() {
    let mut s = State::new(about(24, &[]), at(0));
    let landed: Vec<u64> = (1..=24).collect();
    let so_far = &measured(&landed, 0);
    s.on(
        &Event::Progress {
            cell: &cell(0, 0, &[]),
            of: 1,
            so_far,
        },
        at(10),
    );
    let got = picture(&s, at(20), 40, 12).join("\n");
    // 11 of them have a bar.
    let others: u64 = (12..=24).sum();
    assert!(got.contains(&format!("+13 CPUs: {others}")), "{got}");
    assert!(got.contains("10 E0") && !got.contains("11 E0"), "{got}");
    assert!(got.contains("cell 0"), "{got}");
}

#[test]
fn no_area_is_too_small_or_too_large() {
    let s = halfway();
    for (columns, rows) in [
        (0, 0),
        (1, 1),
        (2, 50),
        (300, 1),
        (10, 5),
        (19, 7),
        (500, 200),
    ] {
        if columns > 0 && rows > 0 {
            picture(&s, at(2_000), columns, rows);
        }
        picture(
            &State::new(about(0, &[]), at(0)),
            at(0),
            columns.max(1),
            rows.max(1),
        );
    }
}

#[test]
fn text_of_a_target_reaches_no_terminal_as_a_command() {
    let mut s = halfway();
    s.say("evil \x1b[2J\x07 line");
    let got = picture(&s, at(2_000), 100, 20);
    assert!(
        got.iter()
            .any(|l| l.starts_with("evil") && l.ends_with("line")),
        "{got:?}"
    );
    assert!(!got.iter().any(|l| l.contains(char::is_control)), "{got:?}");
}
