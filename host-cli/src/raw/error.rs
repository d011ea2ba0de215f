//! What is wrong with a file of raw events.

/// Why a file of raw events is not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum RawError {
    /// The system says no.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// It begins with something else.
    #[error("it is no file of raw events (--raw FILE of a command that measures writes one)")]
    Magic,
    /// Another version of the format.
    #[error(
        "its format is version {found}; this program reads version {}",
        super::VERSION
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// The opening is damaged.
    #[error("its opening (bytes 0 to {to}) is damaged: {why}")]
    Opening {
        /// Where it should end.
        to: u64,
        /// What is wrong.
        why: String,
    },
    /// The file ends within its opening.
    #[error("it ends after {0} bytes, within its opening: there is nothing to read")]
    Short(u64),
    /// A record is damaged.
    #[error("record {record} (bytes {from} to {to}) is damaged: {why}")]
    Record {
        /// Which, from 1.
        record: u64,
        /// Its first byte.
        from: u64,
        /// Its last byte.
        to: u64,
        /// What is wrong.
        why: String,
    },
    /// The records are whole, but not those that were written.
    #[error("its trailer does not fit what stands before it: {what} {said}, found {found}")]
    Totals {
        /// What was counted.
        what: &'static str,
        /// By the trailer.
        said: u64,
        /// In the file.
        found: u64,
    },
    /// Something follows the trailer.
    #[error("bytes follow its trailer, from byte {0} on")]
    Behind(u64),
    /// The run has no such command.
    #[error("it is of a run of \"{0}\": this program cannot make that command's result")]
    Command(String),
    /// The parts of the result in it make no sense.
    #[error("what it holds for the result of \"{command}\" makes no sense: {why}")]
    Extra {
        /// The command.
        command: String,
        /// What is wrong.
        why: String,
    },
}
