//! `aicprobe completions` and `aicprobe man`: made from the definitions of the options, so they cannot say anything else.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::{Error, exit};

use super::args::exit_codes;
use super::examples::definitions;
use super::write::Sink;

/// Prints a script that completes commands, options and values in a shell.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
    /// Write the script to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Prints the manual page of a command, or writes those of all.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct ManArgs {
    /// The command, like `route` or `regs show`; without it aicprobe itself.
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
    /// Write the page of every command to DIR, each as aicprobe-COMMAND.1.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

/// Runs `completions`.
///
/// # Errors
/// [`Error::OutputFile`], [`Error::Output`].
pub fn completions(args: &CompletionsArgs) -> Result<u8, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut definitions(), "aicprobe", &mut script);
    let text = String::from_utf8(script).map_err(|e| Error::Internal(e.to_string()))?;
    Sink::open(args.output.as_deref())?.write(&text)?;
    Ok(exit::OK)
}

/// Runs `man`.
///
/// # Errors
/// [`Error::Usage`] for a command that there is not; [`Error::OutputFile`], [`Error::Output`].
pub fn man(args: &ManArgs) -> Result<u8, Error> {
    let pages = pages();
    if let Some(folder) = &args.dir {
        std::fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
        for (name, command) in pages {
            let path = folder.join(format!("{name}.1"));
            std::fs::write(&path, page(command)?).map_err(|why| failed(&path, why))?;
        }
        return Ok(exit::OK);
    }
    let mut words = vec!["aicprobe"];
    words.extend(args.command.iter().map(String::as_str));
    let wanted = words.join("-");
    let found = pages.into_iter().find(|(name, _)| *name == wanted);
    let (_, command) = found.ok_or_else(|| {
        let all = definitions();
        let all: Vec<&str> = all.get_subcommands().map(Command::get_name).collect();
        Error::Usage(format!(
            "man {}: there is no such command; allowed are {}",
            args.command.join(" "),
            all.join(", ")
        ))
    })?;
    Sink::Stdout.write(&page(command)?)?;
    Ok(exit::OK)
}

fn failed(path: &Path, why: std::io::Error) -> Error {
    Error::OutputFile {
        what: format!("--dir {}", path.display()),
        why,
    }
}

/// Every command with the name of its page.
fn pages() -> Vec<(String, Command)> {
    let mut root = definitions().disable_help_subcommand(true);
    root.build();
    let mut all = Vec::new();
    add(&root, "aicprobe", &mut all);
    all
}

fn add(command: &Command, name: &str, all: &mut Vec<(String, Command)>) {
    for inner in command.get_subcommands() {
        add(inner, &format!("{name}-{}", inner.get_name()), all);
    }
    // A page is called by the name that `man` is asked for.
    let title: &'static str = Box::leak(name.to_owned().into_boxed_str());
    all.push((name.to_owned(), command.clone().name(title)));
}

fn page(command: Command) -> Result<String, Error> {
    let mut text = Vec::new();
    Man::new(command)
        .render(&mut text)
        .map_err(|e| Error::Internal(e.to_string()))?;
    String::from_utf8(text).map_err(|e| Error::Internal(e.to_string()))
}
