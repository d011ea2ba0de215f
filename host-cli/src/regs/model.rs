//! A register of the tables in the form in which it is shown and exported.

use aic_regs::aic::Generation;
use aic_regs::facts::{
    BlockRegister, Controller, Field, SYSTEM_REGISTERS, SystemRegisterFact, Variant, WriteEffect,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{GENERATIONS, access_name, generation_name, usual};
use crate::result::hex;

/// A memory-mapped or a system register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// Other names that third parties use.
    pub aliases: &'static [&'static str],
    /// "mmio" or "system".
    pub kind: &'static str,
    /// Width in bits.
    pub width: u8,
    /// What may be done with it.
    pub access: &'static str,
    /// What writing 1 to a bit does, where it is not a plain store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writing_one: Option<&'static str>,
    /// What it is.
    pub about: &'static str,
    /// Who says that it is there.
    pub source: &'static str,
    /// Memory-mapped: its place in each generation that has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// System register: how instructions name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<EncodingFact>,
    /// Its fields, as the table has them.
    pub fields: Vec<FieldFact>,
    /// Other readings of its fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantFact>,
    #[serde(skip)]
    pub(super) origin: Origin,
}

/// Where a [`Register`] comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Block(&'static BlockRegister),
    System(&'static SystemRegisterFact),
}

/// Where a memory-mapped register is on one SoC, which stands for its generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Place {
    /// "AICv1", "AICv2" or "AICv3".
    pub generation: &'static str,
    /// The SoC whose layout it is.
    pub soc: &'static str,
    /// Byte offset of the first word from the controller's base.
    pub offset: String,
    /// Words, on each die.
    pub count: u32,
    /// Bytes from one word to the next.
    pub stride: u32,
    /// Bytes from one die's words to the next die's; 0 for what exists once.
    pub die_stride: u32,
    /// Whether it is in the window that drivers map.
    pub in_window: bool,
}

/// How instructions name a system register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EncodingFact {
    /// `S<op0>_<op1>_C<n>_C<m>_<op2>`.
    pub name: String,
    /// op0.
    pub op0: u8,
    /// op1.
    pub op1: u8,
    /// CRn.
    pub crn: u8,
    /// CRm.
    pub crm: u8,
    /// op2.
    pub op2: u8,
    /// The instruction `mrs x0, …`, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mrs_x0: Option<String>,
    /// The instruction `msr …, x0`, if it can be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msr_x0: Option<String>,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FieldFact {
    /// Its name.
    pub name: &'static str,
    /// Highest bit.
    pub msb: u8,
    /// Lowest bit.
    pub lsb: u8,
    /// What it is.
    pub about: &'static str,
    /// Who says so.
    pub source: &'static str,
    /// Values with a published meaning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueFact>,
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ValueFact {
    /// The value, shifted down to bit 0.
    pub value: u64,
    /// What it means.
    pub meaning: &'static str,
    /// Who says so.
    pub source: &'static str,
}

/// The fields of SoCs whose register looks different, or another reading of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct VariantFact {
    /// Where or for whom it holds.
    pub applies: &'static str,
    /// The fields.
    pub fields: Vec<FieldFact>,
}

impl FieldFact {
    fn all(fields: &[Field]) -> Vec<Self> {
        fields.iter().map(Self::from).collect()
    }

    /// "7:0", or "31" for a single bit.
    #[must_use]
    pub fn bits(&self) -> String {
        if self.msb == self.lsb {
            self.lsb.to_string()
        } else {
            format!("{}:{}", self.msb, self.lsb)
        }
    }
}

impl From<&Field> for FieldFact {
    fn from(field: &Field) -> Self {
        let values = field.values.iter().map(|known| ValueFact {
            value: known.value,
            meaning: known.meaning,
            source: known.source.label(),
        });
        Self {
            name: field.name,
            msb: field.msb,
            lsb: field.lsb,
            about: field.about,
            source: field.source.label(),
            values: values.collect(),
        }
    }
}

impl From<&Variant> for VariantFact {
    fn from(variant: &Variant) -> Self {
        Self {
            applies: variant.applies,
            fields: FieldFact::all(variant.fields),
        }
    }
}

impl Register {
    /// A memory-mapped register, with its places on those of `layouts` whose generation has it.
    fn mmio(fact: &'static BlockRegister, layouts: &[&'static Controller]) -> Self {
        let having = layouts.iter().filter(|c| fact.is_of(c.generation));
        let places = having.map(|controller| {
            let geometry = controller.geometry();
            Place {
                generation: generation_name(controller.generation),
                soc: controller.soc,
                offset: hex(fact.offset(&geometry).into()),
                count: fact.count(&geometry),
                stride: fact.stride(),
                die_stride: fact.die_stride(&geometry),
                in_window: fact.in_window(),
            }
        });
        Self {
            name: fact.name,
            aliases: fact.aliases,
            kind: "mmio",
            width: 32,
            access: access_name(fact.access),
            writing_one: fact.write_effect().map(|effect| match effect {
                WriteEffect::OneSets => "sets",
                WriteEffect::OneClears => "clears",
            }),
            about: fact.about,
            source: fact.source.label(),
            places: places.collect(),
            encoding: None,
            fields: FieldFact::all(fact.fields),
            variants: fact.variants.iter().map(VariantFact::from).collect(),
            origin: Origin::Block(fact),
        }
    }
}

impl From<&'static SystemRegisterFact> for Register {
    fn from(fact: &'static SystemRegisterFact) -> Self {
        let e = fact.encoding;
        Self {
            name: fact.name,
            aliases: fact.aliases,
            kind: "system",
            width: 64,
            access: access_name(fact.access),
            writing_one: None,
            about: fact.about,
            source: fact.source.label(),
            places: Vec::new(),
            encoding: Some(EncodingFact {
                name: e.to_string(),
                op0: e.op0,
                op1: e.op1,
                crn: e.crn,
                crm: e.crm,
                op2: e.op2,
                mrs_x0: fact.access.is_readable().then(|| hex(e.mrs(0).into())),
                msr_x0: fact.access.is_writable().then(|| hex(e.msr(0).into())),
            }),
            fields: FieldFact::all(fact.fields),
            variants: fact.variants.iter().map(VariantFact::from).collect(),
            origin: Origin::System(fact),
        }
    }
}

impl Register {
    /// Whether a controller of this generation has it; a system register belongs to none.
    #[must_use]
    pub fn is_of(&self, generation: Generation) -> bool {
        match self.origin {
            Origin::Block(fact) => fact.is_of(generation),
            Origin::System(_) => false,
        }
    }

    /// Whether it is a system register.
    #[must_use]
    pub const fn is_system(&self) -> bool {
        matches!(self.origin, Origin::System(_))
    }

    /// Whether `name` is its name, another name of it, its generic name, or its name without the exception level.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
            || self
                .encoding
                .as_ref()
                .is_some_and(|e| e.name.eq_ignore_ascii_case(name))
    }

    /// Every name by which it is found, its own first; the generic name is not among them.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let stem = match self.origin {
            Origin::System(fact) if fact.stem() != fact.name => Some(fact.stem()),
            _ => None,
        };
        let (name, aliases) = (self.name, self.aliases);
        std::iter::once(name)
            .chain(stem)
            .chain(aliases.iter().copied())
    }
}

/// Every register that the layouts have, by its offset in the first of them that has it, then the system registers.
#[must_use]
pub fn registers_on(layouts: &[&'static Controller]) -> Vec<Register> {
    let first = |fact: &BlockRegister| {
        let mut having = layouts.iter().enumerate();
        let (at, controller) = having.find(|(_, c)| fact.is_of(c.generation))?;
        Some((at, fact.offset(&controller.geometry())))
    };
    let mut block: Vec<_> = BlockRegister::all()
        .filter_map(|fact| Some((first(fact)?, fact)))
        .collect();
    block.sort_by_key(|(at, _)| *at);
    block
        .into_iter()
        .map(|(_, fact)| Register::mmio(fact, layouts))
        .chain(SYSTEM_REGISTERS.iter().map(Register::from))
        .collect()
}

/// Every register, on the SoCs that stand for their generations.
#[must_use]
pub fn registers() -> Vec<Register> {
    registers_on(&GENERATIONS.map(usual))
}
