// SPDX-License-Identifier: MIT OR Apache-2.0
//! The layout rule against worked examples, and its properties for any geometry.

use aic_regs::aic::{Aic, Bank, Geometry, GeometryError, IpiFlags, IpiSend, Line, TargetCpu};
use aic_regs::mmio::Mmio;
use proptest::prelude::*;
use std::cell::Cell;

/// Remembers the highest offset that was accessed.
#[derive(Default)]
struct Reached(Cell<u32>);

impl Mmio for Reached {
    fn read32(&self, off: u32) -> u32 {
        self.0.set(self.0.get().max(off));
        0
    }

    fn write32(&self, off: u32, _: u32) {
        self.0.set(self.0.get().max(off));
    }
}

fn line(die: u8, number: u16) -> Line {
    Line { die, number }
}

#[test]
fn v2_with_4096_lines_has_the_published_offsets() {
    let g = Geometry::v2(1961, 4096, 2, 0xc000);
    assert_eq!((g.irq_cfg, g.sw_set, g.sw_clr), (0x2000, 0x6000, 0x6200));
    assert_eq!(
        (g.mask_set, g.mask_clr, g.hw_state),
        (0x6400, 0x6600, 0x6800)
    );
    assert_eq!(g.computed_stride(), 0x4a00);
    let place = |bank| g.bank_offset(bank, 1, 0);
    assert_eq!(place(Bank::SwSet), Some(0xaa00));
    assert_eq!(place(Bank::SwClr), Some(0xac00));
    assert_eq!(place(Bank::MaskSet), Some(0xae00));
    assert_eq!(place(Bank::MaskClr), Some(0xb000));
    assert_eq!(place(Bank::HwState), Some(0xb200));
    assert_eq!(g.extent(), 0xc004);
    assert_eq!(g.check(), Ok(()));
}

#[test]
fn v3_with_4096_lines_has_the_published_offsets() {
    let g = Geometry::v3(1504, 4096, 1, Geometry::V3_EVENT);
    assert_eq!((g.irq_cfg, g.sw_set, g.sw_clr), (0x10000, 0x14000, 0x14200));
    assert_eq!(
        (g.mask_set, g.mask_clr, g.hw_state),
        (0x14400, 0x14600, 0x14800)
    );
    assert_eq!((g.event, g.config), (0x40000, 0x14));
    assert_eq!(g.irq_cfg + g.cfg_stride, 0x14a00);
}

#[test]
fn strides_of_zero_are_computed_and_others_are_kept() {
    let computed = Geometry::v3(100, 4096, 2, 0x40000);
    assert_eq!(computed.with_strides(0, 0, 0, 0), computed);
    let given = computed.with_strides(0x5000, 0x6000, 0x7000, 0x8000);
    assert_eq!(
        given.bank_offset(Bank::MaskSet, 1, 3),
        Some(0x14400 + 0x6000 + 12)
    );
    assert_eq!(
        given.bank_offset(Bank::MaskClr, 1, 3),
        Some(0x14600 + 0x7000 + 12)
    );
    assert_eq!(
        given.bank_offset(Bank::HwState, 1, 3),
        Some(0x14800 + 0x8000 + 12)
    );
}

#[test]
fn the_device_tree_may_move_the_header_and_the_configuration() {
    let g = Geometry::v2(100, 256, 1, 0x8000)
        .with_irq_cfg(0x3000)
        .with_header(0x100, 0x104, 0x10c, 0x114);
    assert_eq!(
        (g.version, g.info1, g.info3, g.config),
        (0x100, 0x104, 0x10c, 0x114)
    );
    assert_eq!((g.irq_cfg, g.sw_set, g.sw_clr), (0x3000, 0x3400, 0x3420));
}

#[test]
fn lines_end_at_nr_irq_and_at_the_last_die() {
    let g = Geometry::v3(1504, 4096, 2, 0x40000);
    assert!(g.line(line(0, 1503)).is_some());
    assert!(g.line(line(1, 0)).is_some());
    assert!(g.line(line(0, 1504)).is_none());
    assert!(g.line(line(2, 0)).is_none());
    assert_eq!(g.bank_offset(Bank::SwSet, 0, 127), Some(0x14000 + 127 * 4));
    assert_eq!(g.bank_offset(Bank::SwSet, 0, 128), None);
    assert_eq!(g.bank_offset(Bank::SwSet, 2, 0), None);
}

#[test]
fn impossible_geometries_are_refused_with_the_value_and_the_range() {
    let good = Geometry::v3(1504, 4096, 1, 0x40000);
    let cases = [
        (
            Geometry::v3(10, 100, 1, 0x40000),
            GeometryError::MaxIrq(100),
            "max_irq 100",
        ),
        (
            Geometry::v3(10, 0, 1, 0x40000),
            GeometryError::MaxIrq(0),
            "max_irq 0",
        ),
        (
            Geometry::v3(10, 0x1_0000, 1, 0x40000),
            GeometryError::MaxIrq(0x1_0000),
            "65504",
        ),
        (
            Geometry::v3(0, 64, 1, 0x40000),
            GeometryError::NrIrq {
                nr_irq: 0,
                max_irq: 64,
            },
            "nr_irq 0",
        ),
        (
            Geometry::v3(65, 64, 1, 0x40000),
            GeometryError::NrIrq {
                nr_irq: 65,
                max_irq: 64,
            },
            "max_irq, 64",
        ),
        (
            Geometry::v3(10, 64, 0, 0x40000),
            GeometryError::Dies(0),
            "0 dies",
        ),
        (
            Geometry::v3(10, 64, 17, 0x40000),
            GeometryError::Dies(17),
            "1 to 16",
        ),
        (
            Geometry::v3(10, 64, 1, 0x40002),
            GeometryError::Unaligned(0x40002),
            "0x40002",
        ),
        (
            good.with_strides(2, 0, 0, 0),
            GeometryError::Unaligned(2),
            "0x2",
        ),
        (
            good.with_irq_cfg(0xffff_fffc),
            GeometryError::TooLarge(0x1_0000_3ffc),
            "4 GiB",
        ),
    ];
    for (geometry, error, text) in cases {
        assert_eq!(geometry.check(), Err(error));
        assert!(error.to_string().contains(text), "{error}");
    }
}

#[test]
fn v1_is_reached_below_its_extent() {
    let g = Geometry::v1(1024);
    let reached = Reached::default();
    let aic = Aic::new(&reached, g);
    let last = aic.line(line(0, 1023)).unwrap();
    aic.hw_state(&last);
    aic.set_target_cpu(&last, TargetCpu::cpu(31));
    aic.ipi_send(IpiSend::SELF);
    aic.ipi_mask_clr(IpiFlags::BOTH);
    for cpu in 0..=u8::MAX {
        if let Some(view) = aic.cpu_view(cpu) {
            view.ipi_mask_clr(IpiFlags::BOTH);
        }
    }
    assert_eq!(reached.0.get(), 0x5000 + 30 * 0x80 + 0x28);
    assert!(u64::from(reached.0.get()) + 4 <= g.extent());
}

proptest! {
    #[test]
    fn whatever_passes_the_check_is_reached_below_its_extent(
        nr_irq in 0_u32..0x1_0010,
        max_irq in (0_u32..0x802).prop_map(|words| words * 32),
        dies in 0_u32..20,
        event: u32,
        cfg: u32,
        strides: [u32; 4],
        die: u8,
        number: u16,
    ) {
        let [event, cfg] = [event & !3, cfg & !3];
        let [a, b, c, d] = strides.map(|stride| stride & 0xf_fffc);
        let g = Geometry::v3(nr_irq, max_irq, dies, event).with_irq_cfg(cfg).with_strides(a, b, c, d);
        let reached = Reached::default();
        let aic = Aic::new(&reached, g);
        // Nothing panics, checked or not.
        if let Some(handle) = aic.line(line(die % 20, number)) {
            aic.sw_set(&handle);
            aic.sw_clr(&handle);
            aic.mask(&handle);
            aic.unmask(&handle);
            aic.hw_state(&handle);
            aic.irq_cfg(&handle);
        }
        for bank in Bank::ALL {
            aic.bank_word(bank, die % 20, u32::from(number) / 32);
        }
        aic.event();
        aic.config();
        aic.timestamp();
        if g.check().is_ok() {
            prop_assert!(u64::from(reached.0.get()) + 4 <= g.extent());
        }
    }

    #[test]
    fn no_two_registers_share_a_place(words in 1_u32..=128, dies in 1_u32..=4, v3: bool) {
        let max = words * 32;
        let g = if v3 { Geometry::v3(max, max, dies, 0x40000) } else { Geometry::v2(max, max, dies, 0x20000) };
        prop_assert_eq!(g.check(), Ok(()));
        let mut places = vec![g.event];
        for die in 0..dies as u8 {
            places.extend((0..max).map(|n| g.irq_cfg + u32::from(die) * g.cfg_stride + n * 4));
            for bank in Bank::ALL {
                places.extend((0..words).filter_map(|word| g.bank_offset(bank, die, word)));
            }
        }
        let count = places.len();
        prop_assert_eq!(count as u32, 1 + dies * (max + 5 * words));
        prop_assert!(places.iter().all(|place| u64::from(*place) < g.extent()));
        places.sort_unstable();
        places.dedup();
        prop_assert_eq!(places.len(), count);
    }
}
