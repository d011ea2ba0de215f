// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables agree with the code, and with the facts stated here a second time.

use aic_regs::aic::{EventWord, IrqConfig};
use aic_regs::facts::{
    AccessKind, BLOCK_REGISTERS, BlockRegister, Described, Field, SYSTEM_REGISTERS, Source,
    SystemRegisterFact,
};
use aic_regs::sysreg::{Encoding, SiqCfg};
use std::collections::BTreeSet;

/// Every list of fields: whose it is, the register's width, the fields.
fn all_fields() -> impl Iterator<Item = (&'static str, u8, &'static [Field])> {
    let system = SYSTEM_REGISTERS
        .iter()
        .map(|fact| (fact.name, 64, fact.fields, fact.variants));
    let block = BLOCK_REGISTERS
        .iter()
        .map(|fact| (fact.name, 32, fact.fields, fact.variants));
    system
        .chain(block)
        .flat_map(|(name, width, fields, variants)| {
            let others = variants.iter().map(|variant| variant.fields);
            std::iter::once(fields)
                .chain(others)
                .map(move |fields| (name, width, fields))
        })
}

#[test]
fn fields_lie_inside_their_register_and_do_not_overlap() {
    let mut count = 0;
    for (register, width, fields) in all_fields() {
        let mut taken = 0_u64;
        for field in fields {
            count += 1;
            let name = format!("{register}.{}", field.name);
            assert!(field.lsb <= field.msb && field.msb < width, "{name}");
            let mask = (field.lsb..=field.msb).fold(0, |mask, bit| mask | 1_u64 << bit);
            assert_eq!(taken & mask, 0, "{name} overlaps");
            taken |= mask;
            assert!(!field.about.is_empty() && field.about == field.about.trim());
            let room = mask >> field.lsb;
            let values: BTreeSet<u64> = field.values.iter().map(|known| known.value).collect();
            assert_eq!(values.len(), field.values.len(), "{name}: a value twice");
            assert!(values.iter().all(|value| *value <= room), "{name}");
        }
        let names: BTreeSet<&str> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), fields.len(), "{register}: a field twice");
    }
    assert!(count > 200, "{count}");
}

#[test]
fn everything_is_told_in_words() {
    let words = |name: &str, about: &str| {
        assert!(
            about.ends_with('.') && about == about.trim() && !about.contains("  "),
            "{name}: {about:?}"
        );
    };
    for fact in SYSTEM_REGISTERS {
        words(fact.name, fact.about);
    }
    for fact in BLOCK_REGISTERS {
        words(fact.name, fact.about);
        assert!(!fact.generations.is_empty());
    }
    for (register, _, fields) in all_fields() {
        for field in fields {
            words(register, field.about);
        }
    }
}

#[test]
fn encodings_are_those_of_the_facts() {
    const R: AccessKind = AccessKind::ReadOnly;
    const W: AccessKind = AccessKind::WriteOnly;
    const RW: AccessKind = AccessKind::ReadWrite;
    let expected = [
        ("SIQ_CFG_EL1", "S3_4_C15_C10_4", RW),
        ("IPI_RR_LOCAL_EL1", "S3_5_C15_C0_0", W),
        ("IPI_RR_GLOBAL_EL1", "S3_5_C15_C0_1", W),
        ("IPI_SR_EL1", "S3_5_C15_C1_1", RW),
        ("IPI_CR_EL1", "S3_5_C15_C3_1", RW),
        ("VM_TMR_LR_EL2", "S3_5_C15_C1_2", RW),
        ("VM_TMR_FIQ_ENA_EL2", "S3_5_C15_C1_3", RW),
        ("HACR_EL2", "S3_4_C1_C1_7", RW),
        ("CYC_OVRD_EL1", "S3_5_C15_C5_0", RW),
        ("ACC_CFG_EL1", "S3_5_C15_C4_0", RW),
        ("ACC_OVRD_EL1", "S3_5_C15_C6_0", RW),
        ("HID1_EL1", "S3_0_C15_C1_0", RW),
        ("EHID20_EL1", "S3_0_C15_C1_2", RW),
        ("AGTCNTRDIR_EL1", "S3_1_C15_C1_5", RW),
        ("AGTCNTRDIR_EL12", "S3_4_C15_C14_6", RW),
        ("ACNTPCT_EL0", "S3_4_C15_C10_5", R),
        ("ACNTVCT_EL0", "S3_4_C15_C10_6", R),
        ("KERNEL_CNTV_CTL_EL1", "S3_1_C15_C0_5", RW),
        ("KERNEL_CNTV_TVAL_EL1", "S3_1_C15_C15_4", RW),
        ("KERNEL_CNTVCT_EL1", "S3_4_C15_C11_7", R),
        ("CNTPCT_EL0", "S3_3_C14_C0_1", R),
        ("CNTVCT_EL0", "S3_3_C14_C0_2", R),
        ("CNTFRQ_EL0", "S3_3_C14_C0_0", R),
        ("CNTVOFF_EL2", "S3_4_C14_C0_3", RW),
        ("CNTHCTL_EL2", "S3_4_C14_C1_0", RW),
        ("CNTKCTL_EL1", "S3_0_C14_C1_0", RW),
        ("CNTP_CTL_EL0", "S3_3_C14_C2_1", RW),
        ("CNTP_CVAL_EL0", "S3_3_C14_C2_2", RW),
        ("CNTP_TVAL_EL0", "S3_3_C14_C2_0", RW),
        ("CNTV_CTL_EL0", "S3_3_C14_C3_1", RW),
        ("CNTV_CVAL_EL0", "S3_3_C14_C3_2", RW),
        ("CNTV_TVAL_EL0", "S3_3_C14_C3_0", RW),
        ("CNTP_CTL_EL02", "S3_5_C14_C2_1", RW),
        ("CNTP_CVAL_EL02", "S3_5_C14_C2_2", RW),
        ("CNTP_TVAL_EL02", "S3_5_C14_C2_0", RW),
        ("CNTV_CTL_EL02", "S3_5_C14_C3_1", RW),
        ("CNTV_CVAL_EL02", "S3_5_C14_C3_2", RW),
        ("CNTV_TVAL_EL02", "S3_5_C14_C3_0", RW),
        ("PMCR0_EL1", "S3_1_C15_C0_0", RW),
        ("PMCR1_EL1", "S3_1_C15_C1_0", RW),
        ("PMCR1_GL1", "S3_1_C15_C8_2", RW),
        ("PMCR2_EL1", "S3_1_C15_C2_0", RW),
        ("PMCR3_EL1", "S3_1_C15_C3_0", RW),
        ("PMCR4_EL1", "S3_1_C15_C4_0", RW),
        ("PMESR0_EL1", "S3_1_C15_C5_0", RW),
        ("PMESR1_EL1", "S3_1_C15_C6_0", RW),
        ("PMSR_EL1", "S3_1_C15_C13_0", RW),
        ("PMC0_EL1", "S3_2_C15_C0_0", RW),
        ("PMC1_EL1", "S3_2_C15_C1_0", RW),
        ("PMC2_EL1", "S3_2_C15_C2_0", RW),
        ("PMC3_EL1", "S3_2_C15_C3_0", RW),
        ("PMC4_EL1", "S3_2_C15_C4_0", RW),
        ("PMC5_EL1", "S3_2_C15_C5_0", RW),
        ("PMC6_EL1", "S3_2_C15_C6_0", RW),
        ("PMC7_EL1", "S3_2_C15_C7_0", RW),
        ("PMC8_EL1", "S3_2_C15_C9_0", RW),
        ("PMC9_EL1", "S3_2_C15_C10_0", RW),
        ("UPMCR0_EL1", "S3_7_C15_C0_4", RW),
        ("UPMSR_EL1", "S3_7_C15_C6_4", RW),
        ("UPMPCM_EL1", "S3_7_C15_C5_4", RW),
        ("UPMESR0_EL1", "S3_7_C15_C1_4", RW),
        ("UPMESR1_EL1", "S3_7_C15_C11_5", RW),
        ("UPMECM0_EL1", "S3_7_C15_C3_4", RW),
        ("UPMECM1_EL1", "S3_7_C15_C4_4", RW),
        ("UPMECM2_EL1", "S3_7_C15_C8_5", RW),
        ("UPMECM3_EL1", "S3_7_C15_C9_5", RW),
        ("UPMC0_EL1", "S3_7_C15_C7_4", RW),
        ("UPMC1_EL1", "S3_7_C15_C8_4", RW),
        ("UPMC2_EL1", "S3_7_C15_C9_4", RW),
        ("UPMC3_EL1", "S3_7_C15_C10_4", RW),
        ("UPMC4_EL1", "S3_7_C15_C11_4", RW),
        ("UPMC5_EL1", "S3_7_C15_C12_4", RW),
        ("UPMC6_EL1", "S3_7_C15_C13_4", RW),
        ("UPMC7_EL1", "S3_7_C15_C14_4", RW),
        ("UPMC8_EL1", "S3_7_C15_C0_5", RW),
        ("UPMC9_EL1", "S3_7_C15_C1_5", RW),
        ("UPMC10_EL1", "S3_7_C15_C2_5", RW),
        ("UPMC11_EL1", "S3_7_C15_C3_5", RW),
        ("UPMC12_EL1", "S3_7_C15_C4_5", RW),
        ("UPMC13_EL1", "S3_7_C15_C5_5", RW),
        ("UPMC14_EL1", "S3_7_C15_C6_5", RW),
        ("UPMC15_EL1", "S3_7_C15_C7_5", RW),
        ("ICH_HCR_EL2", "S3_4_C12_C11_0", RW),
        ("ICH_MISR_EL2", "S3_4_C12_C11_2", R),
        ("HCR_EL2", "S3_4_C1_C1_0", RW),
        ("MPIDR_EL1", "S3_0_C0_C0_5", R),
        ("MIDR_EL1", "S3_0_C0_C0_0", R),
        ("CurrentEL", "S3_0_C4_C2_2", R),
        ("DAIF", "S3_3_C4_C2_1", RW),
        ("ISR_EL1", "S3_0_C12_C1_0", R),
        ("VBAR_EL1", "S3_0_C12_C0_0", RW),
        ("ESR_EL1", "S3_0_C5_C2_0", RW),
        ("ELR_EL1", "S3_0_C4_C0_1", RW),
        ("SPSR_EL1", "S3_0_C4_C0_0", RW),
        ("FAR_EL1", "S3_0_C6_C0_0", RW),
        ("SCTLR_EL1", "S3_0_C1_C0_0", RW),
        ("TPIDR_EL0", "S3_3_C13_C0_2", RW),
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
    assert_eq!(siq.stem(), "SIQ_CFG");
    assert_eq!(SystemRegisterFact::by_name("apl_irq_cr_el1"), Some(siq));
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
fn a_name_without_its_level_may_be_several_registers() {
    let named = |name| {
        SystemRegisterFact::named(name)
            .map(|fact| fact.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(named("cntv_ctl"), ["CNTV_CTL_EL0", "CNTV_CTL_EL02"]);
    assert_eq!(named("AGTCNTRDIR"), ["AGTCNTRDIR_EL1", "AGTCNTRDIR_EL12"]);
    assert_eq!(named("PMCR1"), ["PMCR1_EL1", "PMCR1_GL1"]);
    assert_eq!(named("CurrentEL"), ["CurrentEL"]);
    assert_eq!(named("Current"), [""; 0]);
    assert_eq!(named(""), [""; 0]);
    let one = |name| SystemRegisterFact::by_name(name).map(|fact| fact.name);
    assert_eq!(one("CNTV_CTL"), Some("CNTV_CTL_EL0"));
    assert_eq!(one("PMCR1_GL1"), Some("PMCR1_GL1"));
    let block = |name| {
        BlockRegister::named(name)
            .map(|fact| fact.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(block("cap0"), ["CAP0", "INFO1"]);
    assert_eq!(block("config"), ["GLB_CFG", "CONFIG"]);
    assert_eq!(
        BlockRegister::by_name("CONFIG").map(|fact| fact.name),
        Some("CONFIG")
    );
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

/// Where the fields of Apple's own registers are, stated a second time: name, then each field's highest and lowest bit.
#[test]
fn fields_are_where_the_facts_have_them() {
    type Fields = &'static [(u8, u8)];
    let halves: Fields = &[(15, 0), (31, 16), (47, 32), (63, 48)];
    let bytes: Fields = &[
        (7, 0),
        (15, 8),
        (23, 16),
        (31, 24),
        (39, 32),
        (47, 40),
        (55, 48),
        (63, 56),
    ];
    let system: &[(&str, Fields)] = &[
        ("SIQ_CFG_EL1", &[(1, 0)]),
        ("IPI_RR_LOCAL_EL1", &[(7, 0), (23, 16), (29, 28)]),
        ("IPI_RR_GLOBAL_EL1", &[(7, 0), (23, 16), (29, 28)]),
        ("IPI_SR_EL1", &[(0, 0), (15, 8)]),
        ("IPI_CR_EL1", &[(15, 0)]),
        ("VM_TMR_LR_EL2", &[(31, 0), (44, 32), (63, 62)]),
        ("VM_TMR_FIQ_ENA_EL2", &[(0, 0), (1, 1)]),
        (
            "CYC_OVRD_EL1",
            &[(0, 0), (21, 20), (23, 22), (25, 24), (31, 30)],
        ),
        ("ACC_CFG_EL1", &[(3, 2), (24, 24), (30, 30)]),
        ("HID1_EL1", &[(44, 44)]),
        ("EHID20_EL1", &[(6, 6), (35, 35)]),
        ("AGTCNTRDIR_EL1", &[(0, 0), (1, 1)]),
        ("AGTCNTRDIR_EL12", &[(0, 0), (1, 1)]),
        ("PMESR0_EL1", &bytes[..4]),
        ("PMESR1_EL1", &bytes[..4]),
        ("PMSR_EL1", &[(9, 0)]),
        ("UPMCR0_EL1", &[(15, 0), (18, 16), (35, 20)]),
        ("UPMSR_EL1", &[(0, 0), (1, 1), (17, 2)]),
        ("UPMPCM_EL1", &[(7, 0)]),
        ("UPMESR0_EL1", bytes),
        ("UPMESR1_EL1", bytes),
        ("UPMECM0_EL1", halves),
        ("UPMECM1_EL1", halves),
        ("UPMECM2_EL1", halves),
        ("UPMECM3_EL1", halves),
        (
            "PMCR0_EL1",
            &[
                (7, 0),
                (10, 8),
                (11, 11),
                (19, 12),
                (20, 20),
                (22, 22),
                (23, 23),
                (30, 30),
                (33, 32),
                (45, 44),
            ],
        ),
        (
            "PMCR1_EL1",
            &[
                (7, 0),
                (15, 8),
                (23, 16),
                (31, 24),
                (33, 32),
                (41, 40),
                (49, 48),
                (57, 56),
            ],
        ),
        (
            "ACC_OVRD_EL1",
            &[
                (14, 13),
                (16, 15),
                (18, 17),
                (21, 21),
                (22, 22),
                (26, 25),
                (28, 27),
                (32, 32),
                (34, 34),
            ],
        ),
    ];
    let bits = |fields: &[Field]| {
        fields
            .iter()
            .map(|field| (field.msb, field.lsb))
            .collect::<Vec<_>>()
    };
    for (name, expected) in system {
        let fact = SystemRegisterFact::by_name(name).unwrap();
        assert_eq!(bits(fact.fields), *expected, "{name}");
    }
    let hacr = SystemRegisterFact::by_name("HACR_EL2").unwrap();
    let single = [
        0, 4, 10, 11, 13, 14, 16, 18, 19, 20, 25, 48, 49, 50, 51, 52, 56, 57, 58, 59,
    ];
    assert_eq!(bits(hacr.fields), single.map(|bit| (bit, bit)));
    let a11 = |name| bits(SystemRegisterFact::by_name(name).unwrap().variants[0].fields);
    assert_eq!(a11("UPMCR0_EL1"), [(7, 0), (10, 8), (19, 12)]);
    assert_eq!(a11("UPMSR_EL1"), [(0, 0), (8, 1)]);
    let block: &[(&str, Fields)] = &[
        ("CAP0", &[(15, 0), (23, 16)]),
        (
            "GLB_CFG",
            &[(0, 0), (7, 4), (11, 8), (15, 12), (19, 16), (31, 29)],
        ),
        ("TARGET_CPU", &[(31, 0)]),
        ("IPI_SEND", &[(30, 0), (31, 31)]),
        ("IPI_ACK", &[(0, 0), (31, 31)]),
        ("INFO1", &[(15, 0), (27, 24)]),
        ("INFO3", &[(15, 0), (27, 24)]),
        ("CONFIG", &[(0, 0), (28, 28)]),
        ("IRQ_CFG", &[(3, 0), (7, 5)]),
        ("EVENT", &[(15, 0), (23, 16), (31, 24)]),
    ];
    for (name, expected) in block {
        let fact = BlockRegister::by_name(name).unwrap();
        assert_eq!(bits(fact.fields), *expected, "{name}");
    }
}
