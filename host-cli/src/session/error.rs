//! What can go wrong between host and firmware.

use protocol::context::CpuState;
use protocol::frame::FrameError;
use protocol::message::{Fault, FaultKind};

use crate::error::exit;

/// Why a session failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// SIQ_CFG cannot be read.
    #[error(
        "SIQ_CFG of CPU {cpu} (MPIDR {mpidr:#x}) traps, ESR {esr:#x} ({class}): its routing cannot be measured from here"
    )]
    SiqTraps {
        /// Logical id.
        cpu: u8,
        /// Its MPIDR.
        mpidr: u64,
        /// The syndrome.
        esr: u64,
        /// Its exception class in words.
        class: &'static str,
    },
    /// What was uploaded does not read back.
    #[error("the firmware does not read back at {addr:#x} as it was written")]
    Upload {
        /// Where it is.
        addr: u64,
    },
    /// The firmware does not know the block of memory as one of its own.
    #[error("the firmware refuses its memory block (it was made for another version)")]
    BadContext,
    /// An answer of the boot CPU's entry that is no status.
    #[error("the firmware's entry returned {0:#x}, which is no status")]
    BadStatus(u64),
    /// The firmware that answers is not the one that was uploaded.
    #[error("the firmware's greeting is not the one expected: {0}")]
    Greeting(String),
    /// The firmware did not say something that it must say.
    #[error("the firmware did not answer {0} in time")]
    Silent(String),
    /// A damaged frame in a ring.
    #[error("stream of CPU {cpu}: {why}")]
    Frame {
        /// Logical id.
        cpu: u8,
        /// What is wrong.
        why: FrameError,
    },
    /// A gap in a stream.
    #[error("stream of CPU {cpu}: packet {found} came where {expected} was due")]
    Gap {
        /// Logical id.
        cpu: u8,
        /// Number due.
        expected: u32,
        /// Number that came.
        found: u32,
    },
    /// Ring indices that cannot be.
    #[error("stream of CPU {cpu}: its ring's indices make no sense ({head} written, {tail} taken)")]
    Ring {
        /// Logical id.
        cpu: u8,
        /// Bytes written.
        head: u64,
        /// Bytes taken.
        tail: u64,
    },
    /// Packets that found no room.
    #[error("stream of CPU {cpu}: {dropped} packets had no room and are lost")]
    Dropped {
        /// Logical id.
        cpu: u8,
        /// How many.
        dropped: u32,
    },
    /// A stream that ended at another place than it says.
    #[error("stream of CPU {cpu}: {said} packets announced, {seen} came")]
    Totals {
        /// Logical id.
        cpu: u8,
        /// What END says.
        said: u32,
        /// What came.
        seen: u32,
    },
    /// A message that makes no sense here.
    #[error("the firmware sent {0}")]
    Unexpected(String),
    /// A CPU of the target stopped with a fault.
    #[error("{}", describe(.0))]
    Fault(Fault),
    /// A CPU that the plan needs does not run.
    #[error("CPU {cpu} is {state}: the cells asked for need it")]
    CpuMissing {
        /// Logical id.
        cpu: u8,
        /// What became of it.
        state: &'static str,
    },
    /// Fewer CPUs run than are needed.
    #[error("{what} takes two CPUs, and one runs on this target")]
    OneCpu {
        /// What needs them.
        what: &'static str,
    },
    /// A CPU that an earlier client left in a function.
    #[error(
        "CPU {cpu} has not come back from a function that an earlier client called on it, within {seconds} s, and the loader waits for it: restart the target"
    )]
    Busy {
        /// Logical id.
        cpu: u8,
        /// How long it was waited for.
        seconds: u64,
    },
    /// CPUs of which nobody knows where they wait.
    #[error(
        "{} had been started by another client, perhaps without P_SMP_SET_WFE_MODE(1), and no function has returned from there: on this SoC a CPU that waits in WFI loses its registers, so that a call to it may end the loader: restart the target, or call P_SMP_SET_WFE_MODE(1) before P_SMP_START_SECONDARIES and then some function on one of them",
        super::parked::named(cpus)
    )]
    StartedElsewhere {
        /// Their logical ids.
        cpus: Vec<u8>,
    },
    /// A worker that does not go home.
    #[error(
        "CPU {cpu} did not leave the firmware ({}): restart the target before the next run", last_state(*state)
    )]
    Stuck {
        /// Logical id.
        cpu: u8,
        /// Its last state.
        state: Option<CpuState>,
    },
}

impl SessionError {
    /// The exit code.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::SiqTraps { .. }
            | Self::CpuMissing { .. }
            | Self::OneCpu { .. }
            | Self::Upload { .. }
            | Self::Busy { .. }
            | Self::StartedElsewhere { .. } => exit::TARGET,
            _ => exit::TARGET_FAULT,
        }
    }
}

fn describe(fault: &Fault) -> String {
    let Fault {
        cpu,
        kind,
        mpidr,
        esr,
        elr,
        far,
        spsr,
        line,
    } = fault;
    let who = format!("CPU {cpu} (MPIDR {mpidr:#x})");
    match kind {
        FaultKind::Panic => format!("{who} stopped: the firmware panicked at source line {line}"),
        kind => {
            let what = match kind {
                FaultKind::Sync => "synchronous exception",
                FaultKind::SError => "SError",
                _ => "exception of a mode that the firmware never runs in",
            };
            let class = aic_regs::sysreg::Esr(*esr).class_name();
            format!(
                "{who} stopped: {what}, ESR {esr:#x} ({class}), ELR {elr:#x}, FAR {far:#x}, SPSR {spsr:#x}"
            )
        }
    }
}

/// The last state of a CPU in words.
const fn last_state(state: Option<CpuState>) -> &'static str {
    match state {
        None => "its state is unknown",
        Some(CpuState::Absent) => "it never entered",
        Some(CpuState::Ready) => "last seen in the worker loop",
        Some(CpuState::Leaving) => "it was about to return to the loader",
        Some(CpuState::TimedOut) => "it went home because no slice came",
        Some(CpuState::Faulted) => "it stopped with a fault",
        Some(CpuState::BadContext) => "it refused to start: the block is not one of ours",
        Some(CpuState::NoMmu) => "it refused to start: its MMU is off",
    }
}
