//! What is assumed of a SoC: what the values of the field mean, and what it is found with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::socs::{Class, Soc};

/// What is assumed of a SoC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// The SoC that has it; empty where the SoC has none and T8140's meaning of values is assumed.
    pub soc: String,
    /// "silicon", "third party", "inference" or "model only": the weakest of what it says.
    pub state: String,
    /// Class of the values 0 to 3.
    pub classes: [Class; 4],
    /// Fields as found by MPIDR, like "0x80010100"; empty = not known.
    pub fields: Vec<(String, u8)>,
    /// Whether a CPU that comes online may change who takes interrupts; `None` = not known.
    pub online_refresh: Option<bool>,
    /// Lines of a die; `None` = not known.
    pub nr_irq: Option<u32>,
    /// Dies; `None` = not known.
    pub dies: Option<u32>,
}

impl Table {
    /// For a SoC without one: the meaning that T8140's values have (silicon: PR #228).
    #[must_use]
    pub const fn assumed() -> Self {
        Self {
            soc: String::new(),
            state: String::new(),
            classes: [
                Class::Normal,
                Class::Preferred,
                Class::Fallback,
                Class::Never,
            ],
            fields: Vec::new(),
            online_refresh: None,
            nr_irq: None,
            dies: None,
        }
    }

    /// What the table of a SoC says.
    #[must_use]
    pub fn of(soc: &Soc) -> Self {
        Self {
            soc: soc.soc.clone(),
            state: soc.state.name().to_owned(),
            classes: soc.values.by_value().map(|v| v.class),
            fields: soc
                .cpu
                .iter()
                .map(|cpu| (cpu.mpidr.to_string(), cpu.field))
                .collect(),
            online_refresh: Some(soc.online_refresh),
            nr_irq: soc.aic.nr_irq,
            dies: Some(soc.aic.dies.into()),
        }
    }

    /// Whether it is this SoC's own.
    #[must_use]
    pub const fn is_own(&self) -> bool {
        !self.soc.is_empty()
    }

    /// Class of a value.
    #[must_use]
    pub fn class(&self, field: u8) -> Class {
        self.classes[usize::from(field & 3)]
    }

    /// Values of which a CPU accepts interrupts, the best class first.
    #[must_use]
    pub fn accepting(&self) -> Vec<u8> {
        let mut values: Vec<u8> = (0..4).filter(|v| self.class(*v) != Class::Never).collect();
        values.sort_by_key(|v| (self.class(*v), *v));
        values
    }

    /// The first value with which a CPU never gets one.
    #[must_use]
    pub fn never(&self) -> Option<u8> {
        (0..4).rev().find(|v| self.class(*v) == Class::Never)
    }
}
