//! `aicprobe observe`.

use crate::behaviour::{Observed, Options, Report, observe};
use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::live::About;
use crate::output::{observe_table, to_json};
use crate::plan::Plan;
use crate::result::Build;
use crate::session::{Event, Observer as _, Outcome};
use crate::target::{Target, generation_number};

use super::args::{Cli, Format, ObserveArgs};
use super::interrupt;
use super::open::open_with;
use super::progress::Progress;
use super::route::{Verdict, exit_code};
use super::write::Sink;

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a report.
pub fn run(cli: &Cli, args: &ObserveArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install_telling(cli.quiet);
    let mut opened = open_with(&args.target, args.seed, &args.link, args.loader.as_deref())?;
    let mut marks = opened.marks.clone();
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
    };
    let empty = Plan::of(Vec::new());
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &empty);
    if args.live {
        progress.live(About::new(&args.target, &target, &marks, &empty))?;
    }
    progress.on(Event::Step(&format!("observing {}", args.target)));
    proxy.hold(true);
    let observed = observe(
        &mut proxy,
        &target,
        &firmware,
        &options,
        args.seed,
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
        target: args.target.clone(),
        seed: args.seed,
        build: Build::of(&firmware),
        soc: target.soc.clone(),
        aic_generation: generation_number(target.aic.geometry.generation),
        observations,
        restored: verdict.code != exit::NOT_RESTORED,
        marks,
    };
    sink.write(&match args.format {
        Format::Json => to_json(&report)?,
        Format::Table => observe_table(&report),
    })?;
    for line in &verdict.messages {
        say!("aicprobe: {line}");
    }
    Ok(verdict.code)
}
