//! `aicprobe storm`.

use std::cell::RefCell;
use std::path::PathBuf;

use aic_regs::aic::Generation;
use clap::Args;
use protocol::message::Refusal;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::first_look::Place;
use crate::output::{Form, render, storm_title};
use crate::result::CpuState;
use crate::session::{Silent, describe};
use crate::storm::{
    Accounting, DEFAULT_REPEAT, DEFAULT_US, MAX_US, Options, Pace, Shape, Target, Way, plan, report,
};

use super::args::{Cli, CpuSet, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish};
use super::experiment::{self, Keep};
use super::latency::Stoppable;
use super::route::refusal_code;
use super::tell::tell;
use super::values;
use super::write::Sink;

/// Lets sets of CPUs that grow by cluster send IPIs to each other for some time: how many a second are sent and taken, how that
/// scales, and how many merged with one that was pending. Paced, a sender waits until its target has counted: with one sender a
/// target (pairs, sets of two) none can merge, and the books must balance to the last IPI. Exit code 5 where they do not.
///
/// Elsewhere "merged" is an upper bound: a request that was lost there cannot be told from one that merged. CPUs that do not run take
/// no part. A row whose way takes an exception is marked "trapped"; where all do nothing was measured (exit code 6).
#[derive(Debug, Args)]
#[command(after_help = exit_codes())]
pub struct StormArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// Length of each storm in microseconds.
    #[arg(long, value_name = "US", default_value_t = DEFAULT_US, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_US)))]
    pub us: u32,
    /// Repetitions of every storm, interleaved.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_REPEAT, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    /// Who sends to whom; several with commas between. Without it: all three.
    #[arg(
        long = "pattern",
        value_name = "PATTERN",
        value_enum,
        value_delimiter = ','
    )]
    pub patterns: Vec<Target>,
    /// How IPIs go; several with commas between. Without it: local within a cluster, global, and mmio on AICv1.
    #[arg(long = "via", value_name = "WAY", value_enum, value_delimiter = ',')]
    pub ways: Vec<Way>,
    /// When a sender sends again; several with commas between. Without it: both.
    #[arg(long = "pace", value_name = "PACE", value_enum, value_delimiter = ',')]
    pub paces: Vec<Pace>,
    /// Where receivers count; several with commas between. Without it: both.
    #[arg(
        long = "accounting",
        value_name = "WHERE",
        value_enum,
        value_delimiter = ','
    )]
    pub accountings: Vec<Accounting>,
    /// Just these CPUs (logical ids in decimal with commas between) instead of sets that grow by cluster.
    #[arg(long, value_name = "CPU,CPU…", value_parser = values::cpus)]
    pub cpus: Option<CpuSet>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result: schema "aicprobe.storm/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a result.
pub fn run(cli: &Cli, args: &StormArgs) -> Result<u8, Error> {
    let options = Options {
        us: args.us,
        repeat: args.repeat,
        patterns: args.patterns.clone(),
        ways: args.ways.clone(),
        paces: args.paces.clone(),
        accountings: args.accountings.clone(),
        cpus: args.cpus.as_ref().map(|set| set.0.clone()),
    };
    values::words_once("--pattern", &args.patterns)?;
    values::words_once("--via", &args.ways)?;
    values::words_once("--pace", &args.paces)?;
    values::words_once("--accounting", &args.accountings)?;
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let sink = Sink::open(args.output.as_deref())?;
    let shapes: RefCell<Vec<Shape>> = RefCell::default();
    let kept = || {
        let kept = (&*shapes.borrow(), args.us, args.repeat);
        serde_json::to_value(kept).unwrap_or_default()
    };
    let mut evidence = args.evidence.open("storm", &[args.output.as_deref()])?;
    let keep = Keep {
        raw: None,
        evidence: &mut evidence,
        command: "storm",
        options: &kept,
    };
    let ran = experiment::run(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            let v1 = target.aic.geometry.generation == Generation::V1;
            // What makes no sense is found before a CPU is started.
            let all = vec![CpuState::Running; target.cpus.len()];
            plan(&target.cpus, &all, v1, &options)?;
            let mut place = Place {
                proxy,
                target,
                firmware: &firmware,
                line,
                seed: args.on.seed,
            };
            let states = place.states(&mut Stoppable)?;
            let (planned, plan) = plan(&target.cpus, &states, v1, &options)?;
            *shapes.borrow_mut() = planned;
            Ok(plan)
        },
        &mut Silent,
        false,
    )?;
    let shapes = shapes.into_inner();
    let (report, refusal) = report(ran.head, &shapes, args.us, args.repeat, &ran.outcome);
    sink.write(&render(&report, args.format)?)?;
    let mut verdict = ran.verdict;
    let violations = report.violations.iter();
    verdict
        .messages
        .extend(violations.map(|v| format!("{}: {}", storm_title(&report.rows[v.row]), v.text)));
    if verdict.code == exit::OK && !report.violations.is_empty() {
        verdict.code = exit::RULE;
    }
    if let Some(why) = report.why_nothing() {
        verdict.messages.push(format!("storm: {why}"));
        if verdict.code == exit::OK {
            verdict.code = exit::INCONCLUSIVE;
        }
    }
    if let Some(refusal) = refusal {
        let text = format!("a storm was refused: {}", describe(refusal));
        verdict.messages.push(text);
        if verdict.code == exit::OK {
            verdict.code = match refusal {
                // Too few of a set run.
                Refusal::Cpu(_) => exit::INCONCLUSIVE,
                refusal => refusal_code(refusal),
            };
        }
    }
    finish(evidence, &report, &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}
