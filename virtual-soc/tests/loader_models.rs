//! Every built-in model as a loader meets it: all CPUs start, and each says the MPIDR that public lists give.

mod soc_common;

#[path = "soc_common/a64.rs"]
mod a64;
#[path = "soc_common/client.rs"]
mod client;

use client::{Client, RX};
use soc_common::SocModel;
use virtual_soc::cpu::CoreState;

const SMP_CALL_SYNC: u64 = 0x502;
const IS_ALIVE: u64 = 0x505;

/// Affinity (Aff2, Aff1, Aff0) of all CPUs in the order of the device tree, and the boot CPU's place in it: from Linux device trees,
/// device trees and notes, written out.
const CPUS: &[(&str, usize, &[u64])] = &[
    (
        "t8103",
        0,
        &[0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103],
    ),
    (
        "t8112",
        0,
        &[0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103],
    ),
    (
        "t6000",
        0,
        &[
            0, 1, 0x10100, 0x10101, 0x10102, 0x10103, 0x10200, 0x10201, 0x10202, 0x10203,
        ],
    ),
    (
        "t6002",
        0,
        &[
            0, 1, 0x10100, 0x10101, 0x10102, 0x10103, 0x10200, 0x10201, 0x10202, 0x10203, 0x800,
            0x801, 0x10900, 0x10901, 0x10902, 0x10903, 0x10a00, 0x10a01, 0x10a02, 0x10a03,
        ],
    ),
    (
        "t6020",
        0,
        &[
            0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10200, 0x10201, 0x10202,
        ],
    ),
    (
        "t6022",
        0,
        &[
            0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103, 0x10200, 0x10201, 0x10202, 0x10203,
            0x800, 0x801, 0x802, 0x803, 0x10900, 0x10901, 0x10902, 0x10903, 0x10a00, 0x10a01,
            0x10a02, 0x10a03,
        ],
    ),
    (
        "t8122",
        4,
        &[0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103],
    ),
    (
        "t6030",
        6,
        &[
            0, 1, 2, 3, 4, 5, 0x10100, 0x10101, 0x10102, 0x10103, 0x10104, 0x10105,
        ],
    ),
    (
        "t6031",
        4,
        &[
            0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103, 0x10104, 0x10105, 0x10200, 0x10201,
            0x10202, 0x10203, 0x10204, 0x10205,
        ],
    ),
    (
        "t8132",
        6,
        &[0, 1, 2, 3, 4, 5, 0x10100, 0x10101, 0x10102, 0x10103],
    ),
    (
        "t6040",
        4,
        &[
            0, 1, 2, 3, 0x10100, 0x10101, 0x10102, 0x10103, 0x10104, 0x10200, 0x10201, 0x10202,
            0x10203, 0x10204,
        ],
    ),
    ("t8140", 4, &[0, 1, 2, 3, 0x10100, 0x10101]),
    (
        "t8142",
        6,
        &[0, 1, 2, 3, 4, 5, 0x10100, 0x10101, 0x10102, 0x10103],
    ),
    (
        "t8152",
        6,
        &[
            0, 1, 2, 3, 4, 5, 0x10100, 0x10101, 0x40102, 0x40103, 0x40104, 0x40105,
        ],
    ),
];

fn model(name: &str) -> SocModel {
    SocModel::builtin(name).unwrap_or_else(|| panic!("{name} is built in"))
}

/// Starts all CPUs through the loader and asks each for its MPIDR, SIQ_CFG in the upper half: MRS both, ORR, RET.
fn ask_all(model: &SocModel) -> Vec<(u64, u64)> {
    let mut c = Client::new(model);
    let ids: Vec<u64> = model.logical_order()[1..]
        .iter()
        .map(|&i| model.cpu[i].adt_id.into())
        .collect();
    c.start(&ids);
    let mpidr = c.code(&[a64::mrs(0, 3, 0, 0, 0, 5), a64::RET]);
    let siq = c.code(&[a64::mrs_siq(0), a64::RET]);
    let answers = ids.iter().map(|id| {
        assert_eq!(c.op(IS_ALIVE, &[*id]), 1, "{} CPU {id}", model.name);
        let mut call = |code: u64| c.op(SMP_CALL_SYNC, &[*id, code | RX]);
        (call(mpidr), call(siq))
    });
    answers.collect()
}

#[test]
fn all_cpus_start_with_the_mpidr_that_lists_give() {
    for (name, boot, affinities) in CPUS {
        let model = model(name);
        let mut expected: Vec<u64> = affinities.iter().map(|a| 0x8000_0000 | a).collect();
        let of_boot = expected.remove(*boot);
        let order = model.logical_order();
        assert_eq!(model.cpu[order[0]].mpidr, of_boot, "{name}: boot CPU");
        // The loader of M1 to M3 writes 2; later firmware leaves 3 on secondaries.
        let siq = model.loader.writes_siq_cfg.unwrap_or(3);
        let answers = ask_all(&model);
        let expected: Vec<(u64, u64)> = expected.iter().map(|m| (*m, siq)).collect();
        assert_eq!(answers, expected, "{name}");
    }
    let known: Vec<&str> = CPUS.iter().map(|(name, ..)| *name).collect();
    for name in SocModel::builtin_names() {
        assert!(
            known.iter().any(|k| name.starts_with(k)),
            "{name} has no list here"
        );
    }
}

#[test]
fn any_number_of_cpus_from_2_to_24() {
    for count in 2..=24 {
        let mut model = model("t6022");
        for cpu in &mut model.cpu[count..] {
            cpu.present = false;
        }
        assert_eq!(ask_all(&model).len(), count - 1, "{count} CPUs");
    }
}

#[test]
fn the_second_die_has_its_own_start_block() {
    let model = model("t6002");
    let mut c = Client::new(&model);
    // Die 1's block lies 0x2000000000 further on; device-tree id 12 is core 0 of cluster 1 there.
    let block = 0x2_8e08_0000 + 0x5_4000 + 0x20_0000_0000;
    c.op(0x101, &[block + 4, 1 << 4]);
    c.op(0x101, &[block + 0xc, 1]);
    assert_eq!(c.op(IS_ALIVE, &[12]), 1);
    assert_eq!(c.op(IS_ALIVE, &[2]), 0, "its twin on die 0");
    assert_eq!(c.op(0x105, &[block + 4]), 1 << 4);
}

/// Firmware that names a CPU's "active" bit nowhere leaves it without AIC interrupts; its fast IPIs arrive.
#[test]
fn a_cpu_without_its_active_bit_gets_ipis_and_no_lines() {
    const LINE_MASK_CLR: u64 = 0x3_0100_0000 + 0x14600 + 12;
    const LINE_SW_SET: u64 = 0x3_0100_0000 + 0x14000 + 12;
    let lines = |model: &SocModel| {
        let mut c = Client::new(model);
        c.op(0x504, &[1]);
        c.op(0x500, &[]);
        let now = c.target.machine().now();
        let bus = &mut c.target.machine_mut().bus;
        // Only device-tree id 2, logical CPU 3, accepts; it hears of a line and of an IPI.
        for cpu in 0..6 {
            bus.set_siq_cfg(cpu, if cpu == 3 { 1 } else { 3 }, now);
        }
        c.op(0x101, &[0x3_0100_0014, 1]);
        c.op(0x101, &[LINE_MASK_CLR, 1 << 4]);
        c.op(0x101, &[LINE_SW_SET, 1 << 4]);
        let ipi = c.code(&[a64::movz(1, 2, 0), a64::msr(1, 3, 5, 15, 0, 1), a64::RET]);
        c.op(0x002, &[ipi | RX]);
        c.op(0x006, &[100]);
        let machine = c.target.machine();
        assert_eq!(machine.cores[3].state(), CoreState::Parked);
        use virtual_soc::cpu::Bus as _;
        (
            machine.bus.irq_lines() >> 3 & 1,
            machine.bus.fiq_lines() >> 3 & 1,
        )
    };
    assert_eq!(lines(&model("t8140")), (1, 1));
    let mut skipped = model("t8140");
    skipped.siq.classes[3] = virtual_soc::model::Class::Never;
    skipped.loader.leaves_inactive = vec![2];
    assert_eq!(lines(&skipped), (0, 1));
}
