//! `aicprobe observe`.

use std::path::PathBuf;

use clap::Args;
use protocol::LineId;

use crate::behaviour::{Observed, Options, Report, TRIGGERS, observe};
use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::live::About;
use crate::output::{Form, render};
use crate::plan::Plan;
use crate::result::Build;
use crate::session::{Event, Observer as _, Outcome};
use crate::target::{Target, generation_number};

use super::args::{Cli, TargetArgs, exit_codes};
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::route::{Verdict, exit_code};
use super::tell::tell;
use super::values;
use super::write::Sink;

/// Tries one known behaviour of interrupt controllers after the other (a pending interrupt that nobody accepts, EVENT read by
/// another CPU, fast IPIs that merge, …) and counts how often each claim held. Observations are no verdicts.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct ObserveArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Triggers per cell.
    #[arg(long, value_name = "N", default_value_t = TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub triggers: u32,
    /// Only this row of the list of behaviours; may be repeated.
    #[arg(long = "row", value_name = "N", value_parser = values::row)]
    pub rows: Vec<u8>,
    /// A device's line that is high, NUMBER or DIE:NUMBER: it is taken until the guard against storms masks it, its software
    /// state is set and cleared, and everything is put back.
    #[arg(long, value_name = "L", value_parser = values::line)]
    pub live_line: Option<LineId>,
    /// Write the controller's RESET and put back what it changed: nothing must use the controller meanwhile.
    #[arg(long)]
    pub allow_reset: bool,
    /// Send every secondary into WFI once: one that no timer wakes is lost until the target is restarted.
    #[arg(long)]
    pub allow_wfi: bool,
    /// Write VM_TMR_FIQ_ENA_EL2 of every CPU with what it reads: may do harm on M4 and M5.
    #[arg(long)]
    pub write_back: bool,
    /// Form of the report: schema "aicprobe.observe/1".
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
pub fn run(cli: &Cli, args: &ObserveArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install_telling(cli.quiet);
    let mut opened = open_with(
        &args.on.target,
        args.on.seed,
        &args.on.link,
        args.on.loader.as_deref(),
    )?;
    let (mut marks, hardware) = (opened.marks.clone(), opened.hardware);
    let mut proxy = opened.connect()?;
    let target = Target::discover(&mut proxy)?;
    marks.extend(target.marks.iter().cloned());
    let options = Options {
        triggers: args.triggers,
        rows: args.rows.clone(),
        live_line: args.live_line,
        reset: args.allow_reset,
        write_back: args.write_back,
        wfi: args.allow_wfi,
        long: !hardware || args.on.yes,
    };
    let empty = Plan::of(Vec::new());
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &empty);
    if args.on.live {
        progress.live(About::new(&args.on.target, &target, &marks, &empty))?;
    }
    progress.on(Event::Step(&format!("observing {}", args.on.target)));
    let observed = observe(
        &mut proxy,
        &target,
        &firmware,
        &options,
        args.on.seed,
        &mut progress,
    );
    let console = proxy.take_console();
    progress.on(Event::Console(&String::from_utf8_lossy(&console)));
    progress.finish(observed.is_err());
    let Observed {
        observations,
        outcome,
        marks: said,
        differences,
    } = observed?;
    marks.extend(said);
    let mut verdict = match outcome {
        // A refused cell is an answer here, not a failure of the run.
        Some(outcome) => exit_code(&Outcome {
            cells: Vec::new(),
            ..outcome
        }),
        None => Verdict {
            code: exit::OK,
            messages: Vec::new(),
        },
    };
    for difference in &differences {
        verdict.messages.push(format!("not as found: {difference}"));
        verdict.code = exit::NOT_RESTORED;
    }
    let report = Report {
        schema: Report::SCHEMA.to_owned(),
        target: args.on.target.clone(),
        seed: args.on.seed,
        build: Build::of(&firmware),
        soc: target.soc.clone(),
        aic_generation: generation_number(target.aic.geometry.generation),
        observations,
        restored: verdict.code != exit::NOT_RESTORED,
        marks,
    };
    sink.write(&render(&report, args.format)?)?;
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}
