//! Every way in which a command ends early, and the exit code of each.

use std::path::PathBuf;

use protocol::image::ImageError;
use virtual_soc::{ModelError, RawError};

use crate::compare::SavedError;
use crate::config::ConfigError;
use crate::docs::ReportError;
use crate::evidence::EvidenceError;
use crate::files::ReadError;
use crate::irqs::ListingError;
use crate::link::OpenError;
use crate::plan::PlanError;
use crate::proxy::ProxyError;
use crate::regs::FindError;
use crate::session::SessionError;
use crate::socs::SocsError;
use crate::stats::HistogramError;
use crate::target::{LineError, TargetError, UartError};
use crate::tree::{FileError, ListError};
use crate::vm::{BootError, ImageFileError};

/// Exit codes; documented in `--help` and stable.
pub mod exit {
    /// The command completed, whatever it measured.
    pub const OK: u8 = 0;
    /// A fault of this program.
    pub const INTERNAL: u8 = 1;
    /// The request makes no sense.
    pub const USAGE: u8 = 2;
    /// The target was not found or is not usable.
    pub const TARGET: u8 = 3;
    /// The link was lost.
    pub const LINK: u8 = 4;
    /// The target's state could not be restored.
    pub const NOT_RESTORED: u8 = 5;
    /// A rule failed.
    pub const RULE: u8 = NOT_RESTORED;
    /// Not everything that was asked for could be measured.
    pub const INCONCLUSIVE: u8 = 6;
    /// Refused as unsafe.
    pub const UNSAFE: u8 = 7;
    /// The firmware on the target failed.
    pub const TARGET_FAULT: u8 = 8;
    /// Stopped by the user; the target was restored.
    pub const INTERRUPTED: u8 = 130;

    /// Every code and what it means.
    pub const TABLE: &[(u8, &str)] = &[
        (OK, "the command completed, whatever it measured"),
        (INTERNAL, "internal error"),
        (
            USAGE,
            "usage: an option or value makes no sense (also a wrong firmware image)",
        ),
        (
            TARGET,
            "target not found or not usable (also a SIQ_CFG that traps)",
        ),
        (LINK, "link lost"),
        (
            NOT_RESTORED,
            "a rule failed, a threshold was passed, or the state of the target could not be restored",
        ),
        (
            INCONCLUSIVE,
            "inconclusive: not every cell could be measured",
        ),
        (UNSAFE, "refused as unsafe (a line in use, high or set)"),
        (TARGET_FAULT, "the firmware on the target failed"),
        (INTERRUPTED, "interrupted; the target was restored"),
    ];
}

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A fault of this program.
    #[error("internal error: {0}")]
    Internal(String),
    /// The plan does not fit the target.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// No image was built in and none was named.
    #[error(
        "this program was built without a firmware image: name one with --firmware FILE (cargo xtask builds both)"
    )]
    NoFirmware,
    /// The image cannot be read.
    #[error("--firmware {}: {why}", path.display())]
    FirmwareFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// The image is no image, or damaged.
    #[error("--firmware {origin}: {why}")]
    Firmware {
        /// The file, or "(built in)".
        origin: String,
        /// What is wrong.
        why: ImageError,
    },
    /// The image speaks another protocol.
    #[error("--firmware {origin}: made for {theirs}; this program needs {ours}")]
    FirmwareProtocol {
        /// The file, or "(built in)".
        origin: String,
        /// Its protocol version and schema hash.
        theirs: String,
        /// Ours.
        ours: String,
    },
    /// A plan that takes long was not confirmed.
    #[error("the plan takes {minutes} minutes on hardware (more than 10): give --yes to run it")]
    NeedsConsent {
        /// Its estimated duration.
        minutes: u64,
    },
    /// No target of that name.
    #[error("--target {given}: {what}; allowed are {allowed}")]
    UnknownTarget {
        /// What was given.
        given: String,
        /// What is wrong with it.
        what: String,
        /// What may be given.
        allowed: String,
    },
    /// The port of the target cannot be opened.
    #[error("--target {given}: {why}")]
    Open {
        /// What was given.
        given: String,
        /// Why not.
        why: OpenError,
    },
    /// No virtual SoC of that name.
    #[error("{given}: no such virtual SoC; allowed are {allowed} and FILE.toml")]
    UnknownSoc {
        /// What was given.
        given: String,
        /// What may be given.
        allowed: String,
    },
    /// A loader is what hardware has already.
    #[error("--target {0}: --loader goes only with a virtual SoC (vm:NAME, vm:FILE.toml)")]
    LoaderNeedsVm(String),
    /// The loader image cannot be read.
    #[error("--loader {0}")]
    LoaderFile(ImageFileError),
    /// The loader image does not come up.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// The image to run cannot be read.
    #[error("--boot {0}")]
    BootFile(ImageFileError),
    /// The image to run cannot be started.
    #[error("--boot: {0}")]
    BootImage(RawError),
    /// There is no place to serve at, or it is gone.
    #[error("{0}")]
    Serve(String),
    /// Options that do not go together, or a place that is taken.
    #[error("{0}")]
    Usage(String),
    /// Defaults that cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The target does not show what the measurement needs.
    #[error("{0}")]
    Inconclusive(String),
    /// The target is not as it was found after a first look at it.
    #[error("{0}")]
    NotRestored(String),
    /// No register of that name.
    #[error(transparent)]
    Register(#[from] FindError),
    /// A file that is no device tree, or cannot be read.
    #[error("{origin}: {why}")]
    Tree {
        /// The file, and the option that names it.
        origin: String,
        /// Why not.
        why: FileError,
    },
    /// The device tree that is to stand in for the target's is none.
    #[error("--adt {}: {why}", path.display())]
    DamagedAdt {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: FileError,
    },
    /// A file that is no listing of interrupts.
    #[error("{}: {why}", path.display())]
    Listing {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ListingError,
    },
    /// A file that is no result to be compared.
    #[error("{}: {why}", path.display())]
    Saved {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: SavedError,
    },
    /// A file that is no result of observations.
    #[error("{}: {why}", path.display())]
    Observed {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReportError,
    },
    /// What is wrong with one of two sides.
    #[error("side {side}: {why}")]
    Side {
        /// "A" or "B".
        side: &'static str,
        /// What is wrong.
        why: Box<Self>,
    },
    /// A file of raw events that cannot be read.
    #[error("{}: {why}", path.display())]
    Raw {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: crate::raw::RawError,
    },
    /// Something that no report can be made from.
    #[error("{}: {why}", path.display())]
    Report {
        /// The file or directory.
        path: PathBuf,
        /// Why not.
        why: Box<crate::report::ReportError>,
    },
    /// Evidence that cannot be read.
    #[error("{}: {why}", path.display())]
    Evidence {
        /// Where it is.
        path: PathBuf,
        /// Why not.
        why: EvidenceError,
    },
    /// What is asked for is not in the device tree.
    #[error("{}: {why}", path.display())]
    TreeQuery {
        /// The file.
        path: PathBuf,
        /// What is missing.
        why: ListError,
    },
    /// Files of SoCs' routing that cannot be read, or contradict themselves.
    #[error(transparent)]
    Socs(#[from] SocsError),
    /// Evidence that does not put its SoC on the allow-list. Nothing was changed.
    #[error("{}: refused: {reasons}; nothing was changed", path.display())]
    NotListed {
        /// The evidence.
        path: PathBuf,
        /// Every reason.
        reasons: String,
        /// Exit code of the worst of them.
        code: u8,
    },
    /// A SoC file that cannot be read.
    #[error("virtual SoC {}: {why}", path.display())]
    SocFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: ReadError,
    },
    /// A SoC model that makes no sense.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// The target is not usable.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The line is not usable.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The serial port's line is not usable.
    #[error(transparent)]
    Uart(#[from] UartError),
    /// The exchange with the loader failed.
    #[error(transparent)]
    Proxy(#[from] ProxyError),
    /// The session with the firmware failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A link that was lost on the way, and where.
    #[error("{why} (at step \"{step}\")")]
    AtStep {
        /// What was being done.
        step: &'static str,
        /// What became of it.
        why: Box<Self>,
    },
    /// Counts that cannot be.
    #[error(transparent)]
    Histogram(#[from] HistogramError),
    /// A result with percentiles that fall is not shown.
    #[error("the result is refused: percentiles out of order at {at}: {values}")]
    Falling {
        /// Path in the JSON.
        at: String,
        /// Names and values, in the order of their ranks.
        values: String,
    },
    /// A file that the user names cannot be written.
    #[error("{what}: {why}")]
    OutputFile {
        /// The file, and the option that names it.
        what: String,
        /// Why not.
        why: std::io::Error,
    },
    /// Standard output cannot be written.
    #[error("{what}: {why}")]
    Output {
        /// Which output.
        what: String,
        /// Why not.
        why: std::io::Error,
    },
}

impl Error {
    /// The exit code.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Internal(_) | Self::Output { .. } | Self::Serve(_) => exit::INTERNAL,
            Self::Plan(_)
            | Self::OutputFile { .. }
            | Self::DamagedAdt { .. }
            | Self::NoFirmware
            | Self::FirmwareFile { .. }
            | Self::TreeQuery { .. }
            | Self::Listing { .. }
            | Self::Saved { .. }
            | Self::Raw { .. }
            | Self::Socs(_)
            | Self::Report { .. }
            | Self::Firmware { .. }
            | Self::FirmwareProtocol { .. }
            | Self::LoaderNeedsVm(_)
            | Self::Usage(_)
            | Self::Config(_)
            | Self::Observed { .. }
            | Self::Register(_)
            | Self::LoaderFile(_)
            | Self::BootFile(_) => exit::USAGE,
            Self::Evidence { why, .. } if why.is_damage() => exit::RULE,
            Self::Evidence { .. } => exit::USAGE,
            Self::Tree { why, .. } => match why {
                FileError::Read(_) => exit::USAGE,
                FileError::Empty(_) | FileError::Other(_) | FileError::Tree(_) => exit::TARGET,
            },
            Self::BootImage(e) => raw_code(e),
            Self::Boot(BootError::Start { why, .. }) => raw_code(why),
            Self::Boot(BootError::Interrupted { .. }) => exit::INTERRUPTED,
            Self::Boot(BootError::Silent { .. }) | Self::UnknownSoc { .. } => exit::TARGET,
            Self::Open {
                why: OpenError::Interrupted(_),
                ..
            } => exit::INTERRUPTED,
            Self::Target(e) if e.is_unsafe() => exit::UNSAFE,
            Self::Uart(e) if e.is_unsafe() => exit::UNSAFE,
            Self::Open { .. }
            | Self::UnknownTarget { .. }
            | Self::SocFile { .. }
            | Self::Model(_)
            | Self::Uart(_)
            | Self::Target(_) => exit::TARGET,
            Self::NotListed { code, .. } => *code,
            Self::NeedsConsent { .. } => exit::UNSAFE,
            Self::Inconclusive(_) => exit::INCONCLUSIVE,
            Self::NotRestored(_) => exit::NOT_RESTORED,
            Self::Line(e) if e.is_usage() => exit::USAGE,
            Self::Line(_) => exit::UNSAFE,
            Self::Proxy(e) => proxy_code(e),
            Self::Session(e) => e.exit_code(),
            Self::Histogram(_) | Self::Falling { .. } => exit::TARGET_FAULT,
            Self::AtStep { why, .. } | Self::Side { why, .. } => why.exit_code(),
        }
    }

    /// The same with the step at which the link was lost; other errors say themselves what they are about.
    #[must_use]
    pub fn at_step(self, step: &'static str) -> Self {
        match self {
            e @ Self::AtStep { .. } => e,
            e if e.exit_code() == exit::LINK => Self::AtStep {
                step,
                why: Box::new(e),
            },
            e => e,
        }
    }

    /// Without the step.
    #[must_use]
    pub fn cause(&self) -> &Self {
        match self {
            Self::AtStep { why, .. } | Self::Side { why, .. } => why.cause(),
            e => e,
        }
    }
}

/// Exit code of an image that cannot be started: its place is the user's, the model is the target.
const fn raw_code(error: &RawError) -> u8 {
    match error {
        RawError::Model(_) => exit::TARGET,
        RawError::Value { .. } => exit::USAGE,
    }
}

/// Exit code of a failed exchange: a loader that answers and refuses is not a lost link.
pub const fn proxy_code(error: &ProxyError) -> u8 {
    match error {
        ProxyError::Link(_)
        | ProxyError::Timeout { .. }
        | ProxyError::CpuBusy { .. }
        | ProxyError::Damaged { .. }
        | ProxyError::Rebooted { .. } => exit::LINK,
        ProxyError::Interrupted { .. } => exit::INTERRUPTED,
        ProxyError::Refused { .. }
        | ProxyError::UnknownOp { .. }
        | ProxyError::AccessFault { .. } => exit::TARGET,
        ProxyError::Exception { .. } => exit::TARGET_FAULT,
    }
}
