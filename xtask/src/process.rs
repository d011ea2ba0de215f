//! Running other programs, with one clear error when that fails.

use std::{
    io::{self, BufRead as _, BufReader, Read, Write},
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

/// Why a task did not complete.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A program could not be started at all.
    #[error("cannot run `{program}`: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program ran and reported failure.
    #[error("`{command}` failed: {status}{output}")]
    Failed {
        /// The command line, shortened.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it wrote to standard error, if that was collected, or the failed tests (else empty: the user saw it).
        output: String,
    },
    /// A file or folder could not be used.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was tried, with the path.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// The linked firmware is not fit to be an image.
    #[error("{elf}: {source}")]
    Image {
        /// The linked file.
        elf: String,
        /// What is wrong with it.
        source: crate::image::PackError,
    },
    /// The command line is wrong; ends with exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Anything else; the text says what, where, and what to do.
    #[error("{0}")]
    Other(String),
}

/// Result of a task.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Wraps an I/O error with what was tried (`"read"`) and on which path.
    pub fn io(verb: &str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let doing = format!("{verb} {}", path.display());
        move |source| Self::Io { doing, source }
    }

    /// Exit code of the task: 2 for a wrong command line, else 1. A failed helper's own code is not passed on, since
    /// aicprobe's codes have meanings; what runs aicprobe itself passes its code on (see [`exec`]).
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            _ => 1,
        }
    }
}

/// Runs a command to its end; its standard output goes to ours.
///
/// # Errors
/// [`Error::Spawn`], or [`Error::Failed`] if it reports failure.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|source| spawn_error(command, source))?;
    ended(command, status, String::new)
}

/// Like [`run`] for programs that test: what they say under the title `failures:` comes with the error, because a log is
/// long and its middle is what a reader does not have.
///
/// # Errors
/// Those of [`run`].
pub fn run_tests(command: &mut Command) -> Result<()> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|source| spawn_error(command, source))?;
    let failures = match child.stdout.take() {
        Some(stdout) => Failures::of(stdout, &mut io::stdout()).map_err(|source| Error::Io {
            doing: format!("pass on what `{}` prints", describe(command)),
            source,
        })?,
        None => Failures::default(),
    };
    let status = child
        .wait()
        .map_err(|source| spawn_error(command, source))?;
    ended(command, status, || failures.text())
}

/// An error if a program reports failure; `output`: what of it is kept.
fn ended(command: &Command, status: ExitStatus, output: impl FnOnce() -> String) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed {
        command: describe(command),
        status,
        output: output(),
    })
}

/// What test programs say of the tests that failed.
#[derive(Default)]
struct Failures {
    within: bool,
    lines: Vec<String>,
}

impl Failures {
    /// Lines of one log that are kept: names and first words of many tests, not the whole of one that prints a table.
    const MOST: usize = 400;

    /// Of what a program prints, which goes on to `to` at once.
    fn of(from: impl Read, to: &mut impl Write) -> io::Result<Self> {
        let mut failures = Self::default();
        for line in BufReader::new(from).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            writeln!(to, "{line}")?;
            failures.look_at(&line);
        }
        Ok(failures)
    }

    fn look_at(&mut self, line: &str) {
        self.within |= line == "failures:";
        if self.within && self.lines.len() < Self::MOST {
            self.lines.push(line.to_owned());
        }
        self.within &= !line.starts_with("test result:");
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push('\n');
            text.push_str(line);
        }
        text
    }
}

/// Like [`run`], with standard output sent to standard error: for everything whose output is not the result.
///
/// # Errors
/// Those of [`run`].
pub fn run_quiet(command: &mut Command) -> Result<()> {
    run(command.stdout(io::stderr()))
}

/// Runs a command and returns its standard output.
///
/// # Errors
/// Those of [`run`], with what the program wrote to standard error.
pub fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .map_err(|source| spawn_error(command, source))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Failed {
            command: describe(command),
            status: output.status,
            output: format!("\n{}", stderr.trim_end()),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Replaces this process where the system can do that, else waits and passes the exit code on.
///
/// # Errors
/// [`Error::Spawn`]; a program that ran never returns here.
pub fn exec(command: &mut Command) -> Result<()> {
    #[cfg(unix)]
    {
        let source = std::os::unix::process::CommandExt::exec(command);
        Err(spawn_error(command, source))
    }
    #[cfg(not(unix))]
    {
        let status = command
            .status()
            .map_err(|source| spawn_error(command, source))?;
        std::process::exit(status.code().unwrap_or(1))
    }
}

fn spawn_error(command: &Command, source: io::Error) -> Error {
    Error::Spawn {
        program: command.get_program().to_string_lossy().into_owned(),
        source,
    }
}

/// The command line for a message: program name without its folder, and the first arguments.
fn describe(command: &Command) -> String {
    const SHOWN: usize = 8;
    let program = Path::new(command.get_program());
    let mut text = program
        .file_name()
        .unwrap_or(program.as_os_str())
        .to_string_lossy()
        .into_owned();
    for argument in command.get_args().take(SHOWN) {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    if command.get_args().count() > SHOWN {
        text.push_str(" ...");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(
            matches!(&error, Error::Spawn { program, .. } if program == "no-such-program-here")
        );
        assert_eq!(error.exit_code(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_words_of_a_failed_program_are_kept() {
        let error =
            capture(Command::new("sh").args(["-c", "echo trouble >&2; exit 7"])).unwrap_err();
        assert!(error.to_string().contains("exit status: 7"), "{error}");
        assert!(error.to_string().contains("trouble"), "{error}");
    }

    #[test]
    fn what_is_said_of_failed_tests_is_kept() {
        let said = "failures:\n---- a ----\nwords\nfailures:\n    a\ntest result: bad";
        let log = format!("test a\n{said}\nmore\n");
        let mut passed_on = Vec::new();
        let failures = Failures::of(log.as_bytes(), &mut passed_on).unwrap();
        assert_eq!(failures.text(), format!("\n{said}"));
        assert_eq!(passed_on, log.as_bytes());
    }

    #[test]
    fn long_command_lines_are_shortened() {
        let mut command = Command::new("/usr/bin/tool");
        command.args((0..20).map(|n| n.to_string()));
        assert_eq!(describe(&command), "tool 0 1 2 3 4 5 6 7 ...");
    }
}
