//! Targets and lines that cannot be used.

use aic_regs::aic::GeometryError;
use protocol::LineId;

use super::Owner;

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
    #[error("interrupt controller \"{found}\": this version drives aic,2 and aic,3")]
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

/// Why a line is not fired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// Outside the controller.
    #[error(
        "line {}:{} does not exist: allowed are 1 to {last} on die {dies}{}", line.die, line.number, hint(*line, *last)
    )]
    Range {
        /// The line.
        line: LineId,
        /// Last line of a die.
        last: u32,
        /// Dies, as text: "0" or "0 to 3".
        dies: String,
    },
    /// A device, an MSI range or a coprocessor route owns it.
    #[error("line {}:{} is in use: {owner}; allowed are lines that nobody owns", line.die, line.number)]
    Owned {
        /// The line.
        line: LineId,
        /// Who owns it.
        owner: Owner,
    },
    /// Its hardware input is high.
    #[error(
        "line {}:{} is high already (HW_STATE): something drives it; allowed are lines that are low", line.die, line.number
    )]
    High {
        /// The line.
        line: LineId,
    },
    /// Somebody left it set by software.
    #[error(
        "line {}:{} is set by software already; allowed are lines that are clear", line.die, line.number
    )]
    SoftwareSet {
        /// The line.
        line: LineId,
    },
    /// IRQ_CFG routes it somewhere.
    #[error(
        "line {}:{} is routed to target {target} (IRQ_CFG); allowed are lines with target 0", line.die, line.number
    )]
    Routed {
        /// The line.
        line: LineId,
        /// Its TARGET field.
        target: u32,
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
    pub const fn is_usage(&self) -> bool {
        matches!(self, Self::Range { .. })
    }
}

fn hint(line: LineId, last: u32) -> &'static str {
    if line.number == 0 {
        " (line 0 is a filler that device trees list)"
    } else if u32::from(line.number) > last {
        " (other numbers are room of the layout, or another SoC's)"
    } else {
        ""
    }
}
