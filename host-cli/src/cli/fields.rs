//! `aicprobe fields`.

use std::cell::RefCell;
use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;

use crate::diagnose::told;
use crate::error::{Error, exit};
use crate::fields::{
    Coverage, Cpu, Sample, TRIGGERS, combinations, note_missing, plan, report, sample,
};
use crate::output::{Form, render};
use crate::session::Silent;

use super::args::{Cli, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::further::{self, FurtherArgs, cpus_of};
use super::tell::tell;
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
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
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
    let tried: RefCell<Option<(Coverage, Vec<Cpu>)>> = RefCell::new(None);
    let options = || serde_json::to_value(&*tried.borrow()).unwrap_or_default();
    let mut evidence = args.evidence.open("fields", &[args.output.as_deref()])?;
    let keep = Keep {
        raw: None,
        evidence: &mut evidence,
        command: "fields",
        options: &options,
    };
    let mut ran = experiment::run(
        cli,
        &args.on,
        keep,
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
            *tried.borrow_mut() = Some((coverage, cpus_of(target)));
            Ok(plan(&chosen, line, args.triggers))
        },
        &mut Silent,
        false,
    )?;
    let tried = tried.into_inner();
    let (coverage, cpus) =
        tried.ok_or_else(|| Error::Internal("fields: no plan was made".to_owned()))?;
    let measured = ran.outcome.cells.iter().filter(|(_, m)| m.complete).count();
    note_missing(&mut ran.head, measured, ran.plan.cells.len());
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
                verdict.messages.push(told(&e));
            }
        }
    }
    sink.write(&render(&report, args.format)?)?;
    // Cells that no rule explains are an answer that decides nothing.
    if verdict.code == exit::OK && report.rule.is_none() {
        verdict.code = exit::INCONCLUSIVE;
    }
    finish(evidence, &report, &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}
