//! Options of `bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::output::Form;

use super::{LinkArgs, exit_codes};

/// What `bench` measures.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Round trips per second, and MB/s up and down.
    Link(BenchLinkArgs),
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
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
