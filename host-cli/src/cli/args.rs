//! Options, each defined once: parser and help come from here.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use protocol::LineId;

use crate::error::exit;
use crate::link::FaultSpec;
use crate::plan::{DEFAULT_TIMEOUT_US, DEFAULT_TRIGGERS, Request};

use super::compare::CompareArgs;
use super::regs::RegsCommand;
use super::values;

/// Most triggers of a cell: its counts must fit the firmware's words with room to spare.
const MAX_TRIGGERS: i64 = 1_000_000_000;

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
}

/// Commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fire a spare interrupt line and count which CPU takes it.
    Route(RouteArgs),
    /// Serve a virtual SoC to other programs, its loader or any raw image.
    Vm(VmArgs),
    /// Show a device tree in a file: nodes, properties, addresses, interrupts.
    Adt(AdtArgs),
    /// Show which interrupt lines are owned, which are spare, and which are neither.
    Lines(LinesArgs),
    /// Decode a listing of /proc/interrupts: line, owner and CPUs of every row.
    Irqs(IrqsArgs),
    /// Measure the truth table of SIQ_CFG's fields and find the smallest rule that explains it.
    Fields(FieldsArgs),
    /// Try what interrupt controllers and CPUs are known to do, and count how often each claim held.
    Observe(ObserveArgs),
    /// Compare two targets, builds, settings or saved results: differences with intervals, states of one side only.
    Compare(CompareArgs),
    /// Show the serial ports of this host and which of them is a loader's.
    List(ListArgs),
    /// Registers as data: list, show, decode and export them.
    #[command(subcommand)]
    Regs(RegsCommand),
    /// Measure this program's own ways to a target.
    #[command(subcommand)]
    Bench(BenchCommand),
}

/// What `bench` measures.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Round trips per second, and MB/s up and down.
    Link(BenchLinkArgs),
}

/// How to reach a target over a serial port.
#[derive(Clone, Debug, Default, Args)]
pub struct LinkArgs {
    /// Speed at which a UART is first tried (115200 without this); then it is raised to 1500000 where that works.
    /// USB ignores it, a pseudo-terminal has a speed only with it.
    #[arg(long, value_name = "BAUD", value_parser = clap::value_parser!(u32).range(300..=4_000_000))]
    pub baud: Option<u32>,
    /// Wait this long for the port to appear and for the loader to answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub wait: u64,
    /// Put faults on the link, to see what becomes of a run: rates from 0 to 1 of drop, duplicate, corrupt, delay (up to
    /// delay_ms), truncate, disconnect and text, per piece of at most 512 bytes, like drop=0.001,corrupt=0.001,seed=7.
    #[arg(long, value_name = "SPEC")]
    pub link_faults: Option<FaultSpec>,
}

/// Prints an Apple device tree: its binary form, zeros before it and anything behind it allowed.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct AdtArgs {
    /// The file.
    pub file: PathBuf,
    /// Only the nodes at this path, like /arm-io/aic. A name without @ means nodes with a unit address too.
    pub path: Option<String>,
    /// Only this property, at full length.
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// The controller of every interrupt of the nodes at the path and below.
    #[arg(long)]
    pub interrupts: bool,
    /// The windows of the nodes at the path and below: bus address as the tree states it, and physical address.
    #[arg(long)]
    pub reg: bool,
    /// Form of the result: schema "aicprobe.adt/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Lists the lines that devices name, MSI ranges, lines routed to coprocessors, gaps and spare lines. From a file with
/// --adt alone; on a target also the levels of all lines over some time. Nothing is changed on a target.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct LinesArgs {
    /// Take the device tree from FILE; without --target nothing else is looked at.
    #[arg(long, value_name = "FILE")]
    pub adt: Option<PathBuf>,
    /// usb, a serial port, vm:NAME or vm:FILE.toml; vm:t8140 without --adt.
    #[arg(long)]
    pub target: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// Lines per die, for a file whose device tree cannot tell (only that of AICv1 does).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=0x1000))]
    pub nr_irq: Option<u32>,
    /// Say whether this line is spare, NUMBER or DIE:NUMBER; may be repeated. Every test that it fails is named.
    #[arg(long = "line", value_name = "L", value_parser = values::line)]
    pub lines: Vec<LineId>,
    /// Milliseconds for which a target's levels are watched.
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub watch: u64,
    /// Physical address of the interrupt controller, instead of what the device tree says: a multiple of
    /// 0x4000 in device space, decimal or 0x.
    #[arg(long, value_name = "ADDR", value_parser = values::address)]
    pub aic_base: Option<u64>,
    /// Lines per die that the controller's layout has room for, where INFO3 reads 0 or cannot be read: a multiple of 32 up to 0x1000.
    #[arg(long, value_name = "N", value_parser = values::max_irq)]
    pub max_irq: Option<u32>,
    /// Seed of every random choice of a virtual SoC.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Form of the result: schema "aicprobe.lines/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Decodes every row of the interrupt controller in a copy of /proc/interrupts to die and line, and says which CPUs take interrupts.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct IrqsArgs {
    /// The listing.
    pub file: PathBuf,
    /// Name the owner of every line by the device tree in FILE.
    #[arg(long, value_name = "FILE")]
    pub adt: Option<PathBuf>,
    /// Form of the result: schema "aicprobe.irqs/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Lists USB serial ports by their USB ids and interface numbers. The proxy port of m1n1 is the one for --target.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Form of the result.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Print rules for udev instead: stable names, access without root, ModemManager kept away.
    #[arg(long)]
    pub udev_rules: bool,
}

/// Sizes of `bench link` without --size, in bytes.
pub const BENCH_SIZES: [u32; 6] = [1, 8, 32, 512, 8192, 65536];

/// Times requests that do nothing, and writes and reads of a block in the loader's heap, each many times over.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct BenchLinkArgs {
    /// usb, a serial port, vm:NAME or vm:FILE.toml.
    #[arg(long, default_value = "vm:t8140")]
    pub target: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// Repetitions of each measurement.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub iterations: u32,
    /// Bytes per transfer; may be repeated.
    #[arg(long = "size", value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=16 << 20), default_values_t = BENCH_SIZES)]
    pub sizes: Vec<u32>,
    /// Form of the result: schema "aicprobe.bench.link/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Serves a virtual SoC on a pseudo-terminal until Ctrl-C. Its path is the first line of standard output; any program that talks
/// to m1n1 can open it, one after the other.
///
/// Without --boot a stand-in for m1n1's proxy answers. With --boot the machine runs that image from its first instruction: at
/// EL2, MMU off, entered at its base + 0x800 with the address of the boot-arguments in x0; boot-arguments and device tree are
/// made from the SoC. Virtual time passes with the wall clock, and faster while bytes go.
#[derive(Debug, Args)]
#[command(after_help = vm_examples())]
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

fn vm_examples() -> String {
    "Examples:
  aicprobe vm t8140 --link m1n1.pty
      and elsewhere: M1N1DEVICE=m1n1.pty python3 shell.py, or aicprobe route --target ./m1n1.pty
  aicprobe vm t8140 --boot m1n1.bin
  aicprobe vm my-soc.toml --boot kernel.img --entry 0 --uart stdio --trace t.txt --max-insns 1000000

"
    .to_owned()
        + &exit_codes()
}

/// Which target, reached how and run with what: options of every command that measures.
#[derive(Clone, Debug, Args)]
pub struct TargetArgs {
    /// usb (the only m1n1 on USB, see `aicprobe list`), a serial port like /dev/ttyACM0, /dev/cu.usbmodem… or COM3,
    /// vm:NAME (a built-in virtual SoC), or vm:FILE.toml (one described by a file).
    #[arg(long, default_value = "vm:t8140")]
    pub target: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// On a virtual SoC: run this loader image instead of the stand-in and go through its emulated UART.
    #[arg(long, value_name = "FILE")]
    pub loader: Option<PathBuf>,
    /// Seed of every random choice of a virtual SoC and of the plan: same seed, same result.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run this firmware image instead of the one built in.
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// Do not ask before a plan of more than 10 minutes on hardware.
    #[arg(long)]
    pub yes: bool,
}

/// Form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people.
    Table,
    /// JSON with a schema of its own, "aicprobe.route/1" for `route`.
    Json,
}

/// Form of a result of `route`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteFormat {
    /// Tables for people.
    Table,
    /// JSON, schema "aicprobe.route/1".
    Json,
    /// JSON Lines: {"run": …} without the cells, then {"cell": …} for each.
    Jsonl,
    /// CSV: a line per cell.
    Csv,
    /// Tables in Markdown.
    Markdown,
}

/// Fires a spare line from every CPU with the state as found, with CPU 0 masked, and with every secondary's SIQ_CFG
/// field set to 0 to 3 in turn; counts where the interrupts land, and puts everything back as it was.
///
/// Naming a line, a firing CPU, a field or a mask replaces that plan by just the cells named: every line with every
/// firing CPU; fields and masks hold in each of them.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct RouteArgs {
    /// usb (the only m1n1 on USB, see `aicprobe list`), a serial port like /dev/ttyACM0, /dev/cu.usbmodem… or COM3,
    /// vm:NAME (a built-in virtual SoC), vm:FILE.toml (one described by a file) or vm:all (every built-in one but the
    /// variants, which have a dash in their names).
    #[arg(long, default_value = "vm:t8140")]
    pub target: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// On a virtual SoC: run this loader image instead of the stand-in and go through its emulated UART.
    #[arg(long, value_name = "FILE")]
    pub loader: Option<PathBuf>,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=MAX_TRIGGERS))]
    pub triggers: u32,
    /// Timeout of a trigger in milliseconds, fractions allowed; from the unmask in a masked cell.
    #[arg(long, value_name = "MS", default_value_t = f64::from(DEFAULT_TIMEOUT_US) / 1e3,
        value_parser = values::timeout_ms)]
    pub timeout: f64,
    /// Seed of every random choice of a virtual SoC: same seed, same result.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Fire this line, NUMBER or DIE:NUMBER; may be repeated.
    #[arg(long = "line", value_name = "L", value_parser = values::line)]
    pub lines: Vec<LineId>,
    /// Fire a named line although it fails a test: a device owns it, it is high, set, toggles or is routed somewhere. One that
    /// keeps coming is left masked; one that is not there is never fired.
    #[arg(long, requires = "lines")]
    pub force_line: bool,
    /// Fire from this CPU (logical id); may be repeated. Without it: one cell per CPU.
    #[arg(long = "fire-cpu", value_name = "C")]
    pub fire_cpus: Vec<u32>,
    /// Set the routing field of SIQ_CFG of a CPU to 0, 1, 2 or 3 in every cell; may be repeated for other CPUs.
    #[arg(long = "set-field", value_name = "CPU=V", value_parser = values::set_field)]
    pub set_fields: Vec<(u32, u8)>,
    /// Keep IRQs of a CPU masked for MS milliseconds per trigger, fractions allowed; may be repeated for other CPUs.
    #[arg(long = "mask", value_name = "CPU:MS", value_parser = values::mask)]
    pub masks: Vec<(u32, u32)>,
    /// AICv1: target the line at these CPUs (logical ids in decimal with commas between, no mask of bits); may be repeated,
    /// one cell each. Without it every cell targets the boot CPU.
    #[arg(long = "target-mask", value_name = "CPU[,CPU…]", value_parser = values::cpus)]
    pub target_masks: Vec<CpuSet>,
    /// AICv2 and AICv3: set the TARGET nibble of the line's IRQ_CFG to 0 to 15; may be repeated, one cell each. On T6020
    /// only 0 delivers to a CPU; other values may send an interrupt to a coprocessor.
    #[arg(long = "target-nibble", value_name = "N", value_parser = clap::value_parser!(u8).range(0..=15))]
    pub target_nibbles: Vec<u8>,
    /// Take the device tree from FILE (the binary form) instead of the target's.
    #[arg(long, value_name = "FILE")]
    pub adt: Option<PathBuf>,
    /// Physical address of the interrupt controller, instead of what the device tree says: a multiple of
    /// 0x4000 in device space, decimal or 0x.
    #[arg(long, value_name = "ADDR", value_parser = values::address)]
    pub aic_base: Option<u64>,
    /// Lines per die that the controller's layout has room for, where INFO3 reads 0 or cannot be read: a multiple of 32 up to 0x1000.
    #[arg(long, value_name = "N", value_parser = values::max_irq)]
    pub max_irq: Option<u32>,
    /// Run this firmware image instead of the one built in.
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// Show the cells, everything that would be written and the estimated duration; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask before a plan of more than 10 minutes on hardware.
    #[arg(long)]
    pub yes: bool,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t = RouteFormat::Table)]
    pub format: RouteFormat,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Measures every combination of routing fields (above six CPUs a set that covers every pair of CPUs with every pair of values),
/// each with nobody masked and with CPU 0 masked for 0.2 ms a trigger, and looks for the rule that no cell contradicts: classes
/// of values, the choice within a class, and what a mask does. Exit code 6 where no rule explains the cells.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct FieldsArgs {
    /// As of `route`.
    #[arg(long, default_value = "vm:t8140")]
    pub target: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// On a virtual SoC: run this loader image instead of the stand-in.
    #[arg(long, value_name = "FILE")]
    pub loader: Option<PathBuf>,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = crate::fields::TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub triggers: u32,
    /// Seed of every random choice of a virtual SoC, and of the combinations above six CPUs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Run this firmware image instead of the one built in.
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// Do not ask before a plan of more than 10 minutes on hardware.
    #[arg(long)]
    pub yes: bool,
    /// Form of the report: schema "aicprobe.fields/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Tries one known behaviour of interrupt controllers after the other (a pending interrupt that nobody accepts, EVENT read by
/// another CPU, fast IPIs that merge, …) and counts how often each claim held. Observations are no verdicts.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct ObserveArgs {
    /// As of `route`.
    #[arg(long, default_value = "vm:t8140")]
    pub target: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub link: LinkArgs,
    /// On a virtual SoC: run this loader image instead of the stand-in.
    #[arg(long, value_name = "FILE")]
    pub loader: Option<PathBuf>,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = crate::behaviour::TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub triggers: u32,
    /// Seed of every random choice of a virtual SoC.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Only this row of the list of behaviours; may be repeated.
    #[arg(long = "row", value_name = "N", value_parser = values::row)]
    pub rows: Vec<u8>,
    /// A device's line that is high, NUMBER or DIE:NUMBER: it is taken until the guard against storms masks it, its software
    /// state is set and cleared, and everything is put back.
    #[arg(long, value_name = "L", value_parser = values::line)]
    pub live_line: Option<LineId>,
    /// Write the controller's RESET and put back what it changed: nothing must use the controller meanwhile.
    #[arg(long)]
    pub allow_reset: bool,
    /// Send every secondary into WFI once: one that no timer wakes is lost until the target is restarted.
    #[arg(long)]
    pub allow_wfi: bool,
    /// Write VM_TMR_FIQ_ENA_EL2 of every CPU with what it reads: may do harm on M4 and M5.
    #[arg(long)]
    pub write_back: bool,
    /// Run this firmware image instead of the one built in.
    #[arg(long, value_name = "FILE")]
    pub firmware: Option<PathBuf>,
    /// Form of the report: schema "aicprobe.observe/1".
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A set of CPUs by logical id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSet(pub Vec<u32>);

impl RouteArgs {
    /// The plan asked for.
    #[must_use]
    pub fn request(&self) -> Request {
        Request {
            lines: self.lines.clone(),
            fire_cpus: self.fire_cpus.clone(),
            set_fields: self.set_fields.clone(),
            masks: self.masks.clone(),
            triggers: self.triggers,
            // The parser has checked the range.
            timeout_us: (self.timeout * 1e3).round() as u32,
            targets: self.target_masks.iter().map(|set| set.0.clone()).collect(),
            nibbles: self.target_nibbles.clone(),
        }
    }
}

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

    #[test]
    fn the_definitions_are_sound() {
        Cli::command().debug_assert();
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
        assert_eq!((route.seed, route.target.as_str()), (1, "vm:t8140"));
    }
}
