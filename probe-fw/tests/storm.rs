//! Storms of IPIs and the check of FIQs against a machine of fakes. There is one thread: while one CPU waits the next is served,
//! so that of several senders the last has all the time.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot set up its machine should stop"
)]

mod common;

use aic_regs::aic::Geometry;
use aic_regs::sysreg::{IPI_RR_GLOBAL, SIQ_CFG};
use common::{Sim, by_class};
use probe_fw::storm;
use protocol::command::{FiqCell, Pattern, StormCell, Via};
use protocol::message::{FiqResult, Refusal, StormResult};
use protocol::{Command, Message};
use std::sync::atomic::Ordering::Relaxed;

const FOUND: [u64; 4] = [0, 3, 3, 3];

fn cell(cpus: u32, pattern: Pattern) -> StormCell {
    StormCell {
        id: 7,
        cpus,
        pattern,
        via: Via::Global,
        paced: false,
        shared: false,
        us: 300,
    }
}

fn storms(sim: &Sim, cells: &[StormCell]) -> Vec<StormResult> {
    let mut commands = vec![Command::Open];
    commands.extend(cells.iter().map(|c| Command::Storm(*c)));
    commands.push(Command::Close);
    let said = sim.run(&commands, 100_000);
    let results = said.iter().filter_map(|m| match m {
        Message::Storm(r) => Some(r.clone()),
        _ => None,
    });
    results.collect()
}

fn fiqs(sim: &Sim, cells: &[FiqCell]) -> Vec<FiqResult> {
    let mut commands = vec![Command::Open];
    commands.extend(cells.iter().map(|c| Command::Fiq(*c)));
    commands.push(Command::Close);
    let said = sim.run(&commands, 100_000);
    let results = said.iter().filter_map(|m| match m {
        Message::Fiq(r) => Some(*r),
        _ => None,
    });
    results.collect()
}

fn sum(counts: &[u32]) -> u32 {
    counts.iter().sum()
}

#[test]
fn what_is_sent_is_booked_to_its_targets() {
    let sim = Sim::new(&FOUND, by_class);
    let results = storms(
        &sim,
        &[
            cell(0b1111, Pattern::ToAll),
            StormCell {
                shared: true,
                ..cell(0b1111, Pattern::ToAll)
            },
            cell(0b1110, Pattern::ToOne(2)),
            cell(0b1111, Pattern::Pairs),
            cell(0b1110, Pattern::Pairs),
        ],
    );
    for r in &results {
        assert_eq!((r.id, r.refusal, r.trapped), (7, None, None));
        assert_eq!(sum(&r.sent), sum(&r.sent_to));
        assert!(r.elapsed >= 300 * 24, "{r:?}");
        for (received, sent) in r.received.iter().zip(&r.sent_to) {
            assert!(received <= sent, "{r:?}");
        }
    }
    let [all, shared, one, pairs, odd] = &results[..] else {
        panic!("{results:?}");
    };
    assert!(results[..4].iter().all(|r| sum(&r.sent) > 50));
    // CPU 3 sends to 0, 1, 2, 0, 1, 2, ...
    assert_eq!(&all.sent[..3], [0, 0, 0]);
    let n = all.sent[3];
    let to = |i: u32| n / 3 + u32::from(i < n % 3);
    assert_eq!(all.sent_to, [to(0), to(1), to(2), 0]);
    assert_eq!((all.counted, shared.counted), (0, sum(&shared.received)));
    assert!(shared.counted > 0);
    assert_eq!(one.sent_to, [0, 0, one.sent[3], 0]);
    assert_eq!(pairs.sent_to, [0, 0, pairs.sent[3], 0]);
    // 1 and 2 are a pair; 3 is left over, and waits until the end.
    assert_eq!(sum(&odd.sent), 0);
    let targets = |cpu| sim.block().shared().storm.part(cpu).targets.load(Relaxed);
    assert_eq!([1, 2, 3].map(targets), [1 << 2, 1 << 1, 0]);
    for cpu in 0..4 {
        assert_eq!(sim.block().private(cpu).ipi_mode.load(Relaxed), 0);
    }
}

#[test]
fn who_waits_for_the_count_merges_nothing_and_misses_what_never_comes() {
    let sim = Sim::new(&FOUND, by_class);
    let paced = StormCell {
        paced: true,
        ..cell(0b1100, Pattern::Pairs)
    };
    let local = StormCell {
        via: Via::Local,
        ..paced
    };
    let results = storms(&sim, &[paced, local]);
    let r = &results[0];
    assert_eq!((r.missed, &r.received), (0, &r.sent_to));
    assert!(sum(&r.sent) > 3, "{r:?}");
    // This machine delivers no local IPIs: two waits of 100 us run out, the third ends with the storm.
    let r = &results[1];
    assert_eq!((sum(&r.sent), sum(&r.received), r.missed), (3, 0, 2));
}

#[test]
fn a_sender_whose_write_traps_ends_its_part() {
    let sim = Sim::new(&FOUND, by_class);
    sim.regs[3].trap_writes::<IPI_RR_GLOBAL>(Some(0x0200_0000));
    let r = &storms(&sim, &[cell(0b1011, Pattern::ToAll)])[0];
    assert_eq!((r.refusal, r.trapped), (None, Some(0x0200_0000)));
    assert_eq!(r.sent[3], 0);
    assert!(r.sent[1] > 0, "the others go on: {r:?}");
}

#[test]
fn storms_that_cannot_be_are_refused() {
    let sim = Sim::new(&FOUND, by_class);
    let all = cell(0b1111, Pattern::ToAll);
    let refused = |cell: StormCell| storms(&sim, &[cell])[0].refusal;
    let with = |us| StormCell { us, ..all };
    assert_eq!(refused(with(0)), Some(Refusal::Triggers));
    assert_eq!(refused(with(50_001)), Some(Refusal::Triggers));
    assert_eq!(
        refused(cell(0b100, Pattern::ToAll)),
        Some(Refusal::Triggers)
    );
    assert_eq!(refused(cell(0, Pattern::Pairs)), Some(Refusal::Triggers));
    assert_eq!(
        refused(cell(1 << 5 | 1, Pattern::ToAll)),
        Some(Refusal::Cpu(5))
    );
    for to in [3, 31, 32, 255] {
        let one = cell(0b111, Pattern::ToOne(to));
        assert_eq!(refused(one), Some(Refusal::Cpu(to)));
    }
    let mmio = StormCell {
        via: Via::Mmio,
        ..all
    };
    assert_eq!(refused(mmio), Some(Refusal::Triggers));
    let said = sim.run(&[Command::Storm(all)], 100_000);
    let not_open = said.iter().any(
        |m| matches!(m, Message::Storm(r) if r.refusal == Some(Refusal::NotOpen) && r.sent.is_empty()),
    );
    assert!(not_open, "{said:?}");
    // A CPU that does not run is left out of a set that is large enough without it.
    sim.block().words(2).state.store(0, Relaxed);
    let r = &storms(&sim, &[all])[0];
    assert_eq!((r.refusal, r.sent_to[2]), (None, 0));
    sim.silent.set(Some(1));
    let r = &storms(&sim, &[all])[0];
    assert_eq!(r.refusal, Some(Refusal::WorkerSilent(1)));
}

#[test]
fn memory_mapped_ipis_are_taken_as_events_and_their_masks_put_back() {
    let sim = Sim::with(&FOUND, by_class, Geometry::v1(512));
    sim.mmio.poke(sim.geometry.config, 1);
    // As drivers with fast IPIs leave them: masked, but for CPU 2.
    let mask = |cpu| {
        sim.mmio
            .as_cpu(cpu)
            .peek(Geometry::V1_SELF + Geometry::VIEW_IPI_MASK_SET)
    };
    for cpu in [0, 1, 3] {
        let mmio = sim.mmio.as_cpu(cpu);
        mmio.poke(Geometry::V1_SELF + Geometry::VIEW_IPI_MASK_SET, 1 << 31 | 1);
    }
    let mmio = StormCell {
        via: Via::Mmio,
        paced: true,
        shared: true,
        ..cell(0b1110, Pattern::ToAll)
    };
    let r = &storms(&sim, &[mmio])[0];
    assert_eq!((r.refusal, r.missed, &r.received), (None, 0, &r.sent_to));
    assert_eq!(r.counted, sum(&r.received));
    assert!(sum(&r.sent) > 3, "{r:?}");
    assert_eq!(
        [0, 1, 2, 3].map(mask),
        [1 << 31 | 1, 1 << 31 | 1, 0, 1 << 31 | 1]
    );
    // Without a storm such an event is nobody's: left masked, as found out by the next who looks.
    let fiq = FiqCell {
        id: 1,
        cpu: 1,
        field: 2,
        count: 1,
        timeout_us: 10,
    };
    let refusal = Some(Refusal::SiqCfg { cpu: 1, esr: 0 });
    assert_eq!(fiqs(&sim, &[fiq])[0].refusal, refusal);
}

#[test]
fn a_round_begins_behind_its_sender() {
    let order = |targets, from| {
        let mut at = from;
        (0..4)
            .map(|_| {
                at = storm::next(targets, at);
                at
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(order(0b1101, 1), [2, 3, 0, 2]);
    assert_eq!(order(1 << 23 | 1, 23), [0, 23, 0, 23]);
}

#[test]
fn fiqs_come_whatever_the_field_says_and_the_field_is_put_back() {
    let sim = Sim::new(&FOUND, by_class);
    let fiq = |id, cpu, field| FiqCell {
        id,
        cpu,
        field,
        count: 5,
        timeout_us: 100,
    };
    let results = fiqs(&sim, &[fiq(0, 0, 3), fiq(1, 2, 1), fiq(2, 3, 3)]);
    for (r, field) in results.iter().zip([3, 1, 3]) {
        assert_eq!((r.refusal, r.field), (None, field));
        assert_eq!((r.sent, r.ipis, r.armed), (5, 5, 5));
    }
    // The timer of CPU 3 never fires.
    assert_eq!(
        results.iter().map(|r| r.timers).collect::<Vec<_>>(),
        [5, 5, 0]
    );
    assert_eq!([0, 1, 2, 3].map(|cpu| sim.siq(cpu)), FOUND);
}

#[test]
fn checks_of_fiqs_that_cannot_be_are_refused() {
    let sim = Sim::new(&FOUND, by_class);
    let good = FiqCell {
        id: 9,
        cpu: 1,
        field: 0,
        count: 5,
        timeout_us: 100,
    };
    let refused = |cell| fiqs(&sim, &[cell])[0].refusal;
    assert_eq!(refused(FiqCell { cpu: 7, ..good }), Some(Refusal::Cpu(7)));
    assert_eq!(
        refused(FiqCell { field: 4, ..good }),
        Some(Refusal::Field(1))
    );
    for (count, timeout_us) in [(0, 10), (1, 50_000), (5000, 1), (u32::MAX, u32::MAX)] {
        let cell = FiqCell {
            count,
            timeout_us,
            ..good
        };
        assert_eq!(refused(cell), Some(Refusal::Triggers));
    }
    sim.regs[1].trap_writes::<SIQ_CFG>(Some(0x6200_0000));
    let trap = Refusal::SiqCfg {
        cpu: 1,
        esr: 0x6200_0000,
    };
    assert_eq!(refused(good), Some(trap));
}
