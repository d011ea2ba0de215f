// SPDX-License-Identifier: MIT OR Apache-2.0
//! The block driver on its fake: what is accessed, and what the fake answers.

use aic_regs::aic::{Aic, Bank, EventWord, Geometry, Line, LineHandle};
use aic_regs::guard::Trap;
use aic_regs::mmio::{Access, FakeMmio, GuardedMmio, Mmio};
use proptest::prelude::*;

fn controller(geometry: Geometry) -> (FakeMmio, Aic<FakeMmio>) {
    let fake = FakeMmio::new(geometry);
    let aic = Aic::new(fake.clone(), geometry);
    (fake, aic)
}

fn handle(aic: &Aic<FakeMmio>, die: u8, number: u16) -> LineHandle {
    aic.line(Line { die, number })
        .expect("the test names lines that exist")
}

fn enable(aic: &Aic<FakeMmio>) {
    let mut config = aic.config();
    config.set_enable(true);
    aic.set_config(config);
}

const TWO_DIES: Geometry = Geometry::v2(1961, 4096, 2, 0xc000);

#[test]
fn each_operation_on_a_line_is_one_access_at_the_published_offset() {
    let (fake, aic) = controller(TWO_DIES);
    let line = handle(&aic, 1, 1832); // word 57, bit 8
    let (off, bit) = (57 * 4, 1 << 8);
    aic.sw_set(&line);
    aic.sw_clr(&line);
    aic.mask(&line);
    aic.unmask(&line);
    let write = |off, value| Access::Write { off, value };
    assert_eq!(
        fake.take_log(),
        [
            write(0xaa00 + off, bit),
            write(0xac00 + off, bit),
            write(0xae00 + off, bit),
            write(0xb000 + off, bit)
        ]
    );
    aic.hw_state(&line);
    aic.irq_cfg(&line);
    let read = |off| Access::Read { off, value: 0 };
    assert_eq!(
        fake.take_log(),
        [read(0xb200 + off), read(0x6a00 + 1832 * 4)]
    );
    assert_eq!(
        (line.word(), line.bit(), line.hwirq()),
        (57, 1 << 8, 0x0101_0728)
    );
}

#[test]
fn the_header_is_at_its_offsets() {
    let (fake, aic) = controller(Geometry::v3(1504, 4096, 1, 0x40000));
    assert_eq!((aic.info1().nr_irq(), aic.info1().last_die()), (1504, 0));
    assert_eq!(aic.info3().max_irq(), 4096);
    let values = [
        0x0, 0x8, 0x10, 0x14, 0x28, 0x30, 0x3c, 0x100, 0x11c, 0x204, 0x340, 0x1800,
    ];
    for off in values {
        fake.poke(off, 0x1000 + off);
    }
    let read = [
        aic.version().bits(),
        aic.info2().bits(),
        aic.reset_state().bits(),
        aic.config().bits(),
        aic.timeout().bits(),
        aic.cluster_priority().bits(),
        aic.counter().bits(),
        aic.delay_group(0).unwrap().bits(),
        aic.delay_group(7).unwrap().bits(),
        aic.latency().bits(),
        aic.idle_clusters().bits(),
        aic.timestamp().bits(),
    ];
    assert_eq!(read, values.map(|off| 0x1000 + off));
    assert_eq!(aic.delay_group(8), None);
}

#[test]
fn an_event_masks_its_line_and_unmasking_offers_it_again_while_it_is_high() {
    let (fake, aic) = controller(TWO_DIES);
    enable(&aic);
    let line = handle(&aic, 1, 40);
    aic.sw_set(&line);
    assert!(fake.irq_pending());
    assert_eq!(aic.event(), EventWord(0x0101_0028));
    assert!(aic.is_masked(&line) && aic.sw_state(&line));
    assert!(!fake.irq_pending());
    assert!(aic.event().is_none());
    aic.unmask(&line);
    assert_eq!(aic.event().line(), Some(line.line()));
    aic.sw_clr(&line);
    aic.unmask(&line);
    assert!(aic.event().is_none());
}

#[test]
fn nothing_is_delivered_while_the_controller_is_off() {
    let (fake, aic) = controller(TWO_DIES);
    aic.sw_set(&handle(&aic, 0, 7));
    assert!(!fake.irq_pending());
    assert!(aic.event().is_none());
    enable(&aic);
    assert_eq!(aic.event(), EventWord(0x0001_0007));
}

#[test]
fn a_masked_trigger_is_remembered() {
    let (_, aic) = controller(TWO_DIES);
    enable(&aic);
    let line = handle(&aic, 0, 7);
    aic.mask(&line);
    aic.sw_set(&line);
    assert!(aic.event().is_none());
    aic.unmask(&line);
    assert_eq!(aic.event().line(), Some(line.line()));
}

#[test]
fn the_software_state_does_not_touch_the_hardware_level() {
    let (fake, aic) = controller(TWO_DIES);
    enable(&aic);
    let line = handle(&aic, 0, 1198);
    fake.set_hw_level(line.line(), true);
    aic.sw_set(&line);
    aic.sw_clr(&line);
    assert!(aic.hw_state(&line) && !aic.sw_state(&line));
    assert_eq!(aic.event().line(), Some(line.line()));
    fake.set_hw_level(line.line(), false);
    assert!(!aic.hw_state(&line));
    aic.mmio().write32(0x6800, u32::MAX);
    assert_eq!(aic.hw_word(0, 0), 0, "HW_STATE is read-only");
}

#[test]
fn the_lowest_die_and_line_come_first_and_queued_words_before_them() {
    let (fake, aic) = controller(TWO_DIES);
    enable(&aic);
    for (die, number) in [(1, 0), (0, 1960), (0, 33)] {
        aic.sw_set(&handle(&aic, die, number));
    }
    fake.queue_event(EventWord(0x0004_0001));
    let order: Vec<u32> =
        std::iter::from_fn(|| Some(aic.event().0).filter(|word| *word != 0)).collect();
    assert_eq!(order, [0x0004_0001, 0x0001_0021, 0x0001_07a8, 0x0101_0000]);
}

#[test]
fn words_outside_the_geometry_are_not_accessed() {
    let (fake, aic) = controller(TWO_DIES);
    aic.write_mask_set(2, 0, u32::MAX);
    aic.write_mask_set(0, 128, u32::MAX);
    aic.write_bank_word(Bank::HwState, 0, 0, u32::MAX);
    assert_eq!(aic.mask_word(2, 0), 0);
    assert_eq!(aic.sw_word(0, 128), 0);
    assert_eq!(fake.take_log(), []);
}

#[test]
fn irq_config_words_are_kept_per_line() {
    let (fake, aic) = controller(TWO_DIES);
    let line = handle(&aic, 1, 3);
    let mut config = aic.irq_cfg(&line);
    config.set_target(9);
    aic.set_irq_cfg(&line, config);
    assert_eq!(aic.irq_cfg(&line).target(), 9);
    assert_eq!(aic.irq_cfg(&handle(&aic, 0, 3)).target(), 0);
    assert_eq!(fake.peek(0x6a00 + 12), 9);
}

const EXTERNAL_ABORT: u64 = 0x9600_0010;

#[test]
fn a_fault_is_the_answer_of_a_guarded_access() {
    let (fake, aic) = controller(TWO_DIES);
    fake.trap_accesses(0xae00, Some(EXTERNAL_ABORT));
    let trap = Trap {
        esr: EXTERNAL_ABORT,
    };
    assert_eq!(aic.mmio().read32_guarded(0xae00), Err(trap));
    assert_eq!(aic.mmio().write32_guarded(0xae00, 1), Err(trap));
    assert_eq!(aic.mmio().write32_guarded(0x6400, 1), Ok(()));
    assert_eq!(
        fake.take_log(),
        [Access::Write {
            off: 0x6400,
            value: 1
        }]
    );
    fake.trap_accesses(0xae00, None);
    assert_eq!(aic.mmio().read32_guarded(0xae00), Ok(0));
}

#[test]
#[should_panic(expected = "unguarded read at 0xae00: trapped, ESR 0x96000010")]
fn an_unguarded_fault_fails_the_test() {
    let (fake, aic) = controller(TWO_DIES);
    fake.trap_accesses(0xae00, Some(EXTERNAL_ABORT));
    aic.mask_word(1, 0);
}

proptest! {
    /// SET and CLR read back one state, and writes change exactly the bits that are 1.
    #[test]
    fn set_and_clear_are_a_pair(die in 0_u8..2, word in 0_u32..128, steps: Vec<(bool, u32)>) {
        let (fake, aic) = controller(TWO_DIES);
        let (mut mask, mut sw) = (0, 0);
        for (set, bits) in steps {
            if set {
                aic.write_mask_set(die, word, bits);
                aic.write_sw_set(die, word, bits);
                mask |= bits;
                sw |= bits;
            } else {
                aic.write_mask_clr(die, word, bits);
                aic.write_sw_clr(die, word, bits);
                mask &= !bits;
                sw &= !bits;
            }
            prop_assert_eq!(aic.mask_word(die, word), mask);
            prop_assert_eq!(aic.bank_word(Bank::MaskClr, die, word), mask);
            prop_assert_eq!(aic.sw_word(die, word), sw);
            prop_assert_eq!(aic.bank_word(Bank::SwClr, die, word), sw);
        }
        let elsewhere = if word == 0 { 1 } else { word - 1 };
        prop_assert_eq!(aic.mask_word(die, elsewhere) | aic.mask_word(1 - die, word), 0);
        prop_assert_eq!(fake.peek(0x6400 + u32::from(die) * 0x4a00 + word * 4), mask);
    }

    /// Every line that is high and open comes exactly once.
    #[test]
    fn every_open_line_is_delivered_once(lines in proptest::collection::btree_set((0_u8..2, 0_u16..1961), 0..40)) {
        let (_, aic) = controller(TWO_DIES);
        enable(&aic);
        for &(die, number) in &lines {
            aic.sw_set(&handle(&aic, die, number));
        }
        let mut seen = Vec::new();
        while let Some(line) = aic.event().line() {
            seen.push((line.die, line.number));
        }
        prop_assert_eq!(seen, lines.into_iter().collect::<Vec<_>>());
    }
}
