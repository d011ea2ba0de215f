//! `aicprobe verify`.

use std::cell::RefCell;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use protocol::LineId;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::latency::{Trial, calibrate};
use crate::output::{Form, Grid, junit, render, tap, to_json};
use crate::proxy::Proxy;
use crate::result::{Context, Mark, Restore, aic, head_before};
use crate::session::{Event, Observer, SessionError};
use crate::socs;
use crate::target::{Target, TargetError};
use crate::verify::{
    self, ENOUGH_LOST, FULL, Ground, Kept, Lines, Made, QUICK, RULES, Record, Setup, Size, Table,
    Verdict as Said, VerifyResult,
};

use super::args::{Cli, TargetArgs, exit_codes};
use super::evidence::{EvidenceArgs, finish_with};
use super::experiment::{self, Keep, Ran};
use super::latency::Stoppable;
use super::route::{Verdict, exit_code};
use super::tell::tell;
use super::write::Sink;

/// Form of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerdictForm {
    /// Tables for people.
    Table,
    /// JSON, schema "aicprobe.verify/1".
    Json,
    /// JSON Lines: the run, then a line for each rule and each cell.
    Jsonl,
    /// CSV: a row for each rule.
    Csv,
    /// Tables in Markdown, for the body of a pull request.
    Markdown,
    /// JUnit XML.
    Junit,
    /// Test Anything Protocol, version 13.
    Tap,
}

/// Runs a suite of rules about interrupt routing, and says of each whether it holds: PASS, FAIL, INCONCLUSIVE or NOT-APPLICABLE, with
/// counts and 95 % bounds. What the values of SIQ_CFG's field are assumed to mean comes from the table of the SoC; for a SoC that has
/// none it is what they mean on T8140.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub struct VerifyArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub on: TargetArgs,
    /// 10^4 triggers and 100 windows instead of 10^6 and 2000: shows gross faults only, and is not enough for an allow-list.
    #[arg(long)]
    pub quick: bool,
    /// So many triggers while nobody masks interrupts, over all rules.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..=1_000_000_000))]
    pub triggers: Option<u64>,
    /// At most so many triggers with a mask window each, over all rules.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(40..=1_000_000))]
    pub windows: Option<u64>,
    /// Look only at this rule; may be repeated, or several with commas between.
    #[arg(long = "rule", value_name = "ID", value_delimiter = ',', value_parser = rule)]
    pub rules: Vec<String>,
    /// Leave this rule out; may be repeated, or several with commas between.
    #[arg(long = "skip", value_name = "ID", value_delimiter = ',', value_parser = rule)]
    pub skip: Vec<String>,
    /// Print the rules and end; nothing is run.
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub evidence: EvidenceArgs,
    /// Form of the result.
    #[arg(long, value_enum, default_value_t = VerdictForm::Table)]
    pub format: VerdictForm,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn after_help() -> String {
    format!(
        "Exit code 0 if every required rule that applies passed, 5 if any rule failed (one that is not required too, and SIQ_CFG that traps), 6 if a required rule is inconclusive.\n\n{}",
        exit_codes()
    )
}

fn rule(text: &str) -> Result<String, String> {
    verify::find(text).map(|r| r.id.to_owned()).ok_or_else(|| {
        let all: Vec<&str> = RULES.iter().map(|r| r.id).collect();
        format!("there is no such rule; allowed are {}", all.join(", "))
    })
}

impl VerifyArgs {
    fn size(&self) -> Size {
        let usual = if self.quick { QUICK } else { FULL };
        Size {
            triggers: self.triggers.unwrap_or(usual.triggers),
            windows: self.windows.unwrap_or(usual.windows),
        }
    }

    fn wants(&self, id: &str) -> bool {
        let named = self.rules.is_empty() || self.rules.iter().any(|r| r == id);
        named && !self.skip.iter().any(|r| r == id)
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error`] if it did not come to a verdict.
pub fn run(cli: &Cli, args: &VerifyArgs) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    if args.list {
        sink.write(&list(args))?;
        return Ok(exit::OK);
    }
    if !RULES.iter().any(|r| args.wants(r.id)) {
        let why = "--rule and --skip leave no rule to look at".to_owned();
        return Err(Error::Usage(why));
    }
    let firmware = Firmware::load(args.on.firmware.as_deref())?;
    let known: RefCell<Option<Known>> = RefCell::new(None);
    let mut enough = Enough::default();
    let mut told = Vec::new();
    let mut evidence = args.evidence.open("verify", &[args.output.as_deref()])?;
    let options = || {
        let known = known.borrow();
        let kept = known.as_ref().and_then(|k| kept_of(k, args));
        serde_json::to_value(kept).unwrap_or_default()
    };
    let keep = Keep {
        raw: None,
        evidence: &mut evidence,
        command: "verify",
        options: &options,
    };
    let ran = experiment::run_telling(
        cli,
        &args.on,
        keep,
        &mut |proxy, target, line| {
            let table = table_of(target)?;
            *known.borrow_mut() = Some(Known {
                target: target.clone(),
                table: table.clone(),
                made: None,
            });
            let made = prepare(proxy, target, &firmware, line, table, args)?;
            let plan = made.plan.clone();
            if let Some(known) = known.borrow_mut().as_mut() {
                known.made = Some(made);
            }
            Ok(plan)
        },
        &mut enough,
        false,
        &mut told,
    );
    let known = known.into_inner();
    let (record, mut messages, mut code) = match (ran, known) {
        (Ok(mut ran), Some(known)) => {
            // A refused cell is an answer here, and a run that we stopped was not interrupted.
            let cells = std::mem::take(&mut ran.outcome.cells);
            ran.outcome.interrupted &= !enough.reached();
            let said = exit_code(&ran.outcome);
            ran.outcome.cells = cells;
            let record = record_of(ran, known, args)?;
            (record, said.messages, said.code)
        }
        (Err(e), Some(known)) => {
            let setup = match e.cause() {
                Error::Target(why @ TargetError::Layout { .. }) => Setup::Layout(why.to_string()),
                Error::Session(why @ SessionError::SiqTraps { .. }) => {
                    Setup::SiqCfg(why.to_string())
                }
                Error::NotRestored(why) => Setup::NotRestored(why.clone()),
                _ => return Err(e),
            };
            let record = failed_record(known, setup, &firmware, args, told);
            (record, Vec::new(), exit::OK)
        }
        (Err(e), None) => return Err(e),
        (Ok(_), None) => return Err(Error::Internal("a run without a plan".into())),
    };
    let result = VerifyResult::of(record, |id| args.wants(id));
    if enough.reached() {
        messages.push(format!(
            "stopped after {} lost triggers: what is wrong is known",
            enough.lost
        ));
    }
    // Whatever rules were asked for: a target that is not as found is told.
    let left = match (&result.record.setup, result.record.restore.different) {
        (Setup::NotRestored(why), _) => Some(why.clone()),
        (_, 0) => None,
        (_, n) => Some(format!(
            "{n} values of the target are not as they were found"
        )),
    };
    if let Some(why) = left.filter(|_| code == exit::OK) {
        messages.push(why);
        code = exit::NOT_RESTORED;
    }
    sink.write(&rendered(&result, args.format)?)?;
    let failed = result.rules.iter().filter(|r| r.verdict == Said::Fail);
    messages.extend(failed.map(|rule| format!("{} failed: {}", rule.id, rule.title)));
    let by_rules = match result.verdict {
        Said::Fail => exit::RULE,
        Said::Inconclusive => exit::INCONCLUSIVE,
        Said::Pass | Said::NotApplicable => exit::OK,
    };
    let code = if code == exit::OK { by_rules } else { code };
    let mut verdict = Verdict { code, messages };
    finish_with(evidence, || to_json(&result), &mut verdict);
    for line in &verdict.messages {
        tell(line);
    }
    Ok(verdict.code)
}

fn rendered(result: &VerifyResult, form: VerdictForm) -> Result<String, Error> {
    match form {
        VerdictForm::Table => render(result, Form::Table),
        VerdictForm::Json => to_json(result),
        VerdictForm::Jsonl => render(result, Form::Jsonl),
        VerdictForm::Csv => render(result, Form::Csv),
        VerdictForm::Markdown => render(result, Form::Markdown),
        VerdictForm::Junit => junit(result),
        VerdictForm::Tap => Ok(tap(result)),
    }
}

fn list(args: &VerifyArgs) -> String {
    let mut grid = Grid::new("", ["rule", "required", "trials", "title"]);
    for rule in RULES.iter().filter(|r| args.wants(r.id)) {
        grid.row([
            rule.id.to_owned(),
            if rule.required { "yes" } else { "no" }.to_owned(),
            format!("at least {}", rule.least),
            rule.title.to_owned(),
        ]);
    }
    grid.to_text()
}

/// What is known of a target that may turn out unusable.
struct Known {
    target: Target,
    /// What is assumed of its SoC.
    table: Table,
    made: Option<Made>,
}

/// What is assumed of the SoC.
fn table_of(target: &Target) -> Result<Table, Error> {
    let internal = |e: socs::SocsError| Error::Internal(e.to_string());
    let soc = match target.soc.chip_id {
        Some(id) => socs::of_chip(id).map_err(internal)?,
        None => None,
    };
    Ok(soc.map_or_else(Table::assumed, Table::of))
}

/// The plan, once it is known which CPUs run.
fn prepare(
    proxy: &mut Proxy<'_>,
    target: &Target,
    firmware: &Firmware,
    line: LineId,
    table: Table,
    args: &VerifyArgs,
) -> Result<Made, Error> {
    let trial = Trial::as_found(target);
    let seed = args.on.seed;
    let known = calibrate(proxy, target, firmware, line, seed, &trial, &mut Stoppable)?;
    let Lines { others, last } = Lines::find(proxy, target, line)?;
    Ok(verify::plan(&Ground {
        target,
        running: known.running().collect(),
        line,
        others,
        last,
        table,
        size: args.size(),
        seed,
    }))
}

/// What a record is made of beside what was measured.
fn kept_of(known: &Known, args: &VerifyArgs) -> Option<Kept> {
    let left_out = RULES.iter().filter(|r| !args.wants(r.id));
    Some(Kept {
        purposes: known.made.as_ref()?.purposes.clone(),
        table: known.table.clone(),
        size: args.size(),
        least_nr_irq: known.target.lines.least_nr_irq(),
        left_out: left_out.map(|r| r.id.to_owned()).collect(),
    })
}

fn record_of(ran: Ran, known: Known, args: &VerifyArgs) -> Result<Record, Error> {
    let Some(kept) = kept_of(&known, args) else {
        return Err(Error::Internal("a run without a plan".into()));
    };
    let aic = aic(&ran.target, ran.outcome.answers.opened);
    let restore = Restore::of(&ran.outcome.restoring);
    let (cells, replies) = (&ran.outcome.cells, &ran.outcome.answers.replies);
    verify::record(
        kept,
        ran.head,
        aic,
        restore,
        cells,
        &ran.plan.questions,
        replies,
    )
}

/// Of a target on which nothing could be measured.
fn failed_record(
    known: Known,
    setup: Setup,
    firmware: &Firmware,
    args: &VerifyArgs,
    marks: Vec<Mark>,
) -> Record {
    let context = Context {
        target_name: &args.on.target,
        seed: args.on.seed,
        target: &known.target,
        firmware,
        marks,
        slice_ns: None,
    };
    Record {
        head: head_before(context),
        aic: aic(&known.target, None),
        table: known.table,
        size: args.size(),
        setup,
        least_nr_irq: known.target.lines.least_nr_irq(),
        cells: Vec::new(),
        registers: Vec::new(),
        fiqs: Vec::new(),
        ipis: Vec::new(),
        restore: Restore::default(),
    }
}

/// Ends a run in which so much is lost that its end would not come.
#[derive(Default)]
struct Enough {
    lost: u64,
}

impl Enough {
    const fn reached(&self) -> bool {
        self.lost >= ENOUGH_LOST
    }
}

impl Observer for Enough {
    fn on(&mut self, event: Event<'_>) {
        if let Event::Part { counts, .. } = event {
            self.lost += counts.lost;
        }
    }

    fn stop(&self) -> bool {
        self.reached()
    }
}
