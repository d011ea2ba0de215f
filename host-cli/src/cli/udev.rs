//! `aicprobe udev`.

use std::path::PathBuf;

use clap::Args;

use crate::error::{Error, exit};
use crate::link::{Access, RULES_FILE, udev_rules};

use super::args::{Cli, exit_codes};
use super::write::Sink;

/// Prints rules for udev (Linux): /dev/m1n1 and /dev/m1n1-sec as names of the loader's ports, access for whoever sits at the
/// machine, ModemManager kept away. What to do with them is said on standard error.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct UdevArgs {
    /// Write them to this folder as 70-aicprobe.rules: /etc/udev/rules.d, as root.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub install: Option<PathBuf>,
    /// Access for the members of this group, by mode 0660, instead of whoever sits at the machine (for computers that are
    /// reached over a network).
    #[arg(long, value_name = "NAME", value_parser = group)]
    pub group: Option<String>,
    /// Write them to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A name that a rule can hold.
fn group(text: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !text.is_empty() && text.len() <= 32 && text.chars().all(allowed) {
        Ok(text.to_owned())
    } else {
        Err("allowed is the name of a group: letters, digits, _, - and .".to_owned())
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error::OutputFile`], [`Error::Output`].
pub fn run(cli: &Cli, args: &UdevArgs) -> Result<u8, Error> {
    let access = args.group.clone().map_or(Access::Seat, Access::Group);
    let rules = udev_rules(&access);
    let place = match (&args.install, &args.output) {
        (Some(folder), _) => {
            let path = folder.join(RULES_FILE);
            std::fs::write(&path, rules).map_err(|why| Error::OutputFile {
                what: format!("--install {}", path.display()),
                why,
            })?;
            Some(path)
        }
        (None, path) => {
            Sink::open(path.as_deref())?.write(&rules)?;
            None
        }
    };
    if cli.quiet {
        return Ok(exit::OK);
    }
    match place {
        Some(path) => say!("aicprobe: wrote {}", path.display()),
        None => say!(
            "aicprobe: save it as /etc/udev/rules.d/{RULES_FILE} (or: sudo aicprobe udev --install /etc/udev/rules.d)"
        ),
    }
    say!(
        "aicprobe: then: sudo udevadm control --reload && sudo udevadm trigger --subsystem-match=tty"
    );
    if let Access::Group(group) = access {
        say!("aicprobe: and: sudo usermod -aG {group} $USER, then log out and in again");
    }
    say!("aicprobe: `aicprobe doctor` tells whether it works");
    Ok(exit::OK)
}
