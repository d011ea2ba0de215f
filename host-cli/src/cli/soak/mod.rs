//! `aicprobe soak`.

mod amounts;
mod stream;
mod watch;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::latency::{Around, TIMEOUT_US, calibrate};
use crate::output::{Form, render};
use crate::result::Mark;
use crate::soak::{
    Amount, Ask, DURATION_S, INTERVAL_MS, Intervals, KEEP, Kept, expected, plan, result, trial,
};

use super::args::{Cli, CpuSet, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::latency::{Stoppable, threshold};
use super::raw::RawArgs;
use super::tell::tell;
use super::values;
use super::write::Sink;
use amounts::{duration, keep};
use stream::Stream;
use watch::Watch;

/// Most triggers of a run.
const MAX_TRIGGERS: u64 = 1_000_000_000_000;

/// Fires one line for a time or so many times and watches every interval: rate, latency, share of time in the handler. The first
/// trigger that is lost, late, taken twice, taken by another CPU than expected or too slow ends the run with exit code 5 and the
/// events around it. Ctrl-C ends it with a whole result.
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct SoakArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Fire so often.
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..=MAX_TRIGGERS))]
    pub triggers: Option<u64>,
    /// Fire for so long on the target's clock: a number (fractions allowed) and ms, s, m or h. Without both: 10s.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<u64>,
    /// Length of an interval in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = INTERVAL_MS, value_parser = clap::value_parser!(u32).range(10..=1000))]
    pub interval: u32,
    /// Fire from this CPU (logical id).
    #[arg(long, value_name = "C", default_value_t = 0)]
    pub fire_cpu: u32,
    /// Set the routing field of SIQ_CFG of a CPU to 0, 1, 2 or 3; may be repeated for other CPUs.
    #[arg(long = "set-field", value_name = "CPU=V", value_parser = values::set_field)]
    pub set_fields: Vec<(u32, u8)>,
    /// AICv1: target the line at these CPUs (logical ids). Without it: the boot CPU.
    #[arg(long, value_name = "CPU[,CPU…]", value_parser = values::cpus)]
    pub target_mask: Option<CpuSet>,
    /// CPUs that may take the interrupts. Without it: those that take any of the first 256.
    #[arg(long, value_name = "CPU[,CPU…]", value_parser = values::cpus)]
    pub expect: Option<CpuSet>,
    /// An entry later than this is a violation, in microseconds (fractions allowed).
    #[arg(long, value_name = "US", value_parser = threshold)]
    pub max_latency: Option<u32>,
    /// Pause before every trigger, in microseconds; at most a tenth of an interval.
    #[arg(long, value_name = "US", default_value_t = 0)]
    pub gap_us: u32,
    /// Timeout of a trigger in milliseconds, fractions allowed.
    #[arg(long, value_name = "MS", default_value_t = f64::from(TIMEOUT_US) / 1e3, value_parser = values::timeout_ms)]
    pub timeout: f64,
    /// Write every interval to FILE as it ends, a line of JSON each.
    #[arg(long, value_name = "FILE")]
    pub intervals: Option<PathBuf>,
    /// Keep at most so many intervals for the result; beyond that every second one goes, again and again.
    #[arg(long, value_name = "N", default_value_t = KEEP, value_parser = keep)]
    pub keep_intervals: usize,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub raw: RawArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result: schema "aicprobe.soak/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl SoakArgs {
    fn ask(&self) -> Ask {
        let set = |cpus: &Option<CpuSet>| cpus.as_ref().map_or_else(Vec::new, |c| c.0.clone());
        Ask {
            fire_cpu: self.fire_cpu,
            set_fields: self.set_fields.clone(),
            targets: set(&self.target_mask),
            expect: set(&self.expect),
            amount: match (self.triggers, self.duration) {
                (Some(n), _) => Amount::Triggers(n),
                (None, us) => Amount::Duration(us.unwrap_or(DURATION_S * 1_000_000)),
            },
            interval_ms: self.interval,
            gap_us: self.gap_us,
            // The parser has checked the range.
            timeout_us: (self.timeout * 1e3).round() as u32,
            max_latency_ns: self.max_latency.unwrap_or(0),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a result.
pub fn run(cli: &Cli, args: &SoakArgs) -> Result<u8, Error> {
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    let ask = args.ask();
    let stream = args.intervals.as_deref().map(Stream::open).transpose()?;
    // What the first look finds out comes before the session that the intervals watch.
    let intervals = RefCell::new(None);
    let mut watch = Watch {
        around: Around::default(),
        intervals: &intervals,
        stream,
        told: (!cli.quiet).then(Instant::now),
        amount: ask.amount,
        fired: 0,
    };
    let found: RefCell<Option<(protocol::LineId, Vec<u8>)>> = RefCell::new(None);
    let options = || {
        let found = found.borrow();
        let kept = found.as_ref().map(|(line, expected)| Kept {
            ask: ask.clone(),
            line: *line,
            expected: expected.clone(),
            keep: args.keep_intervals,
        });
        serde_json::to_value(kept).unwrap_or_default()
    };
    let files = [&args.output, &args.raw.raw, &args.intervals].map(|f| f.as_deref());
    let mut evidence = args.evidence.open("soak", &files)?;
    let keep = Keep {
        raw: args.raw.open(args.output.as_deref())?,
        evidence: &mut evidence,
        command: "soak",
        options: &options,
    };
    let mut ran = experiment::run(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            let trial = trial(&ask, target)?;
            let seed = args.on.seed;
            let mut stop = Stoppable;
            let known = calibrate(proxy, target, &firmware, line, seed, &trial, &mut stop)?;
            let expected = expected(&ask, &trial, &known)?;
            let plan = plan(&ask, &trial, &expected, line);
            let (hz, cpus) = (known.counter_hz, target.cpus.len());
            let made = Intervals::new(ask.interval_ms, hz, cpus, args.keep_intervals);
            *intervals.borrow_mut() = Some(made);
            *found.borrow_mut() = Some((line, expected));
            Ok(plan)
        },
        &mut watch,
        false,
    )?;
    let Watch { around, stream, .. } = watch;
    let (Some(found), Some(mut intervals)) = (found.into_inner(), intervals.into_inner()) else {
        return Err(Error::Internal("a run without a plan".into()));
    };
    let last = intervals.close();
    let failed = stream.and_then(|stream| stream.end(last.as_ref()));
    if let Some(why) = &failed {
        ran.mark(Mark::partial("intervals", why.as_str()));
    }
    let made = result(
        ran.head,
        &ask,
        found,
        &ran.outcome.cells,
        intervals,
        &around,
    )?;
    sink.write(&render(&made, args.format)?)?;
    let mut verdict = ran.verdict;
    if let Some(violation) = &made.violation {
        verdict.stopped_by(None, &violation.moment.text);
    }
    if let Some(why) = failed {
        verdict.messages.push(why);
        if verdict.code == exit::OK {
            verdict.code = exit::USAGE;
        }
    }
    finish(evidence, &made, &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}
