//! `aicprobe route`.

use protocol::message::Refusal;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::output::{DryRun, to_json, to_table};
use crate::plan::Estimate;
use crate::proxy::Proxy;
use crate::route::{Setting, make_plan, measure};
use crate::session::{self, Event, Observer as _, Outcome, Restoring};
use crate::target::Target;

use super::args::{Cli, Format, RouteArgs};
use super::interrupt;
use super::open::open;
use super::progress::Progress;
use super::write::Sink;

/// Runs the command; the exit code if it came to a result.
///
/// # Errors
/// [`Error`] if it did not.
pub fn run(cli: &Cli, args: &RouteArgs) -> Result<u8, Error> {
    // Everything that can be wrong with the request is found before the target is touched.
    let firmware = if args.dry_run && args.firmware.is_none() {
        None
    } else {
        Some(Firmware::load(args.firmware.as_deref())?)
    };
    let mut opened = open(&args.target, args.seed)?;
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install();
    let mut proxy = Proxy::connect(&mut *opened.link)?;
    let target = Target::discover(&mut proxy)?;
    let plan = make_plan(&mut proxy, &target, &args.request())?;
    let estimate = Estimate::of(&plan);
    let (Some(firmware), false) = (firmware, args.dry_run) else {
        let dry = DryRun::new(&args.target, args.seed, &target, &plan);
        sink.write(&match args.format {
            Format::Json => to_json(&dry)?,
            Format::Table => dry.to_text(),
        })?;
        return Ok(exit::OK);
    };
    if opened.hardware && estimate.needs_consent() && !args.yes {
        let minutes = estimate.expected_ms.div_ceil(60_000);
        return Err(Error::NeedsConsent { minutes });
    }
    let mut progress = Progress::new(cli.verbose > 0, cli.quiet, &plan);
    progress.on(Event::Step(&format!(
        "{} cells on {}, {estimate}",
        plan.cells.len(),
        args.target
    )));
    let setting = Setting {
        target_name: args.target.clone(),
        seed: args.seed,
        marks: opened.marks,
        slice_ns: opened.slice_ns,
    };
    let measured = measure(
        &mut proxy,
        &target,
        &firmware,
        &plan,
        &setting,
        &mut progress,
    );
    drop(progress);
    let (outcome, result) = measured?;
    if let Some(result) = result {
        sink.write(&match args.format {
            Format::Json => to_json(&result)?,
            Format::Table => to_table(&result),
        })?;
    }
    let verdict = exit_code(&outcome);
    for line in &verdict.messages {
        eprintln!("aicprobe: {line}");
    }
    Ok(verdict.code)
}

/// How a run that came to an end counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The exit code.
    pub code: u8,
    /// What to tell on standard error.
    pub messages: Vec<String>,
}

/// The exit code of a run: the worst thing that happened.
#[must_use]
pub fn exit_code(outcome: &Outcome) -> Verdict {
    let mut messages = Vec::new();
    let mut codes = Vec::new();
    if let Restoring::Checked {
        different,
        differences,
        ..
    } = &outcome.restoring
        && *different > 0
    {
        messages.push(format!(
            "the target is not as it was found, {different} values differ: {}",
            differences.join("; ")
        ));
        codes.push(exit::NOT_RESTORED);
    }
    if let Some(e) = &outcome.failure {
        messages.push(e.to_string());
        codes.push(e.exit_code());
    }
    if outcome.restoring == Restoring::Unknown {
        messages.push("nobody could look whether the target is as it was found".to_owned());
        codes.push(exit::NOT_RESTORED);
    }
    if outcome.interrupted {
        messages.push("interrupted; the result holds what was measured until then".to_owned());
        codes.push(exit::INTERRUPTED);
    }
    for (cell, m) in &outcome.cells {
        if let Some(refusal) = m.refusal {
            messages.push(format!(
                "cell {} stopped early: {}",
                cell.id,
                session::describe(refusal)
            ));
            codes.push(refusal_code(refusal));
        }
    }
    Verdict {
        code: codes.first().copied().unwrap_or(exit::OK),
        messages,
    }
}

const fn refusal_code(refusal: Refusal) -> u8 {
    match refusal {
        Refusal::LineBusy => exit::UNSAFE,
        Refusal::SiqCfg { esr: 0, .. } | Refusal::Storm => exit::INCONCLUSIVE,
        Refusal::SiqCfg { .. } => exit::TARGET,
        Refusal::WorkerSilent(_) | Refusal::WorkerFault(_) => exit::TARGET_FAULT,
        // The host has checked all of these before.
        Refusal::NotOpen
        | Refusal::Line
        | Refusal::Cpu(_)
        | Refusal::Field(_)
        | Refusal::MaskedTwice(_)
        | Refusal::Triggers => exit::INTERNAL,
    }
}
