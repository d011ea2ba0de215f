//! `aicprobe verify`.

mod args;
mod enough;
mod record;

use std::cell::RefCell;

use crate::error::{Error, exit};
use crate::firmware::Firmware;
use crate::output::{Form, Grid, junit, render, tap, to_json};
use crate::session::SessionError;
use crate::target::TargetError;
use crate::verify::{RULES, Setup, Verdict as Said, VerifyResult};

pub use args::{VerdictForm, VerifyArgs};
use enough::Enough;
use record::{Known, failed_record, kept_of, prepare, record_of, table_of};

use super::args::Cli;
use super::evidence::finish_with;
use super::experiment::{self, Keep};
use super::route::{Verdict, exit_code};
use super::tell::tell;
use super::write::Sink;

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
