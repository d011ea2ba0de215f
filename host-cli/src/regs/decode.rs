//! A register's value, taken apart.

use aic_regs::aic::{EventKind, EventWord};
use aic_regs::facts::{Field, SystemRegisterFact};
use aic_regs::sysreg::Esr;
use schemars::JsonSchema;
use serde::Serialize;

use super::model::{Origin, Register};
use crate::result::hex;

/// A value with its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decoded {
    /// The register.
    pub register: &'static str,
    /// Its width in bits.
    pub width: u8,
    /// The value.
    pub value: String,
    /// Another reading of the register's fields than the usual one: for whom it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies: Option<&'static str>,
    /// The fields, lowest first.
    pub fields: Vec<DecodedField>,
    /// Bits that are 1 and belong to no known field.
    pub unknown_bits: String,
    /// What the fields mean together.
    pub notes: Vec<String>,
}

/// A field's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecodedField {
    /// The field.
    pub name: &'static str,
    /// Highest bit.
    pub msb: u8,
    /// Lowest bit.
    pub lsb: u8,
    /// Its value, shifted down to bit 0.
    pub value: u64,
    /// What that value means, where somebody has published it.
    pub meaning: Option<&'static str>,
    /// Who says so: of the value, or of the field where the value has no published meaning.
    pub source: &'static str,
}

/// `value` as one of `register`: the usual reading first, then that of SoCs whose register looks different. `None` if it does
/// not fit the register.
#[must_use]
pub fn decode(register: &Register, value: u64) -> Option<Vec<Decoded>> {
    if register.width < 64 && value >> register.width != 0 {
        return None;
    }
    let (fields, variants) = match register.origin {
        Origin::Block(fact) => (fact.fields, fact.variants),
        Origin::System(fact) => (fact.fields, fact.variants),
    };
    let usual = Decoded {
        notes: notes(register, value),
        ..of_fields(register, fields, value)
    };
    let others = variants.iter().map(|variant| Decoded {
        applies: Some(variant.applies),
        ..of_fields(register, variant.fields, value)
    });
    Some(std::iter::once(usual).chain(others).collect())
}

fn of_fields(register: &Register, fields: &'static [Field], value: u64) -> Decoded {
    let mut unknown = value;
    let fields = fields.iter().map(|field| {
        let here = field.extract(value);
        unknown &= !(here << field.lsb);
        let known = field.values.iter().find(|known| known.value == here);
        DecodedField {
            name: field.name,
            msb: field.msb,
            lsb: field.lsb,
            value: here,
            meaning: known.map(|known| known.meaning),
            source: known.map_or(field.source, |known| known.source).label(),
        }
    });
    let fields = fields.collect();
    Decoded {
        register: register.name,
        width: register.width,
        value: hex(value),
        applies: None,
        fields,
        unknown_bits: hex(unknown),
        notes: Vec::new(),
    }
}

/// What more than one field say together.
fn notes(register: &Register, value: u64) -> Vec<String> {
    match register.name {
        // 32 bits, which `decode` has checked.
        "EVENT" | "CPU_EVENT" => vec![event_note(EventWord(value as u32))],
        "ESR_EL1" => Esr(value)
            .trapped_register()
            .map(|encoding| {
                let name = SystemRegisterFact::by_encoding(encoding);
                let name = name.map_or_else(String::new, |fact| format!(", {}", fact.name));
                let verb = if value & 1 == 1 { "read" } else { "written" };
                format!("{encoding}{name} was {verb}")
            })
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// An event word in a sentence.
pub(super) fn event_note(word: EventWord) -> String {
    match word.decode() {
        EventKind::None => "nothing was pending".to_owned(),
        EventKind::Hardware(line) => format!(
            "hardware line {line}: die {}, number {}",
            line.die, line.number
        ),
        EventKind::Ipi(1) => "AICv1: IPI from another CPU".to_owned(),
        EventKind::Ipi(2) => "AICv1: IPI from the CPU itself".to_owned(),
        EventKind::Ipi(n) => format!("AICv1: IPI {n}, which nobody has published"),
        EventKind::Unknown(kind) => format!("type {kind} is no published type of event"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn first(name: &str, value: u64) -> Decoded {
        decode(&find(name).unwrap()[0], value).unwrap().remove(0)
    }

    #[test]
    fn an_event_says_its_line() {
        let event = first("EVENT", 0x0001_03e4);
        let values: Vec<_> = event.fields.iter().map(|f| (f.name, f.value)).collect();
        assert_eq!(values, [("number", 996), ("kind", 1), ("die", 0)]);
        assert_eq!(event.fields[1].meaning, Some("hardware line"));
        assert_eq!(event.notes, ["hardware line 0:996: die 0, number 996"]);
        assert_eq!(event.unknown_bits, "0x0");
    }

    #[test]
    fn bits_outside_the_fields_are_shown() {
        assert_eq!(
            first("SIQ_CFG", 0xf000_0000_0000_0007).unknown_bits,
            "0xf000000000000004"
        );
        assert_eq!(first("VERSION", 0x107).unknown_bits, "0x100");
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused() {
        let event = &find("EVENT").unwrap()[0];
        assert!(decode(event, u32::MAX.into()).is_some());
        assert!(decode(event, 1 << 32).is_none());
        assert!(decode(&find("PMC0").unwrap()[0], u64::MAX).is_some());
    }

    #[test]
    fn a_trapped_access_is_named() {
        // Class 0x18, a read of S3_4_C15_C10_4 into x0.
        let iss = 3 << 20 | 4 << 17 | 4 << 14 | 15 << 10 | 10 << 1 | 1;
        let esr = first("ESR_EL1", 0x18 << 26 | 1 << 25 | iss);
        assert_eq!(esr.notes, ["S3_4_C15_C10_4, SIQ_CFG_EL1 was read"]);
        assert!(first("ESR_EL1", 0x0200_0000).notes.is_empty());
    }

    #[test]
    fn socs_with_other_fields_have_their_own_reading() {
        let readings = decode(&find("UPMCR0").unwrap()[0], 0x400).unwrap();
        assert_eq!(readings[1].applies, Some("T8015 (A11)"));
        assert_eq!(readings[0].fields[1].value, 0);
        assert_eq!(readings[1].fields[1].meaning, Some("FIQ"));
    }
}
