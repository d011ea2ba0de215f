//! `aicprobe doctor`.

use std::path::PathBuf;

use clap::Args;

use crate::doctor::{Check, DoctorReport, Host, Wanted, examine};
use crate::error::{Error, exit};
use crate::output::{Form, render};

use super::args::exit_codes;
use super::open::{is_port_name, load_model, unknown};
use super::write::Sink;

/// Looks at firmware, virtual machine, USB device, ports, permission, udev rule and ModemManager; each check says what was seen
/// and what to do next. Opens no port and changes nothing. Exit code 3 where a problem stands in the way.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct DoctorArgs {
    /// Look at what this target needs: usb, a serial port, vm:NAME or vm:FILE.toml. Without it a missing device is a warning.
    #[arg(long)]
    pub target: Option<String>,
    /// Form of the report: schema "aicprobe.doctor/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] for a target that there cannot be, and if the report cannot be written.
pub fn run(args: &DoctorArgs) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    let mut model = Check::not_applicable("model", "no virtual SoC was asked about");
    let wanted = match args.target.as_deref() {
        None => Wanted::Anything,
        Some("usb" | "auto") => Wanted::Usb,
        Some("vm:all") => Wanted::Virtual("vm:all".to_owned()),
        Some(name) => match name.strip_prefix("vm:") {
            Some(soc) => {
                let title = load_model(soc)?.title;
                model = Check::ok("model", title);
                Wanted::Virtual(name.to_owned())
            }
            None if is_port_name(name) => Wanted::Port(name.to_owned()),
            None => return Err(unknown(name, "no such kind of target")),
        },
    };
    let host = Host::here();
    let mut checks = examine(&host, &wanted);
    checks.push(model);
    let report = DoctorReport::new(args.target.clone(), host.system.name(), checks);
    sink.write(&render(&report, args.format)?)?;
    Ok(if report.usable {
        exit::OK
    } else {
        exit::TARGET
    })
}
