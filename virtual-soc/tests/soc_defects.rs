//! Seeded defects: each odd machine does what it is named for, and the machine it is made from does not.

mod soc_common;

use std::path::PathBuf;

use soc_common::*;
use virtual_soc::cpu::{Bus, Time};
use virtual_soc::model::DefectModel;
use virtual_soc::soc::SocBus;

/// The word of [`LINE`] in a bank, and its bit.
const WORD: u64 = 4 * (LINE as u64 / 32);
const BIT: u32 = 1 << (LINE % 32);
const INFO1: u64 = AIC + 4;
const MS: u64 = 1_000_000;
/// A core of the other cluster than the boot CPU's, and one of its own.
const E_CORE: usize = 3;
const P_CORE: usize = 5;

fn odd(name: &str) -> SocModel {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("models/odd/{name}.toml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    SocModel::from_toml(&text, name).unwrap_or_else(|e| panic!("{e}"))
}

/// The machine that is odd, and the one that it is made from.
fn both(name: &str) -> [Bench; 2] {
    [Bench::new(&odd(name)), Bench::new(&t8140())]
}

/// Fire `n` times; who took each, looked at after `ns`.
fn receivers(b: &mut Bench, n: usize, ns: u64) -> Vec<Option<usize>> {
    (0..n).map(|_| b.receiver(ns)).collect()
}

fn count(all: &[Option<usize>], who: Option<usize>) -> usize {
    all.iter().filter(|r| **r == who).count()
}

/// A line set by a CPU, and who is offered it.
fn set_by(b: &mut Bench, cpu: usize, line: u32) -> u64 {
    let (word, bit) = (4 * u64::from(line / 32), 1 << (line % 32));
    b.w(MASK_CLR + word, bit);
    let now = b.now;
    b.bus
        .mmio_write(cpu, SW_SET + word, 4, u64::from(bit), now)
        .expect("write");
    b.pass(500);
    let lines = b.irq();
    for cpu in (0..6).filter(|cpu| lines >> cpu & 1 == 1) {
        b.r_as(cpu, EVENT);
    }
    b.w(SW_CLR + word, bit);
    b.w(MASK_CLR + word, bit);
    lines
}

#[test]
fn built_in_machines_have_no_defects() {
    for name in SocModel::builtin_names() {
        let model = SocModel::builtin(name).expect("built in");
        assert_eq!(model.defect, DefectModel::default(), "{name}");
    }
}

#[test]
fn rates_as_small_as_one_in_100_000() {
    for (name, every, of) in [
        ("loses-rarely", 100_000, 100_001),
        ("strays-rarely", 20_000, 40_000),
    ] {
        let [mut b, _] = both(name);
        // No time passes but the delivery's, or this takes minutes.
        let all = receivers(&mut b, of, 0);
        let wrong: Vec<usize> = (1..=of).filter(|n| all[n - 1] != Some(0)).collect();
        let due: Vec<usize> = (1..=of / every).map(|n| n * every).collect();
        assert_eq!(wrong, due, "{name}");
        if name == "strays-rarely" {
            let fields = due.iter().map(|n| b.mrs(all[n - 1].unwrap(), SIQ_CFG));
            assert!(fields.into_iter().all(|f| f == Ok(3)));
        } else {
            assert_eq!(all[due[0] - 1], None);
        }
    }
    assert_eq!(odd("delivers-twice-rarely").faults.duplicate_every, 20_000);
    // The seed says who gets it.
    let strays = |seed| {
        let mut model = odd("strays-rarely");
        model.defect.stray_every = 1;
        let mut b = Bench::new(&model);
        b.bus = SocBus::new(&model, 0, seed);
        b.w(ACTIVE, 0x3f);
        b.w(CONFIG, 1);
        b.w(MASK_CLR + WORD, BIT);
        receivers(&mut b, 20, 0)
    };
    assert_eq!(strays(7), strays(7));
    assert_ne!(strays(7), strays(8));
}

#[test]
fn spurious_interrupts() {
    let [mut b, mut plain] = both("spurious-rarely");
    for (b, false_ones) in [(&mut b, 1), (&mut plain, 0)] {
        let mut ghosts = 0;
        for _ in 0..1_000 {
            b.fire();
            if b.irq() == 1 && b.r(EVENT) == 0 {
                ghosts += 1;
                b.pass(3_000);
                assert_eq!(b.r(EVENT), 0x1_0000 | LINE, "the true one follows");
            }
            b.finish();
        }
        assert_eq!(ghosts, false_ones);
    }
    let [mut b, mut plain] = both("spurious-other-line");
    for (b, other) in [(&mut b, 0x1_0000 | (LINE ^ 1)), (&mut plain, 0)] {
        assert_eq!(count(&receivers(b, 999, 0), Some(0)), 999);
        b.pass(2_000);
        assert_eq!((b.irq(), b.receiver(0)), (0, Some(0)));
        b.pass(2_000);
        assert_eq!(b.r(EVENT), other);
        assert_eq!(b.r(SW_SET + WORD), 0, "nobody set it");
    }
}

#[test]
fn one_comes_late() {
    let [mut b, mut plain] = both("late-rarely");
    assert_eq!(count(&receivers(&mut b, 999, 0), Some(0)), 999);
    b.fire();
    b.pass(3 * MS - 1_000);
    assert_eq!(b.irq(), 0);
    b.pass(1_000);
    assert_eq!(b.receiver(0), Some(0));
    assert_eq!(count(&receivers(&mut plain, 1_001, 0), Some(0)), 1_001);
}

#[test]
fn one_that_moves_is_lost() {
    let [mut b, mut plain] = both("loses-when-moving");
    for (b, lost) in [(&mut b, 2), (&mut plain, 0)] {
        b.field(E_CORE, 2);
        assert_eq!(count(&receivers(b, 60, 2_000), Some(0)), 60, "none moves");
        b.mask(1);
        let all = receivers(b, 100, 2_000);
        assert_eq!(count(&all, None), lost);
        assert_eq!(count(&all, Some(E_CORE)), 100 - lost);
    }
}

#[test]
fn a_sole_acceptor_that_masks_loses_it() {
    let [mut b, mut plain] = both("sole-moves");
    for (b, at) in [(&mut b, 1 << 1), (&mut plain, 1)] {
        b.mask(1);
        b.fire();
        b.pass(20 * MS - 10_000);
        assert_eq!(b.irq(), 1);
        b.pass(20_000);
        assert_eq!(b.irq(), at);
    }
    assert_eq!(b.mrs(1, SIQ_CFG), Ok(3));
    assert_eq!(b.r_as(1, EVENT), 0x1_0000 | LINE);
    // Time alone does it, so the machine has to be told when.
    b.finish();
    b.fire();
    let next = b.bus.next_event(b.now).expect("something is due").0;
    let left = next - b.now.0;
    assert!((19_000_000_000..=20_000_000_000).contains(&left), "{left}");
    // Where a fallback takes it after the time of the model, nothing is left to move.
    let [mut b, _] = both("sole-moves");
    b.field(E_CORE, 2);
    b.mask(1);
    assert_eq!(b.receiver(2_000), Some(E_CORE));
}

#[test]
fn routing_stays_with_the_fallback_after_a_mask() {
    let [mut b, mut plain] = both("restores-late");
    for (b, after) in [(&mut b, Some(E_CORE)), (&mut plain, Some(0))] {
        b.field(E_CORE, 2);
        b.mask(1);
        b.mask(0);
        assert_eq!(b.receiver(0), Some(0), "nothing moved");
        for _ in 0..3 {
            b.mask(1);
            assert_eq!(b.receiver(2_000), Some(E_CORE));
            b.mask(0);
            assert_eq!(b.receiver(0), after);
        }
        b.pass(4_900_000);
        assert_eq!(b.receiver(0), after);
        b.pass(100_000);
        assert_eq!(b.receiver(0), Some(0));
        // Nobody else accepts: no reason to wait.
        b.mask(1);
        b.receiver(2_000);
        b.field(E_CORE, 3);
        b.mask(0);
        assert_eq!(b.receiver(0), Some(0));
    }
}

/// Receivers with CPU 3 at 0 to 3 and CPU 0 open, then with CPU 0 masked.
fn by_field(model: &SocModel) -> Vec<Option<usize>> {
    let mut b = Bench::new(model);
    let mut all = Vec::new();
    for masked in [0, 1] {
        for field in 0..4 {
            b.field(E_CORE, field);
            b.mask(masked);
            b.fire();
            b.pass(2_000);
            let who = b.irq().trailing_zeros() as usize;
            all.push((who < 64).then_some(who));
            b.mask(0);
            for cpu in 0..6 {
                b.r_as(cpu, EVENT);
            }
            b.finish();
        }
    }
    all
}

#[test]
fn values_mean_something_else() {
    let (own, e) = (Some(0), Some(E_CORE));
    let of = |name: &str| by_field(&odd(name));
    let rule = by_field(&t8140());
    assert_eq!(rule, [own, e, own, own, e, e, e, own]);
    assert_eq!(of("siq-ignored")[1], own, "1 is not preferred");
    assert_ne!(of("siq-ignored")[7], own, "3 takes it");
    assert_eq!(of("order-0-2")[..4], [own, e, e, own]);
    assert_eq!(of("prefers-nobody")[..4], [own; 4]);
    assert_eq!(of("fallback-never")[6], own);
    assert_eq!(of("never-is-fallback")[..4], rule[..4]);
    assert_ne!(of("never-is-fallback")[7], own);
    let mut b = Bench::new(&odd("fallback-is-normal"));
    b.field(E_CORE, 2);
    let all = receivers(&mut b, 10, 0);
    assert_eq!((count(&all, own), count(&all, e)), (5, 5));
    let mut b = Bench::new(&odd("swapped-secondaries"));
    // Device-tree ids 1 and 2 are logical CPUs 2 and 3.
    b.field(3, 1);
    assert_eq!(b.receiver(0), Some(2));
    let mut b = Bench::new(&odd("two-accept"));
    b.mask(1);
    assert_eq!(b.receiver(2_000), Some(P_CORE));
}

#[test]
fn it_depends_on_who_fires() {
    let [mut b, mut plain] = both("boot-prefers-nobody");
    for (b, own) in [(&mut b, 1), (&mut plain, 1 << E_CORE)] {
        b.field(E_CORE, 1);
        assert_eq!(set_by(b, 0, LINE), own);
        assert_eq!(set_by(b, 1, LINE), 1 << E_CORE);
        assert_eq!(set_by(b, P_CORE, LINE), 1 << E_CORE);
    }
    let [mut always, mut plain] = both("firer-takes");
    let [mut accepting, _] = both("firer-takes-accepting");
    for (b, at_3, at_2) in [
        (&mut always, 1 << E_CORE, 1 << E_CORE),
        (&mut accepting, 1, 1 << E_CORE),
        (&mut plain, 1, 1),
    ] {
        assert_eq!(set_by(b, E_CORE, LINE), at_3);
        assert_eq!(set_by(b, P_CORE, LINE), 1, "the boot CPU's cluster");
        b.field(E_CORE, 2);
        b.field(P_CORE, 2);
        assert_eq!(set_by(b, E_CORE, LINE), at_2);
        assert_eq!(set_by(b, P_CORE, LINE), 1);
    }
}

#[test]
fn it_depends_on_the_line() {
    let [mut even, mut plain] = both("lines-even-elsewhere");
    let [mut odd_ones, _] = both("lines-odd-elsewhere");
    for (b, of_even, of_odd) in [
        (&mut even, 1 << P_CORE, 1),
        (&mut odd_ones, 1, 1 << P_CORE),
        (&mut plain, 1, 1),
    ] {
        assert_eq!(set_by(b, 0, 130), of_even);
        assert_eq!(set_by(b, 0, 131), of_odd);
        assert_eq!(b.mrs(P_CORE, SIQ_CFG), Ok(3));
    }
}

#[test]
fn it_depends_on_the_die() {
    let by_die = |model: &SocModel| {
        let cpus = model.logical_order().len();
        [0, 1].map(|die| {
            let mut bus = SocBus::new(model, 0, 7);
            let mut now = Time::from_micros(1);
            let base = model.aic.base + 0x4a00 * die;
            let mut write = |at, value| bus.mmio_write(0, at, 4, value, now).expect("write");
            write(model.aic.base + 0x14, 1);
            write(base + 0x6600 + 12, 1 << 4);
            write(base + 0x6000 + 12, 1 << 4);
            for cpu in 0..cpus {
                bus.set_siq_cfg(cpu, if cpu == 0 { 0 } else { 3 }, now);
                bus.set_line(0, 0, false, now);
            }
            let starts = model.pmgr.as_ref().expect("start block");
            for die in 0..2 {
                let active = starts.base + u64::from(starts.cpu_start) + 4;
                let at = active + die * starts.die_stride;
                let _ = bus.mmio_write(0, at, 4, u64::from(u32::MAX), now);
            }
            now = Time::from_micros(10);
            bus.tick(now, &Default::default());
            bus.irq_lines().trailing_zeros() as usize
        })
    };
    let plain = SocModel::builtin("t6002").expect("built in");
    assert_eq!(by_die(&plain), [0, 0]);
    let order = plain.logical_order();
    let three = order.iter().position(|&i| plain.cpu[i].adt_id == 3);
    let found = by_die(&odd("die-1-elsewhere"));
    assert_eq!((found[0], Some(found[1])), (0, three));
}

#[test]
fn nobody_accepts_and_it_is_lost() {
    let [mut b, mut plain] = both("drops-unwanted");
    for (b, after) in [(&mut b, 0), (&mut plain, 1)] {
        b.field(0, 3);
        b.fire();
        b.pass(10_000);
        assert_eq!(b.irq(), 0);
        b.field(0, 0);
        b.pass(10_000);
        assert_eq!(b.irq(), after);
        assert_eq!(b.r(EVENT) != 0, after == 1);
        b.finish();
        assert_eq!(b.receiver(0), Some(0), "the next one comes");
    }
}

#[test]
fn a_masked_line_is_delivered() {
    let [mut b, mut plain] = both("ignores-line-mask");
    for (b, lines) in [(&mut b, 1), (&mut plain, 0)] {
        b.w(MASK_SET + WORD, BIT);
        b.fire();
        assert_eq!(b.irq(), lines);
        assert_eq!(b.r(MASK_SET + WORD) & BIT, BIT);
        b.w(MASK_CLR + WORD, BIT);
        assert_eq!(b.receiver(0), Some(0));
        // EVENT's masking holds, or the line would come for ever.
        b.fire();
        assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
        b.pass(1_000);
        assert_eq!(b.irq(), 0);
    }
}

#[test]
fn registers_do_not_become_what_they_were() {
    let [mut b, mut plain] = both("config-sticks");
    for (b, config) in [(&mut b, 1), (&mut plain, 0)] {
        b.w(CONFIG, 0);
        assert_eq!(b.r(CONFIG), config);
    }
    let [mut b, mut plain] = both("irq-cfg-changes");
    let at = IRQ_CFG + 4 * u64::from(LINE);
    for (b, word) in [(&mut b, 0x20), (&mut plain, 0)] {
        assert_eq!(b.r(at), 0);
        assert_eq!(receivers(b, 3, 0), [Some(0); 3]);
        assert_eq!(b.r(at), word);
        b.w(at, 0);
        assert_eq!(b.r(at), word, "and no write clears it");
        assert_eq!(b.r(at + 4), 0, "of no other line");
    }
    let [mut b, mut plain] = both("siq-drifts");
    for (b, field, who) in [(&mut b, 3, 0), (&mut plain, 1, E_CORE)] {
        b.field(E_CORE, 1);
        assert_eq!(count(&receivers(b, 100, 0), Some(E_CORE)), 100);
        assert_eq!(b.mrs(E_CORE, SIQ_CFG), Ok(field));
        assert_eq!(b.receiver(0), Some(who));
    }
}

#[test]
fn info_lies() {
    for (name, claims) in [
        ("info-too-many-lines", 2000),
        ("info-too-few-lines", 1000),
        ("info-too-many-dies", 1504 | 1 << 24),
    ] {
        let [mut b, mut plain] = both(name);
        assert_eq!((b.r(INFO1), plain.r(INFO1)), (claims, 1504), "{name}");
        // What is there is the same: 1504 lines of one die.
        for b in [&mut b, &mut plain] {
            assert_eq!(set_by(b, 0, 1503), 1, "{name}");
            assert_eq!(set_by(b, 0, 1504), 0, "{name}");
            b.w(MASK_CLR + 0x4a00, 1);
            assert_eq!(b.r(MASK_SET + 0x4a00), 0, "{name}");
        }
    }
    let claimed = |model: &SocModel| {
        let mut bus = SocBus::new(model, 0, 7);
        let info = bus.mmio_read(0, model.aic.base + 4, 4, Time::ZERO);
        (info.expect("read") >> 24 & 0xf, bus.aic.dies())
    };
    assert_eq!(claimed(&odd("info-too-few-dies")), (0, 2));
    assert_eq!(
        claimed(&SocModel::builtin("t6002").expect("built in")),
        (1, 2)
    );
}

#[test]
fn siq_cfg_as_a_register() {
    let [mut b, mut plain] = both("siq-write-flips");
    for (b, reads) in [(&mut b, [0x102, 2]), (&mut plain, [2, 2])] {
        for value in reads {
            b.field(E_CORE, 2);
            assert_eq!(b.mrs(E_CORE, SIQ_CFG), Ok(value));
        }
        assert_eq!(b.mrs(1, SIQ_CFG), Ok(3));
    }
    let [mut b, mut plain] = both("siq-write-sets");
    for (b, bit) in [(&mut b, 0x100), (&mut plain, 0)] {
        for value in [2, 3] {
            b.field(E_CORE, value);
            assert_eq!(b.mrs(E_CORE, SIQ_CFG), Ok(bit | value));
        }
        assert_eq!(b.mrs(1, SIQ_CFG), Ok(3));
    }
    let [mut b, _] = both("siq-reserved-found");
    for cpu in 0..6 {
        let found = 0x5_0000_0100 | if cpu == 0 { 0 } else { 3 };
        assert_eq!(b.mrs(cpu, SIQ_CFG), Ok(found));
        b.field(cpu, 1);
        assert_eq!(b.mrs(cpu, SIQ_CFG), Ok(0x5_0000_0101));
    }
    // Device-tree ids 1 and 2 are logical CPUs 2 and 3.
    for (name, writes) in [("siq-read-only-on-one", 0), ("siq-sticks", 3)] {
        let [mut b, mut plain] = both(name);
        for n in 1..=4_u64 {
            for b in [&mut b, &mut plain] {
                b.field(2, n & 1);
                b.field(3, n & 1);
                assert_eq!(b.mrs(2, SIQ_CFG), Ok(n & 1), "{name}");
            }
            assert_eq!(b.mrs(3, SIQ_CFG) == Ok(n & 1), n <= writes, "{name}");
            assert_eq!(plain.mrs(3, SIQ_CFG), Ok(n & 1));
        }
    }
    for (name, from, to) in [("siq-spills", 3, 2), ("siq-spills-up", 2, 3)] {
        let [mut b, mut plain] = both(name);
        for (b, other) in [(&mut b, 1), (&mut plain, 3)] {
            b.field(from, 1);
            assert_eq!(b.mrs(from, SIQ_CFG), Ok(1), "{name}");
            assert_eq!(b.mrs(to, SIQ_CFG), Ok(other), "{name}");
            assert_eq!([1, 4].map(|cpu| b.mrs(cpu, SIQ_CFG)), [Ok(3); 2]);
            b.field(to, 0);
            assert_eq!(b.mrs(from, SIQ_CFG), Ok(1), "{name}: one way only");
        }
    }
}

#[test]
fn fiqs_need_the_field() {
    // P core 1, logical CPU 5, as a global request names it.
    let request = 0x01 | 0x01 << 16;
    let [mut b, mut plain] = both("fiq-needs-field");
    for (b, at_3, gate) in [(&mut b, 0, 0), (&mut plain, 1 << P_CORE, 0xf)] {
        b.msr(0, IPI_RR_GLOBAL, request).expect("request");
        b.pass(300);
        assert_eq!(
            (b.fiq(), b.bus.timer_fiq_gate(P_CORE)),
            (at_3, gate),
            "field 3"
        );
        assert_eq!(b.bus.timer_fiq_gate(0), 0xf);
        b.field(P_CORE, 2);
        assert_eq!(
            (b.fiq(), b.bus.timer_fiq_gate(P_CORE)),
            (1 << P_CORE, 0xf),
            "it was pending"
        );
    }
}

#[test]
fn right_machines_of_other_kinds() {
    // Three equal acceptors, 60 interrupts.
    let shares = |name: &str| {
        let mut b = Bench::new(&odd(name));
        b.field(E_CORE, 0);
        b.field(P_CORE, 0);
        let all = receivers(&mut b, 60, 2_000);
        let shares = [0, E_CORE, P_CORE].map(|cpu| count(&all, Some(cpu)));
        assert_eq!(shares.iter().sum::<usize>(), 60, "{name}");
        b.field(P_CORE, 1);
        assert_eq!(b.receiver(2_000), Some(P_CORE), "{name}: 1 is preferred");
        b.field(0, 3);
        b.field(E_CORE, 2);
        b.field(P_CORE, 3);
        assert_eq!(b.receiver(2_000), Some(E_CORE), "{name}: 3 never");
        shares
    };
    assert_eq!(shares("jitter"), [60, 0, 0]);
    assert_eq!(shares("choice-sticky"), [60, 0, 0]);
    assert_eq!(shares("choice-p-cores-first"), [60, 0, 0]);
    assert_eq!(shares("choice-round-robin"), [20; 3]);
    assert!(shares("choice-random").iter().all(|n| *n > 5));
    let mut b = Bench::new(&odd("choice-p-cores-first"));
    b.field(1, 0);
    b.field(P_CORE, 0);
    b.mask(1);
    assert_eq!(
        b.receiver(2_000),
        Some(P_CORE),
        "CPU 1 has the lower number"
    );
    let mut b = Bench::new(&odd("jitter"));
    let mut times = std::collections::BTreeSet::new();
    for _ in 0..20 {
        b.w(SW_SET + WORD, BIT);
        let mut waited = 0;
        while b.irq() == 0 {
            b.pass(100);
            waited += 100;
        }
        assert!(waited <= 2_200);
        times.insert(waited);
        b.r(EVENT);
        b.finish();
    }
    assert!(times.len() > 5, "{times:?}");
}

#[test]
fn bad_defects_are_refused() {
    for (key, text) in [
        ("defect.siq_spills", "siq_spills = [1, 9]"),
        (
            "defect.stray_lines[0].cpu",
            "stray_lines = [{ every = 2, cpu = 9 }]",
        ),
        (
            "defect.stray_lines[0].every",
            "stray_lines = [{ every = 0, cpu = 1 }]",
        ),
        (
            "defect.stray_lines[0].rest",
            "stray_lines = [{ every = 2, rest = 2, cpu = 1 }]",
        ),
        (
            "defect.stray_lines[0].die",
            "stray_lines = [{ die = 1, every = 2, cpu = 1 }]",
        ),
        ("defect.info_nr_irq", "info_nr_irq = 0x10000"),
        ("defect.info_dies", "info_dies = 0"),
        ("defect.late_us", "late_every = 3"),
        ("defect.late_us", "late_us = 3"),
        ("defect.late_us", "late_every = 1\nlate_us = 10_000_001"),
        ("defect.sole_moves_after_ms", "sole_moves_after_ms = 10_001"),
        ("defect.restores_late_ms", "restores_late_ms = 10_001"),
    ] {
        let model = SocModel::from_toml(&format!("extends = \"t8140\"\n[defect]\n{text}\n"), "x");
        let error = model.expect_err(text).to_string();
        assert!(error.contains(key), "{text}: {error}");
    }
}
