//! Options, each defined once: parser and help come from here.

mod bench;
mod lines;
mod route;
mod target;

use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{ArgAction, Args, Parser, Subcommand};

use crate::error::exit;

use super::adt::AdtArgs;
use super::allow_list::AllowListCommand;
use super::compare::CompareArgs;
use super::docs::DocsArgs;
use super::doctor::DoctorArgs;
use super::evidence::EvidenceCommand;
use super::fields::FieldsArgs;
use super::handoff::HandoffArgs;
use super::info::InfoArgs;
use super::irqs::IrqsArgs;
use super::latency::LatencyArgs;
use super::list::ListArgs;
use super::observe::ObserveArgs;
use super::papers::{CompletionsArgs, ManArgs};
use super::regs::RegsCommand;
use super::replay::ReplayArgs;
use super::report::ReportArgs;
use super::schema::SchemaArgs;
use super::soak::SoakArgs;
use super::storm::StormArgs;
use super::tables::TablesArgs;
use super::udev::UdevArgs;
use super::verify::VerifyArgs;
use super::vm::VmArgs;

pub use bench::{BenchCommand, BenchLinkArgs};
pub use lines::LinesArgs;
pub use route::{CpuSet, RouteArgs};
pub use target::{LinkArgs, TargetArgs};

/// Which CPU does the interrupt controller hand an interrupt to, and what changes that?
#[derive(Debug, Parser)]
#[command(name = "aicprobe", version, about, after_help = exit_codes(), propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Show the firmware's log and the loader's console on standard error (without it: the console's last lines of a run that fails).
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Nothing on standard error but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Take defaults from FILE (keys target, seed and format) instead of aicprobe.toml here and the user's aicprobe/config.toml.
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        conflicts_with = "no_config",
        help_heading = "Defaults"
    )]
    pub config: Option<PathBuf>,
    /// Take no defaults from files.
    #[arg(long, global = true, help_heading = "Defaults")]
    pub no_config: bool,
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fire a spare interrupt line and count which CPU takes it.
    #[command(long_about = whole::<RouteArgs>())]
    Route(RouteArgs),
    /// Serve a virtual SoC to other programs, its loader or any raw image.
    #[command(long_about = whole::<VmArgs>())]
    Vm(VmArgs),
    /// Show a device tree in a file: nodes, properties, addresses, interrupts.
    #[command(long_about = whole::<AdtArgs>())]
    Adt(AdtArgs),
    /// Show which interrupt lines are owned, which are spare, and which are neither.
    #[command(long_about = whole::<LinesArgs>())]
    Lines(LinesArgs),
    /// Decode a listing of /proc/interrupts: line, owner and CPUs of every row.
    #[command(long_about = whole::<IrqsArgs>())]
    Irqs(IrqsArgs),
    /// Run a suite of rules on a target: PASS or FAIL of each, with counts and bounds.
    #[command(long_about = whole::<VerifyArgs>())]
    Verify(VerifyArgs),
    /// Measure the truth table of SIQ_CFG's fields and find the smallest rule that explains it.
    #[command(long_about = whole::<FieldsArgs>())]
    Fields(FieldsArgs),
    /// Measure the time from trigger to handler, per firing and landing CPU.
    #[command(long_about = whole::<LatencyArgs>())]
    Latency(LatencyArgs),
    /// Fire for hours or so many times, watch every interval, and stop at the first violation.
    #[command(long_about = whole::<SoakArgs>())]
    Soak(SoakArgs),
    /// Try what interrupt controllers and CPUs are known to do, and count how often each claim held.
    #[command(long_about = whole::<ObserveArgs>())]
    Observe(ObserveArgs),
    /// Compare two targets, builds, settings or saved results: differences with intervals, states of one side only.
    #[command(long_about = whole::<CompareArgs>())]
    Compare(CompareArgs),
    /// Measure what it costs to serve an interrupt elsewhere than in its handler.
    #[command(long_about = whole::<HandoffArgs>())]
    Handoff(HandoffArgs),
    /// Show, check and compare the evidence of runs.
    #[command(subcommand)]
    Evidence(EvidenceCommand),
    /// Make one page, or Markdown for a pull request, of saved results and evidence.
    #[command(long_about = whole::<ReportArgs>())]
    Report(ReportArgs),
    /// Compute the result of a run again from its raw events, or from its evidence.
    #[command(long_about = whole::<ReplayArgs>())]
    Replay(ReplayArgs),
    /// Let many CPUs send IPIs to each other: rates, scaling, merged and lost ones.
    #[command(long_about = whole::<StormArgs>())]
    Storm(StormArgs),
    /// Show the serial ports of this host and which of them is a loader's.
    #[command(long_about = whole::<ListArgs>())]
    List(ListArgs),
    /// Write routing tables for C, Rust, device trees, JSON and Markdown from what is known of each SoC.
    #[command(long_about = whole::<TablesArgs>())]
    Tables(TablesArgs),
    /// The allow-list: whether evidence suffices for it, and evidence into it.
    #[command(subcommand)]
    AllowList(AllowListCommand),
    /// Look at what stands between this computer and a target, and say what to do about it.
    #[command(long_about = whole::<DoctorArgs>())]
    Doctor(DoctorArgs),
    /// Show what is known of this program, and of a target without running anything on it.
    #[command(long_about = whole::<InfoArgs>())]
    Info(InfoArgs),
    /// Print rules for udev: names, access, ModemManager kept away.
    #[command(long_about = whole::<UdevArgs>())]
    Udev(UdevArgs),
    /// Write what is known as Markdown: registers, errors, observed behaviour.
    #[command(long_about = whole::<DocsArgs>())]
    Docs(DocsArgs),
    /// Print a script that completes the command line in a shell.
    #[command(long_about = whole::<CompletionsArgs>())]
    Completions(CompletionsArgs),
    /// Print the manual page of a command, or write those of all.
    #[command(long_about = whole::<ManArgs>())]
    Man(ManArgs),
    /// Print the JSON Schema of a result, or list them.
    #[command(long_about = whole::<SchemaArgs>())]
    Schema(SchemaArgs),
    /// Registers as data: list, show, decode and export them.
    #[command(subcommand)]
    Regs(RegsCommand),
    /// Measure this program's own ways to a target.
    #[command(subcommand)]
    Bench(BenchCommand),
}

/// What the options of a command say of it, all of it: of a variant of [`Command`] alone clap shows the one line of the list.
fn whole<A: Args>() -> StyledStr {
    let command = A::augment_args(clap::Command::new(""));
    let about = command.get_long_about().or_else(|| command.get_about());
    about.cloned().unwrap_or_default()
}

/// The exit codes, for the end of a help text.
pub(super) fn exit_codes() -> String {
    let mut text = String::from("Exit codes:");
    for (code, meaning) in exit::TABLE {
        text += &format!("\n  {code:>3}  {meaning}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;
    use protocol::LineId;

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
    }

    /// clap shows the line of the list instead, unless told otherwise.
    #[test]
    fn help_has_the_whole_text_about_a_command() {
        for command in Cli::command().get_subcommands() {
            if command.has_subcommands() {
                continue;
            }
            let name = command.get_name();
            let text = |about: Option<&StyledStr>| about.map(ToString::to_string);
            let line = text(command.get_about()).unwrap_or_default();
            let whole = text(command.get_long_about()).unwrap_or_default();
            assert!(!line.is_empty(), "{name}");
            assert!(whole.len() > line.len(), "{name}: {whole}");
        }
    }

    #[test]
    fn a_whole_command_line() {
        let cli = Cli::try_parse_from(
            "aicprobe route --line 5 --line 1:6 --fire-cpu 2 --set-field 1=3 --mask 0:0.25 --timeout 0.5 --triggers 7"
                .split(' '),
        )
        .unwrap();
        let Command::Route(route) = cli.command else {
            panic!("another command");
        };
        let request = route.request();
        assert_eq!(
            request.lines,
            [LineId { die: 0, number: 5 }, LineId { die: 1, number: 6 }]
        );
        assert_eq!((request.triggers, request.timeout_us), (7, 500));
        assert_eq!(
            (&request.set_fields[..], &request.masks[..]),
            (&[(1, 3)][..], &[(0, 250)][..])
        );
        assert_eq!((route.on.seed, route.on.target.as_str()), (1, "vm:t8140"));
    }
}
