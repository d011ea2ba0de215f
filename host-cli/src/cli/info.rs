//! `aicprobe info`.

use std::path::PathBuf;

use clap::Args;

use crate::config::Settings;
use crate::error::{Error, exit};
use crate::info::{Info, read};
use crate::output::{Form, render};

use super::args::{LinkArgs, exit_codes};
use super::interrupt;
use super::open::open;
use super::write::Sink;

/// Shows versions, the firmware that is built in, defaults and where each comes from, and the virtual SoCs. With --target also
/// board, CPUs, interrupt controller and loader of a target: no firmware runs there, and nothing is written to its controller.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct InfoArgs {
    /// usb, a serial port, vm:NAME or vm:FILE.toml. Defaults do not count here: only a target that is named is talked to.
    #[arg(long)]
    pub target: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// Form of the result: schema "aicprobe.info/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if the target cannot be reached or is not usable.
pub fn run(args: &InfoArgs, settings: &Settings) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    let mut info = Info::new(settings)?;
    if let Some(name) = &args.target {
        interrupt::install();
        let mut opened = open(name, settings.seed.value, &args.link)?;
        let marks = opened.marks.clone();
        let mut proxy = opened.connect()?;
        info.target = Some(read(name, &mut proxy, marks)?);
    }
    sink.write(&render(&info, args.format)?)?;
    Ok(exit::OK)
}
