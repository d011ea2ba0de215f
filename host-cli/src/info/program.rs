//! This program and what is built in.

use protocol::{PROTOCOL_VERSION, SCHEMA_HASH};
use schemars::JsonSchema;
use serde::Serialize;
use virtual_soc::SocModel;

use crate::error::Error;
use crate::firmware::Firmware;

/// This program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Program {
    /// Its version.
    pub version: &'static str,
    /// Version of the protocol that it speaks with the firmware.
    pub protocol: u16,
    /// Hash of that protocol's messages, 16 hexadecimal digits.
    pub schema_hash: String,
    /// Features that were built in.
    pub features: Vec<&'static str>,
    /// System and processor that it was built for.
    pub built_for: String,
}

impl Program {
    pub(super) fn new() -> Self {
        let mut features = Vec::new();
        if cfg!(feature = "parquet") {
            features.push("parquet");
        }
        Self {
            version: env!("CARGO_PKG_VERSION"),
            protocol: PROTOCOL_VERSION,
            schema_hash: format!("{SCHEMA_HASH:016x}"),
            features,
            built_for: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// The firmware that is built in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FirmwareInfo {
    /// Its build id, 32 hexadecimal digits.
    pub build_id: String,
    /// Version of its protocol.
    pub protocol: u32,
    /// Hash of that protocol's messages.
    pub schema_hash: String,
    /// Size of the image in bytes.
    pub bytes: usize,
}

impl FirmwareInfo {
    pub(super) fn built_in() -> Result<Option<Self>, Error> {
        if !Firmware::is_built_in() {
            return Ok(None);
        }
        let firmware = Firmware::load(None)?;
        Ok(Some(Self {
            build_id: firmware.build_id(),
            protocol: firmware.header.protocol,
            schema_hash: format!("{:016x}", firmware.header.schema),
            bytes: firmware.image.len(),
        }))
    }
}

/// A virtual SoC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelInfo {
    /// Behind `vm:`.
    pub name: String,
    /// For people.
    pub title: String,
    /// Generation of its controller.
    pub aic_generation: u8,
    /// CPUs that are there.
    pub cpus: usize,
    /// Dies.
    pub dies: u32,
}

pub(super) fn models() -> Vec<ModelInfo> {
    let names = SocModel::builtin_names().iter();
    names
        .filter_map(|name| SocModel::builtin(name))
        .map(|model| ModelInfo {
            aic_generation: model.aic.generation,
            cpus: model.cpu.iter().filter(|cpu| cpu.present).count(),
            dies: model.aic.dies,
            name: model.name,
            title: model.title,
        })
        .collect()
}
