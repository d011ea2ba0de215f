//! What must be UNDEFINED is: reserved encodings, and features that the identification registers deny.

mod cpu_support;

use cpu_support::*;
use virtual_soc::cpu::{CoreConfig, SysReg};
use virtual_soc::machine::Step;

/// Executes one word at EL2; true if it took an exception of class 0 from its own address.
fn undefined(m: &mut M, word: u32) -> bool {
    boot(m, 0, CODE);
    mmu_on(m, 0);
    m.cores[0].set_x(1, DATA);
    put(m, CODE, &[word]);
    let step = m.step_core(0);
    step == Step::Exception && ec(get(m, ESR_EL2)) == 0 && get(m, ELR_EL2) == CODE
}

#[test]
fn reserved_encodings() {
    let cases: &[(u32, &str)] = &[
        (0x0000_0000, "UDF"),
        (0x0200_0000, "unallocated 0001"),
        (0x1e20_4000, "FMOV"),
        (0x4ea1_1c20, "vector MOV"),
        (0x3dc0_0020, "LDR Q"),
        (0x2d40_0020, "LDP S"),
        (0x0c40_7020, "LD1"),
        (0x1c00_0000, "LDR literal S"),
        (0x0420_0000, "SVE ADD"),
        (0x1180_0020, "ADD immediate with tags, W"),
        (0x9180_0020, "ADDG"),
        (0x1240_0020, "AND immediate, W with N"),
        (0x9240_fc20, "AND immediate, all ones"),
        (0x9200_f820, "AND immediate, element of 1 bit reserved"),
        (0x3280_0000, "move wide, opc 01"),
        (0x52c0_0000, "MOVZ W, hw 2"),
        (0x5340_0020, "UBFM W with N"),
        (0x9300_0020, "SBFM X without N"),
        (0x5320_0020, "UBFM W, immr 32"),
        (0x5300_8020, "UBFM W, imms 32"),
        (0x7300_0020, "bit field, opc 11"),
        (0x1382_8020, "EXTR W, imms 32"),
        (0x93a2_0020, "EXTR with o0"),
        (0x33c2_0020, "extract, op21 01"),
        (0x0b02_8020, "ADD shifted W, amount 32"),
        (0x0bc2_0020, "ADD shifted, ROR"),
        (0x8b22_7420, "ADD extended, amount 5"),
        (0x8b62_6020, "ADD extended, opt 01"),
        (0x0a02_8020, "AND shifted W, amount 32"),
        (0x9a02_0420, "ADC, op3 not 0"),
        (0xba02_0420, "RMIF"),
        (0x3a00_082d, "SETF8"),
        (0x1a42_0020, "CCMP without S"),
        (0x7a42_0420, "CCMP with o2"),
        (0x7a42_0030, "CCMP with o3"),
        (0x3a82_0020, "CSEL with S"),
        (0x1a82_0820, "CSEL, op2 1x"),
        (0x5ac0_0c20, "REV64 W"),
        (0x5ac0_1820, "CTZ"),
        (0xdac0_1c20, "CNT"),
        (0xdac1_0020, "PACIA"),
        (0xdac1_43e0, "XPACI"),
        (0x7ac0_0020, "one source with S"),
        (0x1ac2_4c20, "CRC32X W"),
        (0x9ac2_4020, "CRC32B X"),
        (0x9ac2_3020, "PACGA"),
        (0x9ac2_1020, "IRG"),
        (0x1ac2_0420, "two sources, 000001"),
        (0x1b22_0820, "SMADDL W"),
        (0x9b42_8820, "SMULH with o0"),
        (0x9b62_0820, "three sources, op31 011"),
        (0x3b02_0820, "three sources, op54 01"),
        (0x5400_0010, "BC.cond"),
        (0x5500_0000, "conditional branch with o1"),
        (0xd63f_0821, "BLRAAZ"),
        (0xd61f_0820, "BRAA form"),
        (0xd65f_0bff, "RETAA"),
        (0xd69f_0bff, "ERETAA"),
        (0xd69f_03c0, "ERET, Rn not 31"),
        (0xd6bf_03e0, "DRPS outside debug state"),
        (0xd61e_0020, "BR, op2 not 31"),
        (0xd61f_0021, "BR, op4 not 0"),
        (0xd400_0000, "exception generation, LL 00"),
        (0xd400_0003, "SMC without EL3"),
        (0xd420_0001, "BRK with LL 01"),
        (0xd440_0000, "HLT outside the host's range"),
        (0xd460_0000, "TCANCEL"),
        (0xd4a0_0001, "DCPS1 outside debug state"),
        (0xd503_30ff, "SB"),
        (0xd503_3f1f, "barrier, op2 0"),
        (0xd503_3f3f, "DSB nXS form"),
        (0xd503_3f9e, "DSB, Rt not 31"),
        (0xd503_1000, "WFET"),
        (0xd503_1020, "WFIT"),
        (0xd500_401f, "CFINV"),
        (0xd500_403f, "XAFLAG"),
        (0xd500_407f, "MSR UAO"),
        (0xd503_405f, "MSR DIT"),
        (0xd503_413f, "MSR SSBS"),
        (0xd503_419f, "MSR TCO"),
        (0xd501_409f, "MSR immediate, op1 1"),
        (0xd540_0000, "MRRS"),
        (0xd528_7400, "SYSL"),
        (0x9900_0020, "STLUR"),
        (0x1940_0020, "LDAPURB"),
        (0xd920_0820, "STG"),
        (0xf820_0420, "LDRAA"),
        (0x8880_7c20, "STLLR"),
        (0x88c0_7c20, "LDLAR"),
        (0xf820_9020, "ST64B"),
        (0xf83f_d020, "LD64B"),
        (0xf820_5420, "load/store 1, 01"),
        (0xf880_0420, "PRFM post-indexed"),
        (0xb8c0_0020, "load/store W, opc 11"),
        (0xf8c0_0020, "load/store X, opc 11"),
        (0xf8a0_0820, "PRFM register, option 000"),
        (0xb862_0820, "LDR register, option 000"),
        (0xb862_8820, "LDR register, option 100"),
        (0xe940_0820, "pair, opc 11"),
        (0x6900_0820, "STGP"),
        (0x6840_0820, "LDNP, opc 01"),
        (0x0821_7c42, "CASP, odd Rs"),
        (0x0820_7c43, "CASP, odd Rt"),
        (0x0820_0c42, "CASP, Rt2 not 31"),
        (0x88a0_0c22, "CAS, Rt2 not 31"),
        // CONSTRAINED UNPREDICTABLE, UNDEFINED by choice.
        (0xa940_0020, "LDP x0, x0"),
        (0xf840_8421, "LDR x1, [x1], #8"),
        (0xf800_8c21, "STR x1, [x1, #8]!"),
        (0xa8c1_0821, "LDP x1, x2, [x1], #16"),
        (0xc801_7c20, "STXR w1, x0, [x1]"),
        (0xc800_7c20, "STXR w0, x0, [x1]"),
        (0xc87f_0020, "LDXP x0, x0, [x1]"),
    ];
    let mut m = machine(1);
    for &(word, text) in cases {
        assert!(undefined(&mut m, word), "{word:08x} {text}");
    }
}

#[test]
fn hints_do_nothing() {
    let mut m = machine(1);
    // PACIASP, AUTIBSP, XPACLRI, BTI C, ESB, CSDB, an unassigned hint.
    for word in [
        0xd503_233f,
        0xd503_23ff,
        0xd503_20ff,
        0xd503_245f,
        0xd503_221f,
        0xd503_229f,
        0xd503_2fff,
    ] {
        boot(&mut m, 0, CODE);
        m.cores[0].set_x(30, 0x1234);
        put(&mut m, CODE, &[word]);
        assert_eq!(m.step_core(0), Step::Executed, "{word:08x}");
        assert_eq!(
            (m.cores[0].pc(), m.cores[0].x(30)),
            (CODE + 4, 0x1234),
            "{word:08x}"
        );
    }
}

#[test]
fn lse_can_be_switched_off() {
    let lse = [
        0xf820_0020,
        0xb8e0_8020,
        0xc8a0_7c22,
        0x4820_7c42,
        0x3820_5022,
    ];
    for (on, words) in [(true, lse), (false, lse)] {
        let mut m = machine_of(vec![CoreConfig {
            lse: on,
            ..CoreConfig::default()
        }]);
        for word in words {
            assert_eq!(undefined(&mut m, word), !on, "{word:08x} with lse {on}");
        }
        let isar0 = get(&m, SysReg::new(3, 0, 0, 6, 0));
        assert_eq!(isar0 >> 20 & 15, if on { 2 } else { 0 });
        // LDAPR is not an LSE instruction.
        assert!(!undefined(&mut m, 0xf8bf_c020));
    }
}

#[test]
fn no_random_word_hangs_or_breaks_the_core() {
    let mut m = machine(1);
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    for _ in 0..200_000 {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let word = (seed >> 32) as u32;
        boot(&mut m, 0, CODE);
        mmu_on(&mut m, 0);
        put(&mut m, CODE, &[word]);
        let before = m.cores[0].insns();
        m.step_core(0);
        assert_eq!(m.cores[0].insns(), before + 1, "{word:08x}");
    }
}
