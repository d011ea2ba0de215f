//! Odd machines of `models/odd`: each shows at its registers what it is named for, where the machine it is made from does not.

mod soc_common;

use std::path::PathBuf;

use soc_common::*;
use virtual_soc::cpu::{Bus, SysReg, SysRegFault, Time};

const RESET: u64 = AIC + 0x10;
const VM_TMR_FIQ_ENA: SysReg = SysReg::new(3, 5, 15, 1, 3);
/// The word of [`LINE`] in a bank, and its bit.
const WORD: u64 = 12;
const BIT: u32 = 1 << 4;
/// P core 1 of T8140, logical CPU 5, as a global request names it.
const CORE_P1: u64 = 0x01 | 0x01 << 16;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "models", "odd"]
        .iter()
        .collect()
}

fn odd(name: &str) -> SocModel {
    let path = folder().join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    SocModel::from_toml(&text, name).unwrap_or_else(|e| panic!("{e}"))
}

/// Events taken of `LINE` in turn, with the end of interrupt that drivers make after each.
fn rounds(b: &mut Bench, n: usize) -> Vec<Option<usize>> {
    (0..n).map(|_| b.receiver(0)).collect()
}

#[test]
fn all_files_load_and_are_named_after_themselves() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder()).expect("models/odd") {
        let path = entry.expect("entry").path();
        let stem = path.file_stem().and_then(|s| s.to_str()).expect("a name");
        assert_eq!(odd(stem).name, format!("odd-{stem}"));
        seen += 1;
    }
    assert!(seen >= 40, "{seen} files");
}

#[test]
fn row_2_field_0_at_el1_delivers_twice() {
    let twice = |model: &SocModel, at_el1: u64| {
        let mut b = Bench::new(model);
        b.view.at_el1 = at_el1;
        b.pass(100);
        b.fire();
        assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
        b.finish();
        b.pass(2000);
        b.r(EVENT) != 0
    };
    let model = odd("el1-misbehaves");
    assert!(twice(&model, 1));
    assert!(!twice(&model, 0), "at EL2 all is well");
    assert!(!twice(&t8140(), 1), "and on the machine it is made from");
    let mut field_2 = model.clone();
    field_2.cpu[4].siq_cfg = 2;
    assert!(!twice(&field_2, 1), "2 works as intended");
}

#[test]
fn row_3_nobody_accepts_until_one_does() {
    let mut b = Bench::new(&odd("all-never"));
    b.fire();
    b.pass(1_000_000);
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0));
    b.field(3, 2);
    assert_eq!(b.irq(), 1 << 3, "it was waiting");
}

#[test]
fn row_8_two_banks_of_one_die() {
    let (base, mask_set) = (0x2_8e10_0000_u64, 0x6400);
    let banks = |model: &SocModel| {
        let mut b = virtual_soc::soc::SocBus::new(model, 0, 1);
        let now = virtual_soc::cpu::Time::ZERO;
        let info = [4, 0xc].map(|o| b.mmio_read(0, base + o, 4, now).expect("read"));
        b.mmio_write(0, base + 0x6600, 4, 1 << 7, now)
            .expect("write");
        let word = |b: &mut virtual_soc::soc::SocBus, o| {
            b.mmio_read(0, base + o, 4, now).expect("read") as u32
        };
        (
            info,
            word(&mut b, mask_set),
            word(&mut b, mask_set + 0x4a00),
        )
    };
    let claims_one_of_eight = [1806, 0x1000 | 8 << 24];
    let own = banks(&SocModel::builtin("t6000").expect("built in"));
    assert_eq!(own, (claims_one_of_eight, !(1 << 7), u32::MAX));
    let alias = banks(&odd("bank-alias"));
    assert_eq!(alias, (claims_one_of_eight, !(1 << 7), !(1 << 7)));
}

/// INFO1 claims two dies, and a mask bit cleared on one of them is clear on the other.
#[test]
fn a_die_in_use_can_be_another_name_of_the_first() {
    let masks = |model: &SocModel| {
        let mut b = virtual_soc::soc::SocBus::new(model, 0, 1);
        let now = virtual_soc::cpu::Time::ZERO;
        let base = model.aic.base;
        let (clear, set) = (base + 0x6600 + 0x4a00, base + 0x6400);
        b.mmio_write(0, clear, 4, 1 << 7, now).expect("write");
        [set, set + 0x4a00].map(|at| b.mmio_read(0, at, 4, now).expect("read") as u32)
    };
    let own = masks(&SocModel::builtin("t6002").expect("built in"));
    assert_eq!(own, [u32::MAX, !(1 << 7)]);
    assert_eq!(masks(&odd("dies-alias")), [!(1 << 7), !(1 << 7)]);
    for (first, usable) in [(0, false), (1, true), (2, false)] {
        let text = format!("extends = \"t6002\"\n[aic]\nalias_from = {first}\n");
        let model = SocModel::from_toml(&text, "test");
        assert_eq!(model.is_ok(), usable, "{first}: {model:?}");
    }
}

#[test]
fn row_11_vm_tmr_fiq_ena() {
    let access = |model: &SocModel| {
        let mut b = virtual_soc::soc::SocBus::new(model, 0, 1);
        let now = virtual_soc::cpu::Time::ZERO;
        (
            b.sysreg_read(0, VM_TMR_FIQ_ENA, 2, now).is_ok(),
            b.sysreg_write(0, VM_TMR_FIQ_ENA, 2, 3, now).is_ok(),
        )
    };
    let built_in = |name: &str| access(&SocModel::builtin(name).expect("built in"));
    assert_eq!(built_in("t6020"), (true, true));
    assert_eq!(built_in("t8142"), (true, false), "writes trap on M5");
    assert_eq!(built_in("t8132"), (false, false), "locked on M4");
    assert_eq!(access(&odd("fiq-ena-locked")), (false, false));
    assert_eq!(access(&odd("fiq-ena-write-undefined")), (true, false));
}

#[test]
fn row_15_an_acknowledgement_without_isb_swallows_the_next_ipi() {
    let second = |model: &SocModel, isb: bool| {
        let mut b = Bench::new(model);
        b.msr(0, IPI_RR_GLOBAL, CORE_P1).unwrap();
        b.pass(300);
        b.msr(5, IPI_SR, 1).unwrap();
        if isb {
            b.bus.synchronize(5, b.now);
        }
        b.msr(0, IPI_RR_GLOBAL, CORE_P1).unwrap();
        b.pass(300);
        b.bus.synchronize(5, b.now);
        b.fiq() == 1 << 5
    };
    assert!(second(&t8140(), false));
    let late = odd("ipi-ack-late");
    assert!(!second(&late, false), "lost");
    assert!(second(&late, true));
}

#[test]
fn row_16_local_across_clusters() {
    // Logical CPU 1 is E core 0; the request names core 1 of cluster 1.
    let reached = |model: &SocModel| {
        let mut b = Bench::new(model);
        let sent = b.msr(1, IPI_RR_LOCAL, CORE_P1);
        b.pass(300);
        (sent, b.fiq())
    };
    assert_eq!(reached(&t8140()), (Ok(()), 1 << 2), "core 1 of the own one");
    assert_eq!(reached(&odd("ipi-local-nobody")), (Ok(()), 0));
    let none = reached(&odd("ipi-no-local"));
    assert_eq!(none, (Err(SysRegFault::Undefined), 0));
}

#[test]
fn rows_24_25_what_is_left_and_what_reset_does() {
    let mut b = Bench::new(&odd("left-set"));
    assert_eq!(
        (b.r(SW_SET + 4 * 4), b.r(SW_SET + 4 * 28)),
        (1 << 3, 1 << 4)
    );
    b.w(MASK_CLR + 4 * 4, 1 << 3);
    b.pass(500);
    assert_eq!(b.r(EVENT), 0x1_0000 | 131, "fires at once");

    // Line 100 unmasked, set, with a delay index; is it masked, set, configured after RESET?
    let after = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.fire();
        b.w(IRQ_CFG + 4 * u64::from(LINE), 0x20);
        b.w(RESET, 1);
        let masked = b.r(MASK_SET + WORD) & BIT != 0;
        let set = b.r(SW_SET + WORD) & BIT != 0;
        (masked, set, b.r(IRQ_CFG + 4 * u64::from(LINE)) != 0)
    };
    assert_eq!(after(&odd("reset-nothing")), (false, true, true));
    assert_eq!(after(&odd("reset-masks")), (true, true, true));
    assert_eq!(after(&t8140()), (true, false, false));
}

#[test]
fn row_26_a_trigger_of_a_masked_line() {
    let remembered = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.w(MASK_SET + WORD, BIT);
        b.fire();
        b.w(MASK_CLR + WORD, BIT);
        b.pass(500);
        b.r(EVENT) != 0
    };
    assert!(remembered(&t8140()));
    assert!(!remembered(&odd("forgets-masked")));
}

#[test]
fn row_27_software_clear_and_the_hardware_level() {
    let level = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.bus.set_line(0, LINE, true, b.now);
        b.w(SW_CLR + WORD, BIT);
        b.r(HW_STATE + WORD)
    };
    assert_eq!(level(&t8140()), BIT);
    assert_eq!(level(&odd("clear-drops-level")), 0);
}

#[test]
fn row_31_masked_in_the_handler_and_unmasked_later() {
    let comes_back = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.fire();
        assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
        // The handler disables the line, ends the interrupt, and somebody enables it later.
        b.w(MASK_SET + WORD, BIT);
        b.finish();
        b.w(MASK_CLR + WORD, BIT);
        b.receiver(0)
    };
    assert_eq!(comes_back(&t8140()), Some(0));
    assert_eq!(comes_back(&odd("eoi-lost")), None, "masked for good");
}

#[test]
fn row_32_a_mask_bit_leaks() {
    let mut b = Bench::new(&odd("mask-leak"));
    assert_eq!(rounds(&mut b, 7), [Some(0); 7]);
    assert_ne!(b.r(MASK_SET + WORD) & BIT, 0, "the seventh end did nothing");
    assert_eq!(rounds(&mut b, 2), [None, Some(0)], "the eighth does");
    let mut b = Bench::new(&t8140());
    assert_eq!(rounds(&mut b, 9), [Some(0); 9]);
}

#[test]
fn row_34_lines_beyond_nr_irq() {
    // 1503 is the last line, 1504 the first beyond, 4095 the last the banks have room for.
    let line = |model: &SocModel, line: u32| {
        let (word, bit) = (u64::from(line / 32 * 4), 1 << (line % 32));
        let mut b = Bench::new(model);
        b.w(MASK_CLR + word, bit);
        b.w(SW_SET + word, bit);
        b.pass(500);
        (b.r(SW_SET + word) & bit != 0, b.r(EVENT) == 0x1_0000 | line)
    };
    for model in [t8140(), odd("beyond-delivered"), odd("beyond-absent")] {
        assert_eq!(line(&model, 1503), (true, true));
    }
    for number in [1504, 4095] {
        assert_eq!(line(&t8140(), number), (true, false));
        assert_eq!(line(&odd("beyond-delivered"), number), (true, true));
        assert_eq!(line(&odd("beyond-absent"), number), (false, false));
    }
    let mut b = Bench::new(&odd("beyond-absent"));
    b.w(IRQ_CFG + 4 * 1504, 7);
    assert_eq!((b.r(IRQ_CFG + 4 * 1504), b.r(MASK_SET + 4 * 47)), (0, 0));
}

#[test]
fn routing_defects() {
    let mut b = Bench::new(&odd("swapped"));
    // Device-tree ids 0 and 4 are logical CPUs 1 and 0.
    assert_eq!(b.receiver(0), Some(1));
    b.mask(1 << 1);
    b.field(2, 2);
    assert_eq!(b.receiver(2000), Some(2), "its masks count, too");
    let mut b = Bench::new(&odd("loses-one"));
    let lost = (1..=32).filter(|_| b.receiver(0).is_none()).count();
    assert_eq!(lost, 2);
    let mut b = Bench::new(&odd("ignores-never"));
    b.mask(1);
    assert_eq!(b.receiver(2000), Some(1), "CPU 1 holds 3");
    let mut b = Bench::new(&odd("moves-late"));
    b.field(3, 2);
    b.mask(1);
    b.fire();
    b.pass(19_900_000);
    assert_eq!(b.irq(), 1);
    b.pass(200_000);
    assert_eq!(b.irq(), 1 << 3);
    let mut b = Bench::new(&odd("delivers-twice"));
    assert_eq!(rounds(&mut b, 5), [Some(0); 5]);
    b.pass(1500);
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE, "the fifth once more");
}

#[test]
fn row_23_an_unoffered_cpu_takes_it_by_reading() {
    let mut b = Bench::new(&odd("event-anybody"));
    b.fire();
    assert_eq!((b.irq(), b.r_as(4, EVENT)), (1, 0x1_0000 | LINE));
    assert_eq!(b.irq(), 0);
}

#[test]
fn one_cpu_may_differ() {
    let mut b = Bench::new(&odd("siq-traps-on-one"));
    // Device-tree id 2 is logical CPU 3.
    let answers: Vec<bool> = (0..6).map(|cpu| b.mrs(cpu, SIQ_CFG).is_ok()).collect();
    assert_eq!(answers, [true, true, true, false, true, true]);
    assert_eq!(b.msr(3, SIQ_CFG, 0), Err(SysRegFault::Trap));
    assert_eq!(odd("cpus-2").logical_order(), [4, 0]);
    let e = SocModel::from_toml(
        "extends = \"t8140\"\n[[cpu_change]]\nadt_id = 9\npresent = false\n",
        "x",
    )
    .expect_err("no such CPU");
    assert!(e.to_string().contains("cpu_change[0].adt_id = 9"), "{e}");
    let e = SocModel::from_toml(
        "extends = \"t8140\"\n[[cpu_change]]\nadt_id = 1\nspeed = 2\n",
        "x",
    );
    assert!(e.expect_err("no such key").to_string().contains("speed"));
}

#[test]
fn row_12_a_cold_cpu_hears_no_timer() {
    let gates = |model: &SocModel| {
        let b = virtual_soc::soc::SocBus::new(model, 0, 1);
        [2, 3, 4].map(|cpu| b.timer_fiq_gate(cpu))
    };
    assert_eq!(gates(&t8140()), [0xf; 3]);
    assert_eq!(gates(&odd("cpu-cold")), [0xf, 0, 0xf]);
}

#[test]
fn row_36_enable_as_found() {
    let as_found = |model: &SocModel| virtual_soc::soc::SocBus::new(model, 0, 1).aic.config() & 1;
    assert_eq!((as_found(&t8140()), as_found(&odd("enabled"))), (0, 1));
}

/// Half a period of the line of `odd/line-toggles`, in ns.
const HALF: u64 = 3_300_000;

#[test]
fn an_input_follows_virtual_time() {
    let mut b = Bench::new(&odd("line-toggles"));
    let word = HW_STATE + 4 * (131 / 32);
    let bit = 1 << (131 % 32);
    let mut seen = Vec::new();
    for half in 0..6 {
        b.now = Time::from_micros((half * HALF + HALF / 2) / 1000);
        seen.push(b.r(word));
    }
    assert_eq!(seen, [0, bit, 0, bit, 0, bit], "and no other line moves");
    b.now = Time(5 * HALF * 1000 - 1);
    assert_eq!(
        b.r(word),
        bit,
        "a CPU that is behind does not turn time back"
    );
    // Software state is another thing.
    assert_eq!(b.r(SW_SET + 4 * (131 / 32)), 0);
    let mut still = Bench::new(&t8140());
    still.now = Time::from_micros(HALF * 3 / 2000);
    assert_eq!(still.r(word), 0, "not on the machine it is made from");
}

#[test]
fn a_toggling_input_is_delivered_while_it_is_high() {
    let mut b = Bench::new(&odd("line-toggles"));
    b.w(MASK_CLR + 4 * (131 / 32), 1 << (131 % 32));
    b.pass(1000);
    assert_eq!(b.irq(), 0, "it starts low");
    assert_eq!(b.bus.next_event(b.now), Some(Time(HALF * 1000)));
    // Nobody touches a register: time alone raises it.
    b.now = Time(HALF * 1000);
    b.pass(1000);
    assert_eq!(b.irq(), 1, "the boot CPU is offered it");
    assert_eq!(b.bus.next_event(b.now), Some(Time(2 * HALF * 1000)));
    b.now = Time(2 * HALF * 1000);
    b.pass(100);
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0), "it fell before it was taken");
    b.now = Time(3 * HALF * 1000);
    b.pass(1000);
    assert_eq!(b.r(EVENT), 0x1_0000 | 131);
    b.w(MASK_CLR + 4 * (131 / 32), 1 << (131 % 32));
    b.pass(1000);
    assert_eq!(b.r(EVENT), 0x1_0000 | 131, "high still, so once more");
}

#[test]
fn inputs_of_version_1_toggle_too() {
    let text = "extends = \"t8103\"\n[aic]\ntoggles = [{ number = 40, half_period_ns = 1000 }]\n";
    let model = SocModel::from_toml(text, "x").expect("loads");
    let mut bus = virtual_soc::soc::SocBus::new(&model, 0, 1);
    let word = model.aic.base + 0x4200 + 4;
    let mut at = |ns: u64| bus.mmio_read(0, word, 4, Time(ns * 1000)).expect("read");
    assert_eq!(
        [at(999), at(1000), at(2000), at(3999)],
        [0, 1 << 8, 0, 1 << 8]
    );
}

#[test]
fn row_5_an_interrupt_waits_for_the_cpu_that_masks_it() {
    let taken_elsewhere = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.field(3, 2);
        b.mask(1);
        b.receiver(1_000_000)
    };
    assert_eq!(taken_elsewhere(&t8140()), Some(3));
    let mut b = Bench::new(&odd("masked-waits"));
    b.field(3, 2);
    b.mask(1);
    b.fire();
    b.pass(1_000_000);
    assert_eq!(b.irq(), 1, "it stays with the CPU that masks it");
}

#[test]
fn row_6_a_masked_cpu_is_not_shown_its_interrupt() {
    let seen = |model: &SocModel| {
        let mut b = Bench::new(model);
        b.mask(1);
        b.fire();
        b.pass(1_000_000);
        let while_masked = b.irq();
        b.mask(0);
        (while_masked, b.irq(), b.r(EVENT))
    };
    assert_eq!(seen(&t8140()), (1, 1, 0x1_0000 | LINE));
    let hidden = seen(&odd("hides-from-masked"));
    assert_eq!(hidden, (0, 1, 0x1_0000 | LINE), "it waits unseen");
}

#[test]
fn row_22_target_means_nothing_or_the_opposite() {
    let delivered = |model: &SocModel| {
        [0, 1, 15].map(|target| {
            let mut b = Bench::new(model);
            b.w(IRQ_CFG + 4 * u64::from(LINE), target);
            b.receiver(1_000).is_some()
        })
    };
    assert_eq!(delivered(&t8140()), [true, false, false]);
    assert_eq!(delivered(&odd("target-ignored")), [true, true, true]);
    assert_eq!(delivered(&odd("target-inverted")), [false, true, true]);
    // As found, and after RESET, every TARGET is 0.
    let mut b = Bench::new(&odd("target-inverted"));
    assert_eq!(b.receiver(1_000), None);
    b.w(IRQ_CFG + 4 * u64::from(LINE), 1);
    b.w(RESET, 1);
    b.finish();
    assert_eq!(b.receiver(1_000), None);
}

#[test]
fn row_36_enable_the_wrong_way_round() {
    let delivered = |model: &SocModel| {
        [0, 1].map(|enable| {
            let mut b = Bench::new(model);
            b.w(CONFIG, enable);
            b.receiver(1_000).is_some()
        })
    };
    assert_eq!(delivered(&t8140()), [false, true]);
    assert_eq!(delivered(&odd("enable-inverted")), [true, false]);
    assert_eq!(delivered(&odd("no-enable")), [true, true]);
}
