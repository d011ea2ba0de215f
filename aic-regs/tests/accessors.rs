// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tables say of a field is what its accessor reads, for every register that has fields.

use aic_regs::aic::*;
use aic_regs::facts::{BLOCK_REGISTERS, Described, Field, SYSTEM_REGISTERS};
use aic_regs::sysreg::*;
use proptest::prelude::*;
use std::fmt::{Debug, Write as _};

/// What `Debug` of a value should print if every accessor reads the bits that the table gives its field.
fn expected(name: &str, fields: &[Field], word: u64) -> String {
    let mut text = format!("{name} {{ bits: {word:#x}");
    for field in fields {
        let value = field.extract(word);
        let _ = if field.msb == field.lsb {
            write!(text, ", {}: {}", field.name, value == 1)
        } else {
            write!(text, ", {}: {value}", field.name)
        };
    }
    text + " }"
}

/// One type: what its accessors read of a word, and what its table says.
fn check<V: Described + Debug>(name: &str, value: V, word: u64) -> (String, String) {
    (format!("{value:?}"), expected(name, V::FIELDS, word))
}

macro_rules! types {
    ($($word:ident: $($name:ident),* $(,)?;)*) => {
        fn readings(word: u64) -> Vec<(String, String)> {
            vec![$($(check(stringify!($name), $name(word as $word), u64::from(word as $word))),*),*]
        }

        fn tables() -> Vec<&'static [Field]> {
            vec![<u64 as Described>::FIELDS, $($(<$name as Described>::FIELDS),*),*]
        }
    };
}

types! {
    u32: Cap0, Cap1, ClusterPriority, Config, Counter, DelayGroup, EventWord, GlbCfg, IdleClusters, Info1, Info2, Info3,
        IpiFlags, IpiSend, IrqConfig, Latency, NarrowEventWord, Reset, TargetCpu, Timeout, Timestamp, Version, WhoAmI;
    u64: AccCfg, AccOvrd, Cnthctl, Cntkctl, CounterRedirect, CurrentElValue, CycOvrd, Daif, Ehid20, Esr, Hacr, Hcr, Hid1,
        IchHcr, IchMisr, IpiCr, IpiRequest, IpiSr, Isr, Midr, Mpidr, Pmcr0, Pmcr1, Pmesr0, Pmesr1, Pmsr, Sctlr, SiqCfg,
        TimerControl, TimerValue, Upmcr0, UpmcrT8015, Upmecm0, Upmecm1, Upmecm2, Upmecm3, Upmesr0, Upmesr1, Upmpcm, Upmsr,
        UpmsrT8015, VmTimerFiqEnable, VmTimerLink;
}

proptest! {
    #[test]
    fn accessors_read_the_bits_of_the_tables(word: u64) {
        for (read, told) in readings(word) {
            prop_assert_eq!(read, told);
        }
    }
}

#[test]
fn every_register_of_the_tables_is_covered() {
    let covered = tables();
    let system = SYSTEM_REGISTERS
        .iter()
        .map(|fact| (fact.name, fact.fields, fact.variants));
    let block = BLOCK_REGISTERS
        .iter()
        .map(|fact| (fact.name, fact.fields, fact.variants));
    for (name, fields, variants) in system.chain(block) {
        assert!(covered.contains(&fields), "{name}");
        for variant in variants {
            assert!(
                covered.contains(&variant.fields),
                "{name}, {}",
                variant.applies
            );
        }
    }
}
