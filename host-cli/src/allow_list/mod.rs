//! The allow-list: which SoCs a kernel may rely on, and what evidence puts one there.
//!
//! [`assess`] says of kept evidence of `verify` every reason why it does not suffice; [`add`] writes evidence that does into the
//! file of its SoC. Evidence of a virtual SoC never suffices, whatever its rules say.

mod add;
mod assess;
mod measured;
mod table;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::exit;
use crate::verify::{FULL, Size};

pub use add::{Added, add};
pub use assess::assess;

/// What an allow-list needs: that of `verify` without `--quick`.
pub const NEEDED: Size = FULL;

/// What kind of reason it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// What answered is no hardware.
    NotHardware,
    /// The manifest is missing: nobody can say whether the rest is whole.
    Cut,
    /// A file is not as it was written, or says something else than another one.
    Changed,
    /// The run was another command's, or with a stand-in for what a target says.
    OtherRun,
    /// A required rule failed.
    RuleFailed,
    /// A required rule was left out, or too little was measured for it.
    RuleOpen,
    /// Too few triggers or windows.
    TooFew,
    /// The run did not come to its end.
    Interrupted,
    /// The target was not left as found.
    NotRestored,
    /// A CPU did not take part.
    CpuLeftOut,
    /// Chip or board are not known, or not the same in all files.
    Device,
    /// The SoC's file says something else than was measured.
    TableDiffers,
    /// AICv1 does not route by SIQ_CFG.
    Generation,
}

impl ReasonKind {
    /// Whether something is wrong, as against not shown.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(
            self,
            Self::Changed
                | Self::RuleFailed
                | Self::NotRestored
                | Self::Device
                | Self::TableDiffers
        )
    }

    /// As in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotHardware => "not-hardware",
            Self::Cut => "cut",
            Self::Changed => "changed",
            Self::OtherRun => "other-run",
            Self::RuleFailed => "rule-failed",
            Self::RuleOpen => "rule-open",
            Self::TooFew => "too-few",
            Self::Interrupted => "interrupted",
            Self::NotRestored => "not-restored",
            Self::CpuLeftOut => "cpu-left-out",
            Self::Device => "device",
            Self::TableDiffers => "table-differs",
            Self::Generation => "generation",
        }
    }
}

/// A reason why evidence does not suffice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// Its kind.
    pub kind: ReasonKind,
    /// What it is about: a file, a rule, a CPU.
    pub about: String,
    /// In words.
    pub text: String,
}

/// What is said of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Assessment {
    /// "aicprobe.allow-list/1".
    pub schema: &'static str,
    /// The evidence.
    pub path: String,
    /// Whether it puts its SoC on the list.
    pub suffices: bool,
    /// The SoC: "T8140"; empty if the evidence does not say.
    pub soc: String,
    /// Board and model; empty if the evidence does not say.
    pub device: String,
    /// The virtual SoC that answered; `null` if none did.
    pub virtual_soc: Option<String>,
    /// Whether the SoC has a file, and is on the list already.
    pub known: bool,
    /// See [`Assessment::known`].
    pub listed: bool,
    /// SHA-256 of the manifest, which stands for the evidence; `null` if it is missing.
    pub manifest_sha256: Option<String>,
    /// Every reason why it does not suffice.
    pub reasons: Vec<Reason>,
}

impl Assessment {
    /// Value of `schema`.
    pub const SCHEMA: &'static str = "aicprobe.allow-list/1";

    /// The exit code of a check: whether something is wrong, or just not shown.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if self.suffices {
            exit::OK
        } else if self.reasons.iter().any(|r| r.kind.is_failure()) {
            exit::RULE
        } else {
            exit::INCONCLUSIVE
        }
    }

    /// Whether it is about hardware, as far as anybody can tell.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        let not = |r: &Reason| r.kind == ReasonKind::NotHardware;
        !self.reasons.iter().any(not)
    }
}
