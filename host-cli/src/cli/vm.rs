//! `aicprobe vm`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::Error;

use super::args::{Cli, exit_codes};
use super::values;

/// Serves a virtual SoC on a pseudo-terminal until Ctrl-C. Its path is the first line of standard output; any program that talks
/// to m1n1 can open it, one after the other.
///
/// Without --boot a stand-in for m1n1's proxy answers. With --boot the machine runs that image from its first instruction: at
/// EL2, MMU off, entered at its base + 0x800 with the address of the boot-arguments in x0; boot-arguments and device tree are
/// made from the SoC. Virtual time passes with the wall clock, and faster while bytes go.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct VmArgs {
    /// A built-in virtual SoC, or FILE.toml.
    pub soc: String,
    /// Make a symbolic link to the pseudo-terminal; removed at the end.
    #[arg(long, value_name = "PATH")]
    pub link: Option<PathBuf>,
    /// Seed of every random choice of the virtual SoC.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run this raw image instead of the stand-in.
    #[arg(long, value_name = "IMAGE")]
    pub boot: Option<PathBuf>,
    /// Physical address of the image, a multiple of 0x4000 in RAM. Without it: where the SoC's firmware puts a loader.
    #[arg(long, value_name = "ADDR", requires = "boot", value_parser = values::address)]
    pub at: Option<u64>,
    /// From the image's base to its first instruction.
    #[arg(long, value_name = "OFFSET", requires = "boot", default_value = "0x800", value_parser = values::address)]
    pub entry: u64,
    /// Where the image's UART goes.
    #[arg(long, requires = "boot", value_enum, default_value_t = UartEnd::Pty)]
    pub uart: UartEnd,
    /// Write every instruction to FILE, a line each: CPU, pc and word. Slow, and the file grows fast.
    #[arg(long, value_name = "FILE", requires = "boot")]
    pub trace: Option<PathBuf>,
    /// End after exactly N instructions of all CPUs together.
    #[arg(long, value_name = "N", requires = "boot", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_insns: Option<u64>,
}

/// Where a UART goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UartEnd {
    /// A pseudo-terminal.
    Pty,
    /// Standard input and output.
    Stdio,
}

/// Pseudo-terminals are a thing of Unix.
///
/// # Errors
/// Always.
#[cfg(not(unix))]
pub fn run(_: &Cli, _: &VmArgs) -> Result<u8, Error> {
    Err(Error::Serve(
        "vm: this system has no pseudo-terminals; allowed are Linux and macOS".to_owned(),
    ))
}

/// Runs the command until Ctrl-C, or until the machine has run as far as asked.
///
/// # Errors
/// [`Error`].
#[cfg(unix)]
pub fn run(cli: &Cli, args: &VmArgs) -> Result<u8, Error> {
    served::run(cli, args)
}

#[cfg(unix)]
mod served {
    use std::io::Write as _;
    use std::path::Path;

    use virtual_soc::{RawOptions, RawStop, SocModel};

    use super::{UartEnd, VmArgs};
    use crate::cli::args::Cli;
    use crate::cli::interrupt;
    use crate::cli::open::load_model;
    use crate::error::{Error, exit};
    use crate::vm::{End, Image, Note, Port, Pty, PtyError, Stdio, Trace, Vm, serve};

    pub fn run(cli: &Cli, args: &VmArgs) -> Result<u8, Error> {
        if args.uart == UartEnd::Stdio && args.link.is_some() {
            return Err(Error::Usage(
                "--link: standard input and output have no path; allowed with --uart pty"
                    .to_owned(),
            ));
        }
        let model = load_model(&args.soc)?;
        let (mut vm, trace) = machine(&model, args)?;
        interrupt::install();
        let mut stdio = Stdio::default();
        let mut pty;
        let port: &mut dyn Port = match args.uart {
            UartEnd::Stdio => &mut stdio,
            UartEnd::Pty => {
                pty = Pty::new(args.link.as_deref()).map_err(|e| match e {
                    PtyError::None(_) => Error::Serve(e.to_string()),
                    PtyError::Taken(_) | PtyError::Link { .. } => Error::Usage(e.to_string()),
                })?;
                announce(pty.path())?;
                if !cli.quiet {
                    say!("aicprobe: {} waits there; Ctrl-C ends", who(&model, args));
                }
                &mut pty
            }
        };
        let mut note = |n| {
            let text = match n {
                Note::Came if cli.verbose > 0 => "a client is here",
                Note::Went if cli.verbose > 0 => "the client is gone",
                Note::Restarted if cli.quiet => return,
                Note::Restarted if args.boot.is_some() => {
                    "the watchdog has reset the machine; the image was started again"
                }
                Note::Restarted => "the loader was gone and has been started again",
                _ => return,
            };
            say!("aicprobe: {text}");
        };
        let stop = || interrupt::requested() || trace.as_ref().is_some_and(Trace::has_failed);
        let end = serve(&mut vm, port, &stop, &mut note)
            .map_err(|e| Error::Serve(format!("serving ended: {e}")))?;
        let insns = vm.insns();
        drop(vm);
        let traced = trace.map(|t| t.finish().map_err(|why| not_traced(t.path(), why)));
        let traced = traced.transpose()?;
        if !cli.quiet {
            let why = match end {
                End::Told => "ended",
                End::Closed => "ended, nobody reads its output",
                End::Machine(RawStop::MaxInsns) => "ended as --max-insns says",
                End::Machine(RawStop::Reset) => "ended, the machine was reset",
            };
            let lines = traced.map_or(String::new(), |n| format!(", {n} of them in the trace"));
            say!("aicprobe: {why} after {insns} instructions{lines}");
        }
        Ok(exit::OK)
    }

    /// The machine, and its trace if one is asked for.
    fn machine(model: &SocModel, args: &VmArgs) -> Result<(Vm, Option<Trace>), Error> {
        let Some(path) = &args.boot else {
            return Ok((Vm::stand_in(model, args.seed)?, None));
        };
        let image = Image::read(path).map_err(Error::BootFile)?;
        let options = RawOptions {
            load_address: args.at,
            entry_offset: args.entry,
            seed: args.seed,
            max_insns: args.max_insns,
            ..RawOptions::default()
        };
        let trace = args
            .trace
            .as_deref()
            .map(|path| Trace::create(path).map_err(|why| not_traced(path, why)));
        let trace = trace.transpose()?;
        let vm = Vm::raw(model, image.bytes, options, trace.clone()).map_err(Error::BootImage)?;
        Ok((vm, trace))
    }

    fn not_traced(path: &Path, why: std::io::Error) -> Error {
        Error::OutputFile {
            what: format!("--trace {}", path.display()),
            why,
        }
    }

    /// The path, for programs to read.
    fn announce(path: &Path) -> Result<(), Error> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", path.display())
            .and_then(|()| out.flush())
            .map_err(|why| Error::Output {
                what: "standard output".to_owned(),
                why,
            })
    }

    fn who(model: &SocModel, args: &VmArgs) -> String {
        match &args.boot {
            None => format!("the loader stand-in of {}", model.name),
            Some(image) => format!("{} on {}", image.display(), model.name),
        }
    }
}
