//! The engine against a machine of fakes: every count of a cell, every refusal, and the way back.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot set up its machine should stop"
)]

mod common;

use std::sync::atomic::Ordering::Relaxed;

use common::{HZ, LINE, Sim, by_class};
use protocol::command::{Action, Ending, FIELD_AS_FOUND, IpiCell, Reach, Receive, Special, Step};
use protocol::message::{CellResult, Item, Refusal, Restored};
use protocol::{Cell, Command, HelloRequest, LineId, Mask, Message, latency};

/// As found on T8140: the boot CPU at 0, the others at 3.
const FOUND: [u64; 4] = [0, 3, 3, 3];

fn cell(id: u32) -> Cell {
    Cell {
        id,
        line: LineId {
            die: 0,
            number: LINE,
        },
        fire_cpu: 0,
        fields: [FIELD_AS_FOUND; 4].as_slice().try_into().unwrap(),
        masked: heapless::Vec::new(),
        triggers: 32,
        timeout_us: 1000,
        grace_us: 2,
        raw: false,
        special: Special::default(),
    }
}

fn special(id: u32, special: Special) -> Cell {
    Cell {
        special,
        triggers: 4,
        ..cell(id)
    }
}

fn step(at_us: u32, cpu: u8, action: Action) -> Step {
    Step { at_us, cpu, action }
}

fn with_field(mut cell: Cell, cpu: usize, field: u8) -> Cell {
    cell.fields[cpu] = field;
    cell
}

fn with_mask(mut cell: Cell, cpu: u8, us: u32) -> Cell {
    cell.masked.push(Mask { cpu, us }).unwrap();
    cell
}

fn result(said: &[Message], id: u32) -> CellResult {
    said.iter()
        .find_map(|m| match m {
            Message::Cell(result) if result.id == id => Some(result.clone()),
            _ => None,
        })
        .expect("no result")
}

fn restored(said: &[Message]) -> Restored {
    said.iter()
        .find_map(|m| match m {
            Message::Restored(r) => Some(r.clone()),
            _ => None,
        })
        .expect("no Restored")
}

fn run(sim: &Sim, cells: &[Cell]) -> Vec<Message> {
    let mut commands = vec![Command::Open];
    commands.extend(cells.iter().cloned().map(Command::Cell));
    commands.push(Command::Close);
    let said = sim.run(&commands, 5_000);
    assert!(!sim.sw_pending());
    said
}

#[test]
fn everything_lands_on_the_only_acceptor_whoever_fires() {
    let sim = Sim::new(&FOUND, by_class);
    let cells: Vec<Cell> = (0..4u8)
        .map(|cpu| Cell {
            fire_cpu: cpu,
            ..cell(cpu.into())
        })
        .collect();
    let said = run(&sim, &cells);
    for id in 0..4 {
        let r = result(&said, id);
        assert_eq!(r.refusal, None);
        assert_eq!(r.fired, 32);
        assert_eq!(r.landed, [32, 0, 0, 0]);
        assert_eq!((r.lost, r.late, r.duplicate, r.spurious), (0, 0, 0, 0));
        assert_eq!((r.latencies, r.from_unmask), (32, 0));
        let chunks: u32 = said
            .iter()
            .filter_map(|m| match m {
                Message::Latency(c) if c.id == id => Some(c),
                _ => None,
            })
            .flat_map(|c| &c.counts)
            .map(|(bucket, count)| {
                let (low, high) = latency::bounds(*bucket);
                assert!(low <= r.max_ticks && high >= r.min_ticks);
                *count
            })
            .sum();
        assert_eq!(chunks, 32);
    }
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn a_masked_sole_acceptor_keeps_the_interrupt_until_the_unmask() {
    let sim = Sim::new(&FOUND, by_class);
    let said = run(&sim, &[with_mask(cell(1), 0, 35_000)]);
    let r = result(&said, 1);
    assert_eq!(r.landed, [32, 0, 0, 0]);
    assert_eq!(r.offered, [32, 0, 0, 0]);
    assert_eq!((r.lost, r.from_unmask), (0, 32));
    assert!(r.max_ticks < HZ / 1000, "counted from the unmask");
}

#[test]
fn a_masked_worker_is_sampled_and_unmasked_by_mailbox() {
    let sim = Sim::new(&FOUND, by_class);
    let said = run(&sim, &[with_mask(with_field(cell(1), 2, 1), 2, 500)]);
    let r = result(&said, 1);
    assert_eq!(r.landed, [0, 0, 32, 0]);
    assert_eq!(r.offered, [0, 0, 32, 0]);
    assert_eq!(r.from_unmask, 32);
}

#[test]
fn a_landing_elsewhere_during_the_window_counts_from_the_trigger() {
    let unmasked_first: common::Rule = |fields, masked| {
        [1, 0, 2]
            .iter()
            .find_map(|class| (0..fields.len()).find(|c| fields[*c] == *class && !masked[*c]))
    };
    let sim = Sim::new(&FOUND, unmasked_first);
    let said = run(&sim, &[with_mask(with_field(cell(1), 3, 2), 0, 1000)]);
    let r = result(&said, 1);
    assert_eq!(r.landed, [0, 0, 0, 32]);
    assert_eq!(r.offered, [0, 0, 0, 0]);
    assert_eq!(r.from_unmask, 0);
}

#[test]
fn fields_are_set_read_back_and_put_back() {
    let sim = Sim::new(&[0xf0, 0xf3, 3, 3], by_class);
    let said = run(&sim, &[with_field(with_field(cell(1), 1, 1), 2, 0)]);
    let r = result(&said, 1);
    assert_eq!(r.fields, [0, 1, 0, 3]);
    assert_eq!(r.landed, [0, 32, 0, 0]);
    assert_eq!(restored(&said).different, 0);
    // The bits that nobody knows were kept.
    assert_eq!(
        (0..4).map(|c| sim.siq(c)).collect::<Vec<_>>(),
        [0xf0, 0xf3, 3, 3]
    );
}

#[test]
fn with_3_everywhere_every_trigger_is_lost_in_bounded_time() {
    let sim = Sim::new(&FOUND, by_class);
    let said = run(&sim, &[with_field(cell(1), 0, 3), cell(2)]);
    let r = result(&said, 1);
    assert_eq!((r.fired, r.lost, r.late), (32, 32, 0));
    assert_eq!(r.landed, [0; 4]);
    assert_eq!(r.latencies, 0);
    // Nothing of it reaches the next cell.
    assert_eq!(result(&said, 2).landed, [32, 0, 0, 0]);
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn an_event_of_another_line_is_spurious_and_stays_masked() {
    let sim = Sim::new(&FOUND, by_class);
    sim.mmio.queue_event(aic_regs::aic::EventWord(0x0001_0123));
    let said = sim.run(
        &[Command::Open, Command::Cell(cell(1)), Command::Close],
        5_000,
    );
    let r = result(&said, 1);
    assert_eq!((r.spurious, r.landed[0], r.lost), (1, 32, 0));
}

#[test]
fn a_second_delivery_is_a_duplicate_and_too_many_are_a_storm() {
    let again = aic_regs::aic::EventWord(0x0001_0000 | u32::from(LINE));
    let sim = Sim::new(&FOUND, by_class);
    for _ in 0..3 {
        sim.mmio.queue_event(again);
    }
    let r = result(&run(&sim, &[cell(1)]), 1);
    assert_eq!((r.landed[0], r.duplicate, r.lost), (32, 2, 0));
    for _ in 0..100 {
        sim.mmio.queue_event(again);
    }
    let said = run(&sim, &[cell(2)]);
    assert_eq!(result(&said, 2).refusal, Some(Refusal::Storm));
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn a_cell_longer_than_a_slice_goes_on_in_the_next() {
    let sim = Sim::new(&FOUND, by_class);
    let long = Cell {
        triggers: 3000,
        ..cell(1)
    };
    let said = sim.run(&[Command::Open, Command::Cell(long), Command::Close], 500);
    let progress = said
        .iter()
        .filter(|m| matches!(m, Message::Progress(_)))
        .count();
    assert!(progress > 3, "{progress}");
    assert_eq!(result(&said, 1).landed[0], 3000);
}

#[test]
fn a_step_releases_a_cpu_and_the_waiting_interrupt_lands_there() {
    let sim = Sim::new(&[3; 4], by_class);
    let release = Special {
        steps: [step(200, 2, Action::SetField(0))].into_iter().collect(),
        ..Special::default()
    };
    let said = run(&sim, &[special(1, release)]);
    let r = result(&said, 1);
    assert_eq!((r.refusal, r.fired, r.lost), (None, 4, 0));
    assert_eq!((&r.landed[..], &r.hits[..]), (&[0, 0, 4, 0][..], &[4][..]));
    assert!(r.min_ticks >= 200 * HZ / 1_000_000, "from the SW_SET store");
    assert_eq!((restored(&said).different, sim.siq(2)), (0, 3));
}

#[test]
fn an_event_taken_by_reading_it_is_no_landing() {
    let sim = Sim::new(&FOUND, by_class);
    let thief = Special {
        steps: [step(5, 0, Action::Sample), step(6, 2, Action::TakeEvent)]
            .into_iter()
            .collect(),
        ..Special::default()
    };
    let mut cell = with_mask(special(1, thief), 0, 50);
    cell.timeout_us = 100;
    let said = run(&sim, &[cell]);
    let r = result(&said, 1);
    // The fakes give an event to whoever reads it.
    assert_eq!((&r.hits[..], r.lost, r.fired), (&[4, 4][..], 4, 4));
    assert_eq!(r.landed, [0; 4]);
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn a_line_that_is_masked_fires_at_its_unmask() {
    let sim = Sim::new(&FOUND, by_class);
    let held = Special {
        line_masked: true,
        steps: [step(100, 0, Action::UnmaskLine)].into_iter().collect(),
        ..Special::default()
    };
    let said = run(&sim, &[special(1, held)]);
    let r = result(&said, 1);
    assert_eq!((r.landed[0], r.lost, r.hits[0]), (4, 0, 4));
    assert!(r.min_ticks >= 100 * HZ / 1_000_000);
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn other_endings_leave_no_mask_behind() {
    let sim = Sim::new(&FOUND, by_class);
    let second = LineId {
        die: 0,
        number: LINE + 40,
    };
    let cells = [Ending::Disabled, Ending::OutOfOrder(second)].map(|ending| {
        let ending = Special {
            ending,
            ..Special::default()
        };
        special(7, ending)
    });
    for cell in cells {
        let said = run(&sim, &[cell]);
        let r = result(&said, 7);
        assert_eq!((r.refusal, r.landed[0], r.lost), (None, 4, 0));
        assert_eq!((r.duplicate, r.spurious, r.left_masked), (0, 0, 0));
        assert_eq!(restored(&said).different, 0);
    }
}

#[test]
fn routing_words_and_enable_are_set_for_the_cell_and_put_back() {
    let sim = Sim::new(&FOUND, by_class);
    let off = Special {
        routing: Some(0x25),
        enable: Some(false),
        ..Special::default()
    };
    let seen = std::cell::Cell::new((0, 0));
    let aic = aic_regs::aic::Aic::new(sim.mmio.clone(), sim.geometry);
    let line = aic
        .line(aic_regs::aic::Line {
            die: 0,
            number: LINE,
        })
        .unwrap();
    let long = Cell {
        triggers: 3_000,
        ..special(1, off)
    };
    let commands = [Command::Open, Command::Cell(long), Command::Close];
    let said = sim.run_until(&commands, 500, |slices| {
        if slices == 1 {
            seen.set((aic.irq_cfg(&line).bits(), aic.config().bits()));
        }
    });
    // Between slices CONFIG is the loader's; the routing word of a masked line is nobody's.
    assert_eq!(seen.get(), (0x25, 0));
    assert_eq!(result(&said, 1).refusal, None);
    assert_eq!(restored(&said).different, 0);
    assert_eq!(aic.irq_cfg(&line).bits(), 0);
}

#[test]
fn fast_ipis_are_counted_where_they_land_and_merge_while_held() {
    let sim = Sim::new(&FOUND, by_class);
    let ipi = |id, from, to, receive| {
        Command::Ipi(IpiCell {
            id,
            from,
            to,
            reach: Reach::Global,
            kind: 0,
            receive,
            count: 20,
            timeout_us: 200,
        })
    };
    let commands = [
        Command::Open,
        ipi(0, 0, 2, Receive::Normal),
        ipi(1, 3, 0, Receive::LateAcknowledge),
        ipi(2, 1, 2, Receive::Held),
        ipi(3, 1, 9, Receive::Normal),
        Command::Wfi { cpu: 2, us: 100 },
        Command::Wfi { cpu: 0, us: 100 },
        Command::Close,
    ];
    let said = sim.run(&commands, 100_000);
    let mut results = said.iter().filter_map(|m| match m {
        Message::Ipi(r) => Some(r.clone()),
        _ => None,
    });
    let r = results.next().unwrap();
    assert_eq!((r.refusal, r.sent, r.missed), (None, 20, 0));
    assert_eq!(r.received, [0, 0, 20, 0]);
    let r = results.next().unwrap();
    assert_eq!((r.sent, r.received[0]), (20, 20));
    let r = results.next().unwrap();
    assert_eq!((r.sent, &r.received[..]), (20, &[0, 0, 1, 0][..]));
    let r = results.next().unwrap();
    assert_eq!((r.refusal, r.sent), (Some(Refusal::Cpu(9)), 0));
    let wfi: Vec<_> = said
        .iter()
        .filter_map(|m| match m {
            Message::Wfi(w) => Some((w.cpu, w.changed, w.system)),
            _ => None,
        })
        .collect();
    assert_eq!(wfi, [(2, Some(1 << 9), 1), (0, None, 0)]);
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn an_abort_gives_back_the_running_cell_and_all_after_it() {
    let sim = Sim::new(&FOUND, by_class);
    let long = Cell {
        triggers: 100_000,
        ..cell(9)
    };
    let commands = [
        Command::Open,
        Command::Cell(long),
        Command::Cell(cell(10)),
        Command::Close,
    ];
    let said = sim.run_until(&commands, 1_000, |slices| {
        if slices == 3 {
            sim.block().control().abort.store(1, Relaxed);
        }
    });
    let r = result(&said, 9);
    assert_eq!(r.refusal, Some(Refusal::Aborted));
    assert!(r.fired > 0 && r.fired < 2_000, "{}", r.fired);
    assert_eq!(r.landed[0], r.fired);
    let r = result(&said, 10);
    assert_eq!((r.refusal, r.fired), (Some(Refusal::Aborted), 0));
    assert_eq!(restored(&said).different, 0);
}

#[test]
fn every_bad_cell_is_refused_by_its_reason_and_changes_nothing() {
    let sim = Sim::new(&FOUND, by_class);
    let line = |number| Cell {
        line: LineId { die: 0, number },
        ..cell(0)
    };
    let die = Cell {
        line: LineId {
            die: 1,
            number: LINE,
        },
        ..cell(0)
    };
    let none = Cell {
        triggers: 0,
        ..cell(0)
    };
    let nobody = Cell {
        fire_cpu: 4,
        ..cell(0)
    };
    let cases = [
        (line(1504), Refusal::Line),
        (line(0), Refusal::Line),
        (die, Refusal::Line),
        (none, Refusal::Triggers),
        (nobody, Refusal::Cpu(4)),
        (with_mask(cell(0), 9, 1), Refusal::Cpu(9)),
        (
            with_mask(with_mask(cell(0), 1, 1), 1, 2),
            Refusal::MaskedTwice(1),
        ),
        (with_field(cell(0), 2, 4), Refusal::Field(2)),
    ];
    for (bad, refusal) in cases {
        let said = run(&sim, &[bad]);
        assert_eq!(result(&said, 0).refusal, Some(refusal));
        assert_eq!(result(&said, 0).fired, 0);
    }
    sim.mmio.set_hw_level(
        aic_regs::aic::Line {
            die: 0,
            number: LINE,
        },
        true,
    );
    let said = run(&sim, &[cell(0)]);
    assert_eq!(result(&said, 0).refusal, Some(Refusal::LineBusy));
    let unopened = sim.run(&[Command::Cell(cell(5))], 5_000);
    assert_eq!(result(&unopened, 5).refusal, Some(Refusal::NotOpen));
    assert_eq!((0..4).map(|c| sim.siq(c)).collect::<Vec<_>>(), FOUND);
}

#[test]
fn a_trapping_siq_cfg_is_an_answer() {
    use aic_regs::sysreg::SIQ_CFG;
    let sim = Sim::new(&FOUND, by_class);
    sim.regs[1].trap_writes::<SIQ_CFG>(Some(0x0200_0000));
    let said = run(&sim, &[with_field(cell(1), 1, 1), cell(2)]);
    let trapped = Refusal::SiqCfg {
        cpu: 1,
        esr: 0x0200_0000,
    };
    assert_eq!(result(&said, 1).refusal, Some(trapped));
    assert_eq!(result(&said, 2).landed, [32, 0, 0, 0]);
}

#[test]
fn a_silent_worker_ends_the_cell_and_shows_at_the_close() {
    let sim = Sim::new(&FOUND, by_class);
    let said = sim.run(
        &[Command::Open, Command::Cell(with_field(cell(1), 2, 0))],
        5_000,
    );
    assert_eq!(result(&said, 1).refusal, None);
    sim.silent.set(Some(2));
    let fires = Cell {
        fire_cpu: 2,
        ..with_field(cell(2), 2, 0)
    };
    let said = sim.run(&[Command::Cell(fires), Command::Close], 5_000);
    assert_eq!(result(&said, 2).refusal, Some(Refusal::WorkerSilent(2)));
    let report = restored(&said);
    assert_eq!(report.different, 1);
    assert_eq!(
        (report.differences[0].item, report.differences[0].index),
        (Item::SiqCfg, 2)
    );
}

#[test]
fn masks_and_config_found_are_put_back() {
    use aic_regs::mmio::Mmio;
    let sim = Sim::new(&FOUND, by_class);
    let g = sim.geometry;
    sim.mmio.write32(g.mask_clr + 4, 0x8000_0001);
    sim.mmio.write32(g.config, 0xf0);
    let said = run(&sim, &[cell(1)]);
    assert_eq!(restored(&said).different, 0);
    assert_eq!(sim.mmio.peek(g.mask_set + 4), !0x8000_0001);
    assert_eq!(sim.mmio.peek(g.config), 0xf0);
    assert!(matches!(
        said[0],
        Message::Opened {
            unmasked: 2,
            config: 0xf0,
            ..
        }
    ));
}

#[test]
fn hello_carries_the_nonce_and_garbage_is_named() {
    let sim = Sim::new(&FOUND, by_class);
    let hello = HelloRequest {
        protocol: protocol::PROTOCOL_VERSION,
        schema: protocol::SCHEMA_HASH,
        nonce: 0x1234,
    };
    let said = sim.run(&[Command::Hello(hello)], 5_000);
    let Message::Hello(answer) = &said[0] else {
        panic!("{said:?}")
    };
    assert_eq!(answer.nonce, 0x1234);
    assert_eq!(answer.counter_hz, HZ);
    assert_eq!(answer.build_id, [7; 16]);
    sim.send(&[1, 2, 3, 0]);
    let said = sim.run(&[Command::Open], 5_000);
    assert!(matches!(said[0], Message::BadCommand { .. }));
    assert!(matches!(said[1], Message::Opened { .. }));
}
