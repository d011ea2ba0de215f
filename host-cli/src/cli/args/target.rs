//! Options that say which target is meant and how it is reached.

use std::path::PathBuf;

use clap::Args;

use crate::link::FaultSpec;

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
    /// Show the run as a dashboard on standard error while it lasts; q stops it. Where that is no terminal: lines.
    #[arg(long, conflicts_with = "quiet")]
    pub live: bool,
}
