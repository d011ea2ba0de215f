//! `aicprobe fields`.

use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;

use crate::error::{Error, exit};
use crate::fields::{Cpu, Sample, TRIGGERS, combinations, plan, report, sample};
use crate::output::{Form, render};
use crate::result::Mark;
use crate::session::Silent;
use crate::target::Core;

use super::args::{Cli, TargetArgs, exit_codes};
use super::experiment;
use super::write::Sink;

/// Measures every combination of routing fields (above six CPUs a set that covers every pair of CPUs with every pair of values),
/// each with nobody masked and with CPU 0 masked for 0.2 ms a trigger, and looks for the rule that no cell contradicts: classes
/// of values, the choice within a class, and what a mask does. Exit code 6 where no rule explains the cells.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct FieldsArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub triggers: u32,
    /// Form of the report: schema "aicprobe.fields/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &FieldsArgs) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    let mut tried = None;
    let mut ran = experiment::run(
        cli,
        &args.on,
        &mut |_, target, line| {
            if target.aic.geometry.generation == Generation::V1 {
                return Err(Error::Usage(format!(
                    "fields: {} has AICv1, which does not look at SIQ_CFG (route --target-mask turns its TARGET_CPU)",
                    args.on.target
                )));
            }
            let clusters: Vec<u64> = target.cpus.iter().map(|c| c.mpidr >> 8 & 0xffff).collect();
            let (chosen, coverage) = combinations(&clusters, args.on.seed);
            tried = Some(coverage);
            Ok(plan(&chosen, line, args.triggers))
        },
        &mut Silent,
        false,
    )?;
    let coverage = tried.ok_or_else(|| Error::Internal("fields: no plan was made".to_owned()))?;
    let (measured, of) = (
        ran.outcome.cells.iter().filter(|(_, m)| m.complete).count(),
        ran.plan.cells.len(),
    );
    if measured < of {
        ran.head.complete = false;
        let text = format!("{measured} of {of} cells ran to their end");
        ran.mark(Mark::partial("cells", text));
    }
    let cpus: Vec<Cpu> = ran
        .target
        .cpus
        .iter()
        .map(|c| Cpu {
            mpidr: c.mpidr,
            p_core: c.core == Core::P,
        })
        .collect();
    let cells = ran.outcome.cells.iter();
    let samples: Vec<Sample<'_>> = cells.filter_map(|(c, m)| sample(c, m)).collect();
    let report = report(ran.head.clone(), &samples, &cpus, coverage);
    sink.write(&render(&report, args.format)?)?;
    for line in &ran.verdict.messages {
        say!("aicprobe: {line}");
    }
    // Cells that no rule explains are an answer that decides nothing.
    Ok(match (ran.verdict.code, &report.rule) {
        (exit::OK, None) => exit::INCONCLUSIVE,
        (code, _) => code,
    })
}
