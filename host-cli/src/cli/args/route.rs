//! Options of `route`.

use std::path::PathBuf;

use clap::Args;
use protocol::LineId;

use crate::cli::evidence::EvidenceArgs;
use crate::cli::raw::RawArgs;
use crate::cli::values;
use crate::output::Form;
use crate::plan::{DEFAULT_TIMEOUT_US, DEFAULT_TRIGGERS, Request};

use super::{TargetArgs, exit_codes};

/// Most triggers of a cell: its counts must fit the firmware's words with room to spare.
const MAX_TRIGGERS: i64 = 1_000_000_000;

/// What `route` takes for a target: it alone runs on all virtual SoCs at once.
const TARGETS: &str = "usb (the only m1n1 on USB, see `aicprobe list`), a serial port like /dev/ttyACM0, /dev/cu.usbmodem… or COM3, \
    vm:NAME (a built-in virtual SoC), vm:FILE.toml (one described by a file) or vm:all (every built-in one but the \
    variants, which have a dash in their names)";

/// Fires a spare line from every CPU with the state as found, with CPU 0 masked, and with every secondary's SIQ_CFG
/// field set to 0 to 3 in turn; counts where the interrupts land, and puts everything back as it was.
///
/// Naming a line, a firing CPU, a field or a mask replaces that plan by just the cells named: every line with every
/// firing CPU; fields and masks hold in each of them.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
#[command(mut_arg("target", |target| target.help(TARGETS)))]
pub struct RouteArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=MAX_TRIGGERS))]
    pub triggers: u32,
    /// Timeout of a trigger in milliseconds, fractions allowed; from the unmask in a masked cell.
    #[arg(long, value_name = "MS", default_value_t = f64::from(DEFAULT_TIMEOUT_US) / 1e3,
        value_parser = values::timeout_ms)]
    pub timeout: f64,
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
    /// Show the cells, everything that would be written and the estimated duration; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub raw: RawArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result: schema "aicprobe.route/1"; "aicprobe.plan/1" with --dry-run, "aicprobe.route.all/1" with vm:all. A plan
    /// is shown as table or json.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
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
