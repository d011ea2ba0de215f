//! What a file says.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::target::Core;

/// Who says so, the strongest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum State {
    /// Somebody measured it on the machine and published how, or evidence of a run on hardware says so.
    #[serde(rename = "silicon")]
    Silicon,
    /// A driver, a device tree, a log or a document states it.
    #[serde(rename = "third party")]
    ThirdParty,
    /// Concluded from other facts: to be tested.
    #[serde(rename = "inference")]
    Inference,
    /// Made up so that a model runs: says nothing about hardware.
    #[serde(rename = "model only")]
    ModelOnly,
}

impl State {
    /// As in the files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silicon => "silicon",
            Self::ThirdParty => "third party",
            Self::Inference => "inference",
            Self::ModelOnly => "model only",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// In which class a CPU takes interrupts, the first that is asked first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Takes them before any CPU of another class.
    Preferred,
    /// Takes them.
    Normal,
    /// Takes them where no CPU of the classes above does.
    Fallback,
    /// Takes none.
    Never,
}

impl Class {
    /// As in the files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preferred => "preferred",
            Self::Normal => "normal",
            Self::Fallback => "fallback",
            Self::Never => "never",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// MPIDR_EL1: in TOML a number, in JSON a string like "0x80010100".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MpidrText(pub u64);

impl fmt::Display for MpidrText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Serialize for MpidrText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MpidrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = MpidrText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a text like \"0x80010100\"")
            }

            fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<MpidrText, E> {
                Ok(MpidrText(v))
            }

            fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<MpidrText, E> {
                let bad = |_| E::invalid_value(serde::de::Unexpected::Signed(v), &self);
                u64::try_from(v).map(MpidrText).map_err(bad)
            }

            fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<MpidrText, E> {
                let digits = v.strip_prefix("0x").filter(|d| !d.starts_with('+'));
                let number = digits.and_then(|d| u64::from_str_radix(d, 16).ok());
                let bad = || E::invalid_value(serde::de::Unexpected::Str(v), &self);
                number.map(MpidrText).ok_or_else(bad)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for MpidrText {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MpidrText".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^0x[0-9a-f]+$" })
    }
}

/// A SoC: one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Soc {
    /// "aicprobe.soc/1".
    pub schema: String,
    /// Its name, T and the chip id: "T8140".
    pub soc: String,
    /// `chip-id` of its device tree.
    pub chip_id: u32,
    /// Its maker's name: "A18 Pro".
    pub name: String,
    /// Standing of the whole: not better than the weakest of `values` and of the CPUs' fields.
    pub state: State,
    /// Who says what about `accepting`.
    pub source: String,
    /// Logical ids of the CPUs that take interrupts as a kernel finds them: all whose field has a class other than "never".
    pub accepting: Vec<u8>,
    /// Whether effective affinities have to be read again when a CPU comes online: where more than one CPU accepts.
    pub online_refresh: bool,
    /// The interrupt controller.
    pub aic: SocAic,
    /// What SIQ_CFG bits \[1:0\] mean, by value.
    pub values: Values,
    /// CPUs by logical id: the boot CPU first, then in device-tree order. Machines may lack some (`absent_on`).
    pub cpu: Vec<SocCpu>,
    /// What was measured on hardware, and by whom.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// Whether a kernel may rely on this.
    pub allow_list: AllowList,
}

/// The interrupt controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocAic {
    /// Its most specific name in Linux device trees. SoCs may share one.
    pub compatible: String,
    /// 1, 2 or 3.
    pub generation: u8,
    /// Lines per die; `null` where nobody has told.
    #[serde(default)]
    pub nr_irq: Option<u32>,
    /// Dies in use.
    pub dies: u8,
    /// Standing of the above.
    pub state: State,
    /// Who says so.
    pub source: String,
}

/// The values of the routing field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// 0.
    #[serde(rename = "0")]
    pub zero: Value,
    /// 1.
    #[serde(rename = "1")]
    pub one: Value,
    /// 2.
    #[serde(rename = "2")]
    pub two: Value,
    /// 3.
    #[serde(rename = "3")]
    pub three: Value,
}

impl Values {
    /// All four, by value.
    #[must_use]
    pub const fn by_value(&self) -> [&Value; 4] {
        [&self.zero, &self.one, &self.two, &self.three]
    }

    /// The meaning of `field`, which is 0 to 3.
    #[must_use]
    pub fn of(&self, field: u8) -> Option<&Value> {
        self.by_value().get(usize::from(field)).copied()
    }
}

/// What a value means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The class of a CPU whose field has it.
    pub class: Class,
    /// Standing of that.
    pub state: State,
    /// Who says so.
    pub source: String,
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SocCpu {
    /// MPIDR_EL1.
    pub mpidr: MpidrText,
    /// Kind of core.
    pub core: Core,
    /// Whether machines boot on it: the first one.
    pub boot: bool,
    /// SIQ_CFG bits \[1:0\] as a kernel finds them, after firmware and loader.
    pub field: u8,
    /// Standing of `field`; what is said of the others is in `source`.
    pub state: State,
    /// Who says so.
    pub source: String,
    /// Boards that lack it. Logical ids there count on without it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_on: Vec<String>,
}

/// What evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceKind {
    /// A measurement that somebody has published.
    Publication,
    /// A run of this program on hardware, with its evidence.
    Run,
}

impl EvidenceKind {
    /// As in the files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Publication => "publication",
            Self::Run => "run",
        }
    }
}

/// A measurement on hardware.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// What it is.
    pub kind: EvidenceKind,
    /// In words.
    pub what: String,
    /// Where it is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The board, with the model where it is known: "J700", "J700 Mac17,0".
    pub device: String,
    /// YYYY-MM-DD, of a publication also YYYY-MM.
    pub date: String,
    /// Triggers fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triggers: Option<u64>,
    /// How many of them nobody took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misses: Option<u64>,
    /// Of a run: the version of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Of a run: SHA-256 of its manifest.sha256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Whether a kernel may rely on a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowList {
    /// It may.
    pub listed: bool,
    /// Why, or why not.
    pub why: String,
}

impl Soc {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.soc/1";

    /// The CPU with this MPIDR, and its logical id where no CPU is missing.
    #[must_use]
    pub fn cpu_of_mpidr(&self, mpidr: u64) -> Option<(u8, &SocCpu)> {
        (0u8..).zip(&self.cpu).find(|(_, cpu)| cpu.mpidr.0 == mpidr)
    }

    /// The class of `cpu`; a field out of range, which no file has, is "never".
    #[must_use]
    pub fn class_of(&self, cpu: &SocCpu) -> Class {
        let value = self.values.of(cpu.field);
        value.map_or(Class::Never, |v| v.class)
    }

    /// CPUs that `board` has, in the order of the logical ids there.
    pub fn cpus_on<'a>(&'a self, board: &'a str) -> impl Iterator<Item = &'a SocCpu> {
        let has = move |cpu: &&SocCpu| !cpu.absent_on.iter().any(|b| b == board);
        self.cpu.iter().filter(has)
    }

    /// The CPU that takes every interrupt, where there is one.
    #[must_use]
    pub fn sole_acceptor(&self) -> Option<(u8, &SocCpu)> {
        let &[id] = self.accepting.as_slice() else {
            return None;
        };
        self.cpu.get(usize::from(id)).map(|cpu| (id, cpu))
    }

    /// Name of its file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.toml", self.soc.to_lowercase())
    }
}
