//! Options of `lines`.

use std::path::PathBuf;

use clap::Args;
use protocol::LineId;

use crate::cli::values;

use crate::output::Form;

use super::{LinkArgs, exit_codes};

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
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
