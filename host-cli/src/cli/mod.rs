//! The command line.

/// A line on standard error. If nobody reads it there is nothing to do about it: the target still has to be restored.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stderr(), $($text)*);
    }};
}

mod adt;
mod all;
mod allow_list;
mod args;
mod bar;
mod bench;
mod compare;
mod defaults;
mod docs;
mod doctor;
mod evidence;
mod examples;
mod experiment;
mod fields;
mod further;
mod handoff;
mod info;
mod interrupt;
mod irqs;
mod latency;
mod lines;
mod list;
mod notices;
mod observe;
mod open;
mod papers;
mod progress;
mod raw;
mod regs;
mod repeats;
mod replay;
mod report;
mod route;
mod schema;
mod soak;
mod storm;
mod tables;
mod tell;
mod udev;
mod values;
mod verify;
mod vm;
mod write;

use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::diagnose::{Code, told};
use crate::error::exit;

use defaults::Failed;

pub use args::{BenchCommand, Cli, Command, LinkArgs, RouteArgs, TargetArgs};
pub use examples::definitions;
pub use open::{OpenTarget, open};
pub use route::{Verdict, exit_code};

/// Runs the program with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let (cli, settings) = match defaults::parse(&words) {
        Ok(parsed) => parsed,
        Err(Failed::Arguments(e)) => {
            // Help and version are no errors; if nobody reads them there is nothing to do about it.
            let _ = e.print();
            if e.use_stderr() && e.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                let usage = Code::Usage;
                say!("  code: {}\n  next: {}", usage.name(), usage.next());
            }
            return ExitCode::from(if e.use_stderr() {
                exit::USAGE
            } else {
                exit::OK
            });
        }
        Err(Failed::Defaults(e)) => {
            tell::tell(&told(&e));
            return ExitCode::from(e.exit_code());
        }
    };
    let code = match &cli.command {
        Command::Route(route) => route::run(&cli, route),
        Command::Vm(vm) => vm::run(&cli, vm),
        Command::Adt(adt) => adt::run(adt),
        Command::Lines(lines) => lines::run(lines),
        Command::Irqs(args) => irqs::run(args),
        Command::Fields(args) => fields::run(&cli, args),
        Command::Latency(args) => latency::run(&cli, args),
        Command::Soak(args) => soak::run(&cli, args),
        Command::Observe(args) => observe::run(&cli, args),
        Command::Compare(args) => compare::run(&cli, args),
        Command::Evidence(command) => evidence::run(command),
        Command::Report(args) => report::run(args),
        Command::Replay(args) => replay::run(&cli, args),
        Command::Verify(args) => verify::run(&cli, args),
        Command::Handoff(args) => handoff::run(&cli, args),
        Command::Storm(args) => storm::run(&cli, args),
        Command::List(list) => list::run(list),
        Command::Tables(args) => tables::run(args),
        Command::AllowList(command) => allow_list::run(command),
        Command::Doctor(args) => doctor::run(args),
        Command::Info(args) => info::run(args, &settings),
        Command::Udev(args) => udev::run(&cli, args),
        Command::Docs(args) => docs::run(args),
        Command::Completions(args) => papers::completions(args),
        Command::Man(args) => papers::man(args),
        Command::Schema(args) => schema::run(args),
        Command::Regs(regs) => regs::run(regs),
        Command::Bench(BenchCommand::Link(link)) => bench::run(&cli, link),
    };
    ExitCode::from(code.unwrap_or_else(|e| {
        tell::tell(&told(&e));
        e.exit_code()
    }))
}
