//! `aicprobe fields`.

use aic_regs::aic::Generation;

use crate::error::{Error, exit};
use crate::fields::{Cpu, FieldsReport, Sample, combinations, plan, report, sample};
use crate::firmware::Firmware;
use crate::live::About;
use crate::output::{fields_table, to_json};
use crate::plan::{Estimate, Plan};
use crate::result::{Build, Mark};
use crate::session::{Event, Observer as _};
use crate::target::{Core, Target, find_spare, verify_layout};

use super::args::{Cli, FieldsArgs, Format};
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::route::exit_code;
use super::write::Sink;

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &FieldsArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install();
    let mut opened = open_with(&args.target, args.seed, &args.link, args.loader.as_deref())?;
    let (mut marks, hardware) = (opened.marks.clone(), opened.hardware);
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy)?;
    if target.aic.geometry.generation == Generation::V1 {
        return Err(Error::Usage(format!(
            "fields: {} has AICv1, which does not look at SIQ_CFG (route --target-mask turns its TARGET_CPU)",
            args.target
        )));
    }
    marks.extend(target.marks.iter().cloned());
    let line = find_spare(&mut proxy, &target)?;
    let clusters: Vec<u64> = target.cpus.iter().map(|c| c.mpidr >> 8 & 0xffff).collect();
    let (chosen, coverage) = combinations(&clusters, args.seed);
    let plan = plan(&chosen, line, args.triggers);
    let estimate = Estimate::of(&plan);
    if hardware && estimate.needs_consent() && !args.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    // A line for each of thousands of cells would tell nobody anything.
    let quiet = Plan::of(Vec::new());
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &quiet);
    if args.live {
        progress.live(About::new(&args.target, &target, &marks, &plan))?;
    }
    progress.on(Event::Step(&format!(
        "{} cells on {}, {estimate}",
        plan.cells.len(),
        args.target
    )));
    verify_layout(&mut proxy, &target)?;
    let measured = crate::session::run(
        &mut proxy,
        &target,
        &firmware,
        &plan,
        args.seed,
        &mut progress,
    );
    drop(progress);
    let outcome = measured?;
    marks.extend(outcome.marks.iter().cloned());
    let cpus: Vec<Cpu> = target
        .cpus
        .iter()
        .map(|c| Cpu {
            mpidr: c.mpidr,
            p_core: c.core == Core::P,
        })
        .collect();
    let samples: Vec<Sample<'_>> = outcome
        .cells
        .iter()
        .filter_map(|(cell, measured)| sample(cell, measured))
        .collect();
    let verdict = exit_code(&outcome);
    let complete = samples.len() == plan.cells.len();
    if !complete {
        let text = format!(
            "{} of {} cells ran to their end",
            samples.len(),
            plan.cells.len()
        );
        marks.push(Mark::partial("cells", text));
    }
    let report = FieldsReport {
        target: args.target.clone(),
        seed: args.seed,
        build: Some(Build::of(&firmware)),
        soc: target.soc.clone(),
        restored: outcome.restoring.is_restored(),
        complete,
        marks,
        ..report(&samples, &cpus, coverage)
    };
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
