//! `aicprobe fields`.

use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;

use crate::error::{Error, exit};
use crate::fields::{Sample, TRIGGERS, combinations, plan, report, sample};
use crate::output::{Form, render};
use crate::result::Mark;
use crate::session::Silent;

use super::args::{Cli, TargetArgs, exit_codes};
use super::experiment;
use super::further::{self, FurtherArgs, cpus_of};
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
    #[command(flatten)]
    #[allow(missing_docs)]
    pub further: FurtherArgs,
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
        &mut |proxy, target, line| {
            if target.aic.geometry.generation == Generation::V1 {
                return Err(Error::Usage(format!(
                    "fields: {} has AICv1, which does not look at SIQ_CFG (route --target-mask turns its TARGET_CPU)",
                    args.on.target
                )));
            }
            further::check(proxy, target, &args.further)?;
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
    let cpus = cpus_of(&ran.target);
    let cells = ran.outcome.cells.iter();
    let samples: Vec<Sample<'_>> = cells.filter_map(|(c, m)| sample(c, m)).collect();
    let mut report = report(ran.head.clone(), &samples, &cpus, coverage);
    let mut verdict = ran.verdict;
    if matches!(verdict.code, exit::OK | exit::INCONCLUSIVE) {
        // What was measured so far is told whatever becomes of the rest.
        match further::run(cli, &args.on, &args.further, report.rule.as_ref()) {
            Ok(made) => {
                report.head.restored &= made.restored;
                report.head.complete &= made.complete;
                report.head.marks.extend(made.marks);
                report.observations.extend(made.seen);
                report.further = Some(made.further);
                if made.verdict.code != exit::OK {
                    verdict = made.verdict;
                }
            }
            Err(e) => {
                report.head.complete = false;
                verdict.code = e.exit_code();
                verdict.messages.push(e.to_string());
            }
        }
    }
    sink.write(&render(&report, args.format)?)?;
    for line in &verdict.messages {
        say!("aicprobe: {line}");
    }
    // Cells that no rule explains are an answer that decides nothing.
    Ok(match (verdict.code, &report.rule) {
        (exit::OK, None) => exit::INCONCLUSIVE,
        (code, _) => code,
    })
}
