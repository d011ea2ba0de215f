//! `aicprobe handoff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use protocol::command::Load;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::first_look::{Place, all_run, running};
use crate::handoff::{Options, TIMEOUT_US, TRIGGERS, plan, report};
use crate::output::{Form, render};
use crate::session::Silent;

use super::args::{Cli, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::latency::Stoppable;
use super::raw::RawArgs;
use super::tell::tell;
use super::values;
use super::write::Sink;

/// What every worker does while interrupts are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoadArg {
    /// Waits.
    Idle,
    /// Computes without touching memory.
    Spin,
    /// Reads and writes memory.
    Memory,
}

impl From<LoadArg> for Load {
    fn from(load: LoadArg) -> Self {
        match load {
            LoadArg::Idle => Self::Idle,
            LoadArg::Spin => Self::Spin,
            LoadArg::Memory => Self::Memory,
        }
    }
}

/// Measures what it costs to serve an interrupt elsewhere than in its handler: on the same CPU, and on each other CPU told by a
/// store, by SEV or by a fast IPI, pinned or floating, with the workers idle or saturated; percentiles per pair of CPUs.
///
/// CPUs that do not run are left out and named, unless they are asked for. Exit code 6 where not one trigger was served.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct HandoffArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub triggers: u32,
    /// Time within which a trigger has to be served, in milliseconds, fractions allowed.
    #[arg(long, value_name = "MS", default_value_t = f64::from(TIMEOUT_US) / 1e3, value_parser = values::timeout_ms)]
    pub timeout: f64,
    /// Interrupts land on these CPUs (logical ids), one after the other. Without it: on every CPU, with more than 8 CPUs on the
    /// first of each cluster.
    #[arg(long = "land-cpu", value_name = "CPU[,CPU…]", value_delimiter = ',')]
    pub land_cpus: Vec<u8>,
    /// They are served by these CPUs, one after the other. Without it: by each.
    #[arg(long = "serve-cpu", value_name = "CPU[,CPU…]", value_delimiter = ',')]
    pub serve_cpus: Vec<u8>,
    /// What the workers do meanwhile: one after the other.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [LoadArg::Idle, LoadArg::Spin])]
    pub load: Vec<LoadArg>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub raw: RawArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result: schema "aicprobe.handoff/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &HandoffArgs) -> Result<u8, Error> {
    let cpu = |cpu: &u8| format!("CPU {cpu}");
    values::once("--land-cpu", &args.land_cpus, cpu)?;
    values::once("--serve-cpu", &args.serve_cpus, cpu)?;
    values::words_once("--load", &args.load)?;
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    let options = Options {
        land_cpus: args.land_cpus.clone(),
        serve_cpus: args.serve_cpus.clone(),
        loads: args.load.iter().map(|l| Load::from(*l)).collect(),
        triggers: args.triggers,
        // The parser has checked the range.
        timeout_us: (args.timeout * 1e3).round() as u32,
    };
    let files = [args.output.as_deref(), args.raw.raw.as_deref()];
    let mut evidence = args.evidence.open("handoff", &files)?;
    let keep = Keep {
        raw: args.raw.open(args.output.as_deref())?,
        evidence: &mut evidence,
        command: "handoff",
        options: &|| serde_json::Value::Null,
    };
    let ran = experiment::run(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            let cpus = target.cpus.len();
            if let Some(cpu) = options.named().find(|cpu| usize::from(*cpu) >= cpus) {
                let most = cpus - 1;
                return Err(Error::Usage(format!(
                    "CPU {cpu}: {} has CPUs 0 to {most}",
                    args.on.target
                )));
            }
            let mut place = Place {
                proxy,
                target,
                firmware: &firmware,
                line,
                seed: args.on.seed,
            };
            let states = place.states(&mut Stoppable)?;
            all_run(options.named(), &states)?;
            let running: Vec<u8> = running(&states).collect();
            let made = plan(target, &running, line, &options);
            if made.cells.is_empty() {
                return Err(Error::Usage(
                    "--load: no CPU but the boot CPU runs, nobody can be under load; allowed is idle"
                        .to_owned(),
                ));
            }
            Ok(made)
        },
        &mut Silent,
        false,
    )?;
    let report = report(ran.head, &ran.outcome.cells)?;
    sink.write(&render(&report, args.format)?)?;
    let mut verdict = ran.verdict;
    if let Some(why) = report.why_nothing() {
        verdict.messages.push(format!("handoff: {why}"));
        if verdict.code == exit::OK {
            verdict.code = exit::INCONCLUSIVE;
        }
    }
    finish(evidence, &report, &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}
