//! `aicprobe fields`.

use std::cell::RefCell;
use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;

use crate::diagnose::told;
use crate::error::{Error, exit};
use crate::fields::{
    Ask, FieldsReport, Kept, Later, Present, TIMEOUT_US, TRIGGERS, combinations, made, plan,
};
use crate::firmware::Firmware;
use crate::first_look::{Place, all_run};
use crate::output::{Form, render};
use crate::plan::{MaskedCpu, PlanError};
use crate::session::Silent;
use crate::target::TargetError;

use super::args::{Cli, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::further::{self, FurtherArgs, cpus_of};
use super::latency::Stoppable;
use super::raw::RawArgs;
use super::route::Verdict;
use super::tell::tell;
use super::values;
use super::write::Sink;

/// Measures every combination of routing fields (above six CPUs a set that covers every pair of CPUs with every pair of values),
/// each with nobody masked and with one CPU masked, and looks for the rule that no cell contradicts: classes of values, the
/// choice within a class, and what a mask does. CPUs that do not run are left out, and named. Exit code 6 where no rule explains
/// the cells; 3 on a target with AICv1, which does not look at these fields.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct FieldsArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Triggers per cell [default: 32, and 8 in cells with a masked CPU].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub triggers: Option<u32>,
    /// Timeout of a trigger in milliseconds, fractions allowed; from the unmask in a masked cell.
    #[arg(long, value_name = "MS", default_value_t = f64::from(TIMEOUT_US) / 1e3, value_parser = values::timeout_ms)]
    pub timeout: f64,
    /// In every second cell, keep IRQs of this CPU masked for MS milliseconds per trigger, fractions allowed: what the rule says of
    /// masks is seen within that.
    #[arg(long = "mask", value_name = "CPU:MS", default_value = "0:0.2", value_parser = values::mask)]
    pub mask: (u32, u32),
    #[command(flatten)]
    #[allow(missing_docs)]
    pub further: FurtherArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub raw: RawArgs,
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

impl FieldsArgs {
    /// What is asked for, of a target of so many CPUs.
    fn ask(&self, cpus: usize) -> Result<Ask, PlanError> {
        let ((cpu, us), last) = (self.mask, cpus.saturating_sub(1));
        let id = u8::try_from(cpu).ok().filter(|c| usize::from(*c) <= last);
        let option = "--mask";
        let cpu = id.ok_or(PlanError::NoSuchCpu { option, cpu, last })?;
        Ok(Ask {
            triggers: self.triggers.unwrap_or(TRIGGERS),
            // The parser has checked the range.
            timeout_us: (self.timeout * 1e3).round() as u32,
            mask: MaskedCpu { cpu, us },
        })
    }
}

/// What was found out before the plan was made.
struct Known {
    kept: Kept,
    ask: Ask,
    present: Present,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &FieldsArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    let known: RefCell<Option<Known>> = RefCell::new(None);
    let options = || {
        let known = known.borrow();
        serde_json::to_value(known.as_ref().map(|k| &k.kept)).unwrap_or_default()
    };
    let files = [args.output.as_deref(), args.raw.raw.as_deref()];
    let mut evidence = args.evidence.open("fields", &files)?;
    let keep = Keep {
        raw: args.raw.open(args.output.as_deref())?,
        evidence: &mut evidence,
        command: "fields",
        options: &options,
    };
    let mut ran = experiment::run_and_keep_open(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            if target.aic.geometry.generation == Generation::V1 {
                let command = "fields";
                return Err(TargetError::NoRoutingFields { command }.into());
            }
            let ask = args.ask(target.cpus.len())?;
            further::check(proxy, target, &args.further)?;
            let mut place = Place {
                proxy,
                target,
                firmware: &firmware,
                line,
                seed: args.on.seed,
            };
            let states = place.states(&mut Stoppable)?;
            all_run([ask.mask.cpu], &states)?;
            let present = Present::of(&states);
            let clusters = present.pick(&further::clusters(target));
            let (chosen, coverage) = combinations(&clusters, args.on.seed);
            let plan = plan(&chosen, &present, line, &ask);
            let kept = Kept {
                coverage,
                mask: ask.mask,
                cpus: cpus_of(target),
                planned: plan.cells.len(),
            };
            *known.borrow_mut() = Some(Known { kept, ask, present });
            Ok(plan)
        },
        &mut Silent,
        false,
        &mut Vec::new(),
    )?;
    let no_plan = || Error::Internal("fields: no plan was made".to_owned());
    let known = known.borrow();
    let Known { kept, ask, present } = known.as_ref().ok_or_else(no_plan)?;
    let mut report = made(ran.head.clone(), &ran.outcome.cells, kept);
    let mut later = None;
    if matches!(ran.verdict.code, exit::OK | exit::INCONCLUSIVE) {
        let made = beyond(cli, args, &report, present, ask, &mut ran.verdict);
        report.add(made.clone());
        later = Some(made);
    }
    ran.end(serde_json::to_value(&later).unwrap_or_default());
    sink.write(&render(&report, args.format)?)?;
    let mut verdict = ran.verdict;
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

/// What is tried beyond the truth table; what was measured so far is told whatever becomes of it.
fn beyond(
    cli: &Cli,
    args: &FieldsArgs,
    report: &FieldsReport,
    present: &Present,
    ask: &Ask,
    verdict: &mut Verdict,
) -> Later {
    let rule = report.rule.as_ref();
    match further::run(cli, &args.on, &args.further, rule, present, ask.timeout_us) {
        Ok((later, made)) => {
            if made.code != exit::OK {
                *verdict = made;
            }
            later
        }
        Err(e) => {
            verdict.code = e.exit_code();
            verdict.messages.push(told(&e));
            Later {
                restored: true,
                ..Later::default()
            }
        }
    }
}
