//! What is known: of this program, and of a target without running anything on it.

mod program;
mod target;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Settings;
use crate::error::Error;
use crate::output::Form;

pub use program::{FirmwareInfo, ModelInfo, Program};
pub use target::{AicInfo, CpuInfo, LoaderInfo, Offset, TargetInfo, read};

/// The result of `aicprobe info`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Info {
    /// "aicprobe.info/1".
    pub schema: &'static str,
    /// This program.
    pub program: Program,
    /// The firmware that is built in, if one is.
    pub firmware: Option<FirmwareInfo>,
    /// Defaults of options that hold here and now, and where each comes from.
    pub settings: Vec<SettingInfo>,
    /// Virtual SoCs that are built in.
    pub models: Vec<ModelInfo>,
    /// The target asked for.
    pub target: Option<TargetInfo>,
}

/// A default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingInfo {
    /// The option, without its dashes.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// "built in", a file, or a variable of the environment.
    pub from: String,
}

impl Info {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.info/1";

    /// Without a target.
    ///
    /// # Errors
    /// [`Error`] for a built-in image that is damaged.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        Ok(Self {
            schema: Self::SCHEMA,
            program: Program::new(),
            firmware: FirmwareInfo::built_in()?,
            settings: of(settings),
            models: program::models(),
            target: None,
        })
    }
}

fn of(settings: &Settings) -> Vec<SettingInfo> {
    let info = |name, value: String, from: &crate::config::From| SettingInfo {
        name,
        value,
        from: from.to_string(),
    };
    vec![
        info(
            "target",
            settings.target.value.clone(),
            &settings.target.from,
        ),
        info("seed", settings.seed.value.to_string(), &settings.seed.from),
        info("format", form(settings.format.value), &settings.format.from),
    ]
}

fn form(form: Form) -> String {
    use clap::ValueEnum as _;
    let value = form.to_possible_value();
    value.map_or_else(String::new, |v| v.get_name().to_owned())
}
