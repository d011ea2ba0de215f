//! Targets and lines that cannot be used.

use aic_regs::aic::GeometryError;
use protocol::LineId;

use super::Objection;

/// Why a target is not usable.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// No boot arguments where the loader points.
    #[error("boot arguments at {addr:#x} are damaged: {what}; --adt FILE gives the tree instead")]
    BootArgs {
        /// Where they are.
        addr: u64,
        /// What is wrong with them.
        what: String,
    },
    /// A controller that does not have what is to be measured.
    #[error(
        "{command}: AICv1 does not look at SIQ_CFG; allowed are AICv2 and AICv3 (on AICv1 `route --target-mask` turns TARGET_CPU)"
    )]
    NoRoutingFields {
        /// The command.
        command: &'static str,
    },
    /// The device tree is no tree.
    #[error("the device tree is damaged: {0}; --adt FILE gives another")]
    DeviceTree(adt::Error),
    /// The device tree in a file is no tree.
    #[error("--adt {origin}: {why}")]
    AdtFile {
        /// The file.
        origin: String,
        /// What is wrong with it.
        why: adt::Error,
    },
    /// A node is missing.
    #[error("the device tree has no {0}")]
    NoNode(&'static str),
    /// No CPU is marked as running.
    #[error("no CPU of the device tree has state \"running\": the boot CPU is unknown")]
    NoBootCpu,
    /// A controller that this program cannot drive.
    #[error("interrupt controller \"{found}\": allowed are aic,1, aic,2 and aic,3")]
    Generation {
        /// Its `compatible`.
        found: String,
    },
    /// A property without which the controller cannot be driven.
    #[error("/arm-io/aic: property {property} is {what}")]
    AicProperty {
        /// The property.
        property: &'static str,
        /// What is wrong with it.
        what: String,
    },
    /// What the controller says of itself cannot be.
    #[error("the interrupt controller at {base:#x} makes no sense: {why}")]
    Geometry {
        /// Its address.
        base: u64,
        /// What cannot be.
        why: GeometryError,
    },
    /// The registers are not where they should be.
    #[error(
        "the interrupt controller at {base:#x} is not laid out as the device tree says, nothing was fired: {what}"
    )]
    Layout {
        /// Its address.
        base: u64,
        /// What disagrees.
        what: String,
    },
    /// Register banks lie on each other.
    #[error(
        "the interrupt controller at {base:#x} makes no sense: {what} (offsets and die strides come from the device tree)"
    )]
    Overlap {
        /// Its address.
        base: u64,
        /// What overlaps.
        what: String,
    },
    /// A controller where the user says it is, and where none can be.
    #[error(
        "--aic-base {base:#x} is refused: {what}; allowed is a multiple of 0x4000 in the device space of /arm-io"
    )]
    GivenBase {
        /// The address given.
        base: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A number of lines that the controller itself says otherwise.
    #[error(
        "--max-irq {given:#x} is refused: INFO3 says {says:#x}, and every register's place follows from it; allowed is another value only where INFO3 reads 0 or cannot be read"
    )]
    GivenMaxIrq {
        /// The number given.
        given: u32,
        /// What INFO3 says.
        says: u32,
    },
    /// Registers outside the window of the device tree.
    #[error(
        "the interrupt controller's registers reach to {extent:#x}, its window has {window:#x} bytes"
    )]
    Window {
        /// End of the last register.
        extent: u64,
        /// Size of the window.
        window: u64,
    },
}

impl TargetError {
    /// Whether what the user says would have unknown registers written.
    #[must_use]
    pub const fn is_unsafe(&self) -> bool {
        matches!(self, Self::GivenBase { .. } | Self::GivenMaxIrq { .. })
    }
}

/// Why a line is not fired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It fails tests.
    #[error("line {}:{} is refused: {}{}", line.die, line.number, listed(found), hint(found))]
    Refused {
        /// The line.
        line: LineId,
        /// Every test that it fails.
        found: Vec<Objection>,
    },
    /// Every line is owned, high, set or routed.
    #[error(
        "no spare line on die 0: tried {tried} lines that nobody owns, each was high, set or routed"
    )]
    NoSpare {
        /// Lines whose registers were read.
        tried: usize,
    },
}

impl LineError {
    /// Whether the request makes no sense on this target; else it is refused as unsafe.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Refused { found, .. } => found
                .iter()
                .any(|o| matches!(o, Objection::Outside(_) | Objection::Zero)),
            Self::NoSpare { .. } => false,
        }
    }
}

fn listed(found: &[Objection]) -> String {
    let texts: Vec<String> = found.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

fn hint(found: &[Objection]) -> &'static str {
    if found.iter().all(Objection::may_be_forced) {
        "; --force-line fires it all the same"
    } else {
        ""
    }
}
