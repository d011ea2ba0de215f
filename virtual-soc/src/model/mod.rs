//! SoC models: what a virtual machine is made of, as data.
//!
//! A model is a TOML file. Built-in ones live in `models/`; anybody can write another for a new machine, or for a wrong one
//! that a test needs; `extends = "NAME"` takes a built-in model and changes some keys of it. Every table carries a `source`, so that no reader takes a model's answer for a machine's.

mod error;
mod extend;
mod schema;
mod source;
mod validate;

use serde::Deserialize as _;

pub use error::ModelError;
pub use schema::{
    AdtModel, AicModel, AicV1Model, CallWake, CounterModel, CpuModel, CpusModel, DefectModel,
    DeviceModel, ExtRoute, FaultModel, FirerTakes, IpiModel, LineModel, LoaderModel, MmioModel,
    PmgrModel, RamModel, SiqModel, SocModel, StrayLines, SysRegModel, TimingModel, ToggleModel,
    UartModel, WdtModel,
};
pub use schema::{
    Beyond, Choice, Class, ClusterType, EventClaim, LinkKind, LocalReach, Offered, OnMasked,
    Outside, RegisterAccess, ResetEffect, StrideProperties, TakesEffect,
};
pub use source::{Source, SourceKind};

/// A built-in file by its name.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../models/", $name, ".toml")))),*]
    };
}

/// The built-in models: name and text.
const BUILTIN: &[(&str, &str)] = built_in![
    "t8140",
    "t8140-siq-traps",
    "t8140-sprr",
    "t6020",
    "t6000",
    "t6002",
    "t6022",
    "t6030",
    "t6031",
    "t6040",
    "t8103",
    "t8112",
    "t8122",
    "t8132",
    "t8142",
    "t8152",
];

/// The names of [`BUILTIN`], in the same order.
const BUILTIN_NAMES: [&str; BUILTIN.len()] = {
    let mut names = [""; BUILTIN.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = BUILTIN[i].0;
        i += 1;
    }
    names
};

/// What several machines have in common; only `extends` knows these names.
const BASES: &[(&str, &str)] = &[
    ("base-m1-m3", include_str!("../../models/base/m1-m3.toml")),
    ("base-m4", include_str!("../../models/base/m4.toml")),
];

/// Bytes of a model file.
const TEXT_MAX: usize = 1 << 20;

impl SocModel {
    /// The built-in model of that name, if there is one.
    #[must_use]
    pub fn builtin(name: &str) -> Option<Self> {
        let (name, text) = BUILTIN.iter().find(|(n, _)| *n == name)?;
        // The built-in files are part of the program and a test loads every one of them.
        Self::from_toml(text, &format!("built-in model {name}")).ok()
    }

    /// The text of the built-in model of that name, as its file has it.
    #[must_use]
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        BUILTIN.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
    }

    /// Names that [`SocModel::builtin`] knows.
    #[must_use]
    pub fn builtin_names() -> &'static [&'static str] {
        &BUILTIN_NAMES
    }

    /// Index of each CPU's table by logical id: the boot CPU is 0, the other present ones follow in the order of the device tree.
    #[must_use]
    pub fn logical_order(&self) -> Vec<usize> {
        let present = |i: &usize| self.cpu[*i].present;
        let boot = (0..self.cpu.len())
            .filter(present)
            .filter(|i| self.cpu[*i].boot);
        let others = (0..self.cpu.len())
            .filter(present)
            .filter(|i| !self.cpu[*i].boot);
        boot.chain(others).collect()
    }

    /// Read a model from TOML text; `origin` (a file name) is named in errors.
    ///
    /// # Errors
    /// More than 1 MiB of text, malformed TOML, an unknown or missing key, a value outside what its key allows.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, ModelError> {
        let malformed = |e: toml::de::Error| ModelError::Malformed {
            origin: origin.to_owned(),
            detail: e.to_string().trim_end().to_owned(),
        };
        if text.len() > TEXT_MAX {
            return Err(ModelError::Malformed {
                origin: origin.to_owned(),
                detail: format!("{} bytes of text; at most {TEXT_MAX} are read", text.len()),
            });
        }
        let table: toml::Table = text.parse().map_err(malformed)?;
        let model = match extend::resolve(table, origin)? {
            Some(merged) => Self::deserialize(toml::Value::Table(merged)).map_err(malformed)?,
            // Straight from the text, so that errors show the line.
            None => toml::from_str::<Self>(text).map_err(malformed)?,
        };
        model.validate(origin)?;
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtin_names_and_files_agree_and_load() {
        for (name, text) in BUILTIN {
            let model = SocModel::from_toml(text, name).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(model.name, *name);
        }
        assert!(SocModel::builtin("nonsense").is_none());
    }
}
