//! What can go wrong in an exchange with the loader.

use std::time::Duration;

use crate::link::LinkError;

/// Status word of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Status {
    /// -1.
    #[error("unknown command (BADCMD)")]
    BadCommand,
    /// -2.
    #[error("invalid argument (INVAL)")]
    Invalid,
    /// -3.
    #[error("transfer failed (XFRERR): the memory faults or the data came damaged")]
    Transfer,
    /// -4.
    #[error("the request came damaged (CSUMERR)")]
    Checksum,
    /// Anything else.
    #[error("unknown status {0}")]
    Other(i32),
}

impl ProxyError {
    /// A missing answer to a question about secondary `cpu`.
    #[must_use]
    pub fn about_cpu(self, cpu: u8) -> Self {
        match self {
            Self::Timeout { what, after } => Self::CpuBusy { what, cpu, after },
            e => e,
        }
    }
}

impl Status {
    /// The failure behind a status word; `None` for success.
    #[must_use]
    pub const fn from_word(word: i32) -> Option<Self> {
        Some(match word {
            0 => return None,
            -1 => Self::BadCommand,
            -2 => Self::Invalid,
            -3 => Self::Transfer,
            -4 => Self::Checksum,
            other => Self::Other(other),
        })
    }
}

/// Why an exchange with the loader failed.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The link itself is gone.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Nothing came back within the deadline.
    #[error("no answer to {what} within {} ms", after.as_millis())]
    Timeout {
        /// The request.
        what: String,
        /// The deadline.
        after: Duration,
    },
    /// The same to a question about a secondary: the loader waits for that CPU, and there is no way to ask it whether it is
    /// busy.
    #[error(
        "no answer to {what} for CPU {cpu} within {} ms: a CPU may still be inside a probe whose host died; wait 5 s and try again, and restart the target if it does not answer then",
        after.as_millis()
    )]
    CpuBusy {
        /// The request.
        what: String,
        /// Logical id of the CPU.
        cpu: u8,
        /// The deadline.
        after: Duration,
    },
    /// Something came back that is no intact answer, also when asked again (where that is harmless).
    #[error("damaged answer to {what}")]
    Damaged {
        /// The request.
        what: String,
    },
    /// The loader refused.
    #[error("{what}: {status}")]
    Refused {
        /// The request.
        what: String,
        /// Its status.
        status: Status,
    },
    /// The loader does not know the operation.
    #[error("this loader does not know {what}")]
    UnknownOp {
        /// The operation.
        what: String,
    },
    /// A register or memory access of the loader took an exception.
    #[error("{what} faulted on the target")]
    AccessFault {
        /// The request.
        what: String,
    },
    /// The user stopped it between two exchanges.
    #[error("interrupted during {what}")]
    Interrupted {
        /// The request.
        what: String,
    },
    /// A BOOT frame came instead of the answer: the target restarted.
    #[error("the target rebooted during {what}")]
    Rebooted {
        /// The request.
        what: String,
    },
    /// A BOOT frame came that reports an exception on the target.
    #[error(
        "the loader reports an exception during {what} (reason {reason}, code {code}, details at {info:#x})"
    )]
    Exception {
        /// The request.
        what: String,
        /// 1 = exception, 2 = exception of a lower level, 3 = hypervisor.
        reason: u32,
        /// 0 = synchronous, 1 = IRQ, 2 = FIQ, 3 = SError.
        code: u32,
        /// Where the loader keeps the registers.
        info: u64,
    },
}
