//! Every kind of error has an example, and says what to do.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::CommandFactory as _;
use miette::Diagnostic as _;
use protocol::image::ImageError;
use protocol::message::{Fault, FaultKind};

use super::*;
use crate::cli::Cli;
use crate::compare::SavedError;
use crate::config::ConfigError;
use crate::error::exit;
use crate::evidence::EvidenceError;
use crate::files::ReadError;
use crate::link::{LinkError, OpenError};
use crate::plan::PlanError;
use crate::proxy::{ProxyError, Status};
use crate::raw::RawError;
use crate::session::SessionError;
use crate::stats::HistogramError;
use crate::target::{LineError, TargetError, UartError};
use crate::tree::{FileError, ListError};
use crate::vm::BootError;

fn path() -> PathBuf {
    PathBuf::from("FILE")
}

fn text() -> String {
    "words".to_owned()
}

fn no() -> io::Error {
    io::Error::from(io::ErrorKind::PermissionDenied)
}

fn open(why: OpenError) -> Error {
    let given = "PORT".to_owned();
    Error::Open { given, why }
}

fn raw_value() -> virtual_soc::RawError {
    virtual_soc::RawError::Value {
        what: "load address",
        value: 1,
        allowed: text(),
    }
}

fn fault() -> Fault {
    Fault {
        cpu: 1,
        kind: FaultKind::Sync,
        mpidr: 0,
        esr: 0,
        elr: 0,
        far: 0,
        spsr: 0,
        line: 0,
    }
}

/// An error of every kind.
fn examples() -> Vec<Error> {
    let files = vec![
        Error::Internal(text()),
        Error::Usage(text()),
        ConfigError::Key {
            path: path(),
            key: text(),
        }
        .into(),
        ConfigError::Variable {
            name: text(),
            value: text(),
            allowed: "",
        }
        .into(),
        PlanError::TooManyLines { given: 9 }.into(),
        crate::regs::find("nonsense").unwrap_err().into(),
        Error::NeedsConsent { minutes: 11 },
        Error::SocFile {
            path: path(),
            why: ReadError::System(no()),
        },
        Error::OutputFile {
            what: text(),
            why: no(),
        },
        Error::Output {
            what: text(),
            why: no(),
        },
        Error::Tree {
            origin: text(),
            why: FileError::Empty(0),
        },
        Error::Saved {
            path: path(),
            why: SavedError::NoSchema,
        },
        Error::TreeQuery {
            path: path(),
            why: ListError::NoProperty {
                place: text(),
                name: text(),
                has: text(),
            },
        },
        Error::Raw {
            path: path(),
            why: RawError::Behind(1),
        },
        Error::Raw {
            path: path(),
            why: RawError::Version { found: 9 },
        },
        Error::Report {
            path: path(),
            why: Box::new(crate::report::ReportError::Again(text())),
        },
        Error::Evidence {
            path: path(),
            why: EvidenceError::Counts(text()),
        },
        Error::Evidence {
            path: path(),
            why: EvidenceError::Missing("cells.json"),
        },
        crate::socs::SocsError {
            file: text(),
            at: text(),
            what: text(),
        }
        .into(),
        Error::NotListed {
            path: path(),
            reasons: text(),
            code: exit::RULE,
        },
        Error::NoFirmware,
        Error::Firmware {
            origin: text(),
            why: ImageError::Magic,
        },
        Error::FirmwareProtocol {
            origin: text(),
            theirs: text(),
            ours: text(),
        },
    ];
    let targets = vec![
        Error::UnknownTarget {
            given: text(),
            what: text(),
            allowed: text(),
        },
        Error::Model(virtual_soc::ModelError::Malformed {
            origin: text(),
            detail: text(),
        }),
        Error::BootImage(raw_value()),
        Error::Boot(BootError::Silent {
            image: text(),
            ms: 1,
            insns: 1,
            said: text(),
        }),
        Error::Serve(text()),
        TargetError::BootArgs {
            addr: 1,
            what: text(),
        }
        .into(),
        TargetError::NoBootCpu.into(),
        TargetError::NoRoutingFields { command: "fields" }.into(),
        TargetError::Generation { found: text() }.into(),
        TargetError::GivenMaxIrq { given: 1, says: 2 }.into(),
        Error::Inconclusive(text()),
        Error::NotRestored(text()),
        LineError::Refused {
            line: protocol::LineId { die: 0, number: 1 },
            found: Vec::new(),
        }
        .into(),
        LineError::NoSpare { tried: 1 }.into(),
        UartError::IsLink.into(),
    ];
    let links = vec![
        open(OpenError::NotFound(path())),
        open(OpenError::NoPermission {
            path: path(),
            advice: text(),
        }),
        open(OpenError::Busy {
            path: path(),
            holders: Vec::new(),
        }),
        open(OpenError::NotSerial(path())),
        open(OpenError::Dead {
            path: path(),
            why: text(),
        }),
        open(OpenError::NoneFound),
        open(OpenError::SeveralFound(Vec::new())),
        ProxyError::Link(LinkError::Closed(text())).into(),
        ProxyError::Link(LinkError::Stalled(text())).into(),
        ProxyError::Timeout {
            what: text(),
            after: Duration::ZERO,
        }
        .into(),
        ProxyError::Damaged { what: text() }.into(),
        ProxyError::Rebooted { what: text() }.into(),
        ProxyError::Interrupted { what: text() }.into(),
        ProxyError::Refused {
            what: text(),
            status: Status::Invalid,
        }
        .into(),
        ProxyError::AccessFault { what: text() }.into(),
        ProxyError::Exception {
            what: text(),
            reason: 1,
            code: 0,
            info: 0,
        }
        .into(),
    ];
    let sessions = vec![
        SessionError::Busy { cpu: 1, seconds: 5 },
        SessionError::StartedElsewhere { cpus: vec![1] },
        SessionError::SiqTraps {
            cpu: 1,
            mpidr: 0,
            esr: 0,
            class: "trap",
        },
        SessionError::CpuMissing {
            cpu: 1,
            state: "dead",
        },
        SessionError::Upload { addr: 0 },
        SessionError::BadContext,
        SessionError::Silent(text()),
        SessionError::Unexpected(text()),
        SessionError::Fault(fault()),
        SessionError::Stuck {
            cpu: 1,
            state: None,
        },
    ];
    let counts = [HistogramError::Bucket(1).into()];
    let sessions = sessions.into_iter().map(Error::from);
    let all = files.into_iter().chain(targets).chain(links);
    all.chain(sessions).chain(counts).collect()
}

#[test]
fn every_code_has_an_example_that_says_what_to_do() {
    let mut seen = BTreeSet::new();
    for error in examples() {
        let code = error.code();
        seen.insert(code);
        let name = miette::Diagnostic::code(&error)
            .expect("a code")
            .to_string();
        assert_eq!(name, code.name());
        let next = error.help().expect("a next step").to_string();
        let told = told(&error);
        let lines: Vec<&str> = told.lines().collect();
        let message = error.to_string();
        let of_message = message.lines().count();
        assert_eq!(lines.len(), of_message + 2, "{told}");
        assert_eq!(lines[0], message.lines().next().unwrap());
        assert_eq!(lines[of_message], format!("  code: {name}"));
        assert_eq!(lines[of_message + 1], format!("  next: {next}"));
    }
    let all: BTreeSet<Code> = Code::ALL.iter().copied().collect();
    assert_eq!(seen, all, "codes without an example");
}

#[test]
fn codes_are_names_of_their_own() {
    let mut names = BTreeSet::new();
    for code in Code::ALL {
        let name = code.name();
        assert!(names.insert(name), "{name} is there twice");
        let allowed = |c: char| c.is_ascii_lowercase() || matches!(c, ':' | '-');
        assert!(
            name.starts_with("aicprobe::") && name.chars().all(allowed),
            "{name}"
        );
        assert!(code.next().len() > 20, "{name}: {}", code.next());
    }
}

/// Where the next step is a command of this program, there is such a command, with such options.
#[test]
fn next_steps_can_be_taken() {
    let root = Cli::command();
    let mut looked = 0;
    for code in Code::ALL {
        for part in code.next().split('`').skip(1).step_by(2) {
            let mut words = part.split(' ');
            if words.next() != Some("aicprobe") {
                continue;
            }
            let mut command = &root;
            for word in words {
                if let Some(inner) = command.find_subcommand(word) {
                    command = inner;
                    looked += 1;
                } else if let Some(option) = word.strip_prefix("--") {
                    let known = option == "help"
                        || command
                            .get_arguments()
                            .any(|a| a.get_long() == Some(option));
                    assert!(known, "{}: `{part}`: --{option}", code.name());
                } else {
                    let placeholder = word.bytes().all(|b| b.is_ascii_uppercase());
                    let value = ["usb", "uart", "stdio"].contains(&word) || word.starts_with('/');
                    assert!(placeholder || value, "{}: `{part}`: {word}", code.name());
                }
            }
        }
    }
    assert!(looked > 20);
}

#[test]
fn a_step_and_a_side_have_the_code_of_their_cause() {
    let lost = || Error::Proxy(ProxyError::Link(LinkError::Closed(text())));
    assert_eq!(lost().at_step("starting").code(), Code::LinkClosed);
    let side = Error::Side {
        side: "A",
        why: Box::new(lost()),
    };
    assert_eq!(side.code(), Code::LinkClosed);
    assert_eq!(side.exit_code(), exit::LINK);
}
