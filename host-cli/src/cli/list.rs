//! `aicprobe list`.

use clap::Args;

use crate::error::{Error, exit};
use crate::link::{PortList, ports};
use crate::output::{Form, render};

use super::write::Sink;

/// Lists USB serial ports by their USB ids and interface numbers. The proxy port of m1n1 is the one for --target.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Form of the result: schema "aicprobe.list/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if the list cannot be written.
pub fn run(args: &ListArgs) -> Result<u8, Error> {
    let text = render(&PortList::new(ports()), args.format)?;
    Sink::Stdout.write(&text)?;
    Ok(exit::OK)
}
