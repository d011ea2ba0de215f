//! Interrupt controller: the register block, seen through MMIO.

mod soc_common;

use soc_common::*;
use virtual_soc::cpu::BusFault;

#[test]
fn geometry_registers() {
    let mut b = Bench::new(&t8140());
    assert_eq!(b.r(AIC + 4), 1504);
    assert_eq!(b.r(AIC + 0xc), 0x0100_1000);
    let mut two = t8140();
    (two.aic.dies, two.aic.max_dies, two.aic.version) = (2, 8, 0xb);
    let mut b = Bench::new(&two);
    assert_eq!(
        (b.r(AIC), b.r(AIC + 4), b.r(AIC + 0xc)),
        (0xb, 1504 | 1 << 24, 0x1000 | 8 << 24)
    );
}

#[test]
fn either_register_of_a_pair_reads_the_state() {
    let mut b = Bench::new(&t8140());
    b.w(SW_SET, 0b1100);
    b.w(SW_CLR, 0b0100);
    assert_eq!((b.r(SW_SET), b.r(SW_CLR)), (0b1000, 0b1000));
    assert_eq!(b.r(MASK_SET), u32::MAX, "found masked");
    b.w(MASK_CLR, 0xff);
    b.w(MASK_SET, 0x0f);
    assert_eq!((b.r(MASK_SET), b.r(MASK_CLR)), (0xffff_ff0f, 0xffff_ff0f));
    b.w(HW_STATE, 0xff);
    assert_eq!(b.r(HW_STATE), 0, "read only");
}

#[test]
fn event_takes_masks_and_drops() {
    let mut b = Bench::new(&t8140());
    b.fire();
    assert_eq!(b.irq(), 1);
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0));
    assert_eq!(b.r(MASK_SET + 12) & 1 << 4, 1 << 4, "masked by the read");
    // Still high: unmasking raises it again.
    b.w(MASK_CLR + 12, 1 << 4);
    b.pass(500);
    assert_eq!(b.irq(), 1);
}

#[test]
fn lowest_number_first() {
    let mut b = Bench::new(&t8140());
    b.w(MASK_CLR, u32::MAX);
    b.w(MASK_CLR + 4, u32::MAX);
    b.w(SW_SET + 4, 1);
    b.w(SW_SET, 0x8000_0002);
    b.pass(500);
    assert_eq!(
        [b.r(EVENT), b.r(EVENT), b.r(EVENT), b.r(EVENT)],
        [0x1_0001, 0x1_001f, 0x1_0020, 0]
    );
}

#[test]
fn a_masked_line_is_remembered() {
    let mut b = Bench::new(&t8140());
    b.w(MASK_SET + 12, 1 << 4);
    b.fire();
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0));
    b.w(MASK_CLR + 12, 1 << 4);
    b.pass(500);
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
}

#[test]
fn software_clear_does_not_drop_a_hardware_level() {
    let mut b = Bench::new(&t8140());
    let now = b.now;
    b.bus.set_line(0, LINE, true, now);
    b.fire();
    b.w(SW_CLR + 12, 1 << 4);
    b.pass(500);
    assert_eq!((b.r(HW_STATE + 12), b.r(SW_SET + 12)), (1 << 4, 0));
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
    b.bus.set_line(0, LINE, false, now);
    b.w(MASK_CLR + 12, 1 << 4);
    b.pass(500);
    assert_eq!(b.irq(), 0);
}

#[test]
fn enable_gates_delivery_unless_the_model_says_otherwise() {
    let mut b = Bench::new(&t8140());
    b.fire();
    b.w(CONFIG, 0);
    assert_eq!((b.irq(), b.r(EVENT)), (0, 0));
    b.w(CONFIG, 1 | 1 << 28);
    b.pass(500);
    assert_eq!((b.irq(), b.r(CONFIG)), (1, 1 | 1 << 28));

    let mut model = t8140();
    model.aic.delivers_without_enable = true;
    let mut b = Bench::new(&model);
    b.w(CONFIG, 0);
    b.fire();
    assert_eq!(b.irq(), 1);
}

#[test]
fn only_target_zero_and_existing_lines_are_delivered() {
    let mut b = Bench::new(&t8140());
    for target in 1..16 {
        b.w(IRQ_CFG + 4 * u64::from(LINE), target);
        b.fire();
        assert_eq!(b.irq(), 0, "TARGET {target}");
    }
    assert_eq!(b.r(IRQ_CFG + 4 * u64::from(LINE)), 15);
    b.w(IRQ_CFG + 4 * u64::from(LINE), 7 << 5);
    b.pass(500);
    assert_eq!(b.irq(), 1, "the delay field does not route");
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
    b.finish();
    // 1503 is the last line that exists, 1504 has bits in the banks but is not wired.
    b.w(MASK_CLR + 4 * 47, u32::MAX);
    b.w(SW_SET + 4 * 47, 1);
    b.w(IRQ_CFG + 4 * 1504, 0);
    b.pass(500);
    assert_eq!((b.irq(), b.r(SW_SET + 4 * 47)), (0, 1));
    b.w(MASK_CLR + 4 * 46, u32::MAX);
    b.w(SW_SET + 4 * 46, 1 << 31);
    b.pass(500);
    assert_eq!(b.r(EVENT), 0x1_0000 | 1503);
}

#[test]
fn the_second_die_has_its_own_banks_and_event_words() {
    let mut model = t8140();
    model.aic.dies = 2;
    let mut b = Bench::new(&model);
    b.w(MASK_CLR + 0x4a00, 1 << 9);
    b.w(SW_SET + 0x4a00, 1 << 9);
    b.pass(500);
    assert_eq!((b.r(SW_SET), b.r(SW_SET + 0x4a00)), (0, 1 << 9));
    assert_eq!(b.r(EVENT), 0x0101_0009);
}

#[test]
fn holes_read_zero_and_beyond_the_window_nobody_answers() {
    let mut b = Bench::new(&t8140());
    b.w(AIC + 0x1800, 5);
    assert_eq!(b.r(AIC + 0x1800), 0);
    assert_eq!(b.r(AIC + 0x14a00), 0, "no second die");
    assert_eq!(b.fault(AIC + 0x1c_bffc, 4), Ok(0));
    assert_eq!(b.fault(AIC + 0x1c_c000, 4), Err(BusFault::Abort));
    assert_eq!(b.fault(AIC, 1), Err(BusFault::Abort));
    assert_eq!(b.fault(AIC + 8, 8), Ok(0x0100_1000 << 32), "two words");
    b.w(AIC + 0x104, 0x55);
    b.w(AIC + 0x28, 0x66);
    assert_eq!((b.r(AIC + 0x104), b.r(AIC + 0x28)), (0x55, 0x66));
}

#[test]
fn reset_masks_and_clears() {
    let mut b = Bench::new(&t8140());
    b.fire();
    b.w(AIC + 0x10, 1);
    assert_eq!(
        (b.irq(), b.r(SW_SET + 12), b.r(MASK_SET + 12)),
        (0, 0, u32::MAX)
    );
}

#[test]
fn faults_lose_repeat_and_invent() {
    let mut model = t8140();
    model.faults.lose_trigger_every = 3;
    let mut b = Bench::new(&model);
    let seen: Vec<bool> = (0..6).map(|_| b.receiver(0).is_some()).collect();
    assert_eq!(seen, [true, true, false, true, true, false]);
    assert_eq!(b.bus.aic.triggers(), 6);

    let mut model = t8140();
    model.faults.duplicate_every = 1;
    let mut b = Bench::new(&model);
    assert_eq!(b.receiver(0), Some(0));
    b.w(SW_SET + 12, 1 << 4);
    b.w(SW_CLR + 12, 1 << 4);
    b.pass(1500);
    assert_eq!((b.irq(), b.r(EVENT), b.r(EVENT)), (1, 0x1_0000 | LINE, 0));

    let mut model = t8140();
    model.faults.spurious_every = 1;
    let mut b = Bench::new(&model);
    b.fire();
    assert_eq!(
        (b.irq(), b.r(EVENT)),
        (1, 0),
        "an interrupt with nothing behind it"
    );
    assert_eq!(b.irq(), 0);
    b.pass(2500);
    assert_eq!(b.r(EVENT), 0x1_0000 | LINE);
}

#[test]
fn version_2_lies_elsewhere() {
    let mut model = t8140();
    (
        model.aic.generation,
        model.aic.irq_cfg,
        model.aic.event,
        model.aic.dies,
    ) = (2, 0x2000, 0xc000, 2);
    let mut b = Bench::new(&model);
    // Offsets as the facts give them for 4096 lines: MASK_CLR 0x6600, SW_SET 0x6000, second die SW_SET 0xaa00, MASK_CLR 0xb000.
    b.w(AIC + 0x6600, 1 << 24);
    b.w(AIC + 0x6000, 1 << 24);
    b.w(AIC + 0xb000, 1 << 5);
    b.w(AIC + 0xaa00, 1 << 5);
    b.pass(500);
    assert_eq!(
        [b.r(AIC + 0xc000), b.r(AIC + 0xc000), b.r(AIC + 0xc000)],
        [0x1_0018, 0x0101_0005, 0]
    );
}

#[test]
fn registers_that_stick() {
    let mut model = t8140();
    model.faults.config_stuck = true;
    model.faults.siq_stuck_cpu = Some(0);
    model.faults.siq_stuck_after = 2;
    let mut b = Bench::new(&model);
    b.w(CONFIG, 1);
    assert_eq!(b.r(CONFIG), 0);
    // Device-tree id 0 is logical CPU 1.
    for value in [0, 1, 2] {
        b.field(1, value);
        b.field(2, value);
    }
    assert_eq!((b.bus.siq_cfg(1), b.bus.siq_cfg(2)), (1, 2));
}
