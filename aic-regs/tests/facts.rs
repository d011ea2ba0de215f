// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables agree with the code, and with the facts stated here a second time.

use aic_regs::aic::{EventWord, Geometry, IrqConfig};
use aic_regs::facts::{
    AccessKind, BLOCK_REGISTERS, BlockRegister, Described, Field, SYSTEM_REGISTERS, Source,
    SystemRegisterFact,
};
use aic_regs::sysreg::{Encoding, SiqCfg};
use std::collections::BTreeSet;

fn all_fields() -> impl Iterator<Item = (&'static str, u8, &'static [Field])> {
    let system = SYSTEM_REGISTERS
        .iter()
        .map(|fact| (fact.name, 64, fact.fields));
    system.chain(
        BLOCK_REGISTERS
            .iter()
            .map(|fact| (fact.name, 32, fact.fields)),
    )
}

#[test]
fn fields_lie_inside_their_register_and_do_not_overlap() {
    for (register, width, fields) in all_fields() {
        let mut taken = 0_u64;
        for field in fields {
            assert!(
                field.lsb <= field.msb && field.msb < width,
                "{register}.{}",
                field.name
            );
            let mask = (field.lsb..=field.msb).fold(0, |mask, bit| mask | 1_u64 << bit);
            assert_eq!(taken & mask, 0, "{register}.{} overlaps", field.name);
            taken |= mask;
            assert!(!field.about.is_empty() && field.about == field.about.trim());
            let room = mask >> field.lsb;
            let values: BTreeSet<u64> = field.values.iter().map(|known| known.value).collect();
            assert_eq!(
                values.len(),
                field.values.len(),
                "{register}.{}: a value twice",
                field.name
            );
            assert!(
                values.iter().all(|value| *value <= room),
                "{register}.{}",
                field.name
            );
        }
    }
}

#[test]
fn encodings_are_those_of_the_facts() {
    let expected = [
        ("SIQ_CFG_EL1", "S3_4_C15_C10_4", AccessKind::ReadWrite),
        ("IPI_RR_LOCAL_EL1", "S3_5_C15_C0_0", AccessKind::WriteOnly),
        ("IPI_RR_GLOBAL_EL1", "S3_5_C15_C0_1", AccessKind::WriteOnly),
        ("IPI_SR_EL1", "S3_5_C15_C1_1", AccessKind::ReadWrite),
        ("IPI_CR_EL1", "S3_5_C15_C3_1", AccessKind::ReadWrite),
        ("MPIDR_EL1", "S3_0_C0_C0_5", AccessKind::ReadOnly),
        ("MIDR_EL1", "S3_0_C0_C0_0", AccessKind::ReadOnly),
        ("ISR_EL1", "S3_0_C12_C1_0", AccessKind::ReadOnly),
        ("DAIF", "S3_3_C4_C2_1", AccessKind::ReadWrite),
        ("CurrentEL", "S3_0_C4_C2_2", AccessKind::ReadOnly),
        ("VBAR_EL1", "S3_0_C12_C0_0", AccessKind::ReadWrite),
        ("ESR_EL1", "S3_0_C5_C2_0", AccessKind::ReadWrite),
        ("ELR_EL1", "S3_0_C4_C0_1", AccessKind::ReadWrite),
        ("SPSR_EL1", "S3_0_C4_C0_0", AccessKind::ReadWrite),
        ("FAR_EL1", "S3_0_C6_C0_0", AccessKind::ReadWrite),
        ("SCTLR_EL1", "S3_0_C1_C0_0", AccessKind::ReadWrite),
        ("HCR_EL2", "S3_4_C1_C1_0", AccessKind::ReadWrite),
        ("TPIDR_EL0", "S3_3_C13_C0_2", AccessKind::ReadWrite),
        ("CNTHCTL_EL2", "S3_4_C14_C1_0", AccessKind::ReadWrite),
        ("CNTPCT_EL0", "S3_3_C14_C0_1", AccessKind::ReadOnly),
        ("CNTFRQ_EL0", "S3_3_C14_C0_0", AccessKind::ReadOnly),
    ];
    let table: Vec<_> = SYSTEM_REGISTERS
        .iter()
        .map(|fact| (fact.name, fact.encoding.to_string(), fact.access))
        .collect();
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(name, place, access)| (name, place.to_string(), access))
        .collect();
    assert_eq!(table, expected);
}

#[test]
fn no_two_system_registers_share_a_place_or_a_name() {
    let places: BTreeSet<u16> = SYSTEM_REGISTERS
        .iter()
        .map(|fact| fact.encoding.packed())
        .collect();
    let names: BTreeSet<&str> = SYSTEM_REGISTERS.iter().map(|fact| fact.name).collect();
    assert_eq!(
        (places.len(), names.len()),
        (SYSTEM_REGISTERS.len(), SYSTEM_REGISTERS.len())
    );
}

#[test]
fn registers_are_found_by_name_and_place() {
    let siq = SystemRegisterFact::by_name("siq_cfg").unwrap();
    assert_eq!((siq.name, siq.source), ("SIQ_CFG_EL1", Source::Silicon));
    assert_eq!(SystemRegisterFact::by_name("SIQ_CFG_EL1"), Some(siq));
    assert_eq!(
        SystemRegisterFact::by_encoding(Encoding::new(3, 4, 15, 10, 4)),
        Some(siq)
    );
    assert_eq!(SystemRegisterFact::by_name("SIQ"), None);
    assert_eq!(
        BlockRegister::by_name("event").map(|fact| fact.name),
        Some("EVENT")
    );
}

#[test]
fn the_block_table_follows_the_geometry() {
    let geometry = Geometry::v3(1504, 4096, 2, 0x40000);
    let place = |name| {
        let fact = BlockRegister::by_name(name).unwrap();
        (
            fact.offset(&geometry),
            fact.count(&geometry),
            fact.die_stride(&geometry),
        )
    };
    assert_eq!(place("VERSION"), (0x0, 1, 0));
    assert_eq!(place("INFO1"), (0x4, 1, 0));
    assert_eq!(place("INFO2"), (0x8, 1, 0));
    assert_eq!(place("INFO3"), (0xc, 1, 0));
    assert_eq!(place("RESET"), (0x10, 1, 0));
    assert_eq!(place("CONFIG"), (0x14, 1, 0));
    assert_eq!(place("TIMEOUT"), (0x28, 1, 0));
    assert_eq!(place("CLUSTER_PRIO"), (0x30, 1, 0));
    assert_eq!(place("COUNTER"), (0x3c, 1, 0));
    assert_eq!(place("DELAY_GROUPS"), (0x100, 8, 0));
    assert_eq!(place("LATENCY"), (0x204, 1, 0));
    assert_eq!(place("IDLE_CLUSTERS"), (0x340, 1, 0));
    assert_eq!(place("TIMESTAMPS"), (0x1800, 1, 0));
    assert_eq!(place("IRQ_CFG"), (0x10000, 4096, 0x4a00));
    assert_eq!(place("SW_SET"), (0x14000, 128, 0x4a00));
    assert_eq!(place("SW_CLR"), (0x14200, 128, 0x4a00));
    assert_eq!(place("MASK_SET"), (0x14400, 128, 0x4a00));
    assert_eq!(place("MASK_CLR"), (0x14600, 128, 0x4a00));
    assert_eq!(place("HW_STATE"), (0x14800, 128, 0x4a00));
    assert_eq!(place("EVENT"), (0x40000, 1, 0));
    assert_eq!(BLOCK_REGISTERS.len(), 20);
}

#[test]
fn fields_read_the_same_bits_as_the_accessors() {
    let field =
        |fields: &'static [Field], name| fields.iter().find(|field| field.name == name).unwrap();
    let word = 0x8123_4567;
    let event = EventWord(word);
    let value = |name| field(EventWord::FIELDS, name).extract(word.into());
    assert_eq!(
        (value("die"), value("kind"), value("number")),
        (
            event.die().into(),
            event.kind().into(),
            event.number().into()
        )
    );
    assert_eq!(field(IrqConfig::FIELDS, "delay_index").extract(0xa4), 5);
    let routing = field(SiqCfg::FIELDS, "routing");
    assert_eq!((routing.msb, routing.lsb, routing.extract(0x7)), (1, 0, 3));
    assert_eq!(routing.meaning(0x7), Some("never"));
    assert_eq!(field(EventWord::FIELDS, "kind").meaning(0x0003_0000), None);
    let whole = Field {
        name: "all",
        msb: 63,
        lsb: 0,
        about: "",
        source: Source::Model,
        values: &[],
    };
    assert_eq!(whole.extract(u64::MAX), u64::MAX);
}
