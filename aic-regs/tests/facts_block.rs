// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of the memory-mapped block against the published maps.

use aic_regs::aic::{Generation, Geometry};
use aic_regs::facts::{BLOCK_REGISTERS, BlockRegister, CONTROLLERS, Controller, WriteEffect};
use std::collections::BTreeSet;

/// Name, offset, words, die stride of every register of a generation, in order of the table.
fn places(generation: Generation, geometry: &Geometry) -> Vec<(&'static str, u32, u32, u32)> {
    BlockRegister::of(generation)
        .map(|fact| {
            let (count, die) = (fact.count(geometry), fact.die_stride(geometry));
            (fact.name, fact.offset(geometry), count, die)
        })
        .collect()
}

#[test]
fn the_table_of_v1_is_the_published_map() {
    assert_eq!(
        places(Generation::V1, &Geometry::v1(896)),
        [
            ("REV", 0x0, 1, 0),
            ("CAP0", 0x4, 1, 0),
            ("CAP1", 0x8, 1, 0),
            ("RST", 0xc, 1, 0),
            ("GLB_CFG", 0x10, 1, 0),
            ("UNNAMED_18", 0x18, 1, 0),
            ("UNNAMED_20", 0x20, 4, 0),
            ("UNNAMED_30", 0x30, 1, 0),
            ("UNNAMED_34", 0x34, 3, 0),
            ("WHOAMI", 0x2000, 1, 0),
            ("IPI_SEND", 0x2008, 1, 0),
            ("IPI_ACK", 0x200c, 1, 0),
            ("IPI_MASK_SET", 0x2024, 1, 0),
            ("IPI_MASK_CLR", 0x2028, 1, 0),
            ("IPI_DEFER_SET", 0x202c, 1, 0),
            ("IPI_DEFER_CLR", 0x2030, 1, 0),
            ("TARGET_CPU", 0x3000, 1024, 0),
            ("CPU_WHOAMI", 0x5000, 31, 0),
            ("CPU_EVENT", 0x5004, 31, 0),
            ("CPU_IPI_SET", 0x5008, 31, 0),
            ("CPU_IPI_CLR", 0x500c, 31, 0),
            ("CPU_IPI_MASK_SET", 0x5024, 31, 0),
            ("CPU_IPI_MASK_CLR", 0x5028, 31, 0),
            ("CNTPCT_LOW", 0x8020, 1, 0),
            ("CNTPCT_HIGH", 0x8028, 1, 0),
            ("SW_SET", 0x4000, 32, 0),
            ("SW_CLR", 0x4080, 32, 0),
            ("MASK_SET", 0x4100, 32, 0),
            ("MASK_CLR", 0x4180, 32, 0),
            ("HW_STATE", 0x4200, 32, 0),
            ("EVENT", 0x2004, 1, 0),
        ]
    );
}

#[test]
fn the_tables_of_v2_and_v3_follow_the_geometry() {
    let header = [
        ("VERSION", 0x0, 1, 0),
        ("INFO1", 0x4, 1, 0),
        ("INFO2", 0x8, 1, 0),
        ("INFO3", 0xc, 1, 0),
        ("RESET", 0x10, 1, 0),
        ("CONFIG", 0x14, 1, 0),
        ("TIMEOUT", 0x28, 1, 0),
        ("CLUSTER_PRIO", 0x30, 1, 0),
        ("COUNTER", 0x3c, 1, 0),
        ("DELAY_GROUPS", 0x100, 8, 0),
        ("LATENCY", 0x204, 1, 0),
        ("IDLE_CLUSTERS", 0x340, 1, 0),
        ("TIMESTAMPS", 0x1800, 1, 0),
    ];
    let v2 = [
        ("IRQ_CFG", 0x2000, 4096, 0x4a00),
        ("SW_SET", 0x6000, 128, 0x4a00),
        ("SW_CLR", 0x6200, 128, 0x4a00),
        ("MASK_SET", 0x6400, 128, 0x4a00),
        ("MASK_CLR", 0x6600, 128, 0x4a00),
        ("HW_STATE", 0x6800, 128, 0x4a00),
        ("EVENT", 0xc000, 1, 0),
    ];
    let v3 = [
        ("IRQ_CFG", 0x10000, 4096, 0x4a00),
        ("SW_SET", 0x14000, 128, 0x4a00),
        ("SW_CLR", 0x14200, 128, 0x4a00),
        ("MASK_SET", 0x14400, 128, 0x4a00),
        ("MASK_CLR", 0x14600, 128, 0x4a00),
        ("HW_STATE", 0x14800, 128, 0x4a00),
        ("EVENT", 0x40000, 1, 0),
    ];
    let found = places(Generation::V2, &Geometry::v2(1961, 4096, 2, 0xc000));
    assert_eq!(found, [&header[..], &v2].concat());
    let found = places(Generation::V3, &Geometry::v3(1504, 4096, 2, 0x40000));
    assert_eq!(found, [&header[..], &v3].concat());
}

#[test]
fn pairs_of_addresses_tell_what_writing_does() {
    let all = |effect| {
        BLOCK_REGISTERS
            .iter()
            .filter(|fact| fact.write_effect() == Some(effect))
            .map(|fact| fact.name)
            .collect::<Vec<_>>()
    };
    let sets = [
        "IPI_SEND",
        "IPI_MASK_SET",
        "CPU_IPI_SET",
        "CPU_IPI_MASK_SET",
        "SW_SET",
        "MASK_SET",
    ];
    let clears = [
        "IPI_ACK",
        "IPI_MASK_CLR",
        "CPU_IPI_CLR",
        "CPU_IPI_MASK_CLR",
        "SW_CLR",
        "MASK_CLR",
    ];
    assert_eq!(all(WriteEffect::OneSets), sets);
    assert_eq!(all(WriteEffect::OneClears), clears);
}

#[test]
fn every_controller_has_a_layout_that_fits_its_window() {
    for controller in CONTROLLERS {
        let (name, geometry) = (controller.soc, controller.geometry());
        assert_eq!(geometry.check(), Ok(()), "{name}");
        assert_eq!(geometry.event, controller.event, "{name}");
        let mut words = BTreeSet::new();
        for fact in BlockRegister::of(controller.generation) {
            let dies = if fact.die_stride(&geometry) == 0 {
                1
            } else {
                geometry.dies
            };
            for die in 0..dies {
                for i in 0..fact.count(&geometry) {
                    let at = fact.offset(&geometry)
                        + die * fact.die_stride(&geometry)
                        + i * fact.stride();
                    assert!(
                        words.insert(at),
                        "{name}: {} at {at:#x} is another's",
                        fact.name
                    );
                    let end = u64::from(at) + 4;
                    assert_eq!(
                        end <= geometry.extent(),
                        fact.in_window(),
                        "{name}: {}",
                        fact.name
                    );
                    let mapped = end <= u64::from(controller.window) || at == controller.event;
                    assert!(
                        mapped || !fact.in_window(),
                        "{name}: {} at {at:#x}",
                        fact.name
                    );
                }
            }
        }
    }
    let names = CONTROLLERS
        .iter()
        .flat_map(|controller| std::iter::once(&controller.soc).chain(controller.also));
    assert_eq!(names.clone().collect::<BTreeSet<_>>().len(), names.count());
    let t6021 = Controller::of("t6021").unwrap();
    assert_eq!((t6021.soc, t6021.base), ("T6020", 0x2_8e10_0000));
    assert_eq!(Controller::of("T9999"), None);
}
