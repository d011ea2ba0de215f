//! The device tree, as far as it does not follow from the other tables.

use serde::Deserialize;

use super::model_only;
use crate::model::Source;

/// Route of a line to a coprocessor (`aic-ext-intr-cfg`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtRoute {
    /// Die.
    #[serde(default)]
    pub die: u32,
    /// Line.
    pub number: u32,
    /// TARGET nibble.
    pub target: u8,
}

/// Device tree beyond the rest of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdtModel {
    /// Root `model`.
    pub model: String,
    /// Root `target-type`.
    pub target_type: String,
    /// Root `compatible`.
    pub compatible: Vec<String>,
    /// Root `serial-number`.
    pub serial: String,
    /// `firmware-version` of `/chosen`.
    pub firmware_version: String,
    /// Leave out the stride properties of `/arm-io/aic`, or give them as 0: "present", "zero", "absent".
    pub strides: StrideProperties,
    /// Value of `extintrcfg-stride`, if not the hardware's own.
    pub cfg_stride: Option<u32>,
    /// Same for `intmaskset-stride`.
    pub set_stride: Option<u32>,
    /// Same for `intmaskclear-stride`.
    pub clear_stride: Option<u32>,
    /// Same for `hwintmon-stride`.
    pub hw_state_stride: Option<u32>,
    /// Property names have other bytes behind the NUL that ends them, up to their 32 bytes.
    pub names_padded: bool,
    /// `/arm-io/aic` has no `reg`.
    pub aic_without_reg: bool,
    /// Routes of `aic-ext-intr-cfg`.
    pub ext_routes: Vec<ExtRoute>,
    /// Devices under `/arm-io`.
    pub device: Vec<DeviceModel>,
    /// Source mark.
    pub source: Source,
}

/// How the device tree gives the die strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrideProperties {
    /// With their values.
    #[default]
    Present,
    /// With value 0.
    Zero,
    /// Not at all.
    Absent,
}

impl Default for AdtModel {
    fn default() -> Self {
        Self {
            model: "Virtual1,1".into(),
            target_type: "V1".into(),
            compatible: Vec::new(),
            serial: "VIRTUAL".into(),
            firmware_version: "iBoot-13822.1.2".into(),
            strides: StrideProperties::Present,
            cfg_stride: None,
            set_stride: None,
            clear_stride: None,
            hw_state_stride: None,
            names_padded: false,
            aic_without_reg: false,
            ext_routes: Vec::new(),
            device: Vec::new(),
            source: model_only(),
        }
    }
}

/// A device of `/arm-io`: it owns lines, nothing else of it is modelled.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceModel {
    /// Node name.
    pub name: String,
    /// `compatible`.
    #[serde(default)]
    pub compatible: Vec<String>,
    /// `reg` as physical \[address, size\] pairs.
    #[serde(default)]
    pub reg: Vec<[u64; 2]>,
    /// `interrupts`, one cell each.
    #[serde(default)]
    pub interrupts: Vec<u32>,
    /// Parent of specifier i: "aic", "self" or another device's name; the last repeats. Empty = "aic".
    #[serde(default)]
    pub interrupt_parents: Vec<String>,
    /// `msi-vector-offset`.
    pub msi_vector_offset: Option<u32>,
    /// `#msi-vectors`.
    pub msi_vectors: Option<u32>,
}
