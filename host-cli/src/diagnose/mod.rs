//! What to do about an error: its code and the next step.

mod code;
mod of;

#[cfg(test)]
mod tests;

use std::fmt::Display;

pub use code::Code;

use crate::error::Error;

impl miette::Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(of::error(self).name()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(of::error(self).next()))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(miette::Severity::Error)
    }
}

impl Error {
    /// Its kind.
    #[must_use]
    pub fn code(&self) -> Code {
        of::error(self)
    }
}

/// An error as it is told: the message in a line, then its code and the next step in a line each, set in.
#[must_use]
pub fn told(error: &Error) -> String {
    with_code(&error.to_string(), error.code())
}

/// The same with more said in the first line.
#[must_use]
pub fn with_code(message: &str, code: Code) -> String {
    format!(
        "{message}\n  code: {}\n  next: {}",
        code.name(),
        code.next()
    )
}
