//! `aicprobe fields`.

use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;

use crate::error::{Error, exit};
use crate::fields::{FieldsReport, Sample, TRIGGERS, combinations, plan, report, sample};
use crate::firmware::Firmware;
use crate::output::{fields_table, to_json};
use crate::plan::{Estimate, Plan};
use crate::result::{Build, Mark};
use crate::session::{Event, Observer as _};
use crate::target::{Target, find_spare, verify_layout};

use super::args::{Cli, Format, TargetArgs, exit_codes};
use super::further::{self, FurtherArgs, cpus_of};
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::route::exit_code;
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
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write the report to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &FieldsArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install();
    let mut opened = open_with(
        &args.on.target,
        args.on.seed,
        &args.on.link,
        args.on.loader.as_deref(),
    )?;
    let (mut marks, hardware) = (opened.marks.clone(), opened.hardware);
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy)?;
    if target.aic.geometry.generation == Generation::V1 {
        return Err(Error::Usage(format!(
            "fields: {} has AICv1, which does not look at SIQ_CFG (route --target-mask turns its TARGET_CPU)",
            args.on.target
        )));
    }
    marks.extend(target.marks.iter().cloned());
    further::check(&mut proxy, &target, &args.further)?;
    let line = find_spare(&mut proxy, &target)?;
    let clusters: Vec<u64> = target.cpus.iter().map(|c| c.mpidr >> 8 & 0xffff).collect();
    let (chosen, coverage) = combinations(&clusters, args.on.seed);
    let plan = plan(&chosen, line, args.triggers);
    let estimate = Estimate::of(&plan);
    if hardware && estimate.needs_consent() && !args.on.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    // A line for each of thousands of cells would tell nobody anything.
    let quiet = Plan::of(Vec::new());
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &quiet);
    progress.on(Event::Step(&format!(
        "{} cells on {}, {estimate}",
        plan.cells.len(),
        args.on.target
    )));
    verify_layout(&mut proxy, &target)?;
    let measured = crate::session::run(
        &mut proxy,
        &target,
        &firmware,
        &plan,
        args.on.seed,
        &mut progress,
    );
    drop(progress);
    let outcome = measured?;
    marks.extend(outcome.marks.iter().cloned());
    let cpus = cpus_of(&target);
    let samples: Vec<Sample<'_>> = outcome
        .cells
        .iter()
        .filter_map(|(cell, measured)| sample(cell, measured))
        .collect();
    let mut verdict = exit_code(&outcome);
    let complete = samples.len() == plan.cells.len();
    if !complete {
        let text = format!(
            "{} of {} cells ran to their end",
            samples.len(),
            plan.cells.len()
        );
        marks.push(Mark::partial("cells", text));
    }
    let mut report = FieldsReport {
        target: args.on.target.clone(),
        seed: args.on.seed,
        build: Some(Build::of(&firmware)),
        soc: target.soc.clone(),
        restored: outcome.restoring.is_restored(),
        complete,
        marks,
        ..report(&samples, &cpus, coverage)
    };
    drop(proxy);
    drop(opened);
    if matches!(verdict.code, exit::OK | exit::INCONCLUSIVE) {
        // What was measured so far is told whatever becomes of the rest.
        match further::run(cli, &args.on, &args.further, report.rule.as_ref()) {
            Ok(made) => {
                report.restored &= made.restored;
                report.complete &= made.complete;
                report.marks.extend(made.marks);
                report.further = Some(made.further);
                if made.verdict.code != exit::OK {
                    verdict = made.verdict;
                }
            }
            Err(e) => {
                report.complete = false;
                verdict.code = e.exit_code();
                verdict.messages.push(e.to_string());
            }
        }
    }
    sink.write(&match args.format {
        Format::Json => to_json(&report)?,
        Format::Table => fields_table(&report, &plan),
    })?;
    for line in &verdict.messages {
        say!("aicprobe: {line}");
    }
    // Cells that no rule explains are an answer that decides nothing.
    Ok(match (verdict.code, &report.rule) {
        (exit::OK, None) => exit::INCONCLUSIVE,
        (code, _) => code,
    })
}
