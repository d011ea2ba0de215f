//! The code of every error. Matches name every variant: a new one does not build without a code.

use protocol::image::ImageError;
use virtual_soc::RawError;

use crate::compare::SavedError;
use crate::config::ConfigError;
use crate::docs::ReportError;
use crate::error::Error;
use crate::evidence::EvidenceError;
use crate::files::ReadError;
use crate::irqs::ListingError;
use crate::link::{LinkError, OpenError};
use crate::proxy::ProxyError;
use crate::report;
use crate::session::SessionError;
use crate::target::{LineError, TargetError, UartError};
use crate::tree::FileError;
use crate::vm::{BootError, ImageFileError};

use super::Code;

pub fn error(error: &Error) -> Code {
    match error {
        Error::Internal(_) => Code::Internal,
        Error::Plan(_) => Code::Plan,
        Error::NoFirmware => Code::NoFirmware,
        Error::FirmwareFile { why, .. } | Error::SocFile { why, .. } => read(why),
        Error::Firmware { why, .. } => image(*why),
        Error::FirmwareProtocol { .. } => Code::FirmwareProtocol,
        Error::NeedsConsent { .. } => Code::Consent,
        Error::UnknownTarget { .. } | Error::UnknownSoc { .. } => Code::UnknownTarget,
        Error::Open { why, .. } => open(why),
        Error::Config(ConfigError::Variable { .. }) => Code::Environment,
        Error::Config(_) => Code::Config,
        Error::LoaderNeedsVm(_) | Error::Usage(_) => Code::Usage,
        Error::LoaderFile(why) | Error::BootFile(why) => image_file(why),
        Error::Boot(why) => boot(why),
        Error::BootImage(why) => raw_image(why),
        Error::Serve(_) => Code::Serve,
        Error::Inconclusive(_) => Code::Inconclusive,
        Error::NotRestored(_) => Code::NotRestored,
        Error::Register(_) => Code::Register,
        Error::Tree { why, .. } | Error::DamagedAdt { why, .. } => tree(why),
        Error::Listing { why, .. } => listing(why),
        Error::Saved { why, .. } => saved(why),
        Error::Raw { why, .. } => events(why),
        Error::Observed { why, .. } => observed(why),
        Error::TreeQuery { .. } => Code::TreeQuery,
        Error::Report { why, .. } => report(why),
        Error::Evidence { why, .. } => evidence(why),
        Error::Socs(_) => Code::Socs,
        Error::NotListed { .. } => Code::NotListed,
        Error::Model(_) => Code::Model,
        Error::Target(why) => target(why),
        Error::Line(why) => line(why),
        Error::Uart(why) => uart(why),
        Error::Proxy(why) => proxy(why),
        Error::Session(why) => session(why),
        Error::AtStep { why, .. } | Error::Side { why, .. } => self::error(why),
        Error::Histogram(_) | Error::Falling { .. } => Code::Counts,
        Error::OutputFile { .. } => Code::FileUnwritable,
        Error::Output { .. } => Code::Output,
    }
}

const fn read(why: &ReadError) -> Code {
    match why {
        ReadError::System(_) | ReadError::Kind { .. } | ReadError::Silent(_) => {
            Code::FileUnreadable
        }
        ReadError::Size { .. } => Code::FileContent,
    }
}

const fn image(why: ImageError) -> Code {
    match why {
        ImageError::Length(_)
        | ImageError::Magic
        | ImageError::Size { .. }
        | ImageError::Crc { .. }
        | ImageError::Layout
        | ImageError::BuildId => Code::FirmwareDamaged,
        ImageError::Version(_) => Code::FirmwareProtocol,
    }
}

const fn open(why: &OpenError) -> Code {
    match why {
        OpenError::NotFound(_) => Code::PortMissing,
        OpenError::NoPermission { .. } => Code::PortPermission,
        OpenError::Busy { .. } => Code::PortBusy,
        OpenError::NotSerial(_) => Code::PortKind,
        OpenError::Dead { .. } => Code::PortDead,
        OpenError::NoneFound => Code::NoneFound,
        OpenError::SeveralFound(_) => Code::SeveralFound,
        OpenError::Interrupted(_) => Code::Interrupted,
    }
}

const fn image_file(why: &ImageFileError) -> Code {
    match why {
        ImageFileError::Unreadable { why, .. } => read(why),
        ImageFileError::Size { .. } => Code::FileContent,
    }
}

fn boot(why: &BootError) -> Code {
    match why {
        BootError::Start { why, .. } => raw_image(why),
        BootError::Silent { .. } => Code::BootSilent,
        BootError::Interrupted { .. } => Code::Interrupted,
    }
}

const fn raw_image(why: &RawError) -> Code {
    match why {
        RawError::Model(_) => Code::Model,
        RawError::Value { .. } => Code::BootImage,
    }
}

const fn tree(why: &FileError) -> Code {
    match why {
        FileError::Read(why) => read(why),
        FileError::Empty(_) | FileError::Other(_) | FileError::Tree(_) => Code::FileContent,
    }
}

const fn listing(why: &ListingError) -> Code {
    match why {
        ListingError::Read(why) => read(why),
        ListingError::Empty
        | ListingError::Binary(_)
        | ListingError::Header { .. }
        | ListingError::NoRows
        | ListingError::Row { .. } => Code::FileContent,
    }
}

const fn saved(why: &SavedError) -> Code {
    match why {
        SavedError::Read(why) => read(why),
        SavedError::Json(_)
        | SavedError::NoSchema
        | SavedError::Schema { .. }
        | SavedError::Damaged { .. }
        | SavedError::Impossible(_) => Code::FileContent,
    }
}

const fn report(why: &report::ReportError) -> Code {
    use report::ReportError as Why;
    match why {
        Why::Read(why) => read(why),
        Why::Evidence(why) => evidence(why),
        Why::Again(_) => Code::EvidencePartial,
        Why::Json(_)
        | Why::NoSchema
        | Why::Schema { .. }
        | Why::Damaged { .. }
        | Why::Impossible(_) => Code::FileContent,
    }
}

const fn evidence(why: &EvidenceError) -> Code {
    match why {
        EvidenceError::System(_) => Code::FileUnreadable,
        EvidenceError::Other(_) => Code::FileContent,
        EvidenceError::Damaged { .. } | EvidenceError::Counts(_) | EvidenceError::Gone(_) => {
            Code::EvidenceDamaged
        }
        EvidenceError::Missing(_) => Code::EvidencePartial,
        EvidenceError::Schema(_) | EvidenceError::Command(_) => Code::RawVersion,
    }
}

const fn observed(why: &ReportError) -> Code {
    match why {
        ReportError::Read(why) => read(why),
        ReportError::Json(_) | ReportError::Schema { .. } | ReportError::Damaged(_) => {
            Code::FileContent
        }
    }
}

const fn events(why: &crate::raw::RawError) -> Code {
    use crate::raw::RawError as Events;
    match why {
        Events::System(_) => Code::FileUnreadable,
        Events::Magic => Code::FileContent,
        Events::Version { .. } | Events::Command(_) => Code::RawVersion,
        Events::Opening { .. }
        | Events::Short(_)
        | Events::Record { .. }
        | Events::Totals { .. }
        | Events::Behind(_)
        | Events::Extra { .. } => Code::RawDamaged,
    }
}

const fn target(why: &TargetError) -> Code {
    match why {
        TargetError::BootArgs { .. } => Code::BootArguments,
        TargetError::DeviceTree(_)
        | TargetError::AdtFile { .. }
        | TargetError::NoNode(_)
        | TargetError::NoBootCpu => Code::DeviceTree,
        TargetError::Generation { .. }
        | TargetError::AicProperty { .. }
        | TargetError::Geometry { .. }
        | TargetError::Layout { .. }
        | TargetError::Overlap { .. }
        | TargetError::Window { .. } => Code::Controller,
        TargetError::NoRoutingFields { .. } => Code::NoFields,
        TargetError::GivenBase { .. } | TargetError::GivenMaxIrq { .. } => Code::Override,
    }
}

const fn line(why: &LineError) -> Code {
    match why {
        LineError::Refused { .. } => Code::LineRefused,
        LineError::NoSpare { .. } => Code::NoSpareLine,
    }
}

const fn uart(why: &UartError) -> Code {
    match why {
        UartError::NoPort
        | UartError::NoLine { .. }
        | UartError::NoRegisters { .. }
        | UartError::IsLink
        | UartError::High { .. }
        | UartError::Unmasked { .. }
        | UartError::Silent { .. } => Code::Uart,
    }
}

const fn proxy(why: &ProxyError) -> Code {
    match why {
        ProxyError::Link(LinkError::Closed(_)) => Code::LinkClosed,
        ProxyError::Link(LinkError::Stalled(_)) => Code::LinkStalled,
        ProxyError::Timeout { .. } => Code::Timeout,
        ProxyError::CpuBusy { .. } => Code::CpuBusy,
        ProxyError::Damaged { .. } => Code::Damaged,
        ProxyError::Refused { .. } | ProxyError::UnknownOp { .. } => Code::LoaderRefused,
        ProxyError::AccessFault { .. } => Code::LoaderFault,
        ProxyError::Interrupted { .. } => Code::Interrupted,
        ProxyError::Rebooted { .. } => Code::Rebooted,
        ProxyError::Exception { .. } => Code::LoaderException,
    }
}

const fn session(why: &SessionError) -> Code {
    match why {
        SessionError::SiqTraps { .. } => Code::SiqTraps,
        SessionError::Upload { .. } => Code::Upload,
        SessionError::BadContext | SessionError::BadStatus(_) | SessionError::Greeting(_) => {
            Code::Mismatch
        }
        SessionError::Silent(_) => Code::Silent,
        SessionError::Frame { .. }
        | SessionError::Gap { .. }
        | SessionError::Ring { .. }
        | SessionError::Dropped { .. }
        | SessionError::Totals { .. }
        | SessionError::Unexpected(_) => Code::Stream,
        SessionError::Fault(_) => Code::Fault,
        SessionError::CpuMissing { .. } | SessionError::OneCpu { .. } => Code::CpuMissing,
        SessionError::Busy { .. } => Code::CpuBusy,
        SessionError::StartedElsewhere { .. } => Code::StartedElsewhere,
        SessionError::Stuck { .. } => Code::Stuck,
    }
}
