//! Disagreements that are known, each with its reason and a predicate as narrow as the reason.
//!
//! A class explains either what the oracle has and the core does not (features that the core's ID registers deny), what
//! the architecture leaves open, or where the oracle is wrong. Where the oracle is wrong, the predicate also checks
//! that the core is right.

use crate::{
    harness::Finding,
    state::{DATA, DATA_SIZE, Event},
    systems,
};

/// A known kind of disagreement.
pub struct Class {
    /// Short name, as printed with its count.
    pub name: &'static str,
    /// Which side does what, and why that is right.
    pub why: &'static str,
    applies: fn(&Finding) -> bool,
}

/// The class of a finding; `None` if it is not explained.
pub fn class_of(finding: &Finding) -> Option<usize> {
    CLASSES.iter().position(|class| (class.applies)(finding))
}

/// All classes.
pub const CLASSES: &[Class] = &[
    Class {
        name: "pointer authentication",
        why: "FEAT_PAuth outside the hint space is UNDEFINED on the core (ID_AA64ISAR1_EL1); the oracle has it",
        applies: |f| {
            undefined_here_only(f)
                && any(
                    f.word,
                    &[
                        "1101101011000001xxxxxxxxxxxxxxxx", // PACIA .. XPACD
                        "10011010110xxxxx001100xxxxxxxxxx", // PACGA
                        "1101011xxxx1111100001xxxxxxxxxxx", // BRAA .. ERETAB
                        "11111000xx1xxxxxxxxxx1xxxxxxxxxx", // LDRAA, LDRAB
                    ],
                )
        },
    },
    Class {
        name: "flag manipulation",
        why: "FEAT_FlagM and FEAT_FlagM2 are UNDEFINED on the core (ID_AA64ISAR0_EL1.TS = 0); the oracle has them",
        applies: |f| {
            undefined_here_only(f)
                && any(
                    f.word,
                    &[
                        "10111010000xxxxxx00001xxxxx0xxxx", // RMIF
                        "00111010000000000x0010xxxxx01101", // SETF8, SETF16
                        "11010101000000000100xxxx00011111", // CFINV
                        "11010101000000000100xxxx00111111", // XAFLAG
                        "11010101000000000100xxxx01011111", // AXFLAG
                    ],
                )
        },
    },
    Class {
        name: "RCpc with offset",
        why: "FEAT_LRCPC2 (LDAPUR, STLUR) is UNDEFINED on the core (ID_AA64ISAR1_EL1.LRCPC = 1); the oracle has it",
        applies: |f| undefined_here_only(f) && matches(f.word, "xx011001xx0xxxxxxxxx00xxxxxxxxxx"),
    },
    Class {
        name: "limited ordering regions",
        why: "FEAT_LOR (LDLAR, STLLR) is UNDEFINED on the core (ID_AA64MMFR1_EL1.LO = 0); the oracle has it",
        applies: |f| undefined_here_only(f) && matches(f.word, "xx0010001x0xxxxx0xxxxxxxxxxxxxxx"),
    },
    Class {
        name: "overlapping registers",
        why: "CONSTRAINED UNPREDICTABLE: UNDEFINED on the core, executed by the oracle; both are allowed",
        applies: |f| undefined_here_only(f) && overlaps(f.word),
    },
    Class {
        name: "speculation barrier",
        why: "FEAT_SB is UNDEFINED on the core (ID_AA64ISAR1_EL1.SB = 0); the oracle has it",
        applies: |f| undefined_here_only(f) && matches(f.word, "11010101000000110011xxxx11111111"),
    },
    Class {
        name: "user access override",
        why: "FEAT_UAO (MSR UAO, #imm) is UNDEFINED on the core (ID_AA64MMFR2_EL1.UAO = 0); the oracle has it",
        applies: |f| undefined_here_only(f) && matches(f.word, "11010101000000000100xxxx01111111"),
    },
    Class {
        name: "ERET with Rn",
        why: "ERET has Rn = 31, anything else is unallocated; the oracle does not check",
        applies: |f| {
            undefined_here_only(f)
                && matches(f.word, "1101011010011111000000xxxxx00000")
                && field(f.word, 5) != 31
        },
    },
    Class {
        name: "other system registers and instructions",
        why: "MRS, MSR and SYS outside the list of registers with architected contents: each side has its own set, \
              identification and debug registers have their own contents; only existence and the value read may differ",
        applies: other_system,
    },
    Class {
        name: "maintenance of an unmapped address",
        why: "the core translates the address of IC and DC instructions, which may abort; on the oracle they do nothing, and \
              after an abort of DC ZVA its PC is one instruction too far",
        applies: |f| {
            let zva = f.oracle.event == f.core.event && f.oracle.state.pc == f.before.pc + 4;
            matches!(f.core.event, Event::Data { .. })
                && matches(f.word, "1101010100001xxx0111xxxxxxxxxxxx")
                && f.core.state == f.before
                && (f.oracle.event == Event::None || zva)
        },
    },
    Class {
        name: "HVC",
        why: "the core has an EL2, which takes HVC from EL1 and EL2; on the oracle calls to EL2 are disabled",
        applies: |f| {
            f.core.event == Event::Hvc
                && f.oracle.event == Event::Undefined
                && f.before.pstate & 0xc != 0
                && f.core.state.pc == f.before.pc + 4
                && matches(f.word, "11010100000xxxxxxxxxxxxxxxx00010")
        },
    },
    Class {
        name: "SMC",
        why: "there is no EL3 on the core, so SMC is UNDEFINED; the oracle has one and reports the call",
        applies: |f| {
            undefined_here_only(f)
                && f.oracle.event == Event::Smc
                && matches(f.word, "11010100000xxxxxxxxxxxxxxxx00011")
        },
    },
    Class {
        name: "unaligned acquire or release",
        why: "LDAR, STLR and LDAPR have to be aligned without FEAT_LSE2 (ID_AA64MMFR2_EL1.AT = 0); the oracle does not check",
        applies: |f| {
            let ordered = any(
                f.word,
                &[
                    "xx0010001x0xxxxx1xxxxxxxxxxxxxxx",
                    "xx111000101xxxxx110000xxxxxxxxxx",
                ],
            );
            f.core.event == Event::Unaligned
                && ordered
                && f.base() & ((1 << (f.word >> 30)) - 1) != 0
        },
    },
    Class {
        name: "store-exclusive without a monitor",
        why: "the core checks alignment and translation first, the oracle fails the store first; the order of translation \
              and monitor is IMPLEMENTATION DEFINED, alignment comes first in the architecture",
        applies: |f| {
            let status = f.word >> 16 & 31;
            matches(f.word, "xx001000000xxxxxxxxxxxxxxxxxxxxx")
                | matches(f.word, "1x001000001xxxxxxxxxxxxxxxxxxxxx")
                && matches!(
                    f.core.event,
                    Event::Unaligned | Event::Data { write: true, .. }
                )
                && f.oracle.event == Event::None
                && f.oracle
                    .state
                    .x
                    .get(status as usize)
                    .is_none_or(|&value| value == 1)
        },
    },
    Class {
        name: "store across the end of a mapping",
        why: "which bytes of a store that aborts in its second page reach memory is UNKNOWN: none on the core, those of the \
              first page on the oracle",
        applies: |f| {
            const END: u64 = DATA + DATA_SIZE;
            matches!(
                f.core.event,
                Event::Data {
                    address: END,
                    write: true
                }
            ) && f.core.agrees(&f.oracle)
                && f.memory.is_some_and(|(address, _, _)| END - address < 16)
        },
    },
    Class {
        name: "LDAPR with Rs",
        why: "Rs should be 31 (CONSTRAINED UNPREDICTABLE otherwise): ignored by the core, UNDEFINED on the oracle",
        applies: |f| {
            matches(f.word, "xx111000101xxxxx110000xxxxxxxxxx")
                && field(f.word, 16) != 31
                && f.oracle.event == Event::Undefined
                && f.core.event != Event::Undefined
        },
    },
    Class {
        name: "signed atomic maximum and minimum",
        why: "the oracle compares LDSMAX and LDSMIN of 8, 16 and 32 bits as if the operand were unsigned; the core's result \
              is checked against the definition",
        applies: signed_extreme,
    },
];

/// The core says UNDEFINED where the oracle does something else.
fn undefined_here_only(finding: &Finding) -> bool {
    finding.core.event == Event::Undefined && finding.oracle.event != Event::Undefined
}

fn field(word: u32, lo: u32) -> u32 {
    word >> lo & 31
}

/// Transfers whose registers overlap in a way that the architecture leaves open.
fn overlaps(word: u32) -> bool {
    let (t, n, t2, s) = (
        field(word, 0),
        field(word, 5),
        field(word, 10),
        field(word, 16),
    );
    let load = word >> 22 & 1 != 0;
    if matches(word, "xx111000xx0xxxxxxxxxx1xxxxxxxxxx") {
        return n == t && n != 31;
    }
    if matches(word, "xx10100xxxxxxxxxxxxxxxxxxxxxxxxx") {
        let writes_back = word >> 23 & 1 != 0;
        return load && t == t2 || writes_back && n != 31 && (n == t || n == t2);
    }
    if matches(word, "xx0010000xxxxxxxxxxxxxxxxxxxxxxx") {
        let pair = word >> 21 & 1 != 0;
        return match load {
            true => pair && t == t2,
            false => s == t || pair && s == t2 || s == n && n != 31,
        };
    }
    false
}

/// MRS, MSR, SYS and SYSL (op0 above 0) of what the two sides need not have in common: one of them says UNDEFINED (or
/// traps), or Rt is read differently; all else is the same.
fn other_system(finding: &Finding) -> bool {
    let (core, oracle) = (&finding.core, &finding.oracle);
    if !matches(finding.word, "1101010100xxxxxxxxxxxxxxxxxxxxxx")
        || finding.word >> 19 & 3 == 0
        || systems::is_portable(finding.word)
        || finding.memory.is_some()
    {
        return false;
    }
    let refused = |event| matches!(event, Event::Undefined | Event::Other(_));
    if core.event != oracle.event {
        return refused(core.event) || refused(oracle.event);
    }
    let t = field(finding.word, 0) as usize;
    let mut adjusted = core.state.clone();
    if let (Some(to), Some(from)) = (adjusted.x.get_mut(t), oracle.state.x.get(t)) {
        *to = *from;
    }
    let reads = finding.word >> 21 & 1 != 0;
    reads && adjusted == oracle.state
}

/// LDSMAX, LDSMIN of 8 to 32 bits where only memory differs and the core stored the right byte.
fn signed_extreme(finding: &Finding) -> bool {
    let (word, before) = (finding.word, &finding.before);
    let size = word >> 30;
    if size == 3
        || !matches(word, "xx111000xx1xxxxx010x00xxxxxxxxxx")
        || finding.core != finding.oracle
    {
        return false;
    }
    let Some((address, byte, _)) = finding.memory else {
        return false;
    };
    let register = |n: u32| finding.core.state.x.get(n as usize).copied();
    // The old value is what was loaded; a load into the zero register leaves nothing to check against.
    let Some(old) = register(field(word, 0)) else {
        return true;
    };
    let operand = before.x.get(field(word, 16) as usize).copied().unwrap_or(0);
    let signed = |value: u64| {
        let up = 64 - (8 << size);
        (value << up) as i64 >> up
    };
    let minimum = word >> 12 & 1 != 0;
    let (a, b) = (signed(old), signed(operand));
    let right = if minimum { a.min(b) } else { a.max(b) };
    right
        .to_le_bytes()
        .get(address.wrapping_sub(finding.base()) as usize)
        == Some(&byte)
}

/// True if `word` has the fixed bits of one of the patterns.
fn any(word: u32, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| matches(word, pattern))
}

/// True if the fixed bits of `pattern` (bit 31 first; `0` and `1` are fixed, all else is free) are those of `word`.
fn matches(word: u32, pattern: &str) -> bool {
    (0..32)
        .rev()
        .zip(pattern.bytes())
        .all(|(bit, kind)| match kind {
            b'0' => word >> bit & 1 == 0,
            b'1' => word >> bit & 1 == 1,
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Outcome, State, World};

    #[test]
    fn fixed_bits() {
        assert!(matches(0x8000_0001, "1xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1"));
        assert!(!matches(0x8000_0000, "1xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1"));
        assert!(!matches(0x8000_0001, "0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx1"));
    }

    fn finding(word: u32, core: Event, oracle: Event) -> Finding {
        let state = State {
            x: [0; 31],
            sp: 0,
            pc: 0x1000,
            pstate: 0x3c5,
        };
        let outcome = |event| Outcome {
            event,
            state: state.clone(),
        };
        Finding {
            word,
            step: 0,
            world: World::Guest,
            before: state.clone(),
            core: outcome(core),
            oracle: outcome(oracle),
            memory: None,
        }
    }

    fn name(finding: &Finding) -> Option<&'static str> {
        class_of(finding).map(|class| CLASSES[class].name)
    }

    #[test]
    fn wrong_answers_are_of_no_class() {
        let mut add = finding(0x9100_0400, Event::None, Event::None); // add x0, x0, #1
        add.core.state.x[0] = 1;
        assert_eq!(name(&add), None);
        assert_eq!(
            name(&finding(0x9100_0400, Event::Undefined, Event::None)),
            None
        );
        // A feature that the core must not have, executed by the core.
        assert_eq!(
            name(&finding(0xdac1_0000, Event::None, Event::Undefined)),
            None
        ); // pacia x0, x0
        let mut nzcv = finding(0xd53b_4200, Event::None, Event::None); // mrs x0, nzcv
        nzcv.core.state.x[0] = 1 << 31;
        assert_eq!(name(&nzcv), None);
    }

    #[test]
    fn explained_answers_have_their_class() {
        let pacia = finding(0xdac1_0000, Event::Undefined, Event::None);
        assert_eq!(name(&pacia), Some("pointer authentication"));
        let mut midr = finding(0xd538_0000, Event::None, Event::None); // mrs x0, midr_el1
        midr.core.state.x[0] = 7;
        assert_eq!(name(&midr), Some("other system registers and instructions"));
        midr.core.state.x[1] = 7;
        assert_eq!(name(&midr), None);
    }

    #[test]
    fn a_signed_maximum_is_checked_against_the_definition() {
        // ldsmaxb w1, w2, [x0]: the memory holds 1 (read into w2), the operand is -1; right is 1.
        let mut f = finding(0x3821_4002, Event::None, Event::None);
        (f.before.x[1], f.core.state.x[1], f.oracle.state.x[1]) = (0xff, 0xff, 0xff);
        (f.core.state.x[2], f.oracle.state.x[2]) = (1, 1);
        f.memory = Some((0, 1, 0xff));
        assert_eq!(name(&f), Some("signed atomic maximum and minimum"));
        f.memory = Some((0, 0xff, 1));
        assert_eq!(name(&f), None);
    }

    #[test]
    fn overlaps_are_told_from_what_is_defined() {
        assert!(overlaps(0xa940_0000)); // ldp x0, x0, [x0]
        assert!(overlaps(0xa8c1_0400)); // ldp x0, x1, [x0], #16
        assert!(!overlaps(0xa940_0400)); // ldp x0, x1, [x0]
        assert!(!overlaps(0xa900_0000)); // stp x0, x0, [x0]
        assert!(overlaps(0xf840_8400)); // ldr x0, [x0], #8
        assert!(!overlaps(0xf840_8401)); // ldr x1, [x0], #8
        assert!(!overlaps(0xf800_8fff)); // str xzr, [sp, #8]!
        assert!(overlaps(0xc800_7c20)); // stxr w0, x0, [x1]
        assert!(overlaps(0xc801_7c20)); // stxr w1, x0, [x1]
        assert!(!overlaps(0xc802_7c20)); // stxr w2, x0, [x1]
        assert!(!overlaps(0xc85f_7c00)); // ldxr x0, [x0]
    }

    #[test]
    fn patterns_have_32_characters() {
        let text = include_str!("classes.rs");
        let quoted = text.split('"').skip(1).step_by(2);
        let patterns =
            quoted.filter(|s| s.len() > 20 && s.bytes().all(|c| matches!(c, b'0' | b'1' | b'x')));
        assert!(patterns.clone().count() > 20);
        for pattern in patterns {
            assert_eq!(pattern.len(), 32, "{pattern}");
        }
    }
}
