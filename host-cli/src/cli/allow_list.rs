//! `aicprobe allow-list`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::allow_list::{add, assess};
use crate::error::{Error, exit};
use crate::evidence::Stored;
use crate::output::{Form, render};
use crate::socs::{self, Soc};

use super::args::exit_codes;
use super::write::Sink;

/// What to do with the list.
#[derive(Debug, Subcommand)]
pub enum AllowListCommand {
    /// Say whether evidence of `verify` would put its SoC on the list, and every reason why not.
    ///
    /// Exit code 0 if it would; 5 if a rule failed, a file was changed, the target was not restored, or the SoC's file says something
    /// else than was measured; 6 if it only does not show enough.
    Check(CheckArgs),
    /// Write evidence into the SoC's file, and put the SoC on the list.
    ///
    /// Evidence that does not suffice changes nothing; that of a virtual SoC is refused (exit code 7). Run `cargo xtask tables` behind it.
    Add(AddArgs),
}

/// Which evidence, and how the answer is shown.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct CheckArgs {
    /// A directory or .tar.zst that `aicprobe verify --evidence` made.
    pub evidence: PathBuf,
    /// The files DIR/*.toml of SoCs instead of those that are built in.
    #[arg(long, value_name = "DIR")]
    pub socs: Option<PathBuf>,
    /// Form of the result: schema "aicprobe.allow-list/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Which evidence, and into which files.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct AddArgs {
    /// A directory or .tar.zst that `aicprobe verify --evidence` made.
    pub evidence: PathBuf,
    /// The files of SoCs.
    #[arg(long, value_name = "DIR", default_value = "socs")]
    pub socs: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Evidence`] for what is no evidence; those of [`add()`]; errors of the output.
pub fn run(command: &AllowListCommand) -> Result<u8, Error> {
    match command {
        AllowListCommand::Check(args) => checked(args),
        AllowListCommand::Add(args) => {
            let added = add(&args.socs, &read(&args.evidence)?)?;
            let file = added.file.display();
            let text = match (added.already, added.new_file) {
                (true, _) => format!("{file}: it has this evidence already; nothing was changed"),
                (false, true) => format!(
                    "{file}: made from what was measured; {} is listed",
                    added.soc
                ),
                (false, false) => format!("{file}: has the evidence; {} is listed", added.soc),
            };
            Sink::Stdout.write(&format!("{text}\n"))?;
            if !added.already {
                say!("aicprobe: `cargo xtask tables` renews the tables that are made from it");
            }
            Ok(exit::OK)
        }
    }
}

fn checked(args: &CheckArgs) -> Result<u8, Error> {
    let loaded;
    let known: &[Soc] = match &args.socs {
        Some(folder) => {
            loaded = socs::load(folder)?;
            &loaded
        }
        None => socs::all().map_err(|e| Error::Internal(e.to_string()))?,
    };
    let stored = read(&args.evidence)?;
    let found = assess(&stored, |chip| known.iter().find(|s| s.chip_id == chip));
    Sink::open(args.output.as_deref())?.write(&render(&found, args.format)?)?;
    Ok(found.exit_code())
}

fn read(path: &Path) -> Result<Stored, Error> {
    Stored::read(path).map_err(|why| Error::Evidence {
        path: path.to_owned(),
        why,
    })
}
