//! `aicprobe latency`.

use std::cell::RefCell;
use std::path::PathBuf;

use clap::Args;

use crate::error::Error;
use crate::firmware::Firmware;
use crate::latency::{
    Around, Ask, Kept, LatencyResult, Pairs, Setting, TIMEOUT_US, TRIGGERS, Trial, calibrate,
    pairs, result,
};
use crate::output::{Form, render};
use crate::session::{Event, Observer};

use super::args::{Cli, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::interrupt;
use super::raw::RawArgs;
use super::tell::tell;
use super::values;
use super::write::Sink;

/// Most triggers of a cell.
const MAX_TRIGGERS: i64 = 1_000_000_000;
/// Longest pause before a trigger, in microseconds.
const MAX_GAP_US: i64 = 1_000_000;

/// Measures how long it takes from a trigger to the entry of its handler, and how long the handler takes, for every firing and
/// every landing CPU: with the other CPUs idle, computing, and hammering memory. One CPU at a time takes interrupts, by SIQ_CFG
/// or TARGET_CPU; which values do that is found out first.
///
/// A threshold (--stop-entry, --stop-total) and --raw each give the firmware other work beside every trigger, and that moves what is
/// measured: on the virtual T8140 by a tick of the counter (42 ns) either way. Compare only runs that had the same of these options.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct LatencyArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Fire only from these CPUs (logical ids).
    #[arg(long = "fire-cpu", value_name = "CPU[,CPU…]", value_delimiter = ',')]
    pub fire_cpus: Vec<u32>,
    /// Let only these CPUs take interrupts, one after the other.
    #[arg(long = "land-cpu", value_name = "CPU[,CPU…]", value_delimiter = ',')]
    pub land_cpus: Vec<u32>,
    /// What the other CPUs do.
    #[arg(long = "load", value_enum, value_delimiter = ',', default_values_t = Setting::ALL)]
    pub loads: Vec<Setting>,
    /// Triggers per cell: a pair of CPUs in one setting.
    #[arg(long, value_name = "N", default_value_t = TRIGGERS,
        value_parser = clap::value_parser!(u32).range(1..=MAX_TRIGGERS))]
    pub triggers: u32,
    /// Pause before every trigger, in microseconds.
    #[arg(long, value_name = "US", default_value_t = 0,
        value_parser = clap::value_parser!(u32).range(0..=MAX_GAP_US))]
    pub gap_us: u32,
    /// Timeout of a trigger in milliseconds, fractions allowed.
    #[arg(long, value_name = "MS", default_value_t = f64::from(TIMEOUT_US) / 1e3, value_parser = values::timeout_ms)]
    pub timeout: f64,
    /// End the run, with exit code 5 and the events around it, when an entry comes later than this, in microseconds (fractions
    /// allowed).
    #[arg(long, value_name = "US", value_parser = threshold)]
    pub stop_entry: Option<u32>,
    /// The same for the end of a handler.
    #[arg(long, value_name = "US", value_parser = threshold)]
    pub stop_total: Option<u32>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub raw: RawArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result: schema "aicprobe.latency/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Microseconds of a threshold, as nanoseconds.
pub(super) fn threshold(text: &str) -> Result<u32, String> {
    let ns = text.parse::<f64>().map(|us| (us * 1e3).round());
    match ns {
        // In range, and whole.
        Ok(ns) if (1.0..=4e9).contains(&ns) => Ok(ns as u32),
        _ => Err(format!("{text} us is not allowed: 0.001 to 4000000")),
    }
}

impl LatencyArgs {
    fn ask(&self) -> Ask {
        Ask {
            fire_cpus: self.fire_cpus.clone(),
            land_cpus: self.land_cpus.clone(),
            settings: self.loads.clone(),
            triggers: self.triggers,
            gap_us: self.gap_us,
            // The parser has checked the range.
            timeout_us: (self.timeout * 1e3).round() as u32,
            stop_entry_ns: self.stop_entry.unwrap_or(0),
            stop_total_ns: self.stop_total.unwrap_or(0),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a result.
pub fn run(cli: &Cli, args: &LatencyArgs) -> Result<u8, Error> {
    values::words_once("--load", &args.loads)?;
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    let ask = args.ask();
    let planned: RefCell<Option<(Pairs, protocol::LineId)>> = RefCell::new(None);
    let options = || {
        let planned = planned.borrow();
        let kept = planned.as_ref().map(|(pairs, line)| Kept {
            ask: ask.clone(),
            of: pairs.of.clone(),
            marks: pairs.marks.clone(),
            line: *line,
        });
        serde_json::to_value(kept).unwrap_or_default()
    };
    let files = [args.output.as_deref(), args.raw.raw.as_deref()];
    let mut evidence = args.evidence.open("latency", &files)?;
    let keep = Keep {
        raw: args.raw.open(args.output.as_deref())?,
        evidence: &mut evidence,
        command: "latency",
        options: &options,
    };
    let mut watch = Watch::default();
    let ran = experiment::run(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            let trial = Trial {
                steer: true,
                longest_us: ask.timeout_us,
                ..Trial::as_found(target)
            };
            let seed = args.on.seed;
            let mut stop = Stoppable;
            let known = calibrate(proxy, target, &firmware, line, seed, &trial, &mut stop)?;
            let made = pairs(&ask, &known, line)?;
            let plan = made.plan.clone();
            *planned.borrow_mut() = Some((made, line));
            Ok(plan)
        },
        &mut watch,
        true,
    )?;
    let Some((planned, line)) = planned.into_inner() else {
        return Err(Error::Internal("a run without a plan".into()));
    };
    let made: LatencyResult = result(
        ran.head,
        &ask,
        &planned,
        line,
        &ran.outcome.cells,
        &watch.around,
    )?;
    sink.write(&render(&made, args.format)?)?;
    let mut verdict = ran.verdict;
    if let Some(spike) = &made.spike {
        verdict.stopped_by(Some(spike.cell), &spike.moment.text);
    }
    finish(evidence, &made, &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}

#[derive(Default)]
struct Watch {
    around: Around,
}

impl Observer for Watch {
    fn on(&mut self, event: Event<'_>) {
        self.around.on(&event);
    }
}

/// Silent, and stops when the user wants to.
pub(super) struct Stoppable;

impl Observer for Stoppable {
    fn on(&mut self, _: Event<'_>) {}

    fn stop(&self) -> bool {
        interrupt::requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_nanoseconds() {
        assert_eq!(threshold("12.5"), Ok(12_500));
        assert_eq!(threshold("0.001"), Ok(1));
        for bad in ["0", "-1", "nan", "inf", "", "5000000", "1e300", "1us"] {
            let said = threshold(bad).expect_err(bad);
            assert!(said.contains("0.001 to 4000000"), "{said}");
        }
    }
}
