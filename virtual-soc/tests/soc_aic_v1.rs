//! AIC 1 (T8103): register map, target masks, IPIs. Offsets written out from the public facts.

mod soc_common;

use soc_common::*;
use virtual_soc::cpu::{Bus, CpuView, Time};
use virtual_soc::model::EventClaim;
use virtual_soc::soc::SocBus;

const BASE: u64 = 0x2_3b10_0000;
const RST: u64 = 0x000c;
const CONFIG_1: u64 = 0x0010;
const WHOAMI: u64 = 0x2000;
const EVENT_1: u64 = 0x2004;
const IPI_SEND: u64 = 0x2008;
const IPI_ACK: u64 = 0x200c;
const IPI_MASK_SET: u64 = 0x2024;
const IPI_MASK_CLR: u64 = 0x2028;
const TARGET: u64 = 0x3000;
const SW_SET_1: u64 = 0x4000;
const SW_CLR_1: u64 = 0x4080;
const MASK_SET_1: u64 = 0x4100;
const MASK_CLR_1: u64 = 0x4180;
const HW_STATE_1: u64 = 0x4200;
/// "Active" register of the CPU-start block.
const ACTIVE_1: u64 = 0x2_3b75_4004;

const OTHER: u32 = 1;
const SELF: u32 = 1 << 31;

struct V1 {
    bus: SocBus,
    now: Time,
}

fn t8103() -> SocModel {
    SocModel::builtin("t8103").expect("built in")
}

impl V1 {
    fn new(model: &SocModel) -> Self {
        model.validate("test").expect("model");
        let mut b = Self {
            bus: SocBus::new(model, 0, 7),
            now: Time::from_micros(1),
        };
        b.bus
            .mmio_write(0, ACTIVE_1, 4, 0xff, b.now)
            .expect("active");
        b
    }

    fn r_as(&mut self, cpu: usize, offset: u64) -> u32 {
        self.bus
            .mmio_read(cpu, BASE + offset, 4, self.now)
            .expect("read") as u32
    }

    fn r(&mut self, offset: u64) -> u32 {
        self.r_as(0, offset)
    }

    fn w_as(&mut self, cpu: usize, offset: u64, value: u32) {
        self.bus
            .mmio_write(cpu, BASE + offset, 4, value.into(), self.now)
            .expect("write");
    }

    fn w(&mut self, offset: u64, value: u32) {
        self.w_as(0, offset, value);
    }

    fn pass(&mut self, ns: u64) {
        self.now = Time(self.now.0 + ns * 1000);
        self.bus.tick(self.now, &CpuView::default());
    }

    fn irq(&self) -> u64 {
        self.bus.irq_lines()
    }

    /// Line 100 to these CPUs, set by software.
    fn fire(&mut self, targets: u32) {
        self.w(TARGET + 400, targets);
        self.w(MASK_CLR_1 + 12, 1 << 4);
        self.w(SW_SET_1 + 12, 1 << 4);
        self.pass(500);
    }
}

#[test]
fn what_m1_was_seen_to_read() {
    let mut b = V1::new(&t8103());
    assert_eq!(b.r(0), 7);
    assert_eq!(b.r(4), 0x000a_0380);
    assert_eq!(b.r(8), 0x0018_0018);
    assert_eq!((b.r(CONFIG_1), b.r(0x18)), (0xe047_7971, 0xf0));
    b.w(CONFIG_1, u32::MAX);
    assert_eq!(b.r(CONFIG_1), 0xf8ff_fff1, "bits that exist");
    assert_eq!(b.r(MASK_SET_1), u32::MAX, "found masked");
    // CAP0 says eleven targets.
    b.w(TARGET + 4 * 895, u32::MAX);
    assert_eq!(b.r(TARGET + 4 * 895), 0x7ff);
}

#[test]
fn every_cpu_has_its_number_and_its_view() {
    let mut b = V1::new(&t8103());
    for cpu in 0..8 {
        assert_eq!(b.r_as(cpu, WHOAMI) as usize, cpu);
        assert_eq!(b.r(0x5000 + 0x80 * cpu as u64) as usize, cpu);
    }
    assert_eq!(b.r(0x5000 + 0x80 * 8), 0, "nobody there");
    let mut model = t8103();
    (model.cpu[0].aic_number, model.cpu[7].aic_number) = (Some(7), Some(0));
    let mut b = V1::new(&model);
    assert_eq!((b.r_as(0, WHOAMI), b.r_as(7, WHOAMI)), (7, 0));
    b.fire(1);
    assert_eq!(b.irq(), 1 << 7, "bit 0 of a target mask is WHOAMI 0");
}

#[test]
fn the_measured_ipi_of_m1() {
    let mut b = V1::new(&t8103());
    assert_eq!((b.irq(), b.r(0x30)), (0, 0));
    b.w(IPI_SEND, 1);
    assert_eq!(b.irq(), 1);
    assert_eq!(b.r(EVENT_1), 4 << 16 | 1);
    assert_eq!(b.irq(), 0);
    assert_eq!((b.r(IPI_SEND), b.r(IPI_ACK)), (1, 1), "still pending");
    assert_eq!((b.r(IPI_MASK_SET), b.r(IPI_MASK_CLR)), (1, 1), "masked");
    assert_eq!((b.r(0x5008), b.r(0x500c)), (1, 1), "mirrored");
    assert_eq!(b.r(0x30), 1);
    // Unmasked before it is acknowledged it comes again.
    b.w(IPI_MASK_CLR, OTHER);
    assert_eq!((b.irq(), b.r(EVENT_1)), (1, 4 << 16 | 1));
    b.w(IPI_ACK, OTHER);
    b.w(IPI_MASK_CLR, OTHER);
    assert_eq!((b.irq(), b.r(EVENT_1), b.r(IPI_SEND)), (0, 0, 0));
}

#[test]
fn ipis_to_others_and_to_self() {
    let mut b = V1::new(&t8103());
    b.w_as(2, IPI_SEND, 1 << 5 | 1 << 6);
    assert_eq!(b.irq(), 1 << 5 | 1 << 6);
    assert_eq!(b.r_as(2, IPI_SEND), 0, "nothing pending on the sender");
    assert_eq!(b.r_as(5, EVENT_1), 4 << 16 | 1);
    b.w_as(6, IPI_MASK_SET, OTHER);
    assert_eq!(b.irq(), 0, "masked by hand");
    b.w_as(3, IPI_SEND, SELF);
    assert_eq!((b.irq(), b.r_as(3, EVENT_1)), (1 << 3, 4 << 16 | 2));
    b.w_as(3, IPI_ACK, SELF);
    assert_eq!(b.r_as(3, IPI_ACK), 0);
    // One bit: two sends, one interrupt.
    b.w_as(0, IPI_SEND, 1 << 4);
    b.w_as(1, IPI_SEND, 1 << 4);
    assert_eq!(b.r_as(4, EVENT_1), 4 << 16 | 1);
    b.w_as(4, IPI_ACK, OTHER);
    b.w_as(4, IPI_MASK_CLR, OTHER);
    assert_eq!(b.r_as(4, EVENT_1), 0);
    // By the view of the CPU.
    b.w(0x5008 + 0x80 * 7, OTHER);
    assert_eq!(b.irq(), 1 << 7);
    b.w(0x500c + 0x80 * 7, OTHER);
    assert_eq!(b.irq(), 0);
}

#[test]
fn a_line_goes_where_its_target_says_and_siq_cfg_says_nothing() {
    let mut b = V1::new(&t8103());
    for cpu in 0..8 {
        assert_eq!(b.bus.siq_cfg(cpu), 3);
        b.fire(1 << cpu);
        assert_eq!(b.irq(), 1 << cpu);
        for other in (0..8).filter(|o| *o != cpu) {
            assert_eq!(b.r_as(other, EVENT_1), 0, "CPU {other} is no target");
        }
        assert_eq!(b.r_as(cpu, EVENT_1), 0x1_0064);
        b.w(SW_CLR_1 + 12, 1 << 4);
    }
    for value in 0..4 {
        b.bus.sysreg_write(5, SIQ_CFG, 2, value, b.now).unwrap();
        assert_eq!(b.bus.siq_cfg(5), value);
        b.fire(1 << 5);
        assert_eq!(b.r_as(5, EVENT_1), 0x1_0064);
        b.w(SW_CLR_1 + 12, 1 << 4);
    }
    b.fire(0);
    assert_eq!(b.irq(), 0, "nobody is a target");
    b.w(TARGET + 400, 1 << 2);
    assert_eq!(b.irq(), 1 << 2, "a pending line follows its target");
}

#[test]
fn several_targets_see_it_and_the_first_reader_takes_it() {
    let mut b = V1::new(&t8103());
    b.fire(0b1010_0110);
    assert_eq!(b.irq(), 0b1010_0110);
    assert_eq!(b.r_as(0, EVENT_1), 0);
    assert_eq!(b.r_as(7, EVENT_1), 0x1_0064);
    assert_eq!(b.irq(), 0, "dropped everywhere");
    assert_eq!(b.r(MASK_SET_1 + 12) & 1 << 4, 1 << 4);
    assert_eq!(b.r_as(1, EVENT_1), 0);
    b.w(MASK_CLR_1 + 12, 1 << 4);
    b.pass(500);
    assert_eq!(
        b.irq(),
        0b1010_0110,
        "still high: unmasking raises it again"
    );
}

#[test]
fn lower_numbers_first_and_only_those_that_exist() {
    let mut b = V1::new(&t8103());
    for line in [33, 700, 5, 895, 896] {
        b.w(TARGET + 4 * line, 1);
        b.w(MASK_CLR_1 + line / 32 * 4, 1 << (line % 32));
        b.w(SW_SET_1 + line / 32 * 4, 1 << (line % 32));
    }
    b.pass(500);
    let taken: Vec<u32> = (0..5).map(|_| b.r(EVENT_1)).collect();
    assert_eq!(taken, [0x1_0005, 0x1_0021, 0x1_02bc, 0x1_037f, 0]);
}

#[test]
fn hardware_and_software_levels_are_ored() {
    let mut b = V1::new(&t8103());
    b.w(TARGET + 400, 1);
    b.bus.set_line(0, 100, true, b.now);
    b.w(SW_SET_1 + 12, 1 << 4);
    b.w(SW_CLR_1 + 12, 1 << 4);
    assert_eq!((b.r(HW_STATE_1 + 12), b.r(SW_SET_1 + 12)), (1 << 4, 0));
    b.pass(500);
    assert_eq!(b.irq(), 0, "masked");
    b.w(MASK_CLR_1 + 12, 1 << 4);
    b.pass(500);
    assert_eq!((b.irq(), b.r(EVENT_1)), (1, 0x1_0064));
    b.w(HW_STATE_1 + 12, 0);
    assert_eq!(b.r(HW_STATE_1 + 12), 1 << 4, "read only");
    b.w(MASK_SET_1 + 12, 1 << 9);
    assert_eq!(
        b.r(MASK_CLR_1 + 12) & 1 << 9,
        1 << 9,
        "either register of a pair reads the state"
    );
}

#[test]
fn enable_is_no_gate_unless_the_model_says_so() {
    let mut b = V1::new(&t8103());
    b.w(CONFIG_1, 0);
    b.fire(1);
    assert_eq!(b.irq(), 1);
    let mut model = t8103();
    model.aic.delivers_without_enable = false;
    let mut b = V1::new(&model);
    b.w(CONFIG_1, 0);
    b.fire(1);
    assert_eq!(b.irq(), 0);
    b.w(CONFIG_1, 1);
    b.pass(500);
    assert_eq!(b.irq(), 1);
}

#[test]
fn who_may_take_is_data() {
    let mut model = t8103();
    model.aic.event_claim = EventClaim::Anybody;
    let mut b = V1::new(&model);
    b.fire(1 << 3);
    assert_eq!(b.r_as(6, EVENT_1), 0x1_0064);
    assert_eq!(b.irq(), 0);
}

#[test]
fn a_cpu_that_the_system_takes_for_dead_gets_nothing() {
    let mut b = V1::new(&t8103());
    b.fire(1 << 3);
    // The stop register, one word below.
    b.bus.mmio_write(0, ACTIVE_1 - 4, 4, 1 << 3, b.now).unwrap();
    assert_eq!(b.irq(), 0);
    b.bus.mmio_write(0, ACTIVE_1, 4, 1 << 3, b.now).unwrap();
    assert_eq!(b.irq(), 1 << 3);
}

#[test]
fn reset_counter_and_the_end_of_the_window() {
    let mut b = V1::new(&t8103());
    b.fire(1);
    b.w(RST, 1);
    assert_eq!((b.irq(), b.r(MASK_SET_1 + 12)), (0, u32::MAX));
    b.now = Time::from_micros(1_000_000);
    assert_eq!((b.r(0x8020), b.r(0x8028)), (24_000_000, 0));
    assert!(b.bus.mmio_read(0, BASE + 0xc000, 4, b.now).is_err());
    assert_eq!(b.r(0xbffc), 0);
}

#[test]
fn faults_lose_repeat_and_invent() {
    let mut model = t8103();
    model.faults.lose_trigger_every = 2;
    let mut b = V1::new(&model);
    let seen = [0; 4].map(|_| {
        b.fire(1);
        let word = b.r(EVENT_1);
        b.w(SW_CLR_1 + 12, 1 << 4);
        word
    });
    assert_eq!(seen, [0x1_0064, 0, 0x1_0064, 0]);
    assert_eq!(b.bus.aic.triggers(), 4);

    let mut model = t8103();
    model.faults.duplicate_every = 1;
    let mut b = V1::new(&model);
    b.fire(1);
    assert_eq!(b.r(EVENT_1), 0x1_0064);
    b.w(SW_CLR_1 + 12, 1 << 4);
    b.pass(1500);
    assert_eq!((b.irq(), b.r(EVENT_1), b.r(EVENT_1)), (1, 0x1_0064, 0));

    let mut model = t8103();
    model.faults.spurious_every = 1;
    let mut b = V1::new(&model);
    b.fire(1);
    assert_eq!((b.irq(), b.r(EVENT_1), b.irq()), (1, 0, 0));
    b.pass(2500);
    assert_eq!(b.r(EVENT_1), 0x1_0064);
}

#[test]
fn the_places_of_version_1_are_fixed() {
    let refuse = |change: fn(&mut SocModel)| {
        let mut model = t8103();
        change(&mut model);
        model.validate("x").expect_err("refused").to_string()
    };
    let text = refuse(|m| m.aic.event = 0x2000);
    assert!(text.contains("aic.event = 0x2000"), "{text}");
    let text = refuse(|m| m.aic.dies = 2);
    assert!(text.contains("aic.dies"), "{text}");
    let text = refuse(|m| m.cpu[1].aic_number = Some(5));
    assert!(text.contains("cpu[5].aic_number = 5"), "{text}");
}
